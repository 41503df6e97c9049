"""Report -> the terminal: a table with colour there, plain text in a pipe."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.renderers.wording import VERDICTS, exam_line, hints, missed_line, points
from autograder.report import ExerciseResult, Report, Verdict

STYLES: dict[Verdict, str] = {"passed": "green", "not_attempted": "dim", "not_run": "dim"}


def show_report(report: Report, console: Console) -> None:
    """One submission, test by test, with each hint once per exercise."""
    title = f"{report.submission}: {points(report.score)} of {points(report.max_score)} points"
    console.print(Text(title, style="bold"))
    for exercise in report.exercises:
        show_exercise(exercise, console)
    console.print()
    if report.exam:
        console.print(Text(exam_line(report.exam), style="bold"))
        if report.exam.missed and not unanswered(report):
            console.print(Text(f"missed: {missed_line(report.exam)}"))
    if report.misconceptions:
        console.print(Text("misconceptions: " + ", ".join(report.misconceptions)))
    console.print(Text("isolation: " + (", ".join(report.isolation) or "no code was run")))
    console.print()


def unanswered(report: Report) -> bool:
    """Whether there was no answer sheet, or a blank one: then all is missed, and no list helps."""
    tests = (
        test for exercise in report.exercises if exercise.name == "exam" for test in exercise.tests
    )
    return any(test.verdict in ("missing", "not_attempted") for test in tests)


def show_exercise(exercise: ExerciseResult, console: Console) -> None:
    console.print()
    score = f"{points(exercise.score)} of {points(exercise.max_score)}"
    console.print(Text(f"{exercise.name}  {score}", style="bold"))
    verdicts = {test.verdict for test in exercise.tests}
    if len(verdicts) > 1 or "passed" in verdicts:
        console.print(tests_table(exercise))
    for hint, titles in hints(exercise):
        count = "" if len(titles) == 1 else f"({len(titles)} tests) "
        console.print(Text(f"  > {count}{hint}", style="yellow"))


def tests_table(exercise: ExerciseResult) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 1))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for test in exercise.tests:
        table.add_row(
            f"{points(test.points)}/{points(test.max_points)}",
            Text(VERDICTS[test.verdict], style=STYLES.get(test.verdict, "red")),
            Text(test.title),
        )
    return table


def show_summary(reports: Sequence[Report], console: Console) -> None:
    """Many submissions, a line each."""
    table = Table(box=None, padding=(0, 1))
    table.add_column("submission")
    names = [exercise.name for exercise in reports[0].exercises] if reports else []
    for column in ("score", *names):
        table.add_column(column, justify="right")
    table.add_column("misconceptions")
    for report in reports:
        table.add_row(
            Text(report.submission),
            points(report.score),
            *(points(exercise.score) for exercise in report.exercises),
            Text(", ".join(report.misconceptions)),
        )
    console.print(table)
