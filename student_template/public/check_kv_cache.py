"""The public checks of attend_next in kv_cache.py, in the order in which they are worth reading."""

import numpy as np
from check import Wrong, ask, everyday, numbers, of_shape, same, unchanged

NUMBER = 6  # of its page
FUNCTION = "attend_next"
BONUS = True

# The pencil example of the page: two words, d_model = 2, d_k = 1, d_v = 2.
X = np.array([[0.0, 1.0], [1.0, 2.0]])
MATRICES = (
    np.array([[np.log(3)], [0.0]]),
    np.array([[1.0], [0.0]]),
    np.array([[-8.0, 8.0], [4.0, 0.0]]),
)
NOTHING = (np.zeros((0, 1)), np.zeros((0, 2)))
OUTPUTS = [[4.0, 0.0], [1.0, 6.0]]
KEYS = [[0.0], [1.0]]
VALUES = [[4.0, 0.0], [0.0, 8.0]]


def step(x, keys, values, *matrices):
    """The student's three results as numbers."""
    result = ask("attend_next", x, keys, values, *matrices)
    if not isinstance(result, (tuple, list)) or len(result) != 3:
        raise Wrong("attend_next must return three results: the output, the keys, the values.")
    d_k, d_v = matrices[1].shape[1], matrices[2].shape[1]
    shapes = [(d_v,), (len(keys) + 1, d_k), (len(values) + 1, d_v)]
    named = zip(("the output", "the keys", "the values"), result, shapes, strict=True)
    return [of_shape(what, numbers(what, one), shape) for what, one, shape in named]


def check_kv_cache_shapes():
    """attend_next: one row is added to the keys and to the values; the output is a single row."""
    matrices = (everyday(4, 2), everyday(4, 2), everyday(4, 3))
    step(everyday(4), everyday(5, 2), everyday(5, 3), *matrices)


def check_kv_cache_first_word():
    """attend_next: the first word of the pencil example hands over its own value."""
    output, keys, values = step(X[0], *NOTHING, *MATRICES)
    same("the output for the first word", output, OUTPUTS[0])
    same("the keys", keys, KEYS[:1], " after the first word")
    same("the values", values, VALUES[:1], " after the first word")


def check_kv_cache_pencil_example():
    """attend_next: the second word of the pencil example comes out as on the page."""
    _, keys, values = step(X[0], *NOTHING, *MATRICES)
    output, keys, values = step(X[1], keys, values, *MATRICES)
    same("the output for the second word", output, OUTPUTS[1])
    same("the keys", keys, KEYS, " after the second word")
    same("the values", values, VALUES, " after the second word")


def check_kv_cache_leaves_its_arguments():
    """attend_next: the caches that it is given are the same afterwards."""
    given = [X[1], np.array(KEYS), np.array(VALUES), *MATRICES]
    unchanged("attend_next", ["x", "keys", "values", "W_q", "W_k", "W_v"], given)
