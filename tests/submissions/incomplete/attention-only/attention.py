import numpy as np


def attention(X, W_q, W_k, W_v, causal=False):
    scores = (X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1])
    if causal:
        scores[np.triu_indices(len(X), k=1)] = -np.inf
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights @ (X @ W_v), weights
