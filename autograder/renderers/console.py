"""Report -> the terminal: a table with colour there, plain text in a pipe."""

from collections import Counter
from collections.abc import Sequence
from statistics import mean, median

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.renderers.wording import (
    VERDICTS,
    begun_bonus,
    bonus_line,
    draw_line,
    exam_line,
    hints,
    missed_line,
    points,
)
from autograder.report import ExerciseResult, Outcome, Report, Verdict

MOST = 5
STYLES: dict[Verdict, str] = {"passed": "green", "not_attempted": "dim", "not_run": "dim"}


def show_report(report: Report, console: Console) -> None:
    """One submission, test by test, with each hint once per exercise."""
    title = f"{report.submission}: {points(report.score)} of {points(report.max_score)} points"
    console.print(Text(title, style="bold"))
    for exercise in [*report.exercises, *begun_bonus(report)]:
        show_exercise(exercise, console)
    console.print()
    if report.bonus:
        console.print(Text(bonus_line(report), style="bold"))
    if report.exam:
        console.print(Text(exam_line(report.exam), style="bold"))
        if report.exam.missed and not unanswered(report):
            console.print(Text(f"missed: {missed_line(report.exam)}"))
    if report.misconceptions:
        console.print(Text("misconceptions: " + ", ".join(report.misconceptions)))
    if draw_line(report):
        console.print(Text(draw_line(report)))
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
    if not exercise.max_score:
        score = f"bonus, {exercise.passed} of {len(exercise.tests)} tests"
    console.print(Text(f"{exercise.name}  {score}", style="bold"))
    if exercise.override:
        console.print(Text(f"  set by staff: {exercise.override.why}", style="cyan"))
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
            f"{points(test.points)}/{points(test.max_points)}" if test.max_points else "",
            Text(VERDICTS[test.verdict], style=STYLES.get(test.verdict, "red")),
            Text(test.title),
        )
    return table


def show_summary(outcomes: Sequence[Outcome], console: Console) -> None:
    """Many submissions, a line each, and what the class has in common.

    Where a line is too short for a column per exercise, their names give way, never a student's.
    """
    reports = [outcome.report for outcome in outcomes if outcome.report]
    names = [exercise.name for exercise in reports[0].exercises] if reports else []
    longest = max((len(outcome.name) for outcome in outcomes), default=0)
    needed = longest + sum(len(name) + 2 for name in (*names, "submission", "score", "why")) + 20
    shown = names if needed <= console.width else []
    table = Table(box=None, padding=(0, 1))
    table.add_column("submission", overflow="fold", min_width=min(longest, console.width // 2))
    for column in ("score", *shown):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("misconceptions" if shown else "misconceptions, or what was lost")
    for outcome in outcomes:
        report = outcome.report
        if report is None:
            score = "0" if outcome.status == "no submission" else "-"
            blanks = [""] * len(shown)
            table.add_row(Text(outcome.name), score, *blanks, Text(outcome.status))
            continue
        scores = [exercise.score for exercise in report.exercises]
        table.add_row(
            Text(outcome.name),
            points(report.score),
            *(points(score) for score in scores[: len(shown)]),
            Text(", ".join(report.misconceptions) or ("" if shown else lost_line(report))),
        )
    console.print(table)
    for line in {draw_line(outcome.report) for outcome in outcomes if outcome.report} - {""}:
        console.print(Text(line))
    if reports:
        console.print()
        for line in in_common(reports, outcomes):
            console.print(Text(line))


def lost_line(report: Report) -> str:
    """The exercises that lost points, where no misconception says it better."""
    return ", ".join(
        f"{exercise.name} {points(exercise.score)}/{points(exercise.max_score)}"
        for exercise in report.exercises
        if exercise.score < exercise.max_score
    )


def in_common(reports: Sequence[Report], outcomes: Sequence[Outcome]) -> list[str]:
    """How many there are, mean and median of those graded, the most frequent misconceptions."""
    scores = [report.score for report in reports]
    count = Counter(outcome.status for outcome in outcomes if outcome.report is None)
    others = "".join(f", {number} {status}" for status, number in sorted(count.items()))
    lines = [
        f"{len(reports)} graded{others}: mean {points(mean(scores))}, "
        f"median {points(median(scores))} of {points(reports[0].max_score)}"
    ]
    named = Counter(name for report in reports for name in report.misconceptions)
    if named:
        frequent = sorted(named.items(), key=lambda item: (-item[1], item[0]))[:MOST]
        listed = ", ".join(f"{name} ({number})" for name, number in frequent)
        lines.append(f"most frequent misconceptions: {listed}")
    return lines
