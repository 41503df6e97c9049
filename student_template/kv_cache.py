"""Bonus: one word more. The page is assignments/bonus/kv_cache.md."""

import numpy as np  # noqa: F401 (you will need it)

# Your own exercise 1. It is here to help: nobody checks whether you call it.
from softmax import softmax  # noqa: F401


def attend_next(x, keys, values, W_q, W_k, W_v):
    """One step of a causal head, for the newest word of a text.

    x: (d_model,), the newest word.
    keys: (t, d_k) and values: (t, d_v), those of the t words before it, oldest first; t may be 0.
    W_q, W_k: (d_model, d_k). W_v: (d_model, d_v).

    Returns three arrays, in this order:
        output, of shape (d_v,): the row that the causal head over the whole text has for this word;
        keys, of shape (t + 1, d_k) and values, of shape (t + 1, d_v): with the newest word last.

    Leaves the arrays that it is given as they are: another text may go on from them.
    """
    raise NotImplementedError("attend_next is not written yet")
