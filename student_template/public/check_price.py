"""The public checks of price, in the order in which they are worth reading."""

import numpy as np
from check import Wrong, ask, numbers, of_shape

NUMBER = 7  # of its page
BONUS = True

NAMES = ("parameters", "multiplications", "numbers in the cache")


def counts(T, d_model, heads, layers):
    """The student's three numbers."""
    result = numbers("the result", ask("price", T, d_model, heads, layers))
    return of_shape("the result", result, (3,))


def compare(sizes, expected):
    T, d_model, heads, layers = sizes
    where = f"T = {T}, d_model = {d_model}, heads = {heads}, layers = {layers}"
    for name, yours, right in zip(NAMES, counts(*sizes), expected, strict=True):
        if yours != right:
            raise Wrong(f"For {where}, the {name} are {yours:,.0f}, and should be {right:,}.")


def check_price_pencil_example():
    """price: the pencil example comes out as on the page."""
    compare((3, 4, 2, 1), (64, 264, 24))


def check_price_of_gpt_2():
    """price: GPT-2 costs what the page says."""
    compare((1024, 768, 12, 12), (28_311_552, 48_318_382_080, 18_874_368))


def check_price_form():
    """price: three whole numbers come back."""
    for name, number in zip(NAMES, ask("price", 3, 4, 2, 1), strict=True):
        if not isinstance(number, (int, np.integer)):
            raise Wrong(f"price: the {name} are a {type(number).__name__}, and must be an int.")
