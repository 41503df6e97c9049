import numpy as np


def positions(T, d_model):
    columns = np.arange(d_model)
    angles = np.outer(np.arange(T), 1 / np.power(10000, (columns // 2 * 2) / d_model))
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))
