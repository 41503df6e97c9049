"""Exercise 2: which words are hidden from which. The page is assignments/causal_mask.md."""

import numpy as np  # noqa: F401 (you will need it)


def causal_mask(n):
    """Say which words are hidden: True where column j > row i.

    n: the number of words, an integer >= 1.

    Returns a boolean array of shape (n, n). Row i belongs to the word that looks,
    column j to the word that is looked at, and True means "hidden". For n = 3:

                  j = 0   j = 1   j = 2
        i = 0     False   True    True
        i = 1     False   False   True
        i = 2     False   False   False
    """
    raise NotImplementedError("causal_mask is not written yet")
