"""A report in otter's terms: questions, test cases, and the pickle that `otter grade` reads."""

import pickle

import pytest

from autograder.renderers.otter import Case, cases, question, write_pickle
from autograder.report import ExerciseResult, Report, TestResult


def judged(verdict, earned=1.0, most=4.0, hint="A hint.", name="test_a"):
    test = TestResult(name, f"The title of {name}.", most)
    test.settle(verdict, hint, earned)
    return test


def test_a_test_is_a_case():
    passed, failed = judged("passed", hint=""), judged("timeout", 0.0, name="test_b")
    assert cases(ExerciseResult("x", [passed, failed])) == [
        Case("The title of test_a.", 4.0, True, "passed", ""),
        Case("The title of test_b.", 4.0, False, "timeout", "A hint."),
    ]


def test_a_part_of_the_points_is_two_cases():
    """Otter's cases are earned or not."""
    assert cases(ExerciseResult("x", [judged("failed", 0.25)])) == [
        Case("The title of test_a. (earned)", 1.0, True, "failed", ""),
        Case("The title of test_a. (missed)", 3.0, False, "failed", "A hint."),
    ]


def test_a_test_without_points_passes_by_its_verdict():
    tests = [judged("passed", 1.0, 0.0), judged("failed", 0.0, 0.0, name="test_b")]
    assert [case.passed for case in cases(ExerciseResult("x", tests))] == [True, False]


@pytest.mark.parametrize("verdict", ["missing", "not_attempted"])
def test_a_bonus_that_is_not_begun_is_no_failure(verdict):
    test = judged(verdict, 0.0, 0.0)
    assert cases(ExerciseResult("bonus", [test])) == [
        Case("A bonus exercise that is not begun.", 0.0, True, "not begun", "")
    ]
    # With points it is one.
    core = judged(verdict, 0.0, 4.0)
    assert [case.passed for case in cases(ExerciseResult("core", [core]))] == [False]


def test_a_question_holds_the_exercise(tmp_path):
    pytest.importorskip("otter", reason="otter-grader is not installed")
    exercise = ExerciseResult("softmax", [judged("failed", 1 / 3), judged("passed", hint="")])
    found = question(exercise)
    assert (found.name, found.path, found.all_or_nothing) == ("softmax", "softmax", False)
    assert found.score == pytest.approx(5.33)
    assert found.possible == pytest.approx(8)
    told = [
        (one.test_case.name, one.test_case.points, one.test_case.hidden, one.message, one.passed)
        for one in found.test_case_results
    ]
    assert told == [
        ("The title of test_a. (earned)", 1.33, False, "failed", True),
        ("The title of test_a. (missed)", 2.67, False, "failed", False),
        ("The title of test_a.", 4.0, False, "passed", True),
    ]
    results = found.test_case_results
    assert found.test_cases == [one.test_case for one in results]
    assert [one.test_case.body for one in results] == [None] * 3
    assert [one.test_case.success_message for one in results] == [None] * 3
    assert [one.test_case.failure_message for one in results] == [None, "A hint.", None]


def test_the_pickle_holds_core_and_bonus(tmp_path):
    pytest.importorskip("otter", reason="otter-grader is not installed")
    report = Report(
        "jane",
        [ExerciseResult("softmax", [judged("passed")])],
        bonus=[ExerciseResult("price", [judged("passed", 1.0, 0.0)])],
    )
    write_pickle(report, "", tmp_path / "results.pkl")
    found = pickle.loads((tmp_path / "results.pkl").read_bytes())
    assert [(file.name, file.score) for file in found.results.values()] == [
        ("softmax", 4),
        ("price", 0),
    ]
    assert (found.total, found.possible) == (4, 4)
    assert found.catastrophic_error is None


def test_without_a_report_the_pickle_says_why(tmp_path):
    pytest.importorskip("otter", reason="otter-grader is not installed")
    write_pickle(None, "Traceback:\n  line\nno guest can be made\n", tmp_path / "results.pkl")
    found = pickle.loads((tmp_path / "results.pkl").read_bytes())
    # Of Python's own: the reader of the pickle has otter, and not this package.
    assert type(found.catastrophic_error) is RuntimeError
    assert str(found.catastrophic_error) == "grader_error: no guest can be made"
    assert found.results == {}
