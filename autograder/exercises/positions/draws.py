"""Draws the cases of positions."""

import random

import numpy as np

from autograder.kit.drawing import (
    JsonCase,
    case,
    drawn,
    grid,
    load_solution,
    settled,
    to_decimals,
)

# Names that a student might take for one another: the gate's mutants do.
LOOKALIKES = {"sin": ("cos", "tan"), "cos": ("sin", "tanh"), "arange": ("ones", "zeros")}


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    positions = load_solution("positions")

    def three_words(*widths: int) -> JsonCase:
        def made() -> JsonCase:
            d_model = rng.choice(widths)
            return case(f"d{d_model}", d_model=d_model, table=to_decimals(positions(3, d_model)))

        return settled(made)

    def length(T: int, d_model: int, **more: int) -> JsonCase:
        return case(f"T{T}_d{d_model}", T=T, d_model=d_model, **more)

    even = [rng.choice((8, 10, 14)), rng.choice((12, 16))]
    short, long = rng.randint(4, 6), rng.randint(7, 9)
    lengths = [length(short, even[0]), length(long, even[1])]
    words = drawn(
        lambda: grid(rng, 5, 6, bound=8),
        lambda X: (np.abs(X[:, np.newaxis] - X).max(axis=2) + 10 * np.eye(5)).min() > 0.5,
    )
    return {
        "test_table_for_three_words_is_the_one_on_the_page": [
            three_words(4),
            three_words(6, 8, 10, 12),
            three_words(*range(14, 36, 2)),
        ],
        "test_position_0_alternates_0_and_1": [*lengths, length(1, 2)],
        "test_a_longer_sentence_leaves_earlier_rows_alone": [
            length(short, even[1], longer=long + 4)
        ],
        "test_every_row_has_squared_length_half_of_d_model": lengths,
        "test_dot_products_depend_on_the_distance_only": lengths,
        "test_no_two_of_1000_positions_are_alike": [case("d8", d_model=8)],
        "test_order_counts_once_positions_are_added": [case("five_words", X=words)],
    }


def random_arguments(rng: random.Random) -> tuple[int, int]:
    """A length of a text and an even length of its embeddings."""
    return rng.randint(1, 12), 2 * rng.randint(1, 8)
