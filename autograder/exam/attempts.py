"""Which of a student's exam sheets count: the first few different ones, and the best of them."""

import copy
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from autograder.exam.examining import examine
from autograder.exam.scoring import KeyEntry, percent, read_answers
from autograder.intake.submission import Submission
from autograder.manifest import load_manifest
from autograder.report import Report, StudentFault

# The name under which a run keeps its attempts in extra_data, where the next run finds them.
KEPT = "exam_attempts"


@dataclass(frozen=True)
class Attempt:
    """One exam sheet that counts: what tells it from others, and how many answers are right."""

    digest: str
    right: int


@dataclass(frozen=True)
class Standing:
    """Where a student stands with this submission; `now` is None for a sheet without answers."""

    counted: tuple[Attempt, ...]
    now: Attempt | None

    @property
    def best(self) -> Attempt | None:
        """The attempt that gives the points; of equal ones, this submission's."""
        return max(self.counted, key=lambda one: (one.right, one == self.now), default=None)

    @property
    def spent(self) -> bool:
        """Whether this sheet came after as many different ones as count."""
        return self.now is not None and self.now not in self.counted


def standing(earlier: Sequence[Attempt], now: Attempt | None, limit: int) -> Standing:
    """The first `limit` different sheets count. An unchanged one is no new attempt."""
    counted: dict[str, Attempt] = {}
    for attempt in earlier:
        if len(counted) < limit:
            counted.setdefault(attempt.digest, attempt)
    if now is not None and (now.digest in counted or len(counted) < limit):
        # Asked afresh: where the key has been put right since, the new score of a sheet counts.
        counted[now.digest] = now
    return Standing(tuple(counted.values()), now)


def attempt_of(submission: Submission, key: Sequence[KeyEntry]) -> Attempt | None:
    """This submission's attempt; None without an answer, since that is told nothing and costs none.

    Sheets are told apart by their answers: a comment or another editor's line ends are no attempt.
    """
    try:
        score = examine(submission, key)
    except StudentFault:
        return None
    assert submission.exam is not None
    answers = read_answers(submission.exam, [entry.id for entry in key]).by_id
    text = json.dumps(answers, sort_keys=True)
    return Attempt(
        hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest(), score.right
    )


def kept(counted: Sequence[Attempt]) -> dict[str, Any]:
    """What a run leaves in extra_data for the next one."""
    return {KEPT: [asdict(attempt) for attempt in counted]}


def attempts_in(metadata: object, questions: int) -> list[Attempt]:
    """The attempts of earlier runs in Gradescope's submission_metadata.json, the oldest first.

    Whatever has another form than what kept() writes is passed over.
    """
    return [
        Attempt(entry["digest"], entry["right"])
        for results in earlier_results(metadata)
        for entry in items(field(field(results, "extra_data"), KEPT))
        if is_attempt(entry, questions)
    ]


def earlier_results(metadata: object) -> Iterator[object]:
    for submission in items(field(metadata, "previous_submissions")):
        yield field(submission, "results")


def field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def is_attempt(entry: object, questions: int) -> bool:
    digest, right = field(entry, "digest"), field(entry, "right")
    if not isinstance(digest, str) or len(digest) != 64:
        return False
    # A bool is an int for Python, and no number of right answers.
    return type(right) is int and 0 <= right <= questions


def with_standing(report: Report, now: Standing) -> Report:
    """A copy of the report in which the best attempt that counts gives the exam's points."""
    best = now.best
    if best is None or report.exam is None:
        return report
    assignment = load_manifest()
    questions = report.exam.questions
    score = percent(best.right, questions)
    passed = score >= assignment.exam_threshold
    report = copy.deepcopy(report)
    if best != now.now and report.exam is not None:
        # Of another sheet than this one there are no single answers.
        report.exam = replace(
            report.exam, score=score, right=best.right, passed=passed, by_module={}, missed=[]
        )
    for exercise in report.exercises:
        if exercise.name == "exam":
            for test in exercise.tests:
                words = words_for(now, test.hint, score, assignment.exam_attempts)
                if test.verdict != "not_run":
                    share = best.right / questions
                    test.settle("passed" if passed else "failed", words, share)
    return report


def words_for(now: Standing, hint: str, score: int, limit: int) -> str:
    """What the student is told. Nothing of a sheet that came too late: it would be an attempt."""
    if now.spent:
        return (
            f"This exam.toml differs from the first {limit} that you handed in, and is not counted:"
            f" the best of those {limit} keeps its score, {score} of 100."
        )
    if now.now is None:
        return f"{hint} An earlier exam.toml counts: {score} of 100.".strip()
    number = now.counted.index(now.now) + 1
    which = f"This is number {number} of the {limit} different exam.toml that count."
    if now.best != now.now:
        return f"{hint} {which} An earlier one was better and counts: {score} of 100.".strip()
    return f"{hint} {which}".strip() if hint else ""
