"""How several heads go wrong: their choices, and the edits of them that are mistakes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.kit.misconception import Array, Configuration, Misconception, Observation

Pick = Callable[[str, Any], Any]

# The tests that are there to see them.
WEIGHTS = "test_each_head_has_the_weights_of_its_own_matrices"
MERGED = "test_outputs_stand_side_by_side_and_are_merged"
HIDDEN = "test_every_head_hides_the_future"


def compute(pick: Pick, asked: Observation) -> Iterator[tuple[int, Array]]:
    """Output (T, d_model), then weights (h, T, T), each step as picked."""
    X, W_q, W_k, W_v, W_o = (np.asarray(one, dtype=float) for one in asked.arguments)
    W_q, W_k, W_v = pick("matrices", itself)((W_q, W_k, W_v))
    scores = (X @ W_q) @ (X @ W_k).transpose(0, 2, 1) / pick("scale", root_of_d_k)(W_q)
    if asked.keywords.get("causal"):
        later = np.triu(np.ones((len(X), len(X)), dtype=bool), k=1)
        scores = np.where(pick("hidden", in_every_head)(later, len(W_q)), -np.inf, scores)
    shares = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = pick("weights", itself)(shares / shares.sum(axis=2, keepdims=True))
    outputs = pick("outputs", itself)(weights @ (X @ W_v))
    yield 0, pick("merged", side_by_side)(outputs, W_o)
    yield 1, pick("returned", itself)(weights)


def itself(x: Any) -> Any:
    return x


def root_of_d_k(W_q: Array) -> Any:
    return np.sqrt(W_q.shape[2])


def in_every_head(later: Array, count: int) -> Array:
    return later


def side_by_side(outputs: Array, W_o: Array) -> Array:
    return np.concatenate([*outputs], axis=1) @ W_o


def first_again(arrays: Array) -> Array:
    """What the first head has, for every head."""
    return np.repeat(arrays[:1], len(arrays), axis=0)


def one_for_all(merge: Callable[[Array], Array]) -> tuple[Callable[[Array, Array], Array], ...]:
    """One output of all heads: times the first rows of W_o, once for each head, or as it is."""
    return (
        lambda outputs, W_o: merge(outputs) @ W_o[: outputs.shape[2]],
        lambda outputs, W_o: np.tile(merge(outputs), len(outputs)) @ W_o,
        lambda outputs, W_o: merge(outputs),
    )


def mean_of_projected(outputs: Array, W_o: Array) -> Array:
    return side_by_side(outputs, W_o) / len(outputs)


def reshaped(outputs: Array, W_o: Array) -> Array:
    return outputs.reshape(outputs.shape[1], -1) @ W_o


def interleaved(outputs: Array, W_o: Array) -> Array:
    return outputs.transpose(1, 2, 0).reshape(outputs.shape[1], -1) @ W_o


def unmerged(outputs: Array, W_o: Array) -> Array:
    return np.concatenate([*outputs], axis=1)


def in_first_head(later: Array, count: int) -> Array:
    return later & (np.arange(count) == 0)[:, np.newaxis, np.newaxis]


def averaged(heads: Array) -> Array:
    return heads.mean(axis=0)


def summed(heads: Array) -> Array:
    return heads.sum(axis=0)


MISCONCEPTIONS = (
    Misconception(
        "scale_d_model",
        WEIGHTS,
        "You divide by the root of d_model. A query and a key of one head have d_k numbers: that "
        "is how many products each score adds up.",
        "scale",
        ({"scale": lambda W_q: np.sqrt(W_q.shape[1])},),
    ),
    Misconception(
        "scale_all_heads",
        WEIGHTS,
        "You divide by the root of h d_k, the width of all heads together. Each score belongs to "
        "one head and adds up its d_k products alone.",
        "scale",
        ({"scale": lambda W_q: np.sqrt(W_q.shape[0] * W_q.shape[2])},),
    ),
    Misconception(
        "heads_averaged",
        MERGED,
        "You take the mean of the heads. Nothing is averaged: their outputs stand side by side, so "
        "that W_o can treat each head in its own way.",
        "merge",
        (*({"merged": merge} for merge in one_for_all(averaged)), {"merged": mean_of_projected}),
    ),
    Misconception(
        "heads_summed",
        MERGED,
        "You add the heads up before W_o. Their outputs stand side by side, so that W_o can treat "
        "each head in its own way.",
        "merge",
        tuple({"merged": merge} for merge in one_for_all(summed)),
    ),
    Misconception(
        "reshape_without_transpose",
        MERGED,
        "You reshape (h, T, d_v) straight to (T, h d_v). That cuts the numbers up in the order in "
        "which they lie, and mixes words with heads: which axis must come first?",
        "merge",
        ({"merged": reshaped},),
    ),
    Misconception(
        "interleaved",
        MERGED,
        "In your joined output the heads alternate, number by number. All d_v numbers of head 0 "
        "come first, then all of head 1: the rows of W_o are in that order.",
        "merge",
        ({"merged": interleaved},),
    ),
    Misconception(
        "no_projection",
        MERGED,
        "You return the heads side by side and leave W_o out. It brings (T, h d_v) back to "
        "(T, d_model), and lets the heads speak together.",
        "merge",
        ({"merged": unmerged},),
    ),
    Misconception(
        "weights_averaged",
        WEIGHTS,
        "You return the mean of the heads' weights. Each head looks in its own way: return the "
        "weights of all of them, (h, T, T).",
        "returned",
        ({"returned": averaged},),
    ),
    Misconception(
        "first_head_for_all",
        MERGED,
        "The first head stands in the place of every head. Which index counts the heads, and does "
        "every step use it?",
        "heads",
        (
            {"outputs": first_again},
            {"matrices": lambda matrices: tuple(map(first_again, matrices))},
        ),
    ),
    Misconception(
        "heads_reversed",
        MERGED,
        "Your heads stand side by side in the reverse order. Head 0 comes first: the first d_v "
        "rows of W_o are its own.",
        "heads",
        ({"outputs": lambda outputs: outputs[::-1]},),
    ),
    Misconception(
        "shared_weights",
        WEIGHTS,
        "All your heads use the weights of the first. Each head has a W_q and a W_k of its own, "
        "and so weights of its own.",
        "heads",
        ({"weights": first_again},),
    ),
    Misconception(
        "mask_first_head_only",
        HIDDEN,
        "Only your first head hides the future. The mask holds for every head: one that can see "
        "ahead tells the next layer what comes.",
        "mask",
        ({"hidden": in_first_head},),
    ),
)

CONFIGURATION = Configuration("multi_head", compute, MISCONCEPTIONS, results=2)
