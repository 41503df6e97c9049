"""Which exam sheets of a student count, and that their record cannot be lost."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.exam.attempts import (
    KEPT,
    Attempt,
    History,
    count,
    history_in,
    with_history,
)
from autograder.exam.examining import examine
from autograder.intake.submission import Submission, open_submission
from autograder.kit.cases import read_key
from autograder.manifest import load_manifest
from autograder.report import ExamReport, ExerciseResult, Report, TestResult

ROOT = Path(__file__).parent.parent
SOLVED = (ROOT / "solutions" / "exam.toml").read_text(encoding="utf-8")
MANIFEST, KEY = load_manifest(), read_key()
A, B, C, D = (
    Attempt(letter * 64, right) for letter, right in zip("abcd", (5, 14, 9, 18), strict=True)
)


# --- which count -----------------------------------------------------------------------------


def after(*sheets: Attempt, **known) -> History:
    history = History(**known)
    for sheet in sheets:
        history = history.with_sheet(sheet, 3)
    return history


def test_the_best_of_the_first_three_counts():
    assert after(A).best == 5
    assert after(A, B, C).best == 14
    late = after(A, B, C, D)
    assert (late.sheets, late.best) == ((A, B, C), 14)
    assert not after(A, B, C).takes(D.digest, 3)


def test_an_unchanged_sheet_is_no_new_attempt_and_never_falls():
    history = after(A, B, C)
    assert history.takes(A.digest, 3)
    assert history.with_sheet(A, 3) == history
    assert history.with_sheet(Attempt(B.digest, 2), 3).best == 14
    assert history.with_sheet(Attempt(A.digest, 18), 3).best == 18


def test_spent_attempts_that_nobody_can_tell_count_too():
    assert after(A, unknown=2).spent == 3
    assert not after(A, unknown=2).takes(B.digest, 3)
    assert not History(unknown=3).takes(A.digest, 3)


# --- the record ------------------------------------------------------------------------------


def submission(results=None, score=0.0, error=False, time="2026-01-01T10:00:00.000000-08:00"):
    """An entry of previous_submissions as the documentation shows it."""
    entry = {"submission_time": time, "score": score, "autograder_error": error}
    return {**entry, "results": results} if results is not None else entry


def left(history: History) -> dict:
    return {"score": 10.0, "extra_data": json.loads(json.dumps(history.record()))}


def read(*earlier) -> History:
    return history_in({"previous_submissions": [*earlier]}, MANIFEST, 18)


def test_the_latest_record_is_the_whole_history():
    """Gradescope gives `results` on the latest earlier submission only."""
    assert read() == History()
    kept = after(A, B, unknown=1, proved=14)
    assert read(submission(), submission(), submission(left(kept))) == kept


def test_a_list_that_an_earlier_version_left_is_read():
    record = {KEPT: [{"digest": A.digest, "right": 5}]}
    assert read(submission({"extra_data": record})) == after(A)


LOST = {
    "killed, no results": submission(),
    "pending": {**submission(), "results": None, "score": None},
    "null results": {**submission(), "results": None},
    "results without extra_data": submission({"score": 3.0}),
    "a record of another form": submission({"extra_data": {KEPT: "aaa"}}),
}


@pytest.mark.parametrize("latest", LOST.values(), ids=LOST)
def test_without_a_record_each_earlier_submission_is_a_spent_attempt(latest):
    found = read(submission(score=20.0), latest)
    assert (found.sheets, found.unknown, found.reconstructed) == ((), 2, True)
    assert not replace(found, unknown=3).takes(A.digest, 3)


def test_an_autograder_error_spends_none():
    found = read(submission(), submission(error=True))
    assert (found.unknown, found.reconstructed) == (1, True)


def test_a_record_further_back_is_used_where_the_platform_gives_it():
    found = read(submission(left(after(A))), submission(), submission())
    assert (found.sheets, found.unknown) == ((A,), 2)


@pytest.mark.parametrize(
    ("score", "right"),
    [
        (95.56, 14),
        ("95.56", 14),
        (100, 18),
        (80.0, 0),
        (80.01, 1),
        (120, 18),
        (79.0, 0),
        (None, 0),
        ("nan", 0),
        (True, 0),
        ([], 0),
        (float("inf"), 0),
    ],
)
def test_earlier_totals_prove_right_answers(score, right):
    assert read(submission(score=score), submission()).proved == right


def test_the_reconstruction_is_the_new_record():
    found = read(submission(score=95.56), submission())
    assert read(submission(), submission(), submission(left(found))) == found


def test_the_order_is_that_of_the_times():
    new = submission(left(after(A, B)), time="2026-03-02T10:00:00-08:00")
    old = submission(time="2026-03-01T10:00:00-08:00")
    assert read(new, old) == after(A, B)


def previous(entry):
    return {"previous_submissions": [submission({"extra_data": {KEPT: {"sheets": [entry]}}})]}


ODD = [
    *(None, [], "previous_submissions", {}, {"previous_submissions": None}),
    {"previous_submissions": {"0": {}}},
]
SPENT = [
    {"previous_submissions": [None]},
    previous(None),
    previous("a" * 64),
    previous({"digest": "a" * 64}),
    previous({"digest": "a" * 63, "right": 18}),
    previous({"digest": 7, "right": 18}),
    previous({"digest": "a" * 64, "right": 19}),
    previous({"digest": "a" * 64, "right": -1}),
    previous({"digest": "a" * 64, "right": True}),
    previous({"digest": "a" * 64, "right": 18.0}),
    previous({"digest": ["a"] * 64, "right": 10**400}),
]


@pytest.mark.parametrize("metadata", ODD, ids=range(len(ODD)))
def test_an_odd_history_is_none(metadata):
    assert history_in(metadata, MANIFEST, 18) == History()


@pytest.mark.parametrize("metadata", SPENT, ids=range(len(SPENT)))
def test_an_odd_record_is_no_record(metadata):
    assert history_in(metadata, MANIFEST, 18) == History(unknown=1, reconstructed=True)


# --- of real sheets --------------------------------------------------------------------------


def examined(folder: Path, text: str | None):
    folder.mkdir(exist_ok=True)
    if text is not None:
        (folder / "exam.toml").write_text(text, encoding="utf-8")
    return examine(open_submission(folder, MANIFEST), KEY)


def respelt(text: str) -> str:
    """Every answer the same in meaning and another in spelling."""
    lines = []
    for line in text.splitlines():
        name, _, answer = line.partition(" = ")
        answer = answer.strip('"')
        if len(answer) == 1 and answer.isalpha():
            line = f"{name} = Option {answer.upper()}"
        elif "/" in answer:
            line = f"{name} = ({answer})"
        elif answer.lstrip("-").isdigit() and name.startswith("q"):
            line = f"{name} = {answer}.0"
        lines.append(line)
    return "\n".join(lines)


def test_sheets_are_told_apart_by_what_their_answers_mean(tmp_path):
    first = examined(tmp_path, SOLVED)
    assert first.score.right == 18
    for same in ("# my exam\r\n" + SOLVED, SOLVED.replace("q01", "q1"), respelt(SOLVED)):
        found = examined(tmp_path, same)
        assert (found.digest, found.score.right) == (first.digest, 18)
    assert examined(tmp_path, SOLVED.replace("q01", "#")).digest != first.digest


@pytest.mark.parametrize(
    "text", [None, "", 'q01 = ""', "\0\0\0", 'q02 = "I do not know"', "q01 = 1/0", "q99 = 3"]
)
def test_no_usable_answer_is_no_attempt(tmp_path, text):
    assert examined(tmp_path, text).digest == ""


# --- in the report ---------------------------------------------------------------------------


def sheet(right: int) -> bytes:
    lines = []
    for position, entry in enumerate(KEY):
        wrong = next((letter for letter in entry.options if letter != entry.answer), "-12345")
        lines.append(f'{entry.id} = "{entry.answer if position < right else wrong}"')
    return "\n".join(lines).encode()


def shown(before: History, right: int | None):
    """The report, and the exam's test in it, of a sheet with so many right answers."""
    handed_in = Submission("anna", exam=None if right is None else sheet(right))
    found = examine(handed_in, KEY)
    test = TestResult("test_answers_are_right", "The questions", 20.0)
    test.settle(found.verdict, found.message, found.share)
    report = Report("anna", [ExerciseResult("exam", [test])], found.report)
    counted = count(before, found, MANIFEST)
    after_it = with_history(report, counted)
    assert report.exercises[0].tests[0] is test
    return after_it, after_it.exercises[0].tests[0], counted.history


