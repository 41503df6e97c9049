"""Draws the cases of attention, and the heads of the exercises that ask the same function."""

import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

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

Head = tuple[Array, Array, Array, Array]
# T, d_model, d_k and d_v, pairwise different; one head has a single value column.
SIZES = ((5, 4, 3, 2), (3, 6, 2, 4), (4, 3, 5, 1))
# Names that a student might take for one another: the gate's mutants do.
LOOKALIKES = {
    "queries": ("keys", "values"),
    "keys": ("queries", "values"),
    "values": ("X", "keys"),
    "W_q": ("W_k",),
    "W_k": ("W_q",),
    "W_v": ("W_k",),
    "weights": ("scores",),
    "scores": ("shares",),
    "shares": ("scores",),
}


def scores_of(head: Head) -> Array:
    X, W_q, W_k, _ = head
    scores: Array = (X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1])
    return scores


def draw_head(rng: random.Random, sizes: tuple[int, int, int, int], **grid_of: Any) -> Head:
    tokens, d_model, d_k, d_v = sizes
    return (
        grid(rng, tokens, d_model, **grid_of),
        grid(rng, d_model, d_k, **grid_of),
        grid(rng, d_model, d_k, **grid_of),
        grid(rng, d_model, d_v, **grid_of),
    )


def balanced(head: Head) -> bool:
    """As telling() says, and no score is 0."""
    return bool((scores_of(head) != 0).all()) and telling(head)


def telling(head: Head) -> bool:
    """Every weight counts, the mask takes away a good part, and the scale matters."""
    scores = scores_of(head)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    lost = np.triu(weights, k=1).sum(axis=1)[:-1]
    return bool(
        weights.min() > 2e-3
        and np.ptp(scores, axis=1).min() > 1
        and np.abs(scores - scores.T).max() > 1
        and lost.min() > 0.1
    )


def plain_head(rng: random.Random, sizes: tuple[int, int, int, int]) -> Head:
    head: Head = drawn(lambda: draw_head(rng, sizes), balanced)
    return head


def head_with_zero_scores(rng: random.Random) -> Head:
    """Visible scores of exactly 0, none of them a word's own."""

    def sharp(head: Head) -> bool:
        scores = scores_of(head)
        zeros = (np.tril(scores, k=-1) == 0).sum() - scores.shape[0] * (scores.shape[0] + 1) // 2
        return bool(zeros >= 2 and (np.diagonal(scores) != 0).all() and np.abs(scores).max() < 4)

    head: Head = drawn(lambda: draw_head(rng, (4, 5, 2, 3), bound=1, step=1.0), sharp)
    return head


def head_with_large_hidden_score(rng: random.Random) -> Head:
    """In every row but the last, a hidden score is the largest by far."""

    def sharp(head: Head) -> bool:
        scores = scores_of(head)
        visible = np.tril(scores) + np.triu(np.full(scores.shape, -np.inf), k=1)
        gap = (scores.max(axis=1) - visible.max(axis=1))[:-1]
        return bool(gap.min() > 8 and np.abs(scores).max() < 40)

    head: Head = drawn(lambda: draw_head(rng, (3, 5, 4, 2), bound=12, step=0.25), sharp)
    return head


def head_at_ten_thousand(rng: random.Random) -> Head:
    """The first word sees itself at -10,000; it would see a later word at +10,000."""

    def sharp(head: Head) -> bool:
        scores = scores_of(head)
        gaps = np.diff(np.sort(scores, axis=1), axis=1)
        top = np.abs(scores).max()
        return bool(
            top > 0 and scores[0, 0] == -top and scores[0].max() == top and gaps.min() >= top / 16
        )

    return at_ten_thousand(rng, (3, 2, 4, 5), sharp)


def head_far_below_zero(rng: random.Random) -> Head:
    """Every score of the last word lies thousands below 0."""

    def sharp(head: Head) -> bool:
        scores = scores_of(head)
        top = np.abs(scores).max()
        gaps = np.diff(np.sort(scores, axis=1), axis=1)
        return bool(top > 0 and scores[-1].max() <= -top / 4 and gaps.min() >= top / 16)

    return at_ten_thousand(rng, (4, 3, 5, 2), sharp)


