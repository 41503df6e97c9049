"""The exam as files: the question sheet, the blank and the solved answer sheet, and the key."""

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from autograder.exam.question import LETTERS, Question
from autograder.manifest import load_manifest

FORMS = {"letter": "a letter", "whole": "a whole number", "number": "a number"}


def id_of(position: int) -> str:
    """q01 for the first question."""
    return f"q{position + 1:02d}"


def sheet(questions: Sequence[Question]) -> str:
    """assignments/exam.md: the wording and the options, and nothing that depends on the key."""
    assignment = load_manifest()
    lines = [
        "# The exam",
        "",
        f"{len(questions)} questions on Modules 0 to 3; {assignment.exam.threshold} of 100 pass. "
        "Write your answers into",
        'the `exam.toml` that comes with your files: `q01 = "b"`, `q02 = "1/4"`. Upper and lower',
        "case are the same, and so are 0.25, .25 and 1/4. Each question counts the same; a blank",
        "one is missed like a wrong one. `python -m pytest` beside your files checks the form of",
        "your answers, and never whether they are right.",
        "",
        "Where your course lets you hand in again and keeps count (Gradescope does), the first "
        f"{assignment.exam.attempts}",
        "different answer sheets count, and the best of them stays. What costs one of the "
        f"{assignment.exam.attempts}: a",
        'sheet with an answer that means something else than before ("B" for "b" or 0.25 for 1/4',
        "does not), also where the run that read it was stopped. What costs none: the same answers",
        "again, a sheet without an answer, code alone. After each sheet you are told its score and",
        "the one module most worth reading again; after the last one, or once you have passed, how",
        "many you missed in each module.",
        "",
        "Pencil and paper are enough, and all that you need is on the pages of `assignments/`.",
    ]
    for position, question in enumerate(questions):
        if position == 0 or questions[position - 1].module != question.module:
            lines += ["", f"## Module {question.module}"]
        lines += ["", f"**{id_of(position)}.** {question.wording}"]
        if question.options:
            lines.append("")
        lines += [
            f"- **{letter}** {option.text}"
            for letter, option in zip(LETTERS, question.options, strict=False)
        ]
    return "\n".join(lines) + "\n"


def blank(questions: Sequence[Question]) -> str:
    """student_template/exam.toml: an empty answer and the question's first words for each."""
    lines = ["# Your answers to the questions of assignments/exam.md, between the quotes.", ""]
    for position, question in enumerate(questions):
        words = textwrap.shorten(plain(question.wording), 56, placeholder=" ...")
        # The public check of the form reads this comment.
        form = FORMS.get(question.form) or f"one of {', '.join(sorted(question.words))}"
        lines.append(f'{id_of(position)} = ""  # {form}: {words}')
    return "\n".join(lines) + "\n"


def solved(questions: Sequence[Question]) -> str:
    """solutions/exam.toml: every answer, with its explanation above it."""
    lines = ["# The right answers. For staff only."]
    for position, question in enumerate(questions):
        comment = textwrap.wrap(plain(question.explanation), 96)
        lines += ["", *(f"# {line}" for line in comment)]
        lines.append(f"{id_of(position)} = {json.dumps(question.answer)}")
    return "\n".join(lines) + "\n"


def key(questions: Sequence[Question]) -> list[dict[str, Any]]:
    """exercises/exam/key.json: scoring.KeyEntry, question by question."""
    return [
        {
            "id": id_of(position),
            "module": question.module,
            "title": question.title,
            "section": question.section,
            "kind": question.kind,
            "answer": question.answer,
            "accepted": list(question.accepted),
            "options": {
                letter: option.misconception
                for letter, option in zip(LETTERS, question.options, strict=False)
            },
            "texts": {
                letter: option.text
                for letter, option in zip(LETTERS, question.options, strict=False)
            },
            "near": dict(question.near),
        }
        for position, question in enumerate(questions)
    ]


def plain(markdown: str) -> str:
    """A wording on one line, without its marks."""
    return " ".join(markdown.replace("`", "").replace("**", "").split())
