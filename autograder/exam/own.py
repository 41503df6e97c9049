"""A course's own questions: a TOML file beside the manifest, mixed into the next draw.

The public bank is public; what stands in this file is not, as long as the file is kept where
students cannot read. CONTRIBUTING.md shows its form.
"""

import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.exam.question import FRACTION, LETTERS, WHOLE, Option, Question
from autograder.exam.scoring import number_of
from autograder.report import GraderError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PATH = Path(__file__).parents[1] / "own_questions.toml"
TEXTS = ("replaces", "wording", "explanation", "answer")


@dataclass(frozen=True)
class OwnQuestion:
    """A question of the course, and the title of the one in whose place it may be drawn."""

    replaces: str
    question: Question


def mixed(
    rng: random.Random, drawn: Sequence[Question], own: Sequence[OwnQuestion]
) -> list[Question]:
    """The drawn questions; where the course has own ones for a place, one of those."""
    titles = {question.title for question in drawn}
    for entry in own:
        if entry.replaces not in titles:
            raise fault(entry.replaces, f"replaces no question: there are {', '.join(titles)}")
    return [
        rng.choice(
            [placed(one.question, question) for one in own if one.replaces == question.title]
            or [question]
        )
        for question in drawn
    ]


def placed(own: Question, public: Question) -> Question:
    """An own question in a place of the exam: its module and section, and what kind it must be."""
    if own.kind != public.kind:
        raise fault(public.title, f"must be of kind {public.kind!r}, as the one that it replaces")
    return replace(
        own,
        module=public.module,
        title=own.title or public.title,
        section=own.section or public.section,
        lookup=public.lookup,
    )


def read_own(path: Path = PATH) -> list[OwnQuestion]:
    """The own questions; none where there is no such file. GraderError names what is wrong."""
    if not path.exists():
        return []
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise GraderError(f"{path.name} cannot be read: {error}") from error
    entries = document.get("question", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise GraderError(f"{path.name} wants [[question]] above each question.")
    return [own_question(entry) for entry in entries]


def own_question(entry: Mapping[str, Any]) -> OwnQuestion:
    name = str(entry.get("replaces", "a question"))
    for field in TEXTS:
        given = entry.get(field)
        choice_without = field == "answer" and entry.get("kind") == "choice"
        if not choice_without and (not isinstance(given, str) or not given.strip()):
            raise fault(name, f'wants {field} = "..."')
    makers = {"choice": own_choice, "number": own_number, "text": own_word}
    if entry.get("kind") not in makers:
        raise fault(name, f"wants kind to be one of {', '.join(makers)}")
    question = makers[entry["kind"]](name, entry)
    return OwnQuestion(
        entry["replaces"],
        replace(question, title=entry.get("title", ""), section=entry.get("section", "")),
    )


def own_choice(name: str, entry: Mapping[str, Any]) -> Question:
    """options is a table: the sentence, and the misconception behind it; "" for the right one."""
    options = entry.get("options")
    if not isinstance(options, dict) or len(options) != len(LETTERS):
        raise fault(name, f"wants {len(LETTERS)} options, as sentence = misconception")
    if len({*options.values()}) != len(LETTERS) or "" not in options.values():
        raise fault(name, 'wants "" behind the right sentence, and another name behind each other')
    found = tuple(Option(text, belief or None) for text, belief in options.items())
    letter = LETTERS[[option.misconception for option in found].index(None)]
    wording = f"{entry['wording'].strip()}\n\nAnswer: one letter."
    return Question(0, "", "", "choice", wording, found, letter, (), entry["explanation"])


def own_number(name: str, entry: Mapping[str, Any]) -> Question:
    answer, near = entry["answer"], near_of(name, entry)
    for value in (answer, *near):
        if number_of(value) is None:
            raise fault(name, f"has {value!r}, which is no number")
    if any(number_of(value) == number_of(answer) for value in near):
        raise fault(name, "has its own answer among the near misses")
    whole = float(number_of(answer) or 0).is_integer()
    wording = f"{entry['wording'].strip()}\n\nAnswer: {WHOLE if whole else FRACTION}."
    return Question(0, "", "", "number", wording, (), answer, (), entry["explanation"], near=near)


def own_word(name: str, entry: Mapping[str, Any]) -> Question:
    answer, near = entry["answer"], near_of(name, entry)
    if answer in near or len(near) != 3:
        raise fault(name, "wants three other words in near, each with its misconception")
    words = tuple(sorted((answer, *near)))
    wording = f"{entry['wording'].strip()}\n\nAnswer: one of the four words {', '.join(words)}."
    return Question(
        0,
        "",
        "",
        "text",
        wording,
        (),
        answer,
        (answer, f"the {answer}"),
        entry["explanation"],
        words=words,
        near=near,
    )


def near_of(name: str, entry: Mapping[str, Any]) -> dict[str, str]:
    """near is a table: a wrong answer, and the misconception that leads to it."""
    near = entry.get("near")
    whole = isinstance(near, dict) and all(isinstance(v, str) and v for v in near.values())
    if not whole or not near:
        raise fault(name, 'wants near = {"answer" = "misconception"}, at least one')
    return dict(near)


def fault(name: str, words: str) -> GraderError:
    return GraderError(f"{PATH.name}: the question that replaces {name!r} {words}.")
