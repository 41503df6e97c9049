"""How every renderer words a report."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.report import ExamReport, ExerciseResult, Report, TestResult, Verdict

VERDICTS: dict[Verdict, str] = {
    "passed": "passed",
    "failed": "failed",
    "not_attempted": "not attempted",
    "missing": "missing",
    "syntax_error": "syntax error",
    "import_error": "import error",
    "crashed": "crashed",
    "timeout": "timeout",
    "out_of_memory": "out of memory",
    "not_run": "not run",
}


def points(number: float) -> str:
    """Two decimals at most: 12, 7.5, 16.67."""
    return f"{round(number, 2):.2f}".rstrip("0").rstrip(".")


def exam_line(exam: ExamReport) -> str:
    """The exam's own score, for everyone."""
    return f"exam: {exam.score} of 100, {'passed' if exam.passed else 'not passed'}"


def draw_line(report: Report) -> str:
    """For staff: that anyone can compute the key of this draw; empty for a course's own draw."""
    if report.provenance.get("draw") != "public demonstration":
        return ""
    return (
        "graded with the public draw, whose exam key anyone can compute: for a course, run "
        "autograder regenerate first"
    )


def missed_line(exam: ExamReport) -> str:
    """For staff: each missed question, with what the chosen option stands for."""
    return ", ".join(
        f"{miss.id} ({miss.misconception})" if miss.misconception else miss.id
        for miss in exam.missed
    )


def hints(exercise: ExerciseResult) -> list[tuple[str, list[str]]]:
    """Each hint of an exercise once, with the titles of the tests that it is about."""
    titles: dict[str, list[str]] = {}
    for test in exercise.tests:
        if test.hint:
            titles.setdefault(test.hint, []).append(test.title)
    return list(titles.items())


@dataclass
class Cause:
    """Why points were lost: a hint, told once, and the tests that it is about, by exercise."""

    verdict: Verdict
    hint: str
    tests: dict[str, list[TestResult]] = field(default_factory=dict)

    @property
    def lost(self) -> float:
        return sum(test.max_points - test.points for tests in self.tests.values() for test in tests)


def causes(report: Report) -> list[Cause]:
    """What was lost, by cause: one mistake that shows in several exercises is one cause."""
    found: dict[tuple[Verdict, str], Cause] = {}
    for exercise in [*report.exercises, *begun_bonus(report)]:
        for test in exercise.tests:
            if test.verdict != "passed" or test.points < test.max_points:
                cause = found.setdefault((test.verdict, test.hint), Cause(test.verdict, test.hint))
                cause.tests.setdefault(exercise.name, []).append(test)
    return list(found.values())


def holds_line(exercises: Iterable[ExerciseResult]) -> str:
    """What is right, in one line: sort in full, 9 of 13 tests of merge; empty for nothing."""
    parts = []
    for exercise in exercises:
        passed = sum(test.verdict == "passed" for test in exercise.tests)
        if passed == len(exercise.tests):
            parts.append(f"{exercise.name} in full")
        elif passed:
            parts.append(f"{passed} of {len(exercise.tests)} tests of {exercise.name}")
    return ", ".join(parts)


def replaced_line(report: Report, exercise: str) -> str:
    """That an exercise was asked with right helpers in place of the student's; else empty."""
    helpers = report.replaced.get(exercise)
    if not helpers:
        return ""
    names = " and ".join(helpers)
    return (
        f"Tried with a right {names} in place of yours, which loses its points in its own exercise."
    )


def begun_bonus(report: Report) -> list[ExerciseResult]:
    """The bonus exercises that were begun: of the others there is nothing to tell."""
    return [exercise for exercise in report.bonus if exercise.begun]


def bonus_done(report: Report) -> int:
    """How many bonus exercises pass every test."""
    return sum(exercise.passed == len(exercise.tests) for exercise in report.bonus)


def bonus_line(report: Report) -> str:
    """How many bonus exercises are done; they are no part of the score."""
    return f"bonus: {bonus_done(report)} of {len(report.bonus)}"
