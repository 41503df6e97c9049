"""The public checks of softmax, in the order in which they are worth reading."""

import numpy as np
from check import (
    ask,
    everyday,
    exactly_zero,
    numbers,
    of_shape,
    plain_array,
    rows_sum_to_one,
    same,
    unchanged,
)

NUMBER = 1  # of its page


def weights_for(scores):
    """The student's weights for these scores."""
    return of_shape("the result", numbers("the result", ask("softmax", scores)), scores.shape)


def check_softmax_keeps_the_shape():
    """softmax: the weights have the shape of the scores, also where T and N differ."""
    for shape in [(2, 5), (4, 3), (1, 1)]:
        weights_for(everyday(*shape))


def check_softmax_rows_sum_to_one():
    """softmax: every row of the weights sums to 1, and no weight is negative."""
    rows_sum_to_one("the weights of a table of 4 rows and 3 columns", weights_for(everyday(4, 3)))


def check_softmax_pencil_example():
    """softmax: the two rows of the pencil example come out as on the page."""
    scores = np.array([[0.0, 1.0, 2.0], [2.0, 2.0, -np.inf]])
    expected = [[0.0900305732, 0.2447284711, 0.6652409558], [0.5, 0.5, 0.0]]
    weights = weights_for(scores)
    same("the table of weights", weights, expected, " for the rows [0, 1, 2] and [2, 2, -inf]")


def check_softmax_minus_infinity_gets_exactly_nothing():
    """softmax: a score of -inf gets a weight of exactly 0.0."""
    weights = weights_for(np.array([[2.0, 2.0, -np.inf], [-np.inf, -3.0, -3.0]]))
    expected = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    same("the table of weights", weights, expected, " for the rows [2, 2, -inf] and [-inf, -3, -3]")
    exactly_zero("the weight of a score of -inf", weights[np.array(expected) == 0])


def check_softmax_large_scores():
    """softmax: rows near +1000 and near -1000 stand in one table."""
    scores = np.array(
        [[1000.0, 1001.0, 999.0], [-1000.0, -1002.0, -1000.0], [1000.0, -1000.0, 0.0]]
    )
    expected = [
        [0.2447284711, 0.6652409558, 0.0900305732],
        [0.4683105308, 0.0633789384, 0.4683105308],
        [1.0, 0.0, 0.0],
    ]
    rows = " for the rows [1000, 1001, 999], [-1000, -1002, -1000] and [1000, -1000, 0]"
    same("the table of weights", weights_for(scores), expected, rows)
    same("the table of weights", weights_for(scores.astype(int)), expected, f"{rows}, as integers")


def check_softmax_integers():
    """softmax: integer scores give the same weights as floats."""
    scores = np.array([[0, 1, 2], [3, 3, 3]])
    expected = [[0.0900305732, 0.2447284711, 0.6652409558], [1 / 3, 1 / 3, 1 / 3]]
    where = " for the integers [0, 1, 2] and [3, 3, 3]"
    same("the table of weights", weights_for(scores), expected, where)


def check_softmax_form():
    """softmax: what comes back is a plain NumPy array of float64."""
    plain_array("the result", ask("softmax", everyday(3, 4)), "float64")


def check_softmax_leaves_its_argument_unchanged():
    """softmax: the scores that it is given stay as they are."""
    unchanged("softmax", ["scores"], [everyday(3, 4)])
