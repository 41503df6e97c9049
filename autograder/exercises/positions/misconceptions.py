"""How positions go wrong: their choices, and the edits of them that are mistakes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.kit.misconception import Array, Configuration, Misconception, Observation

Pick = Callable[[str, Any], Any]

# The tests that are there to see them.
TABLE = "test_table_for_three_words_is_the_one_on_the_page"
FIRST = "test_position_0_alternates_0_and_1"
LONGER = "test_a_longer_sentence_leaves_earlier_rows_alone"
LENGTH = "test_every_row_has_squared_length_half_of_d_model"
ALIKE = "test_no_two_of_1000_positions_are_alike"


def compute(pick: Pick, asked: Observation) -> Iterator[tuple[int, Array]]:
    """The table (T, d_model), each step as picked."""
    T, d_model = asked.arguments
    place = pick("place", np.arange)(T).reshape(-1, 1)
    even = np.arange(0, d_model, 2)
    angles = []
    for exponent in (pick("exponent", share), pick("cosine's exponent", None)):
        if exponent is not None:
            turned = pick("turned", np.divide)(place, 10_000.0 ** exponent(even, d_model))
            angles.append(pick("unit", itself)(turned))
    table = pick("columns", alternating)(np.sin(angles[0]), np.cos(angles[-1]), place)
    yield 0, pick("returned", itself)(table)


def itself(x: Array) -> Array:
    return x


def share(even: Array, d_model: int) -> Array:
    """2i / d_model."""
    return even / d_model


def alternating(sines: Array, cosines: Array, place: Array) -> Array:
    return np.stack([sines, cosines], axis=2).reshape(len(sines), -1)


MISCONCEPTIONS = (
    Misconception(
        "counts_from_one",
        FIRST,
        "Your first word stands at position 1. Positions count from 0: the first row holds the "
        "sine and cosine of 0.",
        "place",
        ({"place": lambda T: np.arange(1, T + 1)},),
    ),
    Misconception(
        "exponent_i_over_d",
        TABLE,
        "Your exponent grows half as fast as it should. It is 2i / d_model, where 2i is the column "
        "of the sine and i the number of the pair: which of the two do you count?",
        "exponent",
        ({"exponent": lambda even, d_model: even / 2 / d_model},),
    ),
    Misconception(
        "multiplied",
        TABLE,
        "You multiply the position by 10000^(2i / d_model), where it should be divided by it. "
        "Later pairs turn more slowly, not faster.",
        "turned",
        ({"turned": np.multiply},),
    ),
    Misconception(
        "cos_next_exponent",
        TABLE,
        "Your cosines turn at another speed than the sines beside them. A sine and its cosine "
        "share one angle: the exponent is 2i / d_model for both.",
        "exponent",
        ({"cosine's exponent": lambda even, d_model: (even + 1) / d_model},),
    ),
    Misconception(
        "halves",
        FIRST,
        "All sines come first in your table, then all cosines. Some libraries do that, and it is "
        "as good, but it is another layout: here a sine and its cosine stand beside each other.",
        "columns",
        ({"columns": lambda sines, cosines, place: np.hstack([sines, cosines])},),
    ),
    Misconception(
        "swapped",
        FIRST,
        "Sine and cosine have changed places. The even columns hold the sine, and position 0 reads "
        "0, 1, 0, 1.",
        "columns",
        ({"columns": lambda sines, cosines, place: alternating(cosines, sines, place)},),
    ),
    Misconception(
        "scaled_by_T",
        LONGER,
        "You divide the position by the length of the sentence. Then a word's row changes when "
        "another word is added behind it: the position itself goes into the angle.",
        "place",
        (
            {"place": lambda T: np.arange(T) / T},
            {"place": lambda T: np.arange(T) / max(T - 1, 1)},
        ),
    ),
    Misconception(
        "degrees",
        TABLE,
        "You turn the angles from degrees into radians. They are radians already, as NumPy's sine "
        "and cosine take them.",
        "unit",
        ({"unit": np.deg2rad},),
    ),
    Misconception(
        "same_frequency",
        TABLE,
        "All your pairs turn at the same speed. Each pair has a speed of its own: the exponent "
        "grows with the column.",
        "exponent",
        ({"exponent": lambda even, d_model: 0.0 * even},),
    ),
    Misconception(
        "sin_only",
        FIRST,
        "There is no cosine in your table. Beside each sine stands the cosine of the same angle: "
        "together they keep the length of the row.",
        "columns",
        (
            {"columns": lambda sines, cosines, place: alternating(sines, sines, place)},
            {"columns": lambda sines, cosines, place: alternating(sines, 0 * cosines, place)},
        ),
    ),
    Misconception(
        "raw_index",
        FIRST,
        "Your table holds the position itself. Added to an embedding it would soon drown it: sine "
        "and cosine keep every number between -1 and 1.",
        "columns",
        ({"columns": lambda sines, cosines, place: place + 0.0 * alternating(sines, sines, 0)},),
    ),
    Misconception(
        "integers",
        LENGTH,
        "Your table holds whole numbers: the fractions were cut off. What dtype has the array that "
        "you write into?",
        "returned",
        ({"returned": np.trunc}, {"returned": np.rint}),
    ),
    Misconception(
        "position_forgotten",
        ALIKE,
        "All your rows are alike. The angle depends on the position p as well as on the column.",
        "place",
        ({"place": lambda T: np.ones(T)}, {"place": np.zeros}),
    ),
)

RANDOM = (
    "Asked twice for the same table, you give two. Positions are a fixed code, computed from p and "
    "d_model alone: a word that is read again must stand where it stood."
)
DRAWN = np.random.default_rng(0)

FORMS = (
    Misconception(
        "random_each_call",
        LONGER,
        RANDOM,
        versions=(
            lambda T, d_model: DRAWN.normal(size=(T, d_model)),
            lambda T, d_model: DRAWN.uniform(-1, 1, size=(T, d_model)),
        ),
    ),
)

CONFIGURATION = Configuration("positions", compute, MISCONCEPTIONS, forms=FORMS)
