import numpy as np
from softmax import row_max


def softmax(scores):
    e = np.exp(np.asarray(scores, dtype=float) - row_max(np.asarray(scores, dtype=float)))
    return e / e.sum(axis=-1, keepdims=True)
