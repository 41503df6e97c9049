"""Report -> otter-grader's terms: a question per exercise, a test case per hidden test."""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.files import write_whole
from autograder.renderers.wording import VERDICTS
from autograder.report import ExerciseResult, Report, TestResult


@dataclass(frozen=True)
class Case:
    """A test case of otter: its points are earned or not."""

    name: str
    points: float
    passed: bool
    verdict: str
    hint: str


def cases(exercise: ExerciseResult) -> list[Case]:
    if not exercise.max_score and not exercise.begun:
        # Otter would show a failure, and nobody has to begin a bonus.
        return [Case("A bonus exercise that is not begun.", 0.0, True, "not begun", "")]
    return [case for test in exercise.tests for case in cases_of(test)]


def cases_of(test: TestResult) -> list[Case]:
    """One case; two where a part of the points is earned, since otter knows all or nothing."""
    verdict = VERDICTS[test.verdict]
    lost = test.max_points - test.points
    if lost == 0 or test.points == 0:
        passed = lost == 0 if test.max_points else test.verdict == "passed"
        return [Case(test.title, test.max_points, passed, verdict, test.hint)]
    return [
        Case(f"{test.title} (earned)", test.points, True, verdict, ""),
        Case(f"{test.title} (missed)", lost, False, verdict, test.hint),
    ]


def write_pickle(report: Report | None, fault: str, path: Path) -> None:
    """The results.pkl that `otter grade` reads; without a report, `fault` is its grading_status."""
    from otter.test_files import GradingResults

    if report is None:
        # An exception of Python's own: the reader of the pickle has otter, but not this package.
        last_line = fault.strip().rpartition("\n")[2]
        found = GradingResults.without_results(RuntimeError(f"grader_error: {last_line}"))
    else:
        found = GradingResults([question(one) for one in (*report.exercises, *report.bonus)])
    write_whole(path, pickle.dumps(found))


def question(exercise: ExerciseResult) -> Any:
    """An exercise that has been judged, as otter's own classes."""
    from otter.test_files import TestCase
    from otter.test_files.abstract_test import TestCaseResult
    from otter.test_files.ottr_test import OttrTestFile

    results = [
        TestCaseResult(
            TestCase(case.name, None, False, case.points, None, case.hint or None),
            case.verdict,
            case.passed,
        )
        for case in cases(exercise)
    ]
    # Otter's class for tests that ran elsewhere: it only holds results.
    found = OttrTestFile(
        exercise.name, exercise.name, [result.test_case for result in results], False
    )
    found.test_case_results = results
    found.update_score(round(exercise.score, 2))
    return found
