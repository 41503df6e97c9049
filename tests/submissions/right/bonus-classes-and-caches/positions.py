from functools import lru_cache

import numpy as np


@lru_cache(maxsize=None)
def row(p, d_model):
    pairs = ((p / 10000 ** (i / d_model)) for i in range(0, d_model, 2))
    return tuple(value for angle in pairs for value in (np.sin(angle), np.cos(angle)))


def positions(T, d_model):
    return np.array([row(p, d_model) for p in range(T)], dtype=np.float64)