def tells_products(head: Head) -> bool:
    """Whether queries and keys exchanged, or words that know their place, look at other words."""
    X, W_q, W_k, W_v = head
    T, width = X.shape
    angles = np.arange(T)[:, None] / 10000 ** (2 * (np.arange(width) // 2) / width)
    placed = X + np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))
    seen = scores_of(head).argmax(axis=1)
    others = (scores_of(head).T, scores_of((placed, W_q, W_k, W_v)))
    return all(bool((seen != other.argmax(axis=1)).any()) for other in others)


def at_ten_thousand(
    rng: random.Random, sizes: tuple[int, int, int, int], sharp: Callable[[Head], bool]
) -> Head:
    """A sharp head whose largest score is stretched to 10,000."""
    X, W_q, W_k, W_v = drawn(
        lambda: draw_head(rng, sizes, bound=3, step=1.0),
        lambda head: sharp(head) and tells_products(head),
    )
    top = np.abs(scores_of((X, W_q, W_k, W_v))).max()
    return X, W_q * 100.0, W_k * (100.0 / top), W_v


def fields(head: Iterable[Array]) -> dict[str, Array]:
    return dict(zip(("X", "W_q", "W_k", "W_v"), head, strict=True))


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    attention = load_solution("attention")

    def with_weights(id: str, draw: Callable[[], Head]) -> JsonCase:
        def made() -> JsonCase:
            head = draw()
            weights, causal_weights = attention(*head)[1], attention(*head, causal=True)[1]
            return case(
                id,
                **fields(head),
                weights=to_decimals(weights),
                causal_weights=to_decimals(causal_weights),
            )

        return settled(made)

    def with_change(head: JsonCase) -> JsonCase:
        """The last word is another one."""
        X = np.array(head["X"])
        last = drawn(lambda: grid(rng, X.shape[1]), lambda row: abs(row - X[-1]).min() > 0.3)
        return {**head, "X_changed": [*head["X"][:-1], last.tolist()]}

    def integers() -> Iterable[Array]:
        head = drawn(
            lambda: draw_head(rng, (4, 3, 2, 5), bound=2, step=1.0),
            lambda head: bool((scores_of(head) != 0).all()),
        )
        return (array.astype(int) for array in head)

    plain = [
        with_weights(f"head_{i}", partial(plain_head, rng, sizes))
        for i, sizes in enumerate(SIZES, start=1)
    ]
    zero = case("zero_scores", **fields(head_with_zero_scores(rng)))
    large_hidden = case("hidden_score_largest", **fields(head_with_large_hidden_score(rng)))
    form = [case("plain", **fields(plain_head(rng, (4, 5, 2, 3))))]
    huge = [
        with_weights("ten_thousand", lambda: head_at_ten_thousand(rng)),
        with_weights("far_below_zero", lambda: head_far_below_zero(rng)),
    ]
    return {
        "test_weights_are_the_softmax_of_scaled_scores": plain,
        "test_output_blends_the_values": plain,
        "test_weights_of_every_word_sum_to_one": plain,
        "test_default_is_not_causal": plain[:2],
        "test_hidden_words_get_exactly_zero_weight": [plain[0], zero, large_hidden],
        "test_visible_words_share_what_the_hidden_ones_lose": [plain[1], zero],
        "test_changing_a_later_word_changes_no_earlier_row": list(map(with_change, plain[:2])),
        "test_last_row_is_the_unmasked_one": plain[:2],
        "test_scores_of_ten_thousand_are_fine": huge,
        "test_integer_inputs_are_fine": [case("integers", **fields(integers()))],
        "test_returns_output_then_weights": form,
        "test_returns_arrays_of_floats": form,
        "test_leaves_its_arguments_alone": form,
    }


def probes(rng: random.Random) -> list[Head]:
    """Two float inputs of one shape: a function that answers both alike looks at neither."""
    return [plain_head(rng, (4, 5, 3, 2)) for _ in range(2)]


def random_arguments(rng: random.Random) -> tuple[Any, ...]:
    """A head from the whole domain of the contract, and whether it is causal."""
    tokens, d_model, d_k, d_v = (rng.randint(1, 5) for _ in range(4))
    head = draw_head(rng, (tokens, d_model, d_k, d_v), bound=12, step=0.125)
    causal = rng.random() < 0.7
    if rng.random() < 0.2:
        return (*(np.trunc(array).astype(int) for array in head), causal)
    top = np.abs(scores_of(head)).max()
    stretch = 1e4 / top if top and rng.random() < 0.3 else 1.0
    X, W_q, W_k, W_v = head
    return X, W_q * stretch, W_k, W_v, causal
