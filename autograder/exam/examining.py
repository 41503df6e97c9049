"""The exam of one submission: its score, and what student and staff are told of it."""

from collections.abc import Sequence

from autograder.assignment import load_assignment
from autograder.exam.scoring import Answers, ExamScore, KeyEntry, read_answers, score_exam
from autograder.report import ExamReport, MissedQuestion, StudentFault
from autograder.submission import Submission

# What to read again for each module. Not per question: that would tell which ones were missed.
PAGES = {
    0: "assignments/modules.md, Module 0, and assignments/softmax.md",
    1: "assignments/modules.md, Module 1",
    2: "assignments/modules.md, Module 2",
    3: "assignments/modules.md, Module 3, with causal_mask.md and attention.md",
}


def examine(submission: Submission, key: Sequence[KeyEntry]) -> ExamScore:
    """The score of exam.toml; StudentFault where there is none, or no answer in it."""
    if submission.exam is None:
        raise StudentFault("missing", submission.exam_fault)
    answers = read_answers(submission.exam, [entry.id for entry in key])
    score = score_exam(answers, key, load_assignment().exam_threshold)
    if not score.attempted:
        words = ("No question is answered in exam.toml.", *answers.problems)
        raise StudentFault("not_attempted", " ".join(words))
    return score


def partly_right(score: ExamScore) -> StudentFault:
    """The share of the points, and how many were missed per module; never which."""
    threshold = load_assignment().exam_threshold
    verdict = "passed" if score.passed else f"not passed: {threshold} pass"
    missed = [
        f"Module {module}: {count} missed (read again: {PAGES[module]})."
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
        score = score_exam(Answers({}, ()), key, load_assignment().exam_threshold)
    modules = sorted({entry.module for entry in key})
    return ExamReport(
        score=score.score,
        right=score.right,
        questions=score.questions,
        passed=score.passed,
        by_module={str(module): score.missed_by_module.get(module, 0) for module in modules},
        missed=[MissedQuestion(miss.id, miss.title, miss.misconception) for miss in score.missed],
    )
