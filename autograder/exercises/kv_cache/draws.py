"""Draws the cases of attend_next."""

import random
from functools import partial
from typing import Any

import numpy as np

from autograder.exercises.attention.draws import Head, fields, plain_head
from autograder.kit.drawing import Array, JsonCase, case, grid, load_solution, settled, to_decimals

# T, d_model, d_k and d_v, pairwise different; a row of X may be cut to the length of a key.
SIZES = ((7, 5, 3, 4), (5, 6, 4, 2))
# Names that a student might take for one another: the gate's mutants do.
LOOKALIKES = {
    "keys": ("values",),
    "values": ("keys",),
    "W_q": ("W_k",),
    "W_k": ("W_q",),
    "W_v": ("W_k",),
    "weights": ("scores",),
    "vstack": ("hstack",),
}


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    attention = load_solution("attention")

    def text(id: str, sizes: tuple[int, int, int, int]) -> JsonCase:
        def made() -> JsonCase:
            head = plain_head(rng, sizes)
            output = attention(*head, causal=True)[0]
            return case(id, **fields(head), output=to_decimals(output))

        return settled(made)

    texts = [text(f"text_{i}", sizes) for i, sizes in enumerate(SIZES, start=1)]
    return {
        "test_first_word_hands_over_its_own_value": texts,
        "test_outputs_are_the_rows_of_the_causal_head": texts,
        "test_cache_holds_the_keys_of_all_words_in_order": texts[:1],
        "test_cache_holds_the_values_of_all_words_in_order": texts[:1],
        "test_two_continuations_do_not_disturb_each_other": texts[1:],
        "test_a_prompt_is_read_at_once_and_continued": texts,
    }


def step_of(head: Head) -> tuple[Array, ...]:
    """The newest word of a text, what was kept of the others, and the matrices."""
    X, W_q, W_k, W_v = head
    return X[-1], X[:-1] @ W_k, X[:-1] @ W_v, W_q, W_k, W_v


def probes(rng: random.Random) -> list[tuple[Array, ...]]:
    """Two float inputs of one shape: a function that answers both alike looks at neither."""
    return [step_of(plain_head(rng, (4, 5, 3, 2))) for _ in range(2)]


def random_arguments(rng: random.Random) -> tuple[Any, ...]:
    """A word, caches of none or several words before it, and the matrices."""
    words, d_model, d_k, d_v = rng.randint(0, 4), *(rng.randint(1, 5) for _ in range(3))
    shape = partial(grid, rng)
    matrices = (shape(d_model, d_k), shape(d_model, d_k), shape(d_model, d_v))
    keys = shape(words, d_k) if words else np.zeros((0, d_k))
    values = shape(words, d_v) if words else np.zeros((0, d_v))
    return (shape(d_model), keys, values, *matrices)
