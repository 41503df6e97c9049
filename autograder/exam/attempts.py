"""Which of a student's exam sheets count: the first few different ones, and the best of them.

The attempt history is a record that each run leaves for the next one. It is written before
anything else, so that a run that is stopped leaves it too; and where the latest earlier submission
has none all the same, it is put together again from what the platform still tells.
"""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from autograder.exam.examining import Examination, joined
from autograder.exam.scoring import KeyEntry, digest_of, holds_answers, percent, read_answers
from autograder.exam.scoring import score_exam as score_answers
from autograder.manifest import Manifest
from autograder.report import Report, TestResult

# The name under which a run keeps the history in extra_data, where the next run finds it.
KEPT = "exam_attempts"
MEND = (
    "The latest earlier submission left no record of the exam's attempts, so each earlier one was "
    "counted as a spent attempt. To mend it: rerun the submission that was stopped, then the later "
    "ones in their order."
)
TOLD_RECONSTRUCTED = (
    "An earlier submission left no record of its exam.toml, so each earlier submission counts as "
    "one. If that is wrong, your course staff can mend it."
)


@dataclass(frozen=True)
class Attempt:
    """One exam sheet that counts: what tells it from others, and how many answers are right."""

    digest: str
    right: int


@dataclass(frozen=True)
class History:
    """What is known of a student's earlier sheets.

    unknown counts attempts that were spent on sheets that nobody can tell any more; proved is the
    number of right answers that an earlier total proves all the same.
    """

    sheets: tuple[Attempt, ...] = ()
    unknown: int = 0
    proved: int = 0
    reconstructed: bool = False

    @property
    def spent(self) -> int:
        return len(self.sheets) + self.unknown

    @property
    def best(self) -> int:
        """The most right answers of any attempt that counts."""
        return max((self.proved, *(sheet.right for sheet in self.sheets)))

    def knows(self, digest: str) -> bool:
        return any(sheet.digest == digest for sheet in self.sheets)

    def takes(self, digest: str, limit: int) -> bool:
        """Whether this sheet is scored: known already, or not yet too many before it."""
        return bool(digest) and (self.knows(digest) or self.spent < limit)

    def with_sheet(self, now: Attempt, limit: int) -> "History":
        """With this sheet, if it counts; of a known one the better score, so that none falls."""
        if not self.takes(now.digest, limit):
            return self
        right = max([now.right, *(s.right for s in self.sheets if s.digest == now.digest)])
        fresh = Attempt(now.digest, right)
        if self.knows(now.digest):
            kept = tuple(fresh if s.digest == now.digest else s for s in self.sheets)
            return replace(self, sheets=kept)
        return replace(self, sheets=(*self.sheets, fresh))

    def record(self) -> dict[str, Any]:
        """What a run leaves in extra_data for the next one, and for staff."""
        kept = {
            KEPT: {
                "sheets": [{"digest": one.digest, "right": one.right} for one in self.sheets],
                "unknown": self.unknown,
                "proved": self.proved,
                "reconstructed": self.reconstructed,
            }
        }
        return {**kept, "exam_attempts_note": MEND} if self.reconstructed else kept


def history_in(metadata: object, assignment: Manifest, questions: int) -> History:
    """The history that Gradescope's submission_metadata.json tells.

    The documentation promises `results` on the latest earlier
    submission only. Where that one has no record, each submission since the last record counts as a
    spent attempt, but for those on which the platform itself says that the autograder failed; and
    their totals, less all points of the code, prove how many answers were right.
    """
    earlier = in_order(items(part(metadata, "previous_submissions")))
    since: list[object] = []
    found = History()
    for submission in reversed(earlier):
        record = record_in(submission, questions)
        if record is not None:
            found = record
            break
        since.append(submission)
    if not since:
        return found
    share = sum(one.points for one in assignment.exercises if one.name == "exam")
    code = sum(one.points for one in assignment.exercises if not one.bonus) - share
    proved = [proved_by(part(one, "score"), code, share, questions) for one in since]
    spent = sum(part(one, "autograder_error") is not True for one in since)
    return replace(
        found,
        unknown=found.unknown + spent,
        proved=max(found.proved, *proved),
        reconstructed=True,
    )


def in_order(submissions: list[object]) -> list[object]:
    """The oldest first, by their times where all have one."""
    try:
        times = [datetime.fromisoformat(part(one, "submission_time")) for one in submissions]
        places = sorted(range(len(times)), key=times.__getitem__)
    except (TypeError, ValueError):
        return submissions
    return [submissions[place] for place in places]


