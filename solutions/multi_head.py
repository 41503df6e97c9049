"""Bonus: several heads side by side."""

import numpy as np
from attention import attention


def multi_head(X, W_q, W_k, W_v, W_o, causal=False):
    """Let every word ask several questions at once, and merge what it learns.

    X: (T, d_model). W_q, W_k: (h, d_model, d_k) and W_v: (h, d_model, d_v), one matrix per head.
    W_o: (h d_v, d_model). With causal=True word i sees only words j <= i, in every head.
    Returns two float64 arrays: output (T, d_model) and weights (h, T, T).
    Raises ValueError when the matrices are not of as many heads, or the shapes do not fit.
    """
    heads = [attention(X, *matrices, causal=causal) for matrices in zip(W_q, W_k, W_v, strict=True)]
    outputs, weights = zip(*heads, strict=True)
    # Side by side, in the order of the heads: W_o has d_v rows for each of them.
    return np.concatenate(outputs, axis=1) @ W_o, np.stack(weights)
