import numpy as np


def positions(T, d_model):
    return np.random.normal(size=(T, d_model))
