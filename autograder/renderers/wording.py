"""How every form words a report."""

from autograder.report import ExamReport, ExerciseResult, Verdict

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
