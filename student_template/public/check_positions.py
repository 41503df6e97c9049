"""The public checks of positions, in the order in which they are worth reading."""

import numpy as np
from check import ask, numbers, of_shape, same

NUMBER = 5  # of its page
BONUS = True

# The pencil example of the page: three words, d_model = 4, to five decimals.
PENCIL = [
    [0.0, 1.0, 0.0, 1.0],
    [0.84147, 0.54030, 0.01000, 0.99995],
    [0.90930, -0.41615, 0.02000, 0.99980],
]


def table(T, d_model):
    """The student's table."""
    return of_shape("the table", numbers("the table", ask("positions", T, d_model)), (T, d_model))


def check_positions_shape():
    """positions: T words get T rows of d_model numbers."""
    for T, d_model in [(5, 4), (2, 8), (1, 2)]:
        table(T, d_model)


def check_positions_first_row():
    """positions: position 0 reads 0, 1, 0, 1, and so on."""
    same("the row of position 0", table(3, 6)[:1], [[0.0, 1.0] * 3])


def check_positions_pencil_example():
    """positions: the three rows of the pencil example come out as on the page."""
    same("the table, to five decimals", np.round(table(3, 4), 5), PENCIL, " for T = 3")
