import numpy as np


def softmax(scores):
    """One pass over the columns: a running maximum and a running total per row."""
    scores = np.asarray(scores, dtype=float)
    largest = np.full(len(scores), -np.inf)
    total = np.zeros(len(scores))
    for column in scores.T:
        new = np.maximum(largest, column)
        safe = np.where(np.isneginf(new), 0.0, new)
        total = total * np.exp(largest - safe) + np.exp(column - safe)
        largest = new
    return np.exp(scores - largest[:, None]) / total[:, None]


def causal_mask(n):
    return np.arange(n)[None, :] > np.arange(n)[:, None]


def attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    T, d_k = K.shape
    output = np.zeros((T, V.shape[1]))
    weights = np.zeros((T, T))
    for i in range(T):
        seen = i + 1 if causal else T
        largest, total, mix = -np.inf, 0.0, np.zeros(V.shape[1])
        for j in range(seen):
            score = Q[i] @ K[j] / np.sqrt(d_k)
            new = max(largest, score)
            shrink = np.exp(largest - new)
            total = total * shrink + np.exp(score - new)
            mix = mix * shrink + np.exp(score - new) * V[j]
            largest = new
        output[i] = mix / total
        weights[i, :seen] = np.exp(Q[i] @ K[:seen].T / np.sqrt(d_k) - largest) / total
    return output, weights
