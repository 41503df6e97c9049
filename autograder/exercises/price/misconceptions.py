"""How the price of attention goes wrong: its choices, and the edits that are mistakes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.kit.misconception import Array, Configuration, Misconception, Observation

Pick = Callable[[str, Any], Any]

# The tests that are there to see them.
OWNED = "test_attention_of_gpt_2_has_28311552_parameters"
LENGTH = "test_length_of_the_text_owns_no_parameters"
COUNTED = "test_multiplications_are_those_that_pytorch_counts"
TWICE = "test_twice_the_words_cost_more_than_twice"
CACHE = "test_cache_grows_by_2_d_model_per_word_and_layer"
WHOLE = "test_whole_numbers_come_back"


def compute(pick: Pick, asked: Observation) -> Iterator[tuple[int, Array]]:
    """Parameters, multiplications and numbers in the cache, each part as picked."""
    T, d_model, heads, layers = map(int, asked.arguments)
    layers = pick("layers", layers)
    d_k = d_model // heads
    width = pick("width", split)(d_model, heads)
    merge = pick("merge", d_model) * d_model
    owned = heads * 3 * d_model * width + pick("merges owned", once)(heads) * merge
    rows = pick("rows", 0) * T * d_model
    yield 0, np.array(layers * owned * pick("owned", without_length)(T) + rows)
    projections = 3 * T * d_model * width
    products = pick("products", 2) * T ** pick("power", 2) * width
    made = layers * (heads * (projections + products) + T * merge)
    yield 1, np.array(made * pick("operations", 1))
    kept = pick("kept", 2) * T ** pick("kept power", 1) * pick("kept width", d_k)
    yield 2, np.array(layers * heads * kept)


def split(d_model: int, heads: int) -> int:
    return d_model // heads


def full(d_model: int, heads: int) -> int:
    return d_model


def once(heads: int) -> int:
    return 1


def without_length(T: int) -> int:
    return 1


MISCONCEPTIONS = (
    Misconception(
        "no_projection",
        COUNTED,
        "Something is missing from every layer: W_o, which merges the heads. Its d_model by "
        "d_model numbers are owned, and multiplied by.",
        "merge",
        ({"merge": 0},),
    ),
    Misconception(
        "projection_per_head",
        OWNED,
        "You give every head a whole W_o. There is one per layer, of d_model x d_model numbers: "
        "each head has its own rows in it.",
        "merge",
        ({"merges owned": lambda heads: heads},),
    ),
    Misconception(
        "heads_of_full_width",
        COUNTED,
        "Your heads are d_model wide. They share that width out: each has d_k = d_model / heads.",
        "width",
        ({"width": full},),
    ),
    Misconception(
        "length_owns_parameters",
        LENGTH,
        "Your parameters grow with the text. Parameters are the numbers in the matrices, the same "
        "for every sentence; T counts only in what is computed and kept.",
        "owned",
        ({"owned": lambda T: T}, {"owned": lambda T: T**2}, {"rows": 1}),
    ),
    Misconception(
        "linear_scores",
        TWICE,
        "You count T scores. Every word meets every word: T^2 scores per head, and as many weights "
        "for the values.",
        "products",
        ({"power": 1},),
    ),
    Misconception(
        "blend_forgotten",
        TWICE,
        "You count one product of T^2 d_k per head, and there are two: queries with keys, and "
        "weights with values.",
        "products",
        ({"products": 1},),
    ),
    Misconception(
        "one_layer",
        OWNED,
        "You count a single layer. Every layer has heads and a W_o of its own, and keeps keys and "
        "values of its own.",
        "layers",
        ({"layers": 1},),
    ),
    Misconception(
        "keys_only",
        CACHE,
        "Your cache keeps keys or values, not both. The next word needs the keys to find its "
        "weights, and the values to mix.",
        "kept",
        ({"kept": 1},),
    ),
    Misconception(
        "caches_queries_too",
        CACHE,
        "Your cache keeps queries as well. A query is asked once and never needed again: keys and "
        "values are all that is kept.",
        "kept",
        ({"kept": 3},),
    ),
    Misconception(
        "cache_quadratic",
        CACHE,
        "Your cache grows with the square of the text. It keeps a key and a value per word, not a "
        "weight per pair of words.",
        "kept",
        ({"kept power": 2},),
    ),
    Misconception(
        "counts_flops",
        COUNTED,
        "You count twice as many: additions too, perhaps. A product of an (a, b) and a (b, c) "
        "matrix takes a b c multiplications, and only these are asked for.",
        "operations",
        ({"operations": 2},),
    ),
)

FORMS = (
    Misconception(
        "float_division",
        WHOLE,
        "You return floats. d_model / heads is a float in Python even where nothing is left over: "
        "which division gives a whole number?",
        versions=(
            lambda T, d_model, heads, layers: tuple(
                map(float, CONFIGURATION.version({})(T, d_model, heads, layers))
            ),
        ),
    ),
)

CONFIGURATION: Configuration = Configuration(
    "price", compute, MISCONCEPTIONS, results=3, forms=FORMS
)
