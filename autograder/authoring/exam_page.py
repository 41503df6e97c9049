"""assignments/exam.html: the question sheet as one page to answer on, without the key."""

import hashlib
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

from autograder.authoring import exam_sheets
from autograder.authoring.exam_sheets import id_of
from autograder.exam.question import LETTERS, Question
from autograder.manifest import load_manifest

PAGE = Path(__file__).with_name("exam.html")


def page(questions: Sequence[Question]) -> str:
    """The page; it holds what assignments/exam.md holds, and nothing that depends on the key."""
    assignment = load_manifest()
    sections: list[str] = []
    for position, question in enumerate(questions):
        if position == 0 or questions[position - 1].module != question.module:
            sections.append(f"<h2>Module {question.module}</h2>")
        sections.append(section(id_of(position), question))
    # The form and the first words of each question, as the blank sheet has them.
    blank = re.findall(r'^(\w+) = ""  # ([^:]+): (.*)$', exam_sheets.blank(questions), re.MULTILINE)
    asked = [{"id": id, "form": form, "words": words} for id, form, words in blank]
    body = "\n".join(sections)
    data = {
        # Answers that a browser keeps are those of this draw.
        "id": hashlib.sha256(body.encode()).hexdigest()[:16],
        "letters": list(LETTERS),
        "questions": asked,
    }
    introduction = (
        f"<p>{len(questions)} questions on Modules 0 to 3; {assignment.exam.threshold} of 100 pass."
        " A question left blank counts as missed, and a wrong answer counts like a blank one. "
        f"The first {assignment.exam.attempts} different answer sheets that you hand in count, "
        "and the best of them stays.</p>"
    )
    # No </script> in a question ends the data.
    embedded = json.dumps(data, sort_keys=True).replace("</", "<\\/")
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        introduction=introduction, questions=body, data=embedded
    )


def section(id: str, question: Question) -> str:
    """One question with its field: radio buttons in their order, or a line to type into."""
    words = f"{id}-words"
    if question.options:
        offered = [
            f'<label><input type="radio" name="{id}" value="{letter}"> <strong>{letter}</strong> '
            f"{inline(option.text)}</label>"
            for letter, option in zip(LETTERS, question.options, strict=False)
        ]
        # A chosen radio button cannot be taken back by keyboard.
        offered.append(
            f'<label><input type="radio" name="{id}" value="" checked> no answer yet</label>'
        )
        field = "\n".join(
            [
                f'<fieldset aria-describedby="{words}"><legend>Your answer to {id}</legend>',
                *offered,
                "</fieldset>",
            ]
        )
    else:
        field = (
            f'<p><label for="{id}">Your answer to {id}</label> '
            f'<input type="text" id="{id}" name="{id}" maxlength="200" spellcheck="false" '
            f'aria-describedby="{words} {id}-fault"> '
            f'<span class="fault" id="{id}-fault" role="status"></span></p>'
        )
    return (
        f'<section class="question" aria-labelledby="{id}-name">\n<h3 id="{id}-name">{id}</h3>\n'
        f'<div id="{words}">\n{as_html(question.wording)}\n</div>\n{field}\n</section>'
    )


def as_html(markdown: str) -> str:
    """A wording's paragraphs and tables."""
    return "\n".join(
        table(block) if block.startswith("|") else f"<p>{inline(block)}</p>"
        for block in map(str.strip, markdown.split("\n\n"))
        if block
    )


def table(block: str) -> str:
    """A Markdown table: a head, a line of dashes, rows."""
    head, _, *rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()
    ]
    heads = "".join(f'<th scope="col">{inline(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def inline(text: str) -> str:
    """Text of a line or a cell, with the three marks that wordings use."""
    safe = html.escape(" ".join(text.split()), quote=False)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    safe = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", safe)
    return re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?!\w)", r"<em>\1</em>", safe)
