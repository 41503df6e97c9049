import numpy as np
from softmax import softmax
from causal_mask import causal_mask

def attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = X @ W_q.T, X @ W_k.T, X @ W_v.T
    scores = Q @ K.T / np.sqrt(W_k.shape[1])
    if causal:
        scores = np.where(causal_mask(len(X)), -np.inf, scores)
    weights = softmax(scores)
    return weights @ V, weights
