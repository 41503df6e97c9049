"""The case of captured_log: the workshop's own, or another log of the same shape."""

import dataclasses
import random

import numpy as np

from autograder.exercises.attention import draws as heads
from autograder.exercises.captured_log import workshop
from autograder.kit.drawing import Array, JsonCase, case, drawn, grid, load_solution


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    """The workshop's own log for the public draw, another of the same shape for every other."""
    log = workshop.LOG if public else draw_log(rng)
    X = log.embeddings
    identity = np.eye(X.shape[1])
    wired = case(
        "wired_head",
        sentence=" ".join(log.sentence),
        X=X,
        W_q=log.W_q,
        W_k=log.W_k,
        W_v=identity,
        printed_weights=log.printed_weights,
        printed_sums=log.printed_sums,
    )
    # W_q = sqrt(d_k) I cancels the scale: what is left is softmax(X X^T) X.
    simple = case("simple", X=X, W_q=np.sqrt(len(identity)) * identity, W_k=identity, W_v=identity)
    return {
        "test_causal_table_is_the_printed_one": [wired],
        "test_rows_of_the_table_sum_as_printed": [wired],
        "test_last_row_is_printed_without_the_mask_too": [wired],
        "test_attention_is_blind_to_order": [simple],
    }


def sums_of_rounded(log: workshop.Log) -> list[bool]:
    """Whether rounded weights sum to 1 all the same: on no draw shall rounding cost more.

    Of two to five decimals, and of three with the number of words for d_k.
    """
    raw = (log.embeddings @ log.W_q) @ (log.embeddings @ log.W_k).T
    raw[np.triu_indices(3, k=1)] = -np.inf
    found = []
    for size, decimals in ((2, 2), (2, 3), (2, 4), (2, 5), (3, 3)):
        e = np.exp(raw / np.sqrt(size))
        weights = np.round(e / e.sum(axis=1, keepdims=True), decimals)
        found.append(bool(np.abs(weights.sum(axis=1) - 1).max() < 1e-7))
    return found


def draw_log(rng: random.Random) -> workshop.Log:
    """Another sentence, embedding table and wired head, and the table that its log prints."""
    attention = load_solution("attention")

    def draw() -> workshop.Log:
        """As in the workshop's log, the first word scores itself 0: who hides zeros hides it."""
        X: Array = abs(grid(rng, 3, 4, bound=10, step=0.1))
        W_q, W_k = (grid(rng, 4, 2, bound=4, step=0.5) for _ in range(2))
        X[0, :3] = W_q[3, 1] = W_k[3, 0] = 0.0
        return workshop.Log(
            sentence=tuple(rng.sample(workshop.WORDS, k=3)), embeddings=X, W_q=W_q, W_k=W_k
        )

    def printed(log: workshop.Log) -> Array:
        weights: Array = attention(log.embeddings, log.W_q, log.W_k, np.eye(4), causal=True)[1]
        return weights

    def sharp(log: workshop.Log) -> bool:
        """No digit in doubt, every visible weight counts, and each wrong scale prints another."""
        X, weights = log.embeddings, printed(log)
        in_doubt = np.abs((weights * 1000) % 1 - 0.5).min() < 0.02
        head = (X, log.W_q, log.W_k, np.eye(4))
        only_zero = np.flatnonzero(heads.scores_of(head) == 0).tolist() == [0]
        counts = weights[np.tril_indices(3)].min() > 0.05
        return bool(not in_doubt and only_zero and counts and heads.telling(head))

    def as_before(log: workshop.Log) -> bool:
        return sums_of_rounded(log) == sums_of_rounded(workshop.LOG)

    log: workshop.Log = drawn(draw, lambda log: sharp(log) and as_before(log))
    weights: Array = np.round(printed(log), 3)
    return dataclasses.replace(log, printed_weights=weights, printed_sums=np.ones(3))
