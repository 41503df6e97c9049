"""The exam, graded with the code: what each reader is told, and nothing more."""

import csv
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.judging.grading import grade
from autograder.kit.cases import read_key
from autograder.manifest import load_manifest
from autograder.renderers.feedback import feedback
from autograder.renderers.gradescope import results

CHECKOUT = Path(__file__).parents[1]
KEY = read_key()


def sheet(right):
    """An answer sheet on which the first `right` questions are right, and no other."""
    lines = []
    for position, entry in enumerate(KEY):
        wrong = next((letter for letter in entry.options if letter != entry.answer), "-12345")
        answer = entry.answer if position < right else wrong
        lines.append(f"{entry.id} = {json.dumps(answer)}")
    return "\n".join(lines)


@pytest.fixture
def graded(tmp_path):
    """Grades the template's code with a given exam.toml."""

    def run(exam):
        folder = tmp_path / "work"
        shutil.copytree(CHECKOUT / "student_template", folder, dirs_exist_ok=True)
        content = exam if isinstance(exam, bytes) else exam.encode()
        (folder / "exam.toml").write_bytes(content)
        return grade(folder)

    return run


def exam_test(report):
    (test,) = next(e for e in report.exercises if e.name == "exam").tests
    return test


@pytest.mark.parametrize(
    ("right", "score", "points", "passed"),
    [(18, 100, 20.0, True), (13, 72, 14.44, True), (12, 67, 13.33, False), (1, 6, 1.11, False)],
)
def test_points_by_the_share_that_is_right(graded, right, score, points, passed):
    report = graded(sheet(right))
    assert (report.exam.score, report.exam.right, report.exam.passed) == (score, right, passed)
    assert exam_test(report).points == points
    assert exam_test(report).verdict == ("passed" if passed else "failed")
    assert report.score == points
    assert sum(report.exam.by_module.values()) == 18 - right


def test_students_are_told_one_module_and_staff_which(graded):
    """Before the exam is passed, the misses per module would pay for guessing."""
    report = graded(sheet(11))
    told = exam_test(report).hint
    assert "61 of 100, not passed" in told
    assert "Most worth reading again: Module 3" in told
    assert "missed" not in told
    assert "attempt" not in told
    assert "this one is scored by itself" in told
    student = feedback(report) + json.dumps([t["output"] for t in results(report)["tests"]])
    assert "61 of 100" in student
    assert not [entry.id for entry in KEY if entry.id in student]
    passed = exam_test(graded(sheet(14))).hint
    assert "Module 3: 4 missed" in passed
    staff = results(report)["extra_data"]["exam"]["missed"]
    assert [miss["id"] for miss in staff] == [entry.id for entry in KEY[11:]]
    assert any(miss["misconception"] for miss in staff)
    assert report.as_json()["exam"]["missed"] == staff


def test_a_threshold_of_nothing_pays_for_no_wrong_answer(graded, monkeypatch):
    rules = replace(load_manifest(), exam=replace(load_manifest().exam, threshold=0))
    monkeypatch.setattr("autograder.exam.examining.load_manifest", lambda: rules)
    report = graded(sheet(0))
    assert (exam_test(report).points, report.exam.passed) == (0, True)


def test_the_table_for_staff_names_the_questions(tmp_path):
    folder = tmp_path / "anna"
    shutil.copytree(CHECKOUT / "student_template", folder)
    (folder / "exam.toml").write_text(sheet(17))
    command = [
        sys.executable,
        "-m",
        "autograder",
        "grade",
        str(folder),
        "--out",
        str(tmp_path / "o"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    with (tmp_path / "o" / "grades.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["exam"], row["exam_of_100"], row["exam_passed"]) == ("18.89", "94", "yes")
    assert row["exam_missed"].startswith("q18")


def test_a_bad_line_costs_its_question_and_is_named(graded):
    lines = sheet(18).splitlines()
    lines[2] = "q03 = [[[ nonsense"
    lines[3] = f"q04 = {KEY[3].answer}"
    report = graded("\n".join([*lines, 'q99 = "a"']))
    assert [miss.id for miss in report.exam.missed] == ["q03"]
    assert "Line 3 of exam.toml" in exam_test(report).hint
    assert "q99" in exam_test(report).hint


@pytest.mark.parametrize(
    ("exam", "verdict", "words"),
    [
        (b"", "not_attempted", "No question is answered"),
        (b"\x00\xff" * 100, "not_attempted", "not a text file"),
        (b"#" * (5 << 20), "not_attempted", "larger than 64 KiB"),
        (b"[" * 50_000, "not_attempted", "cannot be read"),
    ],
    ids=["empty", "binary", "5 MB", "deep"],
)
def test_an_unreadable_sheet_scores_nothing_and_the_code_is_graded(graded, exam, verdict, words):
    report = graded(exam)
    assert (exam_test(report).verdict, exam_test(report).points) == (verdict, 0.0)
    assert words in exam_test(report).hint
    assert report.exam.score == 0
    assert {t.verdict for t in report.exercises[0].tests} == {"not_attempted"}


def test_without_a_sheet_the_exam_is_missing(tmp_path):
    (tmp_path / "work").mkdir()
    shutil.copy(CHECKOUT / "solutions" / "softmax.py", tmp_path / "work")
    report = grade(tmp_path / "work")
    assert exam_test(report).verdict == "missing"
    assert report.exercises[0].score == 20


def test_a_linked_sheet_is_refused_in_words(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "exam.toml").symlink_to(CHECKOUT / "solutions" / "exam.toml")
    report = grade(tmp_path / "work")
    assert "is a link" in exam_test(report).hint
    assert report.exam.score == 0
