"""The folder of a graded class: grades.csv, results/<name>.json and feedback/<name>.md.

results/ is in Gradescope's form; its extra_data keeps the whole report, from which the folder can
be read again.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from autograder.files import read_table
from autograder.manifest import load_manifest
from autograder.overrides import Ruling, apply_overrides, read_overrides
from autograder.renderers.feedback import feedback
from autograder.renderers.gradebook import write_grades
from autograder.renderers.gradescope import FAULT, UNFINISHED, no_results, results, write_json
from autograder.report import Outcome, Report, Status, Student

RESULT_BYTES = 16 * 1024 * 1024
ABSENT: Status = "no submission"


class GradedFolder:
    """What --out is written to. ValueError, in words, where its overrides.csv cannot be applied;
    OSError where it cannot be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outcomes: list[Outcome] = []
        self.begun: set[str] = set()
        self.kept_rows = 0
        self.unused: set[Ruling] = set()
        for part in ("results", "feedback"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        self.rulings = read_overrides(folder, load_manifest())
        self.unused = {*self.rulings}

    def results(self, name: str) -> Path:
        return self.folder / "results" / f"{name}.json"

    def keeper(self, name: str) -> Callable[[Report], None]:
        """Writes the results as they come; over an earlier grade, only once they are whole."""
        if self.results(name).exists():
            return ignore
        self.begun.add(name)
        return lambda report: write_json(results(report, UNFINISHED), self.results(name))

    def add(self, outcome: Outcome) -> None:
        """Writes everything of one outcome; a failure of the grader leaves an earlier grade."""
        name, report = outcome.name, outcome.report
        self.unused -= {*apply_overrides(outcome, self.rulings)}
        if report is None and outcome.status != ABSENT:
            # Nothing of a run in which the grader failed may read as a grade.
            if name not in self.begun and self.results(name).exists():
                return
            write_json(no_results(FAULT, staff_data(outcome)), self.results(name))
        elif report is not None:
            write_json(results(report, staff=staff_data(outcome)), self.results(name))
            text = feedback(report)
            (self.folder / "feedback" / f"{name}.md").write_text(text, encoding="utf-8")
        self.outcomes.append(outcome)
        self.write_table()

    def write_table(self) -> None:
        self.kept_rows = write_grades(self.outcomes, self.folder / "grades.csv")


def ignore(report: Report) -> None:
    """Nobody reads a report before it is complete."""


def staff_data(outcome: Outcome) -> dict[str, Any]:
    """What is kept of an outcome beside what students see."""
    kept: dict[str, Any] = {
        "status": outcome.status,
        "fault": outcome.fault,
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
    with path.open("rb") as file:
        source = file.read(RESULT_BYTES)
    broken = Outcome(path.stem, (), None, "not finished", "its result cannot be read: grade again")
    try:
        extra = json.loads(source)["extra_data"]
        students = tuple(Student(**student) for student in extra.get("students", ()))
        if "report" in extra:
            report = Report.from_json(extra["report"])
            report.shape = [str(part) for part in extra.get("shape", ())]
            return Outcome(path.stem, students, report)
        status = extra.get("status", "not finished")
        if status not in get_args(Status):
            return broken
        return Outcome(path.stem, students, None, status, str(extra.get("fault", "")))
    except (ValueError, KeyError, TypeError, AttributeError):
        return broken
