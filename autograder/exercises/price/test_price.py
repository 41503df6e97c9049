"""price, bonus."""

import pytest

from autograder.exercises.price.contract import price
from autograder.exercises.price.kernel import torch_multiplications
from autograder.kit.testing import points


@pytest.fixture
def counted(request, case):
    """PyTorch's multiplications: as captured, or counted by the torch at hand."""
    if request.config.getoption("--live-kernel"):
        return torch_multiplications(case.T, *model(case))
    return case.multiplications


def model(case):
    """The sizes that do not depend on the text."""
    return case.d_model, case.heads, case.layers


@points(0)
def test_attention_of_gpt_2_has_28311552_parameters(student, case):
    """GPT-2's attention has 28,311,552 parameters; other models have as many as their matrices."""
    assert price(student, case.T, *model(case)).parameters == case.parameters, (
        "The parameters are not those of three matrices per head and one W_o per layer."
    )


@points(0)
def test_length_of_the_text_owns_no_parameters(student, case):
    """A longer text needs no more parameters."""
    short, long = (price(student, T, *model(case)).parameters for T in (case.T, case.longer))
    assert long == short, "A longer text has more parameters, or fewer."


@points(0)
def test_multiplications_are_those_that_pytorch_counts(student, case, counted):
    """The multiplications are those that PyTorch counts in the same products of matrices."""
    assert price(student, case.T, *model(case)).multiplications == counted, (
        "The multiplications are not those that PyTorch counts."
    )


@points(0)
def test_twice_the_words_cost_more_than_twice(student, case):
    """Twice the words cost twice as much and 4 T^2 d_model more per layer."""
    T = case.T
    short, long = (price(student, words, *model(case)).multiplications for words in (T, 2 * T))
    assert long - 2 * short == 4 * T**2 * case.d_model * case.layers, (
        "From T words to 2 T, the multiplications do not grow by the square that they should."
    )


@points(0)
def test_cache_grows_by_2_d_model_per_word_and_layer(student, case):
    """Every word adds 2 d_model numbers per layer to the KV cache."""
    before, after = (price(student, T, *model(case)).cache for T in (case.T, case.T + 1))
    per_word = 2 * case.d_model * case.layers
    assert after - before == per_word, "A word more adds another count of numbers to the cache."
    assert before == case.T * per_word, "After T words, the cache holds another count of numbers."


@points(0, form="float_division")
def test_whole_numbers_come_back(student, case):
    """All three are whole numbers."""
    assert price(student, case.T, *model(case)).whole, "price should return whole numbers (int)."
