import numpy as np
from causal_mask import causal_mask
from softmax import softmax


def attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.T / np.sqrt(W_k.shape[1])
    if causal:
        scores = np.where(causal_mask(len(X)), -np.inf, scores)
    weights = softmax(scores)
    output = np.zeros((len(X), V.shape[1]))
    for i in range(len(X)):
        for j in range(i + 1 if causal else len(X)):
            output[i] = weights[i, j] * V[j]
    return output, weights
