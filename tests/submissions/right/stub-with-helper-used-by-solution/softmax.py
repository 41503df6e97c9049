import numpy as np


def row_max(x):
    return x.max(axis=-1, keepdims=True)


def softmax(scores):
    raise NotImplementedError
