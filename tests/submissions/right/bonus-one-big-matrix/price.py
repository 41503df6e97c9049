import numpy as np


def price(T, d_model, heads, layers):
    d_k = d_model // heads
    shapes = [(d_model, d_k)] * 3 * heads + [(d_model, d_model)]
    products = [(T, *shape) for shape in shapes] + [(T, d_k, T), (T, T, d_k)] * heads
    owned = np.sum([np.prod(shape) for shape in shapes])
    computed = np.sum([np.prod(product) for product in products])
    return layers * owned, layers * computed, layers * 2 * heads * T * d_k
