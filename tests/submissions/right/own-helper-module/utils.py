import numpy as np


def to_float(array):
    return np.array(array, dtype=np.float64)


def rowwise(reduce, array):
    return reduce(array, axis=1, keepdims=True)
