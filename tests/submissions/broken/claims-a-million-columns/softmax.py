import numpy as np


def softmax(scores):
    return np.lib.stride_tricks.as_strided(np.ones(1), (10**6, 10**6), (0, 0))
