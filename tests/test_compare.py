"""compare: exactly the rows that moved between two gradings, each with its cause."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.compare import moved
from autograder.graded import ABSENT, GradedFolder, read_outcomes
from autograder.manifest import load_manifest
from autograder.report import (
    ExamReport,
    ExerciseResult,
    MissedQuestion,
    Outcome,
    Override,
    Report,
    TestResult,
)

AUTOGRADER = Path(sys.executable).with_name("autograder")


def outcome(name: str, missed=()) -> Outcome:
    """Full marks in every exercise but for the questions missed."""
    exercises = []
    for exercise in load_manifest().exercises:
        half = exercise.points / 2
        tests = [TestResult(f"test_{n}", f"Title {n}.", half) for n in (1, 2)]
        for test in tests:
            test.settle("passed")
        exercises.append(ExerciseResult(exercise.name, tests))
    questions = [MissedQuestion(id_, "A title", None) for id_ in missed]
    exam = ExamReport(90, 18 - len(missed), 18, True, {"0": len(missed)}, questions)
    return Outcome(name, (), Report(name, exercises, exam=exam, provenance={"tests": "aaa"}))


def a_class() -> list[Outcome]:
    return [outcome(f"s{n}") for n in range(6)]


def test_nothing_moved():
    assert moved(a_class(), a_class()) == ["0 of 6 moved"]


def test_each_row_that_moved_has_its_cause():
    old, new = a_class(), copy.deepcopy(a_class())
    new[0].report.exercises[0].tests[1].settle("failed", "A new hint.")
    new[1].report.exercises[2].override = Override(5, "late")
    new[2].report, new[2].status, new[2].fault = None, "grader_error", "no room"
    new[3].report.exam = outcome("s3", ["q07"]).report.exam
    # What changes neither a score nor a verdict is no row.
    new[4].report.misconceptions = ["no_scaling"]
    new[4].report.exercises[0].tests[0].hint = "Other words."
    new = [*new[:5], outcome("s9")]
    assert moved(old, new) == [
        "s0: 100 -> 90",
        "  softmax: passed 10/10 -> failed 0/10: Title 2. (A new hint.)",
        "s1: 100 -> 75",
        "  attention: override as graded -> 5 by hand: late",
        "s2: 100 -> grader_error",
        "  graded -> grader_error: no room",
        "s3: 100 -> 100",
        "  exam, missed: q07",
        "s5: 100 -> not there",
        "  not in the new folder",
        "s9: not there -> 100",
        "  not in the old folder",
        "6 of 7 moved",
    ]


def test_a_verdict_that_costs_nothing_is_a_row_too():
    old, new = a_class(), copy.deepcopy(a_class())
    old[0].report.exercises[0].tests[1].settle("failed")
    new[0].report.exercises[0].tests[1].settle("timeout")
    assert "  softmax: failed 0/10 -> timeout 0/10: Title 2." in moved(old, new)


def test_other_tests_are_told_once():
    old, new = a_class(), copy.deepcopy(a_class())
    for one in new:
        one.report.provenance["tests"] = "bbb"
    assert moved(old, new) == ["tests: aaa -> bbb", "0 of 6 moved"]


# --- through the files -------------------------------------------------------------------------


def written(folder: Path, outcomes: list[Outcome]) -> Path:
    graded = GradedFolder(folder)
    for one in outcomes:
        graded.add(one)
    graded.write_table([one.name for one in outcomes])
    return folder


def run(*arguments):
    command = [AUTOGRADER, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_folder_reads_as_it_was_written(tmp_path):
    outcomes = [
        *a_class(),
        Outcome("t", (), None, "grader_error", "no room"),
        Outcome("u", (), None, ABSENT),
    ]
    outcomes[0].report.shape = ["20.abc"]
    outcomes[1].report.replaced = {"attention": ["softmax"]}
    outcomes[1].report.remarks = ["x.docx was left out."]
    outcomes[2].report.bonus = [ExerciseResult("price", [TestResult("t", "T.", 1)])]
    assert read_outcomes(written(tmp_path, outcomes)) == outcomes


def test_the_command(tmp_path):
    changed = a_class()
    changed[3].report.exercises[1].tests[0].settle("failed")
    done = run("compare", written(tmp_path / "a", a_class()), written(tmp_path / "b", changed))
    assert done.returncode == 0
    assert [line for line in done.stdout.splitlines() if not line.startswith(" ")] == [
        "s3: 100 -> 95",
        "1 of 6 moved",
    ]


@pytest.mark.parametrize("command", ["compare", "report"])
def test_a_folder_that_was_not_graded_is_told(tmp_path, command):
    arguments = [tmp_path] * (2 if command == "compare" else 1)
    done = run(command, *arguments)
    assert done.returncode == 2
    assert "no results/" in done.stderr


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"extra_data": {"report": {}}}', "\0"])
def test_a_damaged_result_is_told_as_not_finished(tmp_path, content):
    written(tmp_path, a_class())
    (tmp_path / "results" / "s0.json").write_text(content)
    first, *others = read_outcomes(tmp_path)
    assert first.report is None
    assert len([one for one in others if one.report]) == 5


def test_a_result_still_is_gradescopes(tmp_path):
    written(tmp_path, a_class())
    found = json.loads((tmp_path / "results" / "s0.json").read_text())
    assert found["score"] == 100
    assert all(test["visibility"] == "visible" for test in found["tests"])
    assert found["extra_data"]["report"]["submission"] == "s0"
