"""softmax, 20 points."""

import numpy as np

from autograder.exercises.softmax.contract import softmax
from autograder.kit.comparing import alike, close
from autograder.kit.testing import points


@points(4)
def test_weights_follow_the_exponentials_of_the_row(student, case):
    """Each weight is e^score, divided by the sum over its own row."""
    weights = softmax(student, case.scores)
    assert close(weights, case.weights), "The weights differ from e^score / sum over the row."


@points(3)
def test_every_row_sums_to_one(student, case):
    """Every row is non-negative and sums to 1, also where the matrix is not square."""
    weights = softmax(student, case.scores)
    assert weights.shape == case.scores.shape, "The weights do not have the shape of the scores."
    assert (weights >= 0).all(), "A weight is negative, or not a number."
    assert close(weights.sum(axis=1), np.ones(len(weights))), "A row of weights does not sum to 1."


@points(3)
def test_large_scores_do_not_overflow(student, case):
    """Scores of 10,000 and of -10,000 give the weights that their differences ask for."""
    weights = softmax(student, case.scores)
    assert not np.isnan(weights).any(), (
        "Large scores give NaN: an exponential overflows, or all underflow."
    )
    assert close(weights, case.weights), "With large scores, the weights are wrong."


@points(3)
def test_rows_far_apart_do_not_disturb_each_other(student, case):
    """Two rows whose scores lie 20,000 apart are both right."""
    weights = softmax(student, case.scores)
    assert not np.isnan(weights).any(), "A row far from the others turns into NaN."
    assert close(weights, case.weights), "A row far from the others gets wrong weights."


@points(3)
def test_minus_infinity_gets_exactly_zero(student, case):
    """A score of -inf gets a weight of exactly 0, and the rest of its row shares the 1."""
    weights = softmax(student, case.scores)
    assert weights.shape == case.scores.shape, "The weights do not have the shape of the scores."
    assert (weights[case.scores == -np.inf] == 0).all(), (
        "A score of -inf gets a weight that is not exactly 0."
    )
    assert close(weights, case.weights), "Beside a score of -inf, the other weights are wrong."


@points(2)
def test_integer_scores_are_fine(student, case):
    """Integer scores give the same fractions as the same scores written as floats."""
    weights = softmax(student, case.scores)
    if not close(weights, case.weights):
        floats = softmax(student, case.scores.astype(float))
        assert alike(weights, floats), "Integer scores give other weights than the same floats."
        raise AssertionError("The weights are wrong, for integers as for floats.")


@points(1, form="return_type")
def test_returns_a_float64_array(student, case):
    """What comes back is a plain float64 NumPy array."""
    result = student.call("softmax", case.scores).reply.results[0]
    assert result.type == "ndarray", "softmax should return a NumPy array, no list and no matrix."
    assert result.dtype == "float64", "The returned array should hold float64 numbers."


@points(1, form="mutates_argument")
def test_leaves_its_argument_alone(student, case):
    """The scores that were handed in are the same afterwards."""
    assert not student.call("softmax", case.scores).reply.changed, (
        "softmax changed the caller's scores."
    )
