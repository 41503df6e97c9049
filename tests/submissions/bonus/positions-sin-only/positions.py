import numpy as np


def positions(T, d_model):
    table = np.zeros((T, d_model))
    for p in range(T):
        for i in range(d_model // 2):
            angle = p / 10000 ** (2 * i / d_model)
            table[p, 2 * i] = np.sin(angle)
            table[p, 2 * i + 1] = np.sin(angle)
    return table
