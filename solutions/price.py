"""Bonus: what attention costs."""


def price(T, d_model, heads, layers):
    """Count what the attention of a whole model owns, computes and keeps.

    T: the number of words. d_model: a multiple of heads, and d_k = d_v = d_model / heads.
    No biases, and nothing saved by the mask.
    Returns three ints: the parameters, the multiplications of one pass over T words, and the
    numbers in a KV cache after T words.
    Raises ZeroDivisionError without a head.
    """
    d_k = d_model // heads
    parameters = layers * (heads * 3 * d_model * d_k + d_model**2)
    # Per head: three projections, every query with every key, every weight with every value.
    head = 3 * T * d_model * d_k + 2 * T**2 * d_k
    multiplications = layers * (heads * head + T * d_model**2)
    cache = layers * heads * T * 2 * d_k
    return parameters, multiplications, cache
