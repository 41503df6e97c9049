"""Report -> feedback/<name>.md: what a student reads, and nothing for staff."""

import re

from autograder.renderers.wording import (
    VERDICTS,
    Cause,
    bonus_line,
    causes,
    exam_line,
    holds_line,
    points,
    replaced_line,
)
from autograder.report import Report


def feedback(report: Report) -> str:
    """Markdown with every foreign character escaped: what holds, what to mend, and what next."""
    lines = [
        f"# {escape(report.submission)}: "
        f"{points(report.score)} of {points(report.max_score)} points",
        "",
        *summary(report),
    ]
    found = causes(report)
    if found:
        lines += ["", "## What to mend"]
        for number, cause in enumerate(found, start=1):
            lines += ["", *section(number, cause)]
        for text in report.examples.values():
            lines += ["", "## On an example that is no secret", "", "```", text, "```"]
        lines += ["", "## What next", "", escape(next_step(found))]
    lines += ["", "## Points", "", "| exercise | points |", "| --- | --- |"]
    lines += [
        f"| {exercise.name} | {points(exercise.score)} of {points(exercise.max_score)} |"
        for exercise in report.exercises
    ]
    return "\n".join(lines) + "\n"


def summary(report: Report) -> list[str]:
    """What holds, the exam's own score, and which exercises were asked with right helpers."""
    lines = []
    holds = holds_line([*report.exercises, *report.bonus])
    if holds:
        lines.append(f"What holds: {escape(holds)}.")
    if report.exam:
        lines.append(f"{exam_line(report.exam)}.".capitalize())
    if report.bonus:
        lines.append(f"{bonus_line(report)} (no part of the score).".capitalize())
    for exercise in report.exercises:
        told = replaced_line(report, exercise.name)
        if told:
            lines.append(f"{exercise.name}: {escape(told)}")
        if exercise.override:
            # Why is between staff: it may be about more than this student.
            lines.append(f"{exercise.name}: these points were set by your course staff.")
    return [line for one in lines for line in (one, "")][:-1]


def section(number: int, cause: Cause) -> list[str]:
    """One cause: its hint once, then the tests that it costs."""
    heading = cause.hint or VERDICTS[cause.verdict].capitalize() + "."
    lines = [f"{number}. **{escape(heading)}**", ""]
    for exercise, tests in cause.tests.items():
        for test in tests:
            score = f"{points(test.points)} of {points(test.max_points)}"
            if not test.max_points:
                score = "bonus"
            lines.append(
                f"   - {exercise}, {VERDICTS[test.verdict]} ({score}): {escape(test.title)}"
            )
    return lines


def next_step(found: list[Cause]) -> str:
    """Where to start: the first exercise that lost, since later ones stand on it."""
    cause = found[0]
    exercise = next(iter(cause.tests))
    if cause.verdict in ("not_attempted", "missing"):
        return f"Next: write {exercise}; its page in assignments/ says what it promises."
    if cause.verdict in ("syntax_error", "import_error", "crashed"):
        return "Next: mend this first. Until the file runs, nothing in it can be judged."
    return (
        f"Next: read the page of {exercise} in assignments/ again, with its closing questions, and "
        "follow one small example by hand next to your code. Then run the public checks."
    )


def escape(text: str) -> str:
    """On one line, and no mark of Markdown or HTML left in force."""
    text = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>#|&~$])", r"\\\1", text)
