"""attention, 30 points.

Where a rule relates two answers, the student's own are held against each other: a wrong scale
then costs the test of the scale, not those of the mask.
"""

import numpy as np

from autograder.exercises.attention.contract import attention, head
from autograder.kit.comparing import alike, close
from autograder.kit.testing import points


def assert_numbers(*answers):
    """NaN is neither equal to itself nor different: it is told as what it is."""
    assert not any(np.isnan(answer).any() for answer in answers), "The weights hold NaN."


@points(4)
def test_weights_are_the_softmax_of_scaled_scores(student, case):
    """The weights are softmax(Q K^T / sqrt(d_k)), row by row."""
    found = attention(student, *head(case), causal=False)
    assert close(found.weights, case.weights), "The weights are not softmax(Q K^T / sqrt(d_k))."


@points(4)
def test_output_blends_the_values(student, case):
    """Each output row is the blend of the value rows by that row's weights."""
    found = attention(student, *head(case), causal=False)
    values = case.X @ case.W_v
    assert found.output.shape == values.shape, "The output is not (T, d_v)."
    assert found.weights.shape == (len(values), len(values)), "The weights are not (T, T)."
    assert close(found.output, found.weights @ values), (
        "The output is not weights @ V of the weights beside it."
    )


@points(2)
def test_weights_of_every_word_sum_to_one(student, case):
    """Every row of weights sums to 1, masked or not."""
    for causal in (False, True):
        weights = attention(student, *head(case), causal=causal).weights
        assert weights.shape == (len(case.X), len(case.X)), "The weights are not (T, T)."
        assert close(weights.sum(axis=1), np.ones(len(weights))), (
            "A row of weights does not sum to 1."
        )


@points(2)
def test_default_is_not_causal(student, case):
    """Called without `causal`, every word sees every word."""
    default = attention(student, *head(case)).weights
    unmasked = attention(student, *head(case), causal=False).weights
    assert_numbers(default, unmasked)
    assert close(default, unmasked), "Without `causal`, the weights are not those of causal=False."


@points(4)
def test_hidden_words_get_exactly_zero_weight(student, case):
    """A word never attends to the future: hidden weights are exactly 0."""
    weights = attention(student, *head(case), causal=True).weights
    assert weights.shape == (len(case.X), len(case.X)), "The weights are not (T, T)."
    assert (weights[np.triu_indices(len(weights), k=1)] == 0).all(), (
        "A hidden word's weight is not exactly 0."
    )


@points(4, relates=True)
def test_visible_words_share_what_the_hidden_ones_lose(student, case):
    """Under the mask, a row's visible words keep their proportions and share the whole row."""
    unmasked = attention(student, *head(case), causal=False).weights
    weights = attention(student, *head(case), causal=True).weights
    assert unmasked.shape == weights.shape == (len(case.X), len(case.X)), (
        "The weights are not (T, T)."
    )
    assert_numbers(unmasked, weights)
    visible = np.tril(unmasked)
    share = unmasked.sum(axis=1, keepdims=True) / visible.sum(axis=1, keepdims=True)
    assert close(np.tril(weights), visible * share), (
        "The visible words do not share the row in their proportions."
    )


@points(2, relates=True)
def test_changing_a_later_word_changes_no_earlier_row(student, case):
    """With the mask, a word's row does not depend on the words after it."""
    before = attention(student, *head(case), causal=True)
    after = attention(student, case.X_changed, *head(case)[1:], causal=True)
    assert_numbers(after.weights[:-1], before.weights[:-1])
    assert close(after.weights[:-1], before.weights[:-1]), (
        "A later word changes the weights of an earlier row."
    )
    assert close(after.output[:-1], before.output[:-1]), (
        "A later word changes the output of an earlier row."
    )


@points(2, relates=True)
def test_last_row_is_the_unmasked_one(student, case):
    """The last word sees the whole sentence, so the mask leaves its row as it is."""
    unmasked = attention(student, *head(case), causal=False).weights
    weights = attention(student, *head(case), causal=True).weights
    assert_numbers(weights[-1:], unmasked[-1:])
    assert close(weights[-1:], unmasked[-1:]), "The mask changes the row of the last word."


@points(2)
def test_scores_of_ten_thousand_are_fine(student, case):
    """Scores of 10,000 and -10,000, masked and not, give the right weights and no NaN."""
    unmasked = attention(student, *head(case), causal=False).weights
    assert close(unmasked, case.weights), (
        "At scores of 10,000 the unmasked weights are wrong, or NaN."
    )
    weights = attention(student, *head(case), causal=True).weights
    assert close(weights, case.causal_weights), (
        "At scores of 10,000 the masked weights are wrong, or NaN."
    )


@points(1)
def test_integer_inputs_are_fine(student, case):
    """Integer inputs give what the same numbers give as floats."""
    integers = attention(student, *head(case), causal=True)
    floats = attention(student, *(array.astype(float) for array in head(case)), causal=True)
    if alike(integers.weights, floats.weights):
        assert_numbers(integers.weights)
    assert close(integers.weights, floats.weights), (
        "Integer inputs give other weights than the same floats."
    )
    assert close(integers.output, floats.output), (
        "Integer inputs give another output than the same floats."
    )


@points(1, form="return_order")
def test_returns_output_then_weights(student, case):
    """What comes back is a pair: first the output, then the weights."""
    found = attention(student, *head(case), causal=False)
    assert found.answer.in_order, "attention should return the pair output, weights, in this order."


@points(1, form="return_type")
def test_returns_arrays_of_floats(student, case):
    """Both results are plain NumPy arrays of floats."""
    for result in student.call("attention", *head(case), causal=False).reply.results[:2]:
        assert result.type == "ndarray", "attention should return plain NumPy arrays."
        assert result.dtype.startswith("float"), "The returned arrays should hold floats."


@points(1, form="mutates_argument")
def test_leaves_its_arguments_alone(student, case):
    """X and the three matrices are the same afterwards."""
    for causal in (False, True):
        reply = student.call("attention", *head(case), causal=causal).reply
        assert not reply.changed, "attention changed one of the caller's arrays."
