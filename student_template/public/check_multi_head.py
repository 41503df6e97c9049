"""The public checks of multi_head, in the order in which they are worth reading."""

import numpy as np
from check import Wrong, ask, everyday, exactly_zero, numbers, of_shape, rows_sum_to_one, same

NUMBER = 4  # of its page
BONUS = True

# The pencil example of the page: two words, d_model = 3, two heads of d_k = d_v = 1.
PENCIL = (
    np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
    np.array([[[0.0], [0.0], [1.0]], [[np.log(4)], [0.0], [0.0]]]),
    np.array([[[np.log(3)], [0.0], [0.0]], [[0.0], [1.0], [0.0]]]),
    np.array([[[4.0], [8.0], [0.0]], [[10.0], [0.0], [0.0]]]),
    np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]]),
)
OUTPUT = [[5.0, 2.0, 8.0], [5.0, 5.0, 5.0]]
WEIGHTS = [[[0.75, 0.25], [0.75, 0.25]], [[0.2, 0.8], [0.5, 0.5]]]
MASKED_OUTPUT = [[4.0, 10.0, -2.0], [5.0, 5.0, 5.0]]


def output_and_weights(*arguments, **options):
    """The student's output and weights as numbers."""
    result = ask("multi_head", *arguments, **options)
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        raise Wrong("multi_head must return a pair: the output first, then the weights.")
    X, W_q = arguments[:2]
    output = of_shape("the output", numbers("the output", result[0]), X.shape)
    weights = numbers("the weights", result[1])
    return output, of_shape("the weights", weights, (len(W_q), len(X), len(X)))


def check_multi_head_shapes():
    """multi_head: output and weights have their shapes, where h, T, d_model, d_k and d_v differ."""
    shapes = [(5, 4), (3, 4, 2), (3, 4, 2), (3, 4, 6), (18, 4)]
    for options in ({}, {"causal": True}):
        _, weights = output_and_weights(*(everyday(*shape) for shape in shapes), **options)
        for head in range(3):
            rows_sum_to_one(f"the weights of head {head}", weights[head])


def check_multi_head_pencil_example():
    """multi_head: the pencil example comes out as on the page."""
    output, weights = output_and_weights(*PENCIL)
    for head in range(2):
        same(f"the weights of head {head}", weights[head], WEIGHTS[head], " in the pencil example")
    same("the output", output, OUTPUT, " in the pencil example")


def check_multi_head_pencil_example_masked():
    """multi_head: with causal=True, the first word of the pencil example sees itself alone."""
    output, weights = output_and_weights(*PENCIL, causal=True)
    exactly_zero("the weight of the later word", weights[:, 0, 1])
    same("the output", output, MASKED_OUTPUT, " in the pencil example with causal=True")
