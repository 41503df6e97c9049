import numpy as np


def columns_softmax(S):
    E = np.exp(S - S.max(axis=0))
    return E / E.sum(axis=0)


def softmax(scores):
    return columns_softmax(np.asarray(scores, dtype=float).T).T.copy()


def causal_mask(n):
    # Columns look, rows are looked at; the exercise has it the other way round.
    return np.tril(np.ones((n, n), dtype=bool), k=-1).T


def attention(X, W_q, W_k, W_v, causal=False):
    x = X.T
    q, k, v = W_q.T @ x, W_k.T @ x, W_v.T @ x
    s = k.T @ q / k.shape[0] ** 0.5
    if causal:
        s[causal_mask(s.shape[1]).T] = -np.inf
    a = columns_softmax(s)
    return (v @ a).T, a.T
