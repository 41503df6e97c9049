"""The values of the workshop's captured log, 10 points."""

import numpy as np

from autograder.exercises.attention.contract import attention, head
from autograder.kit.comparing import as_printed, close
from autograder.kit.testing import points


@points(4, relates=True)
def test_causal_table_is_the_printed_one(student, case):
    """The wired head with a causal mask gives the log's table of weights, to its three decimals."""
    weights = attention(student, *head(case), causal=True).weights
    assert as_printed(weights, case.printed_weights, decimals=3), (
        "The masked table is not the one in the log."
    )


@points(2)
def test_rows_of_the_table_sum_as_printed(student, case):
    """Every row of that table still sums to 1.000000."""
    weights = attention(student, *head(case), causal=True).weights
    assert weights.shape == case.printed_weights.shape, (
        "The table is not one row and one column per word."
    )
    assert as_printed(weights.sum(axis=1), case.printed_sums, decimals=6), (
        "A row of the table does not sum to 1.000000."
    )


@points(2, relates=True)
def test_last_row_is_printed_without_the_mask_too(student, case):
    """Without the mask, the last word's row is the one that the masked table prints."""
    weights = attention(student, *head(case), causal=False).weights
    assert as_printed(weights[-1:], case.printed_weights[-1:], decimals=3), (
        "The last word's unmasked row is not the one in the log."
    )


@points(2, relates=True)
def test_attention_is_blind_to_order(student, case):
    """Read backwards, the sentence gives its last word the same output: attention ignores order."""
    forwards = attention(student, *head(case), causal=False).output
    backwards = attention(student, case.X[::-1].copy(), *head(case)[1:], causal=False).output
    for output in (backwards[:1], forwards[-1:]):
        assert not np.isnan(output).any(), "The output holds NaN."
    assert close(backwards[:1], forwards[-1:]), (
        "The last word's output depends on the order of the words."
    )
