"""What a question is, and how a question draws its numbers and the stem that it asks."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

LETTERS = "abcde"
DRAWS = 10_000

WHOLE = "a whole number"
FRACTION = "a fraction or an exact decimal"

# No word comes twice in a sentence, so that a word names its row.
SENTENCES = (
    "birds sing at dawn",
    "ships leave the harbour",
    "my old clock stopped",
    "rain fills every ditch",
    "nobody heard that door",
)


@dataclass(frozen=True)
class Option:
    """One of five. misconception: what someone who takes it believes; None for the right one."""

    text: str
    misconception: str | None


@dataclass(frozen=True)
class Question:
    """A question as drawn. title names it for the staff; section says what to read again.

    words are those that a question for a word offers. near holds, by the answer that it leads to,
    the misconception behind a near miss of a number or a word. lookup: a sentence of the pages
    answers it without a step of one's own.
    """

    module: int
    title: str
    section: str
    kind: Literal["choice", "number", "text"]
    wording: str
    options: tuple[Option, ...]
    answer: str
    accepted: tuple[str, ...]
    explanation: str
    words: tuple[str, ...] = ()
    near: Mapping[str, str] = field(default_factory=dict)
    lookup: bool = False

    @property
    def form(self) -> str:
        """What is asked for: "letter", "whole" (a whole number), "number" or "word"."""
        if self.kind == "number":
            return "whole" if self.wording.endswith(f"Answer: {WHOLE}.") else "number"
        return "letter" if self.kind == "choice" else "word"


@dataclass(frozen=True)
class Stem:
    """One way to ask a family of choices: its words, the sentence that it makes right, and why.

    beliefs names the misconception of a sentence where it is another one than the pool's.
    """

    wording: str
    right: str
    explanation: str
    beliefs: Mapping[str, str] = field(default_factory=dict)


def family(
    rng: random.Random,
    module: int,
    title: str,
    section: str,
    pool: Mapping[str, tuple[str, str]],
    stems: Sequence[Stem],
    lookup: bool = False,
) -> Question:
    """A choice of five sentences, always the same ones; the stem drawn decides which is right.

    pool: by a name of its own, each sentence and what someone believes who takes it wrongly. Since
    every sentence is right for some stem, last term's is worth no more than any other, and nothing
    in the form of a sentence tells whether it is right.
    """
    stem = rng.choice(stems)
    options = [
        Option(text, None if name == stem.right else stem.beliefs.get(name, belief))
        for name, (text, belief) in pool.items()
    ]
    rng.shuffle(options)
    letter = LETTERS[[option.misconception for option in options].index(None)]
    wording = f"{stem.wording}\n\nAnswer: one letter."
    return Question(
        module,
        title,
        section,
        "choice",
        wording,
        tuple(options),
        letter,
        (),
        stem.explanation,
        lookup=lookup,
    )


def dealt_letters(rng: random.Random, count: int) -> list[str]:
    """The right letter of each choice: none comes more often than it has to."""
    letters = list(LETTERS) * (count // len(LETTERS)) + rng.sample(LETTERS, count % len(LETTERS))
    rng.shuffle(letters)
    return letters


def with_right_letter(question: Question, letter: str) -> Question:
    """The choice with its right option moved to a letter; the wrong ones keep their order."""
    options = [option for option in question.options if option.misconception is not None]
    (right,) = (option for option in question.options if option.misconception is None)
    options.insert(LETTERS.index(letter), right)
    return replace(question, options=tuple(options), answer=letter)


def number(
    module: int,
    title: str,
    section: str,
    wording: str,
    form: str,
    answer: int | Fraction,
    near: Mapping[str, int | Fraction],
    explanation: str,
    lookup: bool = False,
) -> Question:
    """A question for a number; near: what a misconception, by its name, would answer."""
    named: dict[str, str] = {}
    for misconception, value in near.items():
        if value != answer:
            named.setdefault(str(value), misconception)
    return Question(
        module,
        title,
        section,
        "number",
        f"{wording}\n\nAnswer: {form}.",
        (),
        str(answer),
        (),
        explanation,
        near=named,
        lookup=lookup,
    )


def drawn(draw: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
    """The first draw that fits."""
    for _ in range(DRAWS):
        candidate = draw()
        if fits(candidate):
            return candidate
    raise RuntimeError(f"no draw of {DRAWS} fits")


def short(value: Fraction) -> bool:
    """Whether four decimals write it exactly, for those who like decimals."""
    return (value * 10_000).denominator == 1


def listed(items: Sequence[object]) -> str:
    """A row as the pages print it: [1, 2, 3]."""
    return "[" + ", ".join(str(item) for item in items) + "]"