def test_the_first_attempt_scores_as_without_the_rule():
    report, test, history = shown(History(), 5)
    assert (test.points, report.exam.score, history.spent) == (5.56, 28, 1)
    assert "28 of 100, not passed" in test.hint
    assert "This is number 1 of the 3 different exam.toml that count." in test.hint
    assert isinstance(report.exam, ExamReport)


def test_only_one_module_is_named_before_the_exam_is_passed():
    for before in (History(), after(A)):
        _, test, _ = shown(before, 7)
        assert "Most worth reading again: Module" in test.hint
        assert "missed" not in test.hint
    _, last, _ = shown(after(A, C), 7)
    assert "Module 3: 7 missed" in last.hint
    assert "Most worth" not in last.hint
    _, passed, _ = shown(History(), 14)
    assert "Module 3: 4 missed" in passed.hint


def test_an_earlier_better_sheet_gives_the_points():
    report, test, _ = shown(after(B), 5)
    assert (test.points, test.verdict) == (15.56, "passed")
    assert (report.exam.score, report.exam.passed) == (78, True)
    assert test.hint.endswith("An earlier one was better and counts: 78 of 100.")


@pytest.mark.parametrize("before", [after(A, B, C), after(A, unknown=2, proved=14)])
def test_nothing_is_told_of_a_fourth_sheet(before):
    """Neither its score nor what it missed: that would be a fourth attempt."""
    report, test, history = shown(before, 18)
    assert history == before
    assert (test.points, report.exam.score, report.exam.right) == (15.56, 78, 14)
    assert (report.exam.by_module, report.exam.missed) == ({}, [])
    assert "100, passed" not in test.hint
    assert "Module" not in test.hint
    assert test.hint.startswith("This exam.toml differs from the first 3 that count")
    assert "78 of 100" in test.hint


def test_a_fourth_sheet_after_nothing_right_is_not_told_either():
    report, test, _ = shown(History(unknown=3, reconstructed=True), 18)
    assert (test.points, report.exam.score, test.verdict) == (0, 0, "failed")
    assert report.exam.missed == []
    assert "staff can mend it" in test.hint


def test_a_submission_without_a_sheet_keeps_what_counts():
    report, test, _ = shown(after(B), None)
    assert (test.points, report.exam.score) == (15.56, 78)
    assert test.hint == "No exam.toml was handed in. An earlier exam.toml counts: 78 of 100."
    report, test, _ = shown(History(proved=14, unknown=2, reconstructed=True), None)
    assert (test.points, report.exam.passed) == (15.56, True)


def test_without_any_sheet_nothing_is_said_of_attempts():
    _, test, _ = shown(History(), None)
    assert (test.verdict, test.hint) == ("missing", "No exam.toml was handed in.")


def test_an_exam_that_has_not_run_yet_has_no_points():
    found = examine(Submission("anna", exam=sheet(5)), KEY)
    blank = TestResult("test_answers_are_right", "The questions", 20.0)
    report = Report("anna", [ExerciseResult("exam", [blank])])
    assert with_history(report, count(after(B), found, MANIFEST)).score == 0
