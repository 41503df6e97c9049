import numpy as np

from causal_mask import causal_mask as hidden
from softmax import softmax as sm


def attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.T / np.sqrt(K.shape[1])
    if causal:
        scores = np.where(hidden(len(scores)), -np.inf, scores)
    weights = sm(scores)
    return weights @ V, weights
