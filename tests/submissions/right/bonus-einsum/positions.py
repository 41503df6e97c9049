import numpy as np


def positions(T, d_model):
    speeds = np.exp(-np.log(10000.0) * np.arange(0, d_model, 2) / d_model)
    turned = np.exp(1j * np.einsum("p,i->pi", np.arange(T), speeds))
    return np.stack([turned.imag, turned.real], axis=-1).reshape(T, d_model)
