"""The exam of one submission: its score, and what student and staff are told of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.exam.scoring import (
    Answers,
    ExamScore,
    KeyEntry,
    digest_of,
    read_answers,
    score_exam,
)
from autograder.intake.submission import Submission
from autograder.manifest import load_manifest
from autograder.report import ExamReport, MissedQuestion, Verdict

ALONE = "No earlier sheet is known here: this one is scored by itself."


@dataclass(frozen=True)
class Examination:
    """A submission's sheet, examined once; without one, or with a blank one, everything is missed.

    share is the part of the points that it earns, whatever the threshold: wrong answers never pay.
    message is for the student where nothing is known of other sheets; where something is, it is
    put together anew of the parts. digest tells sheets apart by what their answers say, and is
    empty where no answer can be used. report is for staff.
    """

    score: ExamScore
    share: float
    verdict: Verdict
    message: str
    report: ExamReport
    digest: str
    outcome: str
    misses: str
    worth_reading: str
    problems: str


def examine(submission: Submission, key: Sequence[KeyEntry]) -> Examination:
    """Examines exam.toml, and the lack of one."""
    answers = Answers({}, ())
    if submission.exam is not None:
        answers = read_answers(submission.exam, [entry.id for entry in key])
    threshold = load_manifest().exam.threshold
    score = score_exam(answers, key, threshold)
    problems = " ".join(score.problems)
    misses, worth_reading = per_module(score, key), module_to_read(score, key)
    outcome = f"{score.score} of 100, " + (
        "passed." if score.passed else f"not passed: {threshold} pass."
    )
    verdict: Verdict
    if submission.exam is None:
        verdict, outcome = "missing", submission.exam_fault
    elif not score.attempted:
        verdict, outcome = "not_attempted", "No question is answered in exam.toml."
    else:
        verdict = "passed" if score.passed else "failed"
    if score.attempted:
        told = misses if score.passed else worth_reading
        message = joined(outcome, told, problems, ALONE) if score.missed else joined(problems)
    else:
        misses = worth_reading = ""
        message = joined(outcome, problems)
    return Examination(
        score=score,
        share=score.right / score.questions,
        verdict=verdict,
        message=message,
        report=report_of(score, key),
        digest=digest_of(answers, key),
        outcome=outcome,
        misses=misses,
        worth_reading=worth_reading,
        problems=problems,
    )


def joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def pages(key: Sequence[KeyEntry], module: int) -> str:
    """What a module's questions are about, all of them: fewer would tell which were missed."""
    headings: dict[str, list[str]] = {}
    for section in dict.fromkeys(entry.section for entry in key if entry.module == module):
        page, _, heading = section.partition(", ")
        headings.setdefault(page, []).append(heading)
    return "; ".join(f"{page}: {', '.join(names)}" for page, names in headings.items())


def per_module(score: ExamScore, key: Sequence[KeyEntry]) -> str:
    """How many were missed in each module; never which."""
    return " ".join(
        f"Module {module}: {count} missed (read again: {pages(key, module)})."
        for module, count in score.missed_by_module.items()
    )


def module_to_read(score: ExamScore, key: Sequence[KeyEntry]) -> str:
    """The one module most worth reading again, without a number: that would help guessing."""
    module = most_missed(score.missed_by_module)
    return (
        ""
        if module is None
        else f"Most worth reading again: Module {module} ({pages(key, module)})."
    )


def most_missed(missed: dict[int, int]) -> int | None:
    """The module with the most questions missed; of equal ones the first."""
    return max(missed, key=lambda module: (missed[module], -module), default=None)


def report_of(score: ExamScore, key: Sequence[KeyEntry]) -> ExamReport:
    """The exam as every renderer shows it."""
    modules = sorted({entry.module for entry in key})
    return ExamReport(
        score=score.score,
        right=score.right,
        questions=score.questions,
        passed=score.passed,
        by_module={str(module): score.missed_by_module.get(module, 0) for module in modules},
        missed=[
            MissedQuestion(miss.id, miss.title, miss.misconception, plain_text(miss.chosen))
            for miss in score.missed
        ],
    )


def plain_text(answer: str) -> str:
    """A student's answer as staff may be shown it: on one line, no control marks."""
    return "".join(mark if mark.isprintable() else " " for mark in answer)
