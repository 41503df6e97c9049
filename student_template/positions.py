"""Bonus: where a word stands. The page is assignments/bonus/positions.md."""

import numpy as np  # noqa: F401 (you will need it)


def positions(T, d_model):
    """A row of sines and cosines for each of T positions.

    T: the number of words. d_model: the length of an embedding, an even number.

    Returns a float64 array of shape (T, d_model). For the position p, which counts from 0:
        entry (p, 2i) is sin(p / 10000^(2i / d_model));
        entry (p, 2i + 1) is the cosine of the same angle.
    """
    raise NotImplementedError("positions is not written yet")
