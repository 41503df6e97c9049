"""Bonus: what attention costs. The page is assignments/bonus/price.md."""


def price(T, d_model, heads, layers):
    """What the attention of a model owns, computes and keeps.

    T: the number of words. d_model: a multiple of heads, and d_k = d_v = d_model / heads.
    layers: every layer has as many heads, and one W_o of (d_model, d_model).
    There are no biases, and the mask saves nothing.

    Returns three ints, in this order:
        the parameters of all layers;
        the multiplications in all matrix products of one pass over T words;
        the numbers in a KV cache after T words.
    """
    raise NotImplementedError("price is not written yet")
