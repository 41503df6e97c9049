"""Report -> feedback/<name>.md: what a student reads, and nothing for staff."""

import re

from autograder.renderers.wording import VERDICTS, exam_line, hints, points
from autograder.report import ExerciseResult, Report


def feedback(report: Report) -> str:
    """Markdown with every foreign character escaped."""
    lines = [
        f"# {escape(report.submission)}: "
        f"{points(report.score)} of {points(report.max_score)} points",
    ]
    if report.exam:
        lines += ["", exam_line(report.exam)]
    for exercise in report.exercises:
        lines += ["", *section(exercise)]
    return "\n".join(lines) + "\n"


def section(exercise: ExerciseResult) -> list[str]:
    heading = f"## {exercise.name}: {points(exercise.score)} of {points(exercise.max_score)}"
    lines = [heading, "", "| points | | |", "| --- | --- | --- |"]
    for test in exercise.tests:
        score = f"{points(test.points)}/{points(test.max_points)}"
        lines.append(f"| {score} | {VERDICTS[test.verdict]} | {escape(test.title)} |")
    if exercise.override:
        # Why is between staff: it may be about more than this student.
        lines += ["", "These points were set by your course staff."]
    told = hints(exercise)
    if told:
        lines.append("")
    for hint, titles in told:
        about = "" if len(titles) == 1 else f" ({len(titles)} tests)"
        lines.append(f"- {escape(hint)}{about}")
    return lines


def escape(text: str) -> str:
    """On one line, and no mark of Markdown or HTML left in force."""
    text = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>#|&~$])", r"\\\1", text)
