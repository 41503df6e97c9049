"""The public checks of attention, in the order in which they are worth reading."""

import numpy as np
from check import (
    Wrong,
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

NUMBER = 3  # of its page

# The pencil example of the page: two words, d_model = 2, d_k = 4, d_v = 3.
PENCIL = (
    np.array([[1.0, 0.0], [1.0, 1.0]]),
    np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]),
    np.array([[1.0, 1.0, 0.0, 0.0], [1.0, -1.0, 1.0, -1.0]]),
    np.array([[1.0, 0.0, 2.0], [0.0, 4.0, -2.0]]),
)
PENCIL_WEIGHTS = [[0.2689414214, 0.7310585786], [0.5, 0.5]]
PENCIL_OUTPUT = [[1.0, 2.9242343145, 0.5378828427], [1.0, 2.0, 1.0]]
MASKED_WEIGHTS = [[1.0, 0.0], [0.5, 0.5]]
MASKED_OUTPUT = [[1.0, 0.0, 2.0], [1.0, 2.0, 1.0]]

# "the river bank". The workshop prints the masked table but not the numbers that lead to it: these
# embeddings and matrices are our own reconstruction. Axes: water, money, place, grammar; d_k = 2.
WORDS = ("the", "river", "bank")
RIVER_BANK = (
    np.array([[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.4, 0.0], [0.6, 0.3, 0.6, 0.0]]),
    np.array([[0.0, 0.5], [3.0, 0.0], [1.0, 0.5], [0.0, 0.0]]),
    np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.5], [0.0, 0.0]]),
    np.eye(4),  # each word's value is its own embedding
)
PRINTED = [[1.0, 0.0, 0.0], [0.406, 0.594, 0.0], [0.159, 0.500, 0.341]]
UNMASKED = [[1 / 3, 1 / 3, 1 / 3], [0.260, 0.382, 0.358], [0.159, 0.500, 0.341]]


def asked(*arguments, **options):
    """The student's output and weights as numbers, in whatever order they come."""
    result = results(*arguments, **options)
    T, d_v = len(arguments[0]), arguments[3].shape[1]
    output, weights = numbers("the output", result[0]), numbers("the weights", result[1])
    if output.shape == (T, T) and weights.shape == (T, d_v):
        output, weights = weights, output  # check_attention_form says that
    return of_shape("the output", output, (T, d_v)), of_shape("the weights", weights, (T, T))


def results(*arguments, **options):
    """What attention returns, if it is two things or more."""
    result = ask("attention", *arguments, **options)
    if result is None:
        raise Wrong("the result is None. Is there a return at the end?")
    if not isinstance(result, (tuple, list)) or len(result) < 2:
        raise Wrong("attention must return a pair: the output first, then the weights.")
    return result


def head(T, d_model, d_k, d_v):
    """X, W_q, W_k and W_v of some head."""
    shapes = [(T, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)]
    return [everyday(*shape) for shape in shapes]


def check_attention_returns_output_and_weights():
    """attention: two results come back, of shapes (T, d_v) and (T, T)."""
    for options in ({}, {"causal": True}):
        asked(*head(T=5, d_model=4, d_k=2, d_v=3), **options)


def check_attention_rows_sum_to_one():
    """attention: every row of the weights sums to 1, masked or not."""
    for causal in (False, True):
        _, weights = asked(*head(T=5, d_model=4, d_k=2, d_v=3), causal=causal)
        rows_sum_to_one(f"the weights of 5 words with causal={causal}", weights)


def check_attention_pencil_example():
    """attention: the pencil example comes out as on the page, without a mask."""
    output, weights = asked(*PENCIL)
    same("the table of weights", weights, PENCIL_WEIGHTS, " in the pencil example")
    same("the output", output, PENCIL_OUTPUT, " in the pencil example")


def check_attention_pencil_example_masked():
    """attention: with causal=True, the pencil example comes out as on the page."""
    output, weights = asked(*PENCIL, causal=True)
    where = " in the pencil example with causal=True"
    same("the table of weights", weights, MASKED_WEIGHTS, where)
    same("the output", output, MASKED_OUTPUT, where)


def check_attention_table_of_the_workshop():
    """attention: "the river bank" gets the masked table that the workshop printed."""
    _, weights = asked(*RIVER_BANK, causal=True)
    printed = np.array(PRINTED)
    # Where the printed digits agree, nothing is shown as different.
    close = np.abs(weights - printed) <= 0.5e-3
    where = ' for "the river bank" with causal=True'
    same("the table of weights", np.where(close, printed, weights), printed, where)


def check_attention_hidden_weights_are_exactly_zero():
    """attention: the weight of a later word is exactly 0.0."""
    _, weights = asked(*head(T=4, d_model=3, d_k=2, d_v=5), causal=True)
    later = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    exactly_zero("the weight of a later word", np.array([weights[cell] for cell in later]))


def check_attention_integers():
    """attention: integers give the same as floats."""
    output, weights = asked(*(array.astype(int) for array in PENCIL))
    same("the table of weights", weights, PENCIL_WEIGHTS, " in the pencil example, as integers")
    same("the output", output, PENCIL_OUTPUT, " in the pencil example, as integers")


def check_attention_form():
    """attention: what comes back is a pair of plain NumPy arrays, the output first."""
    result = results(*PENCIL)
    if len(result) != 2:
        raise Wrong(f"attention returns {len(result)} results, and must return a pair.")
    if np.shape(result[0]) == (2, 2) and np.shape(result[1]) == (2, 3):
        raise Wrong("attention must return the output first, then the weights.")
    plain_array("the first result, output,", result[0], "float")
    plain_array("the second result, weights,", result[1], "float")


def check_attention_leaves_its_arguments_unchanged():
    """attention: X and the three matrices stay as they are."""
    names = ["X", "W_q", "W_k", "W_v"]
    for causal in (False, True):
        unchanged("attention", names, head(T=4, d_model=3, d_k=2, d_v=5), causal=causal)


def pictures():
    """For --plot: titles, words and tables of "the river bank", masked and not."""
    found = []
    for causal, table in ((False, UNMASKED), (True, PRINTED)):
        _, weights = asked(*RIVER_BANK, causal=causal)
        beside = "masked: the workshop's" if causal else "no mask: as it should be"
        found.append((f"{beside.partition(':')[0]}: yours", WORDS, weights))
        found.append((beside, WORDS, np.array(table)))
    return found
