import numpy as np


def attend_next(x, keys, values, W_q, W_k, W_v):
    keys = np.append(keys, np.einsum("d,dk->k", x, W_k)[None], axis=0)
    values = np.append(values, np.einsum("d,dv->v", x, W_v)[None], axis=0)
    s = np.einsum("d,dk,tk->t", x, W_q, keys) / keys.shape[1] ** 0.5
    w = np.exp(s - np.logaddexp.reduce(s))
    return np.einsum("t,tv->v", w, values), keys, values
