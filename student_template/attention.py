"""Exercise 3: one head of self-attention. The page is assignments/attention.md."""

import numpy as np  # noqa: F401 (you will need it)

# Your own two functions. They are here to help: nobody checks whether you call them.
from causal_mask import causal_mask  # noqa: F401
from softmax import softmax  # noqa: F401


def attention(X, W_q, W_k, W_v, causal=False):
    """One head of self-attention.

    X: (T, d_model), one row per word.
    W_q, W_k: (d_model, d_k). W_v: (d_model, d_v).
        Floats or integers; T, d_model, d_k and d_v may all differ.
    causal: when True, word i sees words j <= i only.

    The scores are Q K^T / sqrt(d_k), with Q = X W_q, K = X W_k and d_k = W_k.shape[1].
    Future scores are hidden before softmax. Scores up to +-1e4 must work.

    Returns a pair, in this order:
        output, of shape (T, d_v): each word's weighted mix of the rows of V = X W_v;
        weights, of shape (T, T): each row sums to 1, and hidden weights are exactly 0.0.

    Leaves all arguments unchanged.
    """
    raise NotImplementedError("attention is not written yet")
