"""The folder of a graded class: grades.csv, results/<name>.json and feedback/<name>.md.

results/ is in Gradescope's form; its extra_data keeps the whole report, from which the folder can
be read again.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

from autograder.files import read_table, write_whole
from autograder.intake.classes import Member
from autograder.manifest import load_manifest
from autograder.overrides import Ruling, apply_overrides, read_overrides
from autograder.renderers.feedback import feedback
from autograder.renderers.gradebook import write_grades
from autograder.renderers.gradescope import FAULT, no_results, results, write_json
from autograder.report import Outcome, Report, Status, Student

RESULT_BYTES = 16 * 1024 * 1024
ABSENT: Status = "no submission"


class GradedFolder:
    """What --out is written to. ValueError, in words, where its overrides.csv cannot be applied;
    UnreadableError where that cannot be read, another OSError where it cannot be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outcomes: list[Outcome] = []
        self.kept_rows = 0
        self.unused: set[Ruling] = set()
        for part in ("results", "feedback"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        self.rulings = read_overrides(folder, load_manifest())
        self.unused = {*self.rulings}

    def results(self, name: str) -> Path:
        return self.folder / "results" / f"{name}.json"

    def claim(self, members: Sequence[Member]) -> list[Member]:
        """The members under the names of their files here.

        A name that belongs to a submission from elsewhere is not taken: the second gets a number.
        """
        taken: set[str] = set()
        claimed = []
        for member in members:
            name, number = member.name, 2
            while name in taken or self.origin_of(name) not in (None, "", member.origin):
                name, number = f"{member.name}-{number}", number + 1
            taken.add(name)
            claimed.append(replace(member, name=name))
        return claimed

    def origin_of(self, name: str) -> str | None:
        """Where the submission came from whose result lies here; None where there is none."""
        path = self.results(name)
        return read_outcome(path).origin if path.exists() else None

    def known(self, member: Member, key: str) -> Outcome | None:
        """The grade that an earlier run gave for the same, by the same judge; else None."""
        path = self.results(member.name)
        if not path.exists():
            return None
        found = read_outcome(path)
        if found.report is None or found.key != key:
            return None
        for exercise in [*found.report.exercises, *found.report.bonus]:
            exercise.override = None
        return replace(found, students=member.students, kept=True)

    def add(self, outcome: Outcome) -> None:
        """Writes the files of one outcome; a failure of the grader leaves an earlier grade."""
        self.unused -= {*apply_overrides(outcome, self.rulings)}
        name, report = outcome.name, outcome.report
        if report is None and outcome.status != ABSENT:
            # Nothing of a run in which the grader failed may read as a grade.
            if self.results(name).exists():
                return
            write_json(no_results(FAULT, staff_data(outcome)), self.results(name))
        elif report is not None:
            write_json(results(report, staff=staff_data(outcome)), self.results(name))
            text = feedback(report)
            write_whole(self.folder / "feedback" / f"{name}.md", text.encode("utf-8"))
        self.outcomes.append(outcome)

    def write_table(self, order: Sequence[str]) -> None:
        """Writes grades.csv with the outcomes so far, in the order of these names."""
        place = {name: number for number, name in enumerate(order)}
        self.outcomes.sort(key=lambda outcome: place.get(outcome.name, len(place)))
        self.kept_rows = write_grades(self.outcomes, self.folder / "grades.csv")


def staff_data(outcome: Outcome) -> dict[str, Any]:
    """What is kept of an outcome beside what students see."""
    kept: dict[str, Any] = {
        "status": outcome.status,
        "fault": outcome.fault,
        "key": outcome.key,
        "origin": outcome.origin,
        "students": [asdict(student) for student in outcome.students],
    }
    if outcome.report:
        kept |= {"report": outcome.report.as_json(), "shape": outcome.report.shape}
    return kept


def read_outcomes(folder: Path) -> list[Outcome]:
    """All members of a graded folder in the order of their names, the absent ones too.

    Raises ValueError, in words, where the folder is none.
    """
    if not (folder / "results").is_dir():
        raise ValueError(f"{folder} is no folder of `autograder grade --out`: no results/ in it.")
    found = {path.stem: read_outcome(path) for path in sorted((folder / "results").glob("*.json"))}
    grades = folder / "grades.csv"
    rows = read_table(grades).dicts() if grades.exists() else []
    for row in rows:
        name = row.get("submission", "").lstrip("'")
        if row.get("status") == ABSENT and name not in found:
            student = Student(row.get("name", ""), row.get("sid", ""), row.get("email", ""))
            known = () if student == Student() else (student,)
            found[name] = Outcome(name, known, None, ABSENT)
    return list(found.values())


def read_outcome(path: Path) -> Outcome:
    """One file of results/; what cannot be read is told as not finished."""
    broken = Outcome(path.stem, (), None, "not finished", "its result cannot be read: grade again")
    try:
        with path.open("rb") as file:
            extra = json.loads(file.read(RESULT_BYTES))["extra_data"]
        students = tuple(Student(**student) for student in extra.get("students", ()))
        if "report" in extra:
            report = Report.from_json(extra["report"])
            report.shape = [str(part) for part in extra.get("shape", ())]
            key, origin = str(extra.get("key", "")), str(extra.get("origin", ""))
            return Outcome(path.stem, students, report, key=key, origin=origin)
        status = extra.get("status", "not finished")
        if status not in get_args(Status):
            return broken
        fault, origin = str(extra.get("fault", "")), str(extra.get("origin", ""))
        return Outcome(path.stem, students, None, status, fault, origin=origin)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return broken
