import numpy as np


def multi_head(X, W_q, W_k, W_v, W_o, causal=False):
    h, d_model, d_k = W_q.shape
    T = len(X)
    future = np.triu(np.ones((T, T), dtype=bool), 1)
    outputs, weights = [], []
    for n in range(h):
        scores = (X @ W_q[n]) @ (X @ W_k[n]).T / np.sqrt(d_k)
        if causal:
            scores = np.where(future, -np.inf, scores)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        w = e / e.sum(axis=1, keepdims=True)
        weights.append(w)
        outputs.append(w @ (X @ W_v[n]))
    joined = np.mean(outputs, axis=0)
    return joined @ W_o[: joined.shape[1]], np.array(weights)
