"""multi_head, bonus."""

import numpy as np
import pytest

from autograder.exercises.multi_head.contract import heads, multi_head
from autograder.exercises.multi_head.kernel import torch_heads
from autograder.kit.comparing import close, equal_to_rounding
from autograder.kit.testing import points


@pytest.fixture
def kernel(request, case):
    """PyTorch's output and weights: as captured, or asked of the torch at hand."""
    if request.config.getoption("--live-kernel"):
        return torch_heads(*heads(case), causal=case.causal)
    return np.asarray(case.output), np.asarray(case.weights)


@points(0)
def test_each_head_has_the_weights_of_its_own_matrices(student, case):
    """The weights of head n are those of one attention with the n-th matrices."""
    weights = multi_head(student, *heads(case)).weights
    assert weights.shape == case.weights.shape, "The weights are not (h, T, T)."
    assert close(weights, case.weights), (
        "A head's weights are not those of one attention with its own W_q and W_k."
    )


@points(0)
def test_outputs_stand_side_by_side_and_are_merged(student, case):
    """The outputs of the heads stand side by side, in their order, and W_o merges them."""
    output = multi_head(student, *heads(case)).output
    assert output.shape == case.output.shape, "The output is not (T, d_model)."
    assert close(output, case.output), (
        "The output is not the heads' outputs, side by side in their order, times W_o."
    )


@points(0)
def test_output_and_weights_are_those_of_pytorch(student, case, kernel):
    """Output and weights are those of PyTorch's multi-head attention, masked and not."""
    found = multi_head(student, *heads(case), causal=case.causal)
    for ours, theirs in zip((found.output, found.weights), kernel, strict=True):
        assert equal_to_rounding(ours, theirs), (
            "Output or weights are not those of PyTorch's multi_head_attention_forward."
        )


@points(0)
def test_one_head_and_an_identity_are_exercise_3(student, case):
    """One head, with an identity for W_o, is exercise 3."""
    found = multi_head(student, *heads(case))
    assert found.answer.in_order, "multi_head should return the pair output, weights, as attention."
    assert close(found.output, case.output), "One head's output is not that of attention."
    assert close(found.weights, case.weights), (
        "One head's weights are not those of attention, in an array of shape (1, T, T)."
    )


@points(0)
def test_a_head_without_rows_in_W_o_adds_nothing(student, case):
    """A head whose rows of W_o are all 0 adds nothing, whatever it sees."""
    X, W_q, W_k, W_v, W_o = heads(case)
    before = multi_head(student, X, W_q, W_k, W_v, W_o).output
    after = multi_head(student, X, case.W_q_changed, case.W_k_changed, case.W_v_changed, W_o).output
    assert close(after, before), "A head whose rows of W_o are 0 changes the output."


@points(0)
def test_every_head_hides_the_future(student, case):
    """With causal=True, every head gives a later word a weight of exactly 0."""
    weights = multi_head(student, *heads(case), causal=True).weights
    assert weights.shape == (len(case.W_q), len(case.X), len(case.X)), (
        "The weights are not (h, T, T)."
    )
    later = np.triu(np.ones(weights.shape[1:], dtype=bool), k=1)
    assert (weights[:, later] == 0).all(), "A head gives a later word a weight that is not 0."
