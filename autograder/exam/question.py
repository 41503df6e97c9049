"""What a question is, and how a question draws its numbers and shuffles its options."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

LETTERS = "abcd"
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
    """One of four. misconception: what someone who takes it believes; None for the right one."""

    text: str
    misconception: str | None


@dataclass(frozen=True)
class Question:
    """A question as drawn. title names it for the staff; section says what to read again."""

    module: int
    title: str
    section: str
    kind: Literal["choice", "number", "text"]
    wording: str
    options: tuple[Option, ...]
    answer: str
    accepted: tuple[str, ...]
    explanation: str


def choice(
    rng: random.Random,
    module: int,
    title: str,
    section: str,
    wording: str,
    right: str,
    wrong: dict[str, str],
    explanation: str,
) -> Question:
    """A choice of four in an order that rng decides; wrong holds the texts by misconception."""
    options = [Option(right, None), *(Option(text, name) for name, text in wrong.items())]
    rng.shuffle(options)
    letter = LETTERS[[option.misconception for option in options].index(None)]
    wording = f"{wording}\n\nAnswer: one letter."
    return Question(
        module, title, section, "choice", wording, tuple(options), letter, (), explanation
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
    explanation: str,
) -> Question:
    wording = f"{wording}\n\nAnswer: {form}."
    return Question(module, title, section, "number", wording, (), str(answer), (), explanation)


def drawn(draw: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
    """The first draw that fits."""
    for _ in range(DRAWS):
        candidate = draw()
        if fits(candidate):
            return candidate
    raise RuntimeError(f"no draw of {DRAWS} fits")


def listed(items: Sequence[object]) -> str:
    """A row as the pages print it: [1, 2, 3]."""
    return "[" + ", ".join(str(item) for item in items) + "]"
