"""causal_mask, 10 points."""

import numpy as np

from autograder.exercises.causal_mask.contract import causal_mask
from autograder.kit.testing import points


def future(n):
    """Column above row."""
    return np.arange(n) > np.arange(n)[:, np.newaxis]


@points(5)
def test_hides_the_future_and_nothing_else(student, case):
    """True exactly where the column lies after the row, for several lengths."""
    mask = causal_mask(student, case.n)
    assert mask.shape == (case.n, case.n), "The mask is not n by n."
    assert (mask == future(case.n)).all(), (
        "The mask hides a word it should show, or shows one it should hide."
    )


@points(2)
def test_the_border_lies_right_after_the_word_itself(student, case):
    """A word sees itself; the word right after it is hidden."""
    mask = causal_mask(student, case.n)
    assert mask.shape == (case.n, case.n), "The mask is not n by n."
    assert not np.diagonal(mask).any(), "A word is hidden from itself."
    assert np.diagonal(mask, offset=1).all(), "A word sees the word right after it."


@points(1)
def test_can_be_asked_again_for_another_length(student, case):
    """Asked for one length, then another, then the first again, it is right each time."""
    for n in (case.n, case.other, case.n):
        mask = causal_mask(student, n)
        assert mask.shape == (n, n), "Asked a second time, the mask has the wrong size."
        assert (mask == future(n)).all(), "Asked for several lengths in turn, a mask is wrong."


@points(1, form="return_type")
def test_returns_an_array(student, case):
    """What comes back is a plain NumPy array."""
    result = student.call("causal_mask", case.n).reply.results[0]
    assert result.type == "ndarray", "causal_mask should return a plain NumPy array."


@points(1, form="mask_dtype")
def test_returns_booleans(student, case):
    """The mask holds booleans."""
    result = student.call("causal_mask", case.n).reply.results[0]
    assert result.dtype == "bool", "The mask should hold booleans (True and False)."
