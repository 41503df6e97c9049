"""Draws the cases of causal_mask."""

import random

from autograder.kit.drawing import JsonCase, case


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    sizes = [1, 2, 3, 8, rng.randint(4, 7)]
    lengths = [case(f"n{n}", n=n) for n in sizes]
    return {
        "test_hides_the_future_and_nothing_else": lengths,
        "test_the_border_lies_right_after_the_word_itself": lengths,
        "test_can_be_asked_again_for_another_length": [
            case("up", n=3, other=rng.randint(4, 9)),
            case("down", n=rng.randint(5, 9), other=2),
        ],
        "test_returns_an_array": [case("n4", n=4)],
        "test_returns_booleans": [case("n4", n=4)],
    }


def random_arguments(rng: random.Random) -> tuple[int]:
    """A length of a text."""
    return (rng.randint(1, 30),)
