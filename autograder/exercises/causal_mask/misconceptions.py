"""How a causal mask goes wrong: which places it hides, and what it holds there."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.kit.misconception import (
    Array,
    Configuration,
    Misconception,
    Observation,
    Observations,
    Stage,
    Way,
    difference,
)

Pattern = Callable[[int], Array]
HIDES = "test_hides_the_future_and_nothing_else"
BORDER = "test_the_border_lies_right_after_the_word_itself"

# --- patterns: True where a word is hidden -------------------------------------------------------


def upper(k: int) -> Pattern:
    """Column at least k after the row."""
    return lambda n: np.arange(n) >= np.arange(n)[:, np.newaxis] + k


def lower(k: int) -> Pattern:
    """Column at least k before the row."""
    return lambda n: np.arange(n) <= np.arange(n)[:, np.newaxis] - k


def flipped(pattern: Pattern, *axes: int) -> Pattern:
    return lambda n: np.flip(pattern(n), axes)


def where(rule: Callable[[Array, Array, int], Array]) -> Pattern:
    """A rule on row, column and length."""

    def pattern(n: int) -> Array:
        places = np.arange(n)
        rows, columns = places[:, np.newaxis], places[np.newaxis]
        return np.broadcast_to(rule(rows, columns, n), (n, n))

    return pattern


future = upper(1)


def compute(pick: Callable[[str, Any], Any], asked: Observation) -> Iterator[tuple[int, Array]]:
    mask = pick("size", pick("pattern", future))(asked.arguments[0])
    yield 0, pick("value", itself)(mask)


def itself(mask: Array) -> Array:
    return mask


def to_add(fill: float) -> Callable[[Array], Array]:
    return lambda mask: np.where(mask, fill, 0.0)


def multiplied(fill: float) -> Callable[[Array], Array]:
    return lambda mask: mask * fill


def fills(observations: Observations, others: Way) -> Iterator[Way]:
    """The one number other than 0 and 1 that a mask holds."""
    held = {
        float(value)
        for one in observations
        for array in one.arrays
        for value in np.unique(array[~np.isnan(array)])
    } - {0.0, 1.0}
    if len(held) == 1:
        (fill,) = held
        yield {"value": to_add(fill)}
        yield {"value": lambda mask: np.where(mask, fill, 1.0)}


def ways(*patterns: Pattern) -> tuple[Way, ...]:
    return tuple({"pattern": pattern} for pattern in patterns)


def sizes(*patterns: Pattern) -> tuple[Way, ...]:
    return tuple({"size": pattern} for pattern in patterns)


# --- the misconceptions: those of the pattern are a head's too -----------------------------------

PATTERNS = (
    Misconception(
        "diagonal_hidden",
        BORDER,
        "Your mask hides a word from itself, so the first word is left with nothing to attend to. "
        "Does the diagonal belong to the future?",
        "mask",
        ways(upper(0)),
    ),
    Misconception(
        "triangle_flipped",
        BORDER,
        "Your mask hides words that came before, and shows those after. Rows are the words that "
        "look, columns the words looked at: on which side of the diagonal is the future?",
        "mask",
        ways(lower(1), lower(2), lower(3), where(lambda i, j, n: j == i - 1)),
    ),
    Misconception(
        "off_by_one_ahead",
        BORDER,
        "Your mask starts too late: every word still sees the next one.",
        "mask",
        ways(upper(2), upper(3), upper(4)),
    ),
    Misconception(
        "starts_too_early",
        BORDER,
        "Your mask starts too early: it hides a word's own past. Which is the first column that "
        "row i may not see?",
        "mask",
        ways(upper(-1), upper(-2), upper(-3)),
    ),
    Misconception(
        "mask_polarity",
        BORDER,
        "Your mask is True where a word may look. In this exercise True means hidden.",
        "mask",
        ways(lower(0), lower(-1)),
    ),
    Misconception(
        "hides_next_word_only",
        HIDES,
        "Your mask hides single words of the future, and shows those after them. All of the future "
        "is hidden.",
        "mask",
        ways(
            where(lambda i, j, n: j == i + 1),
            where(lambda i, j, n: j == i + 2),
            where(lambda i, j, n: (j == i + 1) | (j == i + 2)),
        ),
    ),
    Misconception(
        "hides_all_but_itself",
        HIDES,
        "Your mask hides every word but the one that looks. A word sees its own past too.",
        "mask",
        ways(where(lambda i, j, n: i != j)),
    ),
    Misconception(
        "hides_itself_only",
        HIDES,
        "Your mask hides each word from itself, and shows it all the others.",
        "mask",
        ways(where(lambda i, j, n: i == j)),
    ),
    Misconception(
        "hides_past_too",
        HIDES,
        "Your mask hides the future, and some of the past with it. A word sees all that came "
        "before it.",
        "mask",
        ways(
            where(lambda i, j, n: abs(i - j) > 1),
            where(lambda i, j, n: abs(i - j) > 2),
            where(lambda i, j, n: (j > i) | (j < i - 1)),
            where(lambda i, j, n: (j > i) | (j < i - 2)),
            where(lambda i, j, n: (j > i) | (j < i - 3)),
            where(lambda i, j, n: (j > i) | (j == 0)),
            where(lambda i, j, n: (j > i) | (j == i - 2)),
            where(lambda i, j, n: (j > i) | (j == i - 1)),
        ),
    ),
    Misconception(
        "mask_loop_hides_all_rows",
        HIDES,
        "Whole columns are hidden, whichever word looks. Which words are hidden depends on the row "
        "too: does your loop write to one row at a time?",
        "mask",
        ways(
            where(lambda i, j, n: j > 0),
            where(lambda i, j, n: j == n - 1),
            where(lambda i, j, n: j == 0),
            where(lambda i, j, n: j > n // 2),
            where(lambda i, j, n: j >= n // 2),
            where(lambda i, j, n: j < n - 1),
            where(lambda i, j, n: j < n // 2),
        ),
    ),
    Misconception(
        "hides_whole_rows",
        HIDES,
        "Whole rows are hidden, so some words see nothing at all. Which words are hidden depends "
        "on the column too.",
        "mask",
        ways(
            where(lambda i, j, n: i > 0),
            where(lambda i, j, n: i == n - 1),
            where(lambda i, j, n: i == 0),
            where(lambda i, j, n: i >= n // 2),
            where(lambda i, j, n: i < n // 2),
        ),
    ),
    Misconception(
        "some_rows_only",
        HIDES,
        "Your mask hides the future in some rows and not in others: does your loop reach them all?",
        "mask",
        ways(
            where(lambda i, j, n: (j > i) & (i == 0)),
            where(lambda i, j, n: (j > i) & (i > 0)),
            where(lambda i, j, n: (j > i) & (i < n - 2)),
            where(lambda i, j, n: (j > i) & (j < n - 1)),
            where(lambda i, j, n: (j > i) & (i % 2 == 0)),
            where(lambda i, j, n: (j > i) & ((i + j) % 2 == 1)),
        ),
    ),
    Misconception(
        "mirrored",
        HIDES,
        "Your triangle leans the wrong way: its border runs along the other diagonal.",
        "mask",
        ways(
            flipped(future, 1),
            flipped(future, 0),
            flipped(upper(0), 1),
            flipped(upper(0), 0),
            flipped(lower(0), 1),
            flipped(lower(0), 0),
        ),
    ),
    Misconception(
        "hides_everything",
        HIDES,
        "Your mask hides every word from every word.",
        "value",
        ways(where(lambda i, j, n: i == i)),
    ),
    Misconception(
        "hides_nothing",
        HIDES,
        "Your mask hides nothing.",
        "value",
        ways(where(lambda i, j, n: i < 0), upper(10)),
    ),
)

MISCONCEPTIONS = (
    *PATTERNS,
    Misconception(
        "wrong_size",
        HIDES,
        "Your mask is not n by n. How many rows and columns does a table of n words need?",
        "size",
        sizes(
            lambda n: future(n + 1),
            lambda n: future(n - 1),
            lambda n: future(n)[0],
            lambda n: future(n)[np.newaxis],
            lambda n: future(n).ravel(),
            lambda n: future(n + 1)[:n],
            lambda n: future(n + 1)[:, :n],
            lambda n: np.array(True),
        ),
        claims=lambda observations: all(
            array.shape != (one.arguments[0], one.arguments[0])
            for one in observations
            for array in one.arrays
        ),
    ),
    Misconception(
        "mask_is_additive_float",
        HIDES,
        "Your mask holds numbers to add to the scores. The exercise asks for booleans: True where "
        "the word is hidden.",
        "value",
        tuple(
            {"value": to_add(fill)} for fill in (-np.inf, -1e9, -1e4, float(np.finfo(float).min))
        ),
        fills,
        form="mask_dtype",
    ),
    Misconception(
        "zero_times_inf",
        HIDES,
        "You multiply infinity by 0, which is NaN and not 0. Choose between two values instead of "
        "multiplying; here the two are True and False.",
        "value",
        ({"value": multiplied(-np.inf)}, {"value": multiplied(np.inf)}),
        form="mask_dtype",
    ),
)


def keeps_the_first(configuration: Configuration, observations: Observations) -> bool:
    """Whether the first answer is right, and comes again where another length was asked."""
    if len(observations) < 2 or not all(one.arrays for one in observations):
        return False
    right = configuration.version({})(*observations[0].arguments)
    start = observations[0].arrays[0]
    return difference(start, right) is not None and all(
        np.array_equal(one.arrays[0], start) for one in observations[1:]
    )


def right_size(configuration: Configuration, observations: Observations) -> bool:
    return bool(observations) and all(
        array.shape == (one.arguments[0], one.arguments[0])
        for one in observations
        for array in one.arrays or (np.zeros(0),)
    )


def holds_of_all(
    claim: Callable[[Array, Array], bool],
) -> Callable[[Configuration, Observations], bool]:
    """A claim on what each mask hides and on what it should hide, true of every answer."""

    def holds(configuration: Configuration, observations: Observations) -> bool:
        return right_size(configuration, observations) and all(
            np.isin(one.arrays[0], (0, 1)).all()
            and claim(one.arrays[0] == 1, future(one.arguments[0]))
            for one in observations
        )

    return holds


SENTENCES = (
    Stage(
        "Your mask hides nothing but future words, and not all of them.",
        holds_of_all(lambda hidden, later: not (hidden & ~later).any()),
    ),
    Stage(
        "Your mask hides all of the future, and other words with it.",
        holds_of_all(lambda hidden, later: not (later & ~hidden).any()),
    ),
    Stage(
        "The first answer was right and comes back for every other length: a result is kept.",
        keeps_the_first,
    ),
    Stage(
        "The size is right: compare your mask for n = 3 with the table in the template.", right_size
    ),
)

FORMS = (
    Misconception(
        "return_type",
        "test_returns_an_array",
        "Return a plain NumPy array: lists and matrices behave differently in later products.",
        versions=(lambda n: future(n).tolist(),),
    ),
    Misconception(
        "mask_dtype",
        "test_returns_booleans",
        "Return an array of booleans, True where the word is hidden, not of zeros and ones.",
        versions=(lambda n: future(n).astype(float), lambda n: future(n).astype(int)),
    ),
)

CONFIGURATION = Configuration("causal_mask", compute, MISCONCEPTIONS, (), 1, SENTENCES, FORMS)
