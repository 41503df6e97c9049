"""overrides.csv: points that staff set by hand, with the columns student, exercise, points, why.

It lies in the folder of a graded class and is applied at every run; nothing ever writes it.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.files import read_table
from autograder.manifest import Manifest
from autograder.report import ExerciseResult, Outcome, Override

NAME = "overrides.csv"
COLUMNS = ("student", "exercise", "points", "why")


@dataclass(frozen=True)
class Ruling:
    """One line: the student is named as in grades.csv, or by number or e-mail address."""

    line: int
    student: str
    exercise: str
    override: Override


def read_overrides(folder: Path, manifest: Manifest) -> list[Ruling]:
    """The rulings of a folder's overrides.csv, none where there is no such file.

    Raises ValueError with a sentence for the line that cannot be applied.
    """
    path = folder / NAME
    if not path.exists():
        return []
    table = read_table(path)
    header = [cell.lower() for cell in table.header]
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise ValueError(f"{NAME} has no column {missing[0]!r}: it needs {', '.join(COLUMNS)}.")
    places = [header.index(column) for column in COLUMNS]
    most = {exercise.name: exercise.points for exercise in manifest.exercises}
    rulings: dict[tuple[str, str], Ruling] = {}
    for line, row in enumerate(table.rows, start=2):
        student, exercise, written, why = (row[place].strip() for place in places)
        if exercise not in most:
            raise ValueError(
                f"{NAME}, line {line}: no exercise is named {exercise!r}; there are "
                f"{', '.join(most)}."
            )
        points = number_of(written)
        if points is None or not 0 <= points <= most[exercise]:
            raise ValueError(
                f"{NAME}, line {line}: the points of {exercise} are a number between 0 and "
                f"{most[exercise]:g}, not {written!r}."
            )
        if not student or not why:
            raise ValueError(f"{NAME}, line {line}: say for whom it is, and why.")
        if (student, exercise) in rulings:
            raise ValueError(f"{NAME}, line {line}: {exercise} of {student} is set twice.")
        rulings[student, exercise] = Ruling(line, student, exercise, Override(points, why))
    return list(rulings.values())


def number_of(written: str) -> float | None:
    """A number, with a comma or a point; None for what is none."""
    try:
        number = float(written.replace(",", "."))
    except ValueError:
        return None
    return round(number, 2) if math.isfinite(number) else None


def apply_overrides(outcome: Outcome, rulings: Iterable[Ruling]) -> list[Ruling]:
    """Sets the points of an outcome's exercises, and takes back what is ruled no more.

    Returns the rulings that are about it.
    """
    names = {outcome.name.casefold()}
    for student in outcome.students:
        names |= {student.sid.casefold(), student.email.casefold(), student.name.casefold()}
    found = [
        ruling
        for ruling in rulings
        if {ruling.student.casefold(), ruling.student.lstrip("'").casefold()} & (names - {""})
    ]
    by_exercise = {ruling.exercise: ruling.override for ruling in found}
    if outcome.report:
        # As copies: two who handed in the same may share their results.
        outcome.report = replace(
            outcome.report,
            exercises=ruled(outcome.report.exercises, by_exercise),
            bonus=ruled(outcome.report.bonus, by_exercise),
        )
    return found


def ruled(
    exercises: Iterable[ExerciseResult], by_exercise: Mapping[str, Override]
) -> list[ExerciseResult]:
    return [replace(exercise, override=by_exercise.get(exercise.name)) for exercise in exercises]
