import numpy as np


def attend_next(x, keys, values, W_q, W_k, W_v):
    query, key, value = x @ W_q, x @ W_k, x @ W_v
    keys = np.concatenate([keys, [key]])
    values = np.concatenate([values, [value]])
    scores = keys @ query / np.sqrt(W_k.shape[1])
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    return value, keys, values
