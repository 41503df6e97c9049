import numpy as np


def softmax(scores):
    return np.empty((0, 0))
