import numpy as np
from softmax import softmax
from causal_mask import causal_mask

def attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = np.zeros((len(X), len(X)))
    for i in range(len(X)):
        for j in range(len(X)):
            scores[i, j] = Q[i] @ K[i]
    if causal:
        scores = np.where(causal_mask(len(X)), -np.inf, scores)
    weights = softmax(scores)
    return weights @ V, weights
