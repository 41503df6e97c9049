"""Which exam sheets of a student count: the first three different ones, and the best of them."""

import json
from pathlib import Path

import pytest

from autograder.exam.attempts import (
    Attempt,
    attempt_of,
    attempts_in,
    kept,
    standing,
    with_standing,
)
from autograder.intake.submission import open_submission
from autograder.kit.cases import read_key
from autograder.manifest import load_manifest
from autograder.report import ExamReport, ExerciseResult, Report, TestResult

ROOT = Path(__file__).parent.parent
SOLVED = (ROOT / "solutions" / "exam.toml").read_text(encoding="utf-8")
A, B, C, D = (
    Attempt(letter * 64, right) for letter, right in zip("abcd", (5, 14, 9, 18), strict=True)
)


def test_the_first_sheet_counts():
    found = standing([], A, 3)
    assert (found.counted, found.best, found.spent) == ((A,), A, False)


def test_the_best_of_three_counts():
    found = standing([A, B], C, 3)
    assert (found.counted, found.best, found.spent) == ((A, B, C), B, False)


def test_a_fourth_different_sheet_is_not_counted():
    found = standing([A, B, C], D, 3)
    assert (found.counted, found.best, found.spent) == ((A, B, C), B, True)


def test_an_unchanged_sheet_is_no_new_attempt():
    found = standing([A, B, C], A, 3)
    assert (found.counted, found.best, found.spent) == ((A, B, C), B, False)


def test_an_unchanged_sheet_is_scored_afresh():
    better = Attempt(A.digest, 18)
    assert standing([A, B, C], better, 3).best == better


def test_a_submission_without_answers_keeps_the_best():
    found = standing([A, B], None, 3)
    assert (found.counted, found.best, found.spent) == ((A, B), B, False)


def test_more_kept_attempts_than_count_are_cut():
    assert standing([A, B, C, D], None, 3).counted == (A, B, C)


def test_every_run_tells_the_whole_history_so_far():
    """Gradescope gives the results of all earlier runs: what each of them kept is merged."""
    runs = [[], [A], [A, B], [A, B]]
    metadata = {
        "previous_submissions": [{"results": {"extra_data": kept(counted)}} for counted in runs]
    }
    found = attempts_in(json.loads(json.dumps(metadata)), 18)
    assert standing(found, None, 3).counted == (A, B)


def previous(entry):
    return {"previous_submissions": [{"results": {"extra_data": {"exam_attempts": [entry]}}}]}


ODD = [
    None,
    [],
    "previous_submissions",
    {},
    {"previous_submissions": None},
    {"previous_submissions": {"0": {}}},
    {"previous_submissions": [None, 3, "x", [], {}]},
    {"previous_submissions": [{"results": None}, {"results": []}, {"results": {"extra_data": 1}}]},
    {"previous_submissions": [{"results": {"extra_data": {"exam_attempts": "aaa"}}}]},
    previous(None),
    previous("a" * 64),
    previous({"digest": "a" * 64}),
    previous({"digest": "a" * 63, "right": 18}),
    previous({"digest": 7, "right": 18}),
    previous({"digest": "a" * 64, "right": 19}),
    previous({"digest": "a" * 64, "right": -1}),
    previous({"digest": "a" * 64, "right": True}),
    previous({"digest": "a" * 64, "right": 18.0}),
    previous({"digest": "a" * 64, "right": "18"}),
    previous({"digest": ["a"] * 64, "right": 10**400}),
]


@pytest.mark.parametrize("metadata", ODD, ids=range(len(ODD)))
def test_an_odd_history_is_none(metadata):
    assert attempts_in(metadata, 18) == []


# --- of real sheets --------------------------------------------------------------------------


def attempt(folder: Path, text: str | None):
    folder.mkdir(exist_ok=True)
    if text is not None:
        (folder / "exam.toml").write_text(text, encoding="utf-8")
    return attempt_of(open_submission(folder, load_manifest()), read_key())


def test_sheets_are_told_apart_by_their_answers(tmp_path):
    first = attempt(tmp_path, SOLVED)
    assert first.right == 18
    assert attempt(tmp_path, "# my exam\r\n" + SOLVED.replace("\n", "\r\n")) == first
    assert attempt(tmp_path, SOLVED.replace("q01", "q1")) == first
    assert attempt(tmp_path, SOLVED.replace("q01", "#")).digest != first.digest


@pytest.mark.parametrize("text", [None, "", 'q01 = ""', "\0\0\0"])
def test_no_answer_is_no_attempt(tmp_path, text):
    assert attempt(tmp_path, text) is None


# --- in the report ---------------------------------------------------------------------------


def report(right: int, hint: str = "Module 1: 2 missed.") -> Report:
    test = TestResult("test_answers_are_right", "The questions", 20.0)
    test.settle("failed", hint, right / 18)
    score = round(100 * right / 18)
    exam = ExamReport(score, right, 18, score >= 70, {"1": 18 - right}, [])
    return Report("anna", [ExerciseResult("exam", [test])], exam)


def shown(earlier, now, **changes):
    found = with_standing(report(now.right if now else 0, **changes), standing(earlier, now, 3))
    return found, found.exercises[0].tests[0]


def test_the_first_attempt_scores_as_without_the_rule():
    found, test = shown([], A)
    assert (test.points, found.exam.score) == (5.56, 28)
    assert test.hint == (
        "Module 1: 2 missed. This is number 1 of the 3 different exam.toml that count."
    )


def test_an_earlier_better_sheet_gives_the_points():
    found, test = shown([B], A)
    assert (test.points, test.verdict, found.exam.score, found.exam.passed) == (
        15.56,
        "passed",
        78,
        True,
    )
    assert test.hint.endswith("An earlier one was better and counts: 78 of 100.")


def test_nothing_is_told_of_a_fourth_sheet():
    """Neither its score nor what it missed: that would be a fourth attempt."""
    found, test = shown([A, B, C], D)
    assert (test.points, found.exam.score, found.exam.right) == (15.56, 78, 14)
    assert found.exam.by_module == {}
    assert "Module" not in test.hint
    assert test.hint.startswith("This exam.toml differs from the first 3 that you handed in")
    assert test.hint.endswith("the best of those 3 keeps its score, 78 of 100.")


def test_a_submission_without_a_sheet_is_told_which_one_counts():
    _, test = shown([B], None, hint="No exam.toml was handed in.")
    assert test.points == 15.56
    assert test.hint == "No exam.toml was handed in. An earlier exam.toml counts: 78 of 100."


def test_an_exam_that_has_not_run_yet_has_no_points():
    blank = report(5)
    blank.exercises[0].tests[0] = TestResult("test_answers_are_right", "The questions", 20.0)
    found = with_standing(blank, standing([B], A, 3))
    assert found.score == 0
    assert found.exam.score == 78


def test_the_judge_s_own_report_stays_as_it_is():
    before = report(5)
    with_standing(before, standing([B], A, 3))
    assert before == report(5)
