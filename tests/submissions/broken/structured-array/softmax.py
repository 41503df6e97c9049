import numpy as np


def softmax(scores):
    return np.zeros(np.shape(scores), dtype=[("score", "f8"), ("max_score", "f8")])
