import numpy as np


def causal_mask(n):
    return sum(range(10**15))
