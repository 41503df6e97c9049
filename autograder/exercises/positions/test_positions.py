"""positions, bonus."""

import numpy as np

from autograder.exercises.positions.contract import positions
from autograder.exercises.positions.misconceptions import RANDOM
from autograder.kit.comparing import TOLERANCE, close
from autograder.kit.testing import points
from autograder.report import StudentFault


@points(0)
def test_table_for_three_words_is_the_one_on_the_page(student, case):
    """The table for three words is the one that the page computes."""
    assert close(positions(student, 3, case.d_model), case.table), (
        "The table for three words is not that of the page's formula."
    )


@points(0)
def test_position_0_alternates_0_and_1(student, case):
    """The row of position 0 is 0, 1, 0, 1, and so on."""
    first = positions(student, case.T, case.d_model)[0]
    assert close(first, np.tile([0.0, 1.0], case.d_model // 2)), (
        "The row of position 0 is not 0, 1, 0, 1, and so on."
    )


@points(0)
def test_a_longer_sentence_leaves_earlier_rows_alone(student, case):
    """A longer sentence gets more rows, and leaves the earlier ones as they are."""
    short = positions(student, case.T, case.d_model)
    if not close(positions(student, case.T, case.d_model), short):
        raise StudentFault("failed", RANDOM, "random_each_call")
    long = positions(student, case.longer, case.d_model)
    assert close(long[: case.T], short), "In a longer sentence, the earlier positions change."


@points(0)
def test_every_row_has_squared_length_half_of_d_model(student, case):
    """The squares of every row add up to d_model / 2."""
    table = positions(student, case.T, case.d_model)
    assert close((table**2).sum(axis=1), np.full(case.T, case.d_model / 2)), (
        "The squares of a row do not add up to d_model / 2."
    )


@points(0)
def test_dot_products_depend_on_the_distance_only(student, case):
    """The dot product of two positions depends on their distance only, and is largest at 0."""
    table = positions(student, case.T, case.d_model)
    products = table @ table.T
    for distance in range(case.T):
        along = np.diagonal(products, offset=distance)
        assert close(along, np.full(len(along), along[0])), (
            "Two pairs of positions at one distance have different dot products."
        )
        assert distance == 0 or along[0] < products[0, 0] - TOLERANCE, (
            "A position's dot product with another one is as large as with itself."
        )


@points(0)
def test_no_two_of_1000_positions_are_alike(student, case):
    """No two of 1,000 positions have the same row."""
    table = positions(student, 1000, case.d_model)
    assert len(np.unique(np.round(table, 6), axis=0)) == 1000, "Two positions have the same row."


@points(0)
def test_order_counts_once_positions_are_added(student, case):
    """Added to the embeddings, positions give a word another output in the reversed sentence."""
    table = positions(student, len(case.X), case.X.shape[1])
    there = blended(case.X + table)[-1]
    reversed_ = blended(case.X[::-1] + table)[0]
    assert not np.abs(there - reversed_).max() <= TOLERANCE, (
        "With the positions added, the last word has the same output in the reversed sentence."
    )


def blended(X):
    """Module 1's attention without matrices: softmax(X X^T) X."""
    scores = X @ X.T
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True) @ X
