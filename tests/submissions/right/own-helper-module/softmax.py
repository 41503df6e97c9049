import numpy as np

from utils import rowwise, to_float


def softmax(scores):
    e = np.exp(to_float(scores) - rowwise(np.max, scores))
    return e / rowwise(np.sum, e)
