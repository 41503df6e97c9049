import numpy as np


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attend_next(x, keys, values, W_q, W_k, W_v):
    row = x.reshape(1, -1)
    keys = np.r_[keys, row @ W_k]
    values = np.r_[values, row @ W_v]
    weights = softmax(row @ W_q @ keys.T / np.sqrt(keys.shape[1]))
    return (weights @ values).squeeze(0), keys, values
