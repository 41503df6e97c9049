import scipy.special

import numpy as np


def softmax(scores):
    z = np.asarray(scores, dtype=float)
    return np.exp(z - scipy.special.logsumexp(z, axis=1, keepdims=True))
