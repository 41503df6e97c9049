"""The golden folders: tests/submissions/<kind>/<name>/ is one submission with its expected.json.

An expected.json states what its folder is about and no more:

    kind            the folder it lies in: right, wrong, borderline, incomplete, broken, cheat,
                    attack, leak; bonus is one file alone, with a mistake in a bonus exercise
    why             what the submission is there to show, in a line
    mistake         what its author calls the mistake, if it was written to make one
    misconceptions  the names that the grader gives
    exercises       the score of each exercise that lost points; every other one earns all of them.
                    A bonus exercise counts only where it is stated, and so does the exam
    verdicts        of each exercise, the verdicts of the tests that did not pass; one word stands
                    for an exercise of which every test has that verdict

tests/renew.py writes all but the first three.
"""

import atexit
import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from autograder.intake.submission import open_submission
from autograder.judging.fairness import Start
from autograder.judging.grading import judge, warm_start
from autograder.manifest import load_manifest
from autograder.report import ExerciseResult, Report

SUBMISSIONS = Path(__file__).parent / "submissions"
HOSTILE_KINDS = ("attack", "cheat", "leak", "broken")

# What the code of a submission can earn, by exercise.
POINTS = {
    exercise.name: exercise.points
    for exercise in load_manifest().exercises
    if not exercise.bonus and exercise.name != "exam"
}
CODE_POINTS = sum(POINTS.values())
# A right submission: what is graded after a hostile one, to show that nothing is left of it.
CONTROL = "where-neginf"
# Loops without an end: each takes as long as the deadlines allow.
SLOW = {
    "catastrophic-regex",
    "infinite-loop-at-import",
    "infinite-loop-in-mask",
    "loop-in-c",
    "loop-in-del",
    "reply-without-an-end",
    "sleeps-just-below-the-deadline",
}


@dataclass(frozen=True)
class Golden:
    """One folder with what its expected.json states."""

    folder: Path
    kind: str
    why: str
    mistake: str | None = None
    misconceptions: list[str] = field(default_factory=list)
    exercises: dict[str, float] = field(default_factory=dict)
    verdicts: dict[str, str | dict[str, str]] = field(default_factory=dict)

    @property
    def scores(self) -> dict[str, float]:
        """The points of every exercise of code, and of whatever else is stated."""
        return {**POINTS, **self.exercises}

    @property
    def code(self) -> float:
        """The points of the code."""
        return sum(score for name, score in self.scores.items() if name in POINTS)

    def verdict(self, exercise: str, test: str) -> str:
        found = self.verdicts.get(exercise, {})
        return found if isinstance(found, str) else found.get(test, "passed")


def read_golden(folder: Path) -> Golden:
    return Golden(folder, **json.loads((folder / "expected.json").read_text(encoding="utf-8")))


def all_goldens() -> dict[str, Golden]:
    folders = sorted(SUBMISSIONS.glob("*/*/expected.json"), key=lambda path: path.parent.name)
    return {path.parent.name: read_golden(path.parent) for path in folders}


GOLDENS = all_goldens()


def of_kind(*kinds: str) -> list[str]:
    """The names of all goldens of these kinds."""
    return [name for name, golden in GOLDENS.items() if golden.kind in kinds]


def folder_of(name: str) -> Path:
    return GOLDENS[name].folder


@cache
def started() -> Start:
    """How guests are started, by one zygote for all tests of this process."""
    living = ExitStack()
    atexit.register(living.close)
    return living.enter_context(warm_start())


@cache
def graded(name: str) -> Report:
    """The report on a golden folder, made once per process."""
    return judge(open_submission(folder_of(name), load_manifest()), started()).report


def scores(report: Report, stated: Iterable[str] = ()) -> dict[str, float]:
    """The points of every exercise of code, and of those that are stated."""
    exercises = [*report.exercises, *report.bonus]
    return {e.name: e.score for e in exercises if e.name in {*POINTS, *stated}}


def verdicts(report: Report, stated: Iterable[str] = ()) -> dict[str, str | dict[str, str]]:
    """What did not pass, by exercise, as an expected.json writes it."""
    exercises = [*report.exercises, *report.bonus]
    found = {e.name: lost(e) for e in exercises if e.name in {*POINTS, *stated}}
    return {name: verdict for name, verdict in found.items() if verdict}


def lost(exercise: ExerciseResult) -> str | dict[str, str]:
    """One verdict if all tests share it, else the verdict of each that did not pass."""
    found = {test.name: test.verdict for test in exercise.tests if test.verdict != "passed"}
    same = set(found.values())
    if len(same) == 1 and len(found) == len(exercise.tests) > 1:
        return same.pop()
    return {**found}


def as_expected(golden: Golden, report: Report) -> dict[str, Any]:
    """The content of an expected.json: a golden's words, and the grade that a report gives it."""
    stated = golden.exercises
    found = scores(report, stated)
    content: dict[str, Any] = {"kind": golden.kind, "why": golden.why}
    if golden.mistake:
        content["mistake"] = golden.mistake
    parts = {
        "misconceptions": report.misconceptions,
        "exercises": {n: s for n, s in found.items() if n in stated or s != POINTS[n]},
        "verdicts": verdicts(report, stated),
    }
    return content | {name: part for name, part in parts.items() if part}
