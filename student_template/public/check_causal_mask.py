"""The public checks of causal_mask, in the order in which they are worth reading."""

import numpy as np
from check import Wrong, ask, numbers, of_shape, plain_array, same

NUMBER = 2  # of its page


def mask_for(n):
    """The student's mask, from True and False or from ones and zeros."""
    what = f"the mask for n = {n}"
    mask = of_shape(what, numbers(what, ask("causal_mask", n)), (n, n))
    if not np.isin(mask, (0.0, 1.0)).all():
        raise Wrong(f"{what} holds numbers that are neither True and False nor 1 and 0.")
    return mask.astype(bool)


def check_causal_mask_is_a_square():
    """causal_mask: the mask for n words has n rows and n columns."""
    for n in (1, 2, 5):
        mask_for(n)


def check_causal_mask_for_three_words():
    """causal_mask: the mask for three words is the one on the page."""
    expected = np.array([[False, True, True], [False, False, True], [False, False, False]])
    mask = mask_for(3)
    where = "" if not np.array_equal(mask, ~expected) else " (True and False are exchanged)"
    same("the mask for n = 3", mask, expected, where)


def check_causal_mask_for_one_word():
    """causal_mask: a single word sees itself."""
    same("the mask for n = 1", mask_for(1), np.array([[False]]))


def check_causal_mask_form():
    """causal_mask: what comes back is a plain NumPy array of booleans."""
    plain_array("the mask for n = 4", ask("causal_mask", 4), "bool")
