import numpy as np


def softmax(scores):
    z = np.asarray(scores, dtype=float)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)
