"""Draws the cases of multi_head."""

import random
from functools import partial
from typing import Any

import numpy as np

from autograder.exercises.attention.draws import balanced, draw_head, scores_of
from autograder.exercises.multi_head.kernel import torch_heads
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

Heads = tuple[Array, Array, Array, Array, Array]
NAMES = ("X", "W_q", "W_k", "W_v", "W_o")
# h, T, d_model, d_k and d_v, pairwise different.
SIZES = ((3, 5, 4, 2, 6), (2, 4, 6, 3, 5))
# PyTorch's heads share d_model out among themselves.
TORCH_SIZES = ((3, 4, 6, 2, 2), (2, 5, 6, 3, 3))
# Names that a student might take for one another: the gate's mutants do.
LOOKALIKES = {
    "W_q": ("W_k",),
    "W_k": ("W_q",),
    "W_v": ("W_k",),
    "outputs": ("weights",),
    "weights": ("outputs",),
    "concatenate": ("sum", "stack"),
    "stack": ("concatenate", "mean"),
}


def draw_heads(rng: random.Random, sizes: tuple[int, int, int, int, int]) -> Heads:
    """Heads of which each is balanced, and no two are alike."""
    count, tokens, d_model, d_k, d_v = sizes

    def matrices() -> list[tuple[Array, ...]]:
        X = grid(rng, tokens, d_model)
        one_head = partial(draw_head, rng, (tokens, d_model, d_k, d_v))
        return [
            (X, *drawn(lambda: one_head()[1:], lambda found: balanced((X, *found))))
            for _ in range(count)
        ]

    def apart(heads: list[tuple[Array, ...]]) -> bool:
        """Two heads' scores differ well, by more than their scale."""
        scores = [scores_of((X, W_q, W_k, W_v)) for X, W_q, W_k, W_v in heads]
        return all(
            np.abs(one - other).max() > 1
            for place, one in enumerate(scores)
            for other in scores[:place]
        )

    heads = drawn(matrices, apart)
    W_q, W_k, W_v = (np.stack([head[place] for head in heads]) for place in (1, 2, 3))
    return heads[0][0], W_q, W_k, W_v, grid(rng, count * d_v, d_model)


def fields(heads: Heads) -> dict[str, Array]:
    return dict(zip(NAMES, heads, strict=True))


def merged(heads: Heads) -> tuple[Array, Array]:
    """The sum over the heads of attention_n(X) @ W_o[n d_v : (n + 1) d_v], and their weights."""
    attention = load_solution("attention")
    X, W_q, W_k, W_v, W_o = heads
    d_v = W_v.shape[2]
    output, weights = np.zeros(X.shape), []
    for n in range(len(W_q)):
        blended, shares = attention(X, W_q[n], W_k[n], W_v[n])
        output += blended @ W_o[n * d_v : (n + 1) * d_v]
        weights.append(shares)
    return output, np.stack(weights)


def survives_float32(heads: Heads) -> bool:
    """Who computes in float32 is told so where it counts, and loses nothing here."""
    right, coarse = (
        merged_in(heads, kind)[0].astype(np.float64) for kind in (np.float64, np.float32)
    )
    return bool((np.abs(right - coarse) < 5e-7 * (1 + np.abs(right))).all())


def merged_in(heads: Heads, kind: Any) -> tuple[Array, Array]:
    X, W_q, W_k, W_v, W_o = (array.astype(kind) for array in heads)
    scores = (X @ W_q) @ (X @ W_k).transpose(0, 2, 1) / kind(np.sqrt(W_k.shape[2]))
    shares = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = shares / shares.sum(axis=2, keepdims=True)
    return np.concatenate([*(weights @ (X @ W_v))], axis=1) @ W_o, weights


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    def plain(id: str, sizes: tuple[int, int, int, int, int], one: bool = False) -> JsonCase:
        def made() -> JsonCase:
            heads = drawn(lambda: draw_heads(rng, sizes), survives_float32)
            if one:
                heads = (*heads[:4], np.eye(sizes[2]))
            output, weights = merged(heads)
            return case(
                id, **fields(heads), output=to_decimals(output), weights=to_decimals(weights)
            )

        return settled(made)

    def pytorch(id: str, sizes: tuple[int, int, int, int, int], causal: bool) -> JsonCase:
        def made() -> JsonCase:
            heads = draw_heads(rng, sizes)
            output, weights = torch_heads(*heads, causal=causal)
            return case(
                id,
                **fields(heads),
                causal=causal,
                output=to_decimals(output),
                weights=to_decimals(weights),
            )

        def telling(made: JsonCase) -> bool:
            """What storing 12 decimals takes of 1e-11 depends on the largest value."""
            return bool(np.max(made["weights"]) > 0.7 and np.abs(made["output"]).max() > 2)

        return drawn(lambda: settled(made), telling)

    def silenced() -> JsonCase:
        """The middle one of three heads has no rows in W_o, and then sees with other matrices."""
        heads = draw_heads(rng, (3, 5, 4, 6, 2))
        _, W_q, W_k, W_v, W_o = heads
        W_o[2:4] = 0
        changed = draw_head(rng, (5, 4, 6, 2))[1:]
        others = {}
        for name, matrices, matrix in zip(NAMES[1:4], (W_q, W_k, W_v), changed, strict=True):
            others[f"{name}_changed"] = np.stack([matrices[0], matrix, matrices[2]])
        return case("middle_head", **fields(heads), **others)

    several = [plain(f"heads_{i}", sizes) for i, sizes in enumerate(SIZES, start=1)]
    return {
        "test_each_head_has_the_weights_of_its_own_matrices": several,
        "test_outputs_stand_side_by_side_and_are_merged": several,
        "test_output_and_weights_are_those_of_pytorch": [
            pytorch(f"{'masked' if causal else 'unmasked'}_{i}", sizes, causal)
            for causal in (False, True)
            for i, sizes in enumerate(TORCH_SIZES, start=1)
        ],
        "test_one_head_and_an_identity_are_exercise_3": [
            plain("one_head", (1, 4, 5, 3, 5), one=True)
        ],
        "test_a_head_without_rows_in_W_o_adds_nothing": [silenced()],
        "test_every_head_hides_the_future": several,
    }


def probes(rng: random.Random) -> list[Heads]:
    """Two float inputs of one shape: a function that answers both alike looks at neither."""
    return [draw_heads(rng, (2, 4, 5, 3, 6)) for _ in range(2)]


def random_arguments(rng: random.Random) -> tuple[Any, ...]:
    """Heads from the whole domain of the contract, and whether they are causal."""
    count, tokens, d_model, d_k, d_v = (rng.randint(1, 4) for _ in range(5))
    X, *matrices = (
        grid(rng, *shape)
        for shape in (
            (tokens, d_model),
            (count, d_model, d_k),
            (count, d_model, d_k),
            (count, d_model, d_v),
            (count * d_v, d_model),
        )
    )
    return (X, *matrices, rng.random() < 0.5)
