"""Bonus: where a word stands, as numbers that can be added to it."""

import numpy as np


def positions(T, d_model):
    """Give every position a row of sines and cosines, from fast to slow.

    T: the number of words. d_model: even, the length of an embedding.
    Returns a float64 array (T, d_model): entry (p, 2i) is sin(p / 10000^(2i / d_model)), and
    entry (p, 2i + 1) the cosine of the same angle; p counts from 0.
    Raises ValueError (from NumPy) for an odd d_model.
    """
    even = np.arange(0, d_model, 2)
    angles = np.arange(T)[:, np.newaxis] / 10_000 ** (even / d_model)
    table = np.zeros((T, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table
