"""The exam of one submission: its score, and what student and staff are told of it."""

from collections.abc import Sequence

from autograder.exam.scoring import Answers, ExamScore, KeyEntry, read_answers, score_exam
from autograder.intake.submission import Submission
from autograder.manifest import load_manifest
from autograder.report import ExamReport, MissedQuestion, StudentFault


def examine(submission: Submission, key: Sequence[KeyEntry]) -> ExamScore:
    """The score of exam.toml; StudentFault where there is none, or no answer in it."""
    if submission.exam is None:
        raise StudentFault("missing", submission.exam_fault)
    answers = read_answers(submission.exam, [entry.id for entry in key])
    score = score_exam(answers, key, load_manifest().exam_threshold)
    if not score.attempted:
        words = ("No question is answered in exam.toml.", *answers.problems)
        raise StudentFault("not_attempted", " ".join(words))
    return score


def pages(key: Sequence[KeyEntry], module: int) -> str:
    """What a module's questions are about, all of them: fewer would tell which were missed."""
    headings: dict[str, list[str]] = {}
    for section in dict.fromkeys(entry.section for entry in key if entry.module == module):
        page, _, heading = section.partition(", ")
        headings.setdefault(page, []).append(heading)
    return "; ".join(f"{page}: {', '.join(names)}" for page, names in headings.items())


def partly_right(score: ExamScore, key: Sequence[KeyEntry]) -> StudentFault:
    """The share of the points, and how many were missed per module; never which."""
    threshold = load_manifest().exam_threshold
    verdict = "passed" if score.passed else f"not passed: {threshold} pass"
    missed = [
        f"Module {module}: {count} missed (read again: {pages(key, module)})."
        for module, count in score.missed_by_module.items()
    ]
    return StudentFault(
        "passed" if score.passed else "failed",
        " ".join([f"{score.score} of 100, {verdict}.", *missed, *score.problems]),
        share=score.right / score.questions,
    )


def exam_report(submission: Submission, key: Sequence[KeyEntry]) -> ExamReport:
    """The exam as every form shows it; without answers, everything is missed."""
    try:
        score = examine(submission, key)
    except StudentFault:
        score = score_exam(Answers({}, ()), key, load_manifest().exam_threshold)
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
