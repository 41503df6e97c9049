from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class HeadResult:
    output: Floats
    weights: Floats


def softmax(scores: npt.ArrayLike) -> Floats:
    z: Floats = np.asarray(scores, dtype=np.float64)
    e: Floats = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def causal_mask(n: int) -> npt.NDArray[np.bool_]:
    return np.triu(np.ones((n, n), dtype=np.bool_), k=1)


def attention(
    X: Floats, W_q: Floats, W_k: Floats, W_v: Floats, causal: bool = False
) -> tuple[Floats, Floats]:
    scores: Floats = (X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1])
    weights: Floats = softmax(np.where(causal_mask(len(X)), -np.inf, scores) if causal else scores)
    return astuple(HeadResult(output=weights @ (X @ W_v), weights=weights))
