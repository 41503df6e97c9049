import numpy as np


def softmax(scores):
    z = np.asarray(scores, dtype=float)
    e = np.exp(z - z.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)
