from functools import lru_cache

import numpy as np


@lru_cache(maxsize=None)
def causal_mask(n):
    mask = np.zeros((n, n), dtype=bool)
    mask[np.triu_indices(n, 1)] = True
    mask.flags.writeable = False
    return mask
