import numpy as np

import utils
from causal_mask import causal_mask
from softmax import softmax


def attention(X, W_q, W_k, W_v, causal=False):
    X, W_q, W_k, W_v = map(utils.to_float, (X, W_q, W_k, W_v))
    scores = X @ W_q @ W_k.T @ X.T / np.sqrt(W_k.shape[1])
    if causal:
        scores[causal_mask(len(X))] = -np.inf
    weights = softmax(scores)
    return weights @ X @ W_v, weights