def record_in(submission: object, questions: int) -> History | None:
    """The record of one earlier submission; None where it has none that record() could have left.

    Lists are what earlier versions left.
    """
    kept = part(part(part(submission, "results"), "extra_data"), KEPT)
    if isinstance(kept, list):
        kept = {"sheets": kept}
    sheets, unknown = part(kept, "sheets"), part(kept, "unknown") or 0
    proved = part(kept, "proved") or 0
    whole = isinstance(sheets, list) and all(is_attempt(entry, questions) for entry in sheets)
    if not whole or not is_count(unknown, 10**6) or not is_count(proved, questions):
        return None
    known: dict[str, Attempt] = {}
    for entry in sheets:
        known.setdefault(entry["digest"], Attempt(entry["digest"], entry["right"]))
    return History((*known.values(),), unknown, proved, part(kept, "reconstructed") is True)


def part(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def is_attempt(entry: object, questions: int) -> bool:
    digest = part(entry, "digest")
    return (
        isinstance(digest, str) and len(digest) == 64 and is_count(part(entry, "right"), questions)
    )


def is_count(value: object, limit: int) -> bool:
    # A bool is an int for Python, and no number of anything.
    return type(value) is int and 0 <= value <= limit


def proved_by(score: object, code: float, share: float, questions: int) -> int:
    """The least number of right answers with which a total of `score` can be reached."""
    try:
        points = float(score) - code if isinstance(score, (int, float, str)) else 0.0
    except (ValueError, OverflowError):
        return 0
    if not math.isfinite(points) or points <= 0:
        return 0
    # Points carry two decimals.
    return min(questions, math.ceil((points - 0.005) * questions / share - 1e-9))


def glance_at(source: bytes, key: Sequence[KeyEntry]) -> Attempt | None:
    """The attempt that a sheet makes, before anything else of a submission is read."""
    if not holds_answers(source):
        return None
    answers = read_answers(source, [entry.id for entry in key])
    digest = digest_of(answers, key)
    return Attempt(digest, score_answers(answers, key).right) if digest else None


@dataclass(frozen=True)
class Counted:
    """This submission among those that count: the history with it, and whether it was scored."""

    history: History
    before: History
    examination: Examination
    limit: int
    threshold: int = field(default=70)

    @property
    def scored(self) -> bool:
        return self.before.takes(self.examination.digest, self.limit)

    @property
    def too_late(self) -> bool:
        return bool(self.examination.digest) and not self.scored

    @property
    def score(self) -> int:
        return percent(self.history.best, self.examination.score.questions)

    @property
    def passed(self) -> bool:
        return self.score >= self.threshold


def count(before: History, examination: Examination, assignment: Manifest) -> Counted:
    """The first different sheets count, the best of them; an unchanged one is no new attempt."""
    limit = assignment.exam.attempts
    now = Attempt(examination.digest, examination.score.right)
    return Counted(
        before.with_sheet(now, limit), before, examination, limit, assignment.exam.threshold
    )


def with_history(report: Report, counted: Counted) -> Report:
    """A copy of the report in which the best attempt that counts gives the exam's points."""
    report = copy.deepcopy(report)
    for test in (test for one in report.exercises if one.name == "exam" for test in one.tests):
        if test.verdict != "not_run":
            settle(test, counted)
    score = counted.examination.score
    known = counted.scored or counted.history.spent or counted.history.proved
    if report.exam is None or not known:
        return report
    best = counted.history.best
    if not counted.scored or best != score.right:
        # Of another sheet than this one there are no single answers.
        report.exam = replace(
            report.exam,
            score=counted.score,
            right=best,
            passed=counted.passed,
            by_module={},
            missed=[],
        )
    return report


def settle(test: TestResult, counted: Counted) -> None:
    """The verdict, the points of the best attempt, and what the student is told."""
    questions = counted.examination.score.questions
    verdict = counted.examination.verdict
    if counted.scored or counted.too_late or counted.history.best:
        verdict = "passed" if counted.passed else "failed"
    test.settle(verdict, message_for(counted), counted.history.best / questions)


def message_for(counted: Counted) -> str:
    """What the student is told. Nothing of a sheet that came too late: it would be an attempt."""
    found, history, limit = counted.examination, counted.history, counted.limit
    doubt = TOLD_RECONSTRUCTED if history.reconstructed else ""
    best = f"{counted.score} of 100"
    if counted.too_late:
        return joined(
            f"This exam.toml differs from the first {limit} that count, and is neither scored nor "
            f"counted: the best so far stays, {best}.",
            doubt,
        )
    if not counted.scored:
        earlier = f"An earlier exam.toml counts: {best}." if history.spent or history.best else ""
        return joined(found.outcome, found.problems, earlier, doubt)
    last = history.spent >= limit
    told = found.misses if counted.passed or last else found.worth_reading
    which = f"This is number {history.spent} of the {limit} different exam.toml that count."
    if counted.before.knows(found.digest):
        which = "These answers have counted before: this is no new attempt."
    better = ""
    if history.best > found.score.right:
        better = f"An earlier one was better and counts: {best}."
    if not found.score.missed:
        return joined(found.problems, doubt)
    return joined(found.outcome, told, found.problems, which, better, doubt)
