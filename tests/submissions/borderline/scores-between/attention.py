import numpy as np

def softmax(scores):
    z = np.asarray(scores, dtype=float)
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def causal_mask(n):
    return np.triu(np.ones((n, n), dtype=bool), k=1)


def attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.T / np.sqrt(K.shape[1])
    if causal:
        scores = np.where(causal_mask(len(scores)), -np.inf, scores)
    weights = softmax(scores)
    return weights @ V, scores, weights
