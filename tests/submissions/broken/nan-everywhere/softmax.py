import numpy as np


def softmax(scores):
    return np.full(np.shape(scores), np.nan)
