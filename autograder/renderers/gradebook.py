"""Reports -> grades.csv: a row per submission, a column per exercise."""

import csv
from collections.abc import Sequence
from pathlib import Path

from autograder.renderers.wording import missed_line, points
from autograder.report import Report

EXAM_COLUMNS = ["exam_of_100", "exam_passed", "exam_missed"]


def write_grades(reports: Sequence[Report], path: Path) -> None:
    """Writes the table for staff. Rows of other submissions that are in the file already stay."""
    exercises = [exercise.name for exercise in reports[0].exercises]
    header = ["submission", "score", "max_score", *exercises, *EXAM_COLUMNS, "misconceptions"]
    rows = {row[0]: row for row in earlier_rows(path, header)}
    for report in reports:
        scores = [exercise.score for exercise in report.exercises]
        name = harmless(report.submission)
        rows[name] = [
            name,
            *map(points, (report.score, report.max_score, *scores)),
            *exam_columns(report),
            " ".join(report.misconceptions),
        ]
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows.values()])
    fresh.replace(path)


def exam_columns(report: Report) -> list[str]:
    if report.exam is None:
        return ["", "", ""]
    passed = "yes" if report.exam.passed else "no"
    return [str(report.exam.score), passed, missed_line(report.exam)]


def earlier_rows(path: Path, header: list[str]) -> list[list[str]]:
    """The rows of an earlier run; a table of another form is kept beside as grades.csv.old."""
    if not path.exists():
        return []
    try:
        with path.open(newline="", encoding="utf-8", errors="replace") as file:
            rows = list(csv.reader(file))
    except csv.Error:
        rows = []
    if rows and rows[0] == header:
        return [row for row in rows[1:] if len(row) == len(header)]
    kept = path.with_name(f"{path.name}.old")
    number = 2
    while kept.exists():
        kept, number = path.with_name(f"{path.name}.old{number}"), number + 1
    path.replace(kept)
    return []


def harmless(name: str) -> str:
    """A name that a spreadsheet does not run as a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name
