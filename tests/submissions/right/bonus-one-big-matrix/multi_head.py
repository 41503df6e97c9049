import numpy as np


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def split(rows, h):
    """(T, h d) to (h, T, d)."""
    return rows.reshape(len(rows), h, -1).transpose(1, 0, 2)


def merge(heads):
    """(h, T, d) to (T, h d)."""
    return heads.transpose(1, 0, 2).reshape(heads.shape[1], -1)


def multi_head(X, W_q, W_k, W_v, W_o, causal=False):
    h = len(W_q)
    wide = [np.concatenate(list(W), axis=1) for W in (W_q, W_k, W_v)]
    Q, K, V = (split(X @ W, h) for W in wide)
    scores = Q @ np.swapaxes(K, 1, 2) / np.sqrt(Q.shape[-1])
    if causal:
        scores[:, ~np.tri(len(X), dtype=bool)] = -1e9
    weights = softmax(scores)
    return merge(weights @ V) @ W_o, weights
