import numpy as np


def causal_mask(n):
    import os

    os.abort()
