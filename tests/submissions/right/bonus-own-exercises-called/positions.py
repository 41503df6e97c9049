import numpy as np


def positions(T, d_model):
    def entry(p, column):
        angle = p / 10000.0 ** ((column // 2) * 2 / d_model)
        return np.where(column % 2, np.cos(angle), np.sin(angle))

    return np.fromfunction(entry, (T, d_model))
