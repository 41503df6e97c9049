import math

import numpy as np


def positions(T, d_model):
    rows = []
    for p in range(T):
        row = []
        for column in range(d_model):
            angle = p / 10000 ** ((column - column % 2) / d_model)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        rows.append(row)
    return np.array(rows)
