"""Slips of form cost little: other parameters, imports of what is not needed, dots before names."""

import ast

import numpy as np
import pytest

from autograder.exercises.attention.contract import asking, raised
from autograder.intake.contents import Mended, parameters_of
from tests.goldens import CODE_POINTS, GOLDENS

ARRAYS = tuple(np.full((1, 1), float(number)) for number in range(4))
MOST = 36


@pytest.mark.parametrize(
    ("signature", "order", "keywords"),
    [
        ("X, W_q, W_k, W_v, mask=False", "0123", {"mask": True}),
        ("x, wq, wk, wv, is_causal=False", "0123", {"is_causal": True}),
        ("X, W_q, W_k, W_v, *, hide_future=False", "0123", {"hide_future": True}),
        ("X, W_q, W_k, W_v", "0123", {}),
        ("a, b, c, d, e=False", "0123", {"e": True}),
        ("W_q, W_k, W_v, X, causal=False", "1230", {"causal": True}),
        ("X, W_k, W_q, W_v, causal=False", "0213", {"causal": True}),
        ("value_weights, X, query_weights, key_weights, masked", "3012", {"masked": True}),
        ("causal, X, W_q, W_k, W_v", "c0123", {}),
        ("X, W_q, W_k, W_v, causal=False, /", "0123c", {}),
    ],
)
def test_a_head_is_asked_in_the_way_that_fits(signature, order, keywords):
    ask = asking(parameters(signature))
    given, named = ask(ARRAYS, {"causal": True})
    expected = [True if place == "c" else ARRAYS[int(place)] for place in order]
    assert [*map(id, given)] == [*map(id, expected)]
    assert named == keywords


@pytest.mark.parametrize(
    "signature",
    [
        "X, W_q, W_k, W_v, causal=False",
        "x, wq, wk, wv, /, causal=False",
        "words, a, b, c, causal=False",
        "X, W_q, W_k, W_v, d_k=None, causal=False",
        "X, W_q, W_k, W_v, **options",
        "*arguments, **options",
        "X",
    ],
)
def test_whoever_takes_what_the_template_passes_is_asked_as_all_are(signature):
    assert asking(parameters(signature)) is None


def parameters(signature):
    function = ast.parse(f"def attention({signature}): return X").body[0]
    return tuple(parameters_of(function.args))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("import torch\nx = 1\n", "pass\nx = 1\n"),
        ("from torch import (\n    nn,\n)\nx = 1\n", "pass\n\n\nx = 1\n"),
        ("import torch\nx = torch\n", None),
        ("import torch\ndef f(): return torch\n", None),
        ("import torch\ndef f(): return 1\ndef draw(): return torch\n", "pass\n"),
        ("import torch\ndef f(): return g()\ndef g(): return torch\n", None),
        ("import plt\nif __name__ == '__main__':\n    plt.show()\n", "pass\n"),
        ("from torch import *\n", None),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None\n", None),
        ("from .softmax import softmax\n", "from softmax import softmax\n"),
        ("from . import softmax as s\n", "import softmax as s\n"),
    ],
)
def test_imports_are_mended_where_nothing_is_lost(text, kept):
    mended = Mended(ast.parse(text), text, {"numpy", "softmax"}, {"f"}).text
    assert mended.startswith(text if kept is None else kept)
    assert mended.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("(size 2 is different from 4)", "matrices_transposed"),
        ("(size 3 is different from 2)", "missing_transpose"),
        ("shapes (3,4) and (2,4) not aligned: 4 (dim 1) != 2 (dim 0)", "matrices_transposed"),
        ("shapes (3,2) and (3,2) not aligned: 2 (dim 1) != 3 (dim 0)", "missing_transpose"),
        ("list index out of range", ""),
    ],
)
def test_products_that_do_not_fit_are_named_by_what_numpy_says(words, name):
    assert raised(words)[0] == name


@pytest.mark.parametrize(
    "name",
    ["relative-import", "weights-only", "dataclass-as-result", "flag-named-mask", "output-only"],
)
def test_no_single_slip_of_form_costs_more_than_its_bound(name):
    assert CODE_POINTS - GOLDENS[name].code <= MOST


@pytest.mark.parametrize("name", ["uniform-by-index-typo", "uniform-by-a-billionth"])
def test_even_weights_cost_the_same_however_they_come_about(name):
    assert 30 <= CODE_POINTS - GOLDENS[name].code <= MOST
    assert GOLDENS[name].misconceptions == ["uniform_weights"]
