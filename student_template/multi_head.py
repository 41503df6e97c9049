"""Bonus: several heads side by side. The page is assignments/bonus/multi_head.md."""

import numpy as np  # noqa: F401 (you will need it)

# Your own exercise 3. It is here to help: nobody checks whether you call it.
from attention import attention  # noqa: F401


def multi_head(X, W_q, W_k, W_v, W_o, causal=False):
    """Several heads of self-attention, and the matrix that merges them.

    X: (T, d_model), one row per word.
    W_q, W_k: (h, d_model, d_k) and W_v: (h, d_model, d_v), one matrix for each of the h heads.
    W_o: (h d_v, d_model).
    causal: when True, word i sees words j <= i only, in every head.

    Returns a pair, in this order:
        output, of shape (T, d_model): the heads' outputs side by side, head 0 first, times W_o;
        weights, of shape (h, T, T): those of every head.
    """
    raise NotImplementedError("multi_head is not written yet")
