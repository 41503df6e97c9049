"""Agreement with PyTorch's scaled_dot_product_attention, 10 points."""

import numpy as np
import pytest

from autograder.exercises.attention.contract import attention, head
from autograder.exercises.fused_kernel.kernel import fused_attention
from autograder.kit.comparing import equal_to_rounding
from autograder.kit.testing import points


@pytest.fixture
def kernel(request, case):
    """The kernel's output: as captured, or asked of the torch at hand with --live-kernel."""
    if request.config.getoption("--live-kernel"):
        return fused_attention(*head(case), causal=case.causal)
    return np.asarray(case.output)


@points(5)
def test_agrees_with_the_kernel(student, case, kernel):
    """Without a mask, your output is that of PyTorch's kernel, down to rounding."""
    output = attention(student, *head(case), causal=False).output
    assert equal_to_rounding(output, kernel), "The output is not that of PyTorch's kernel."


@points(5)
def test_agrees_with_the_kernel_under_the_mask(student, case, kernel):
    """With causal=True, your output is that of PyTorch's causal kernel, down to rounding."""
    output = attention(student, *head(case), causal=True).output
    assert equal_to_rounding(output, kernel), (
        "The output is not that of PyTorch's kernel with is_causal=True."
    )
