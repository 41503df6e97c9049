"""Draws the cases of softmax."""

import random
from collections.abc import Callable

import numpy as np

from autograder.kit.drawing import (
    Array,
    JsonCase,
    case,
    drawn,
    grid,
    load_solution,
    settled,
    to_decimals,
)


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    softmax = load_solution("softmax")

    def with_weights(id: str, draw: Callable[[], Array]) -> JsonCase:
        def made() -> JsonCase:
            scores = draw()
            return case(id, scores=scores, weights=to_decimals(softmax(scores)))

        return settled(made)

    def spread(rows: int, columns: int) -> Array:
        """Scores whose every weight counts, in rows that differ from each other."""
        scores: Array = drawn(
            lambda: grid(rng, rows, columns, bound=20),
            lambda scores: (
                softmax(scores).min() > 0.004
                and np.ptp(scores, axis=1).min() > 1
                and (rows == 1 or np.ptp(scores.max(axis=1)) > 0.5)
                and abs(scores.max()) > 0.1
            ),
        )
        return scores

    def high() -> Array:
        scores = 10_000 - abs(grid(rng, 3, 4, bound=16))
        scores[0, 1] = 10_000
        return scores

    def low() -> Array:
        scores = -10_000 + abs(grid(rng, 2, 5, bound=16))
        scores[1, 2] = -10_000
        return scores

    def both() -> Array:
        """Rows that hold the highest score, the lowest and an everyday one."""
        rows = [[10_000.0, -10_000.0, grid(rng, 1)[0]] for _ in range(2)]
        return np.array([rng.sample(row, k=3) for row in rows])

    def apart() -> Array:
        return np.vstack([high()[0], low()[0, :4], grid(rng, 1, 4)[0]])

    def hidden() -> Array:
        scores = spread(4, 5)
        for row in range(4):
            scores[row, rng.sample(range(5), k=row + 1)] = -np.inf
        return scores

    def integers() -> Array:
        scores = np.array([[rng.randint(-2, 2) for _ in range(4)] for _ in range(3)])
        scores[:, 0] = [3, 1, 2]
        return scores

    plain = [
        with_weights("wide", lambda: spread(3, 5)),
        with_weights("tall", lambda: spread(5, 2)),
        with_weights("square", lambda: spread(4, 4)),
        with_weights("one_row", lambda: spread(1, 4)),
    ]
    one = [case("plain", scores=spread(3, 4))]
    return {
        "test_weights_follow_the_exponentials_of_the_row": plain,
        "test_every_row_sums_to_one": plain,
        "test_large_scores_do_not_overflow": [
            with_weights("high", high),
            with_weights("low", low),
            with_weights("both", both),
        ],
        "test_rows_far_apart_do_not_disturb_each_other": [with_weights("apart", apart)],
        "test_minus_infinity_gets_exactly_zero": [with_weights("hidden", hidden)],
        "test_integer_scores_are_fine": [with_weights("integers", integers)],
        "test_returns_a_float64_array": one,
        "test_leaves_its_argument_alone": one,
    }


def probes(rng: random.Random) -> list[list[Array]]:
    """Two float inputs of one shape: a function that answers both alike looks at neither."""
    return [[grid(rng, 3, 4)] for _ in range(2)]


def random_arguments(rng: random.Random) -> tuple[Array]:
    """Scores from the whole domain of the contract."""
    rows, columns = rng.randint(1, 5), rng.randint(1, 5)
    size = rng.choice((1.0, 30.0, 1e4))
    scores = np.array([[rng.uniform(-size, size) for _ in range(columns)] for _ in range(rows)])
    if rng.random() < 0.2:
        return (scores.astype(int),)
    for row in range(rows):
        for column in rng.sample(range(columns), k=rng.randint(0, columns - 1)):
            scores[row, column] = -np.inf
    return (scores,)
