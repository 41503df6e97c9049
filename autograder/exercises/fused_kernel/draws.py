"""Draws the cases of fused_kernel; their outputs are PyTorch's."""

import random
from collections.abc import Iterator

import numpy as np

from autograder.exercises.attention.draws import Head, balanced, draw_head, fields
from autograder.exercises.attention.misconceptions import IMPRECISE
from autograder.exercises.fused_kernel.kernel import fused_attention
from autograder.kit.drawing import JsonCase, case, drawn, load_solution, settled, to_decimals


def cases(rng: random.Random, public: bool) -> dict[str, list[JsonCase]]:
    """Inputs here are exact in no binary format: whoever rounds them to float32 shows it."""
    attention = load_solution("attention")

    def tells_precision(head: Head, causal: bool) -> bool:
        """Each way to lose precision is off by 1e-10 to 5e-7 of the largest value."""
        if not balanced(head):
            return False
        right = attention(*head, causal=causal)[0]
        # What storing 12 decimals takes of 1e-11 depends on the largest value.
        if np.abs(right).max() < 1:
            return False
        errors = [
            np.abs(right - version(*head, causal=causal)[0]).max() / np.abs(right).max()
            for version in IMPRECISE
        ]
        return bool(min(errors) > 1e-10 and max(errors) < 5e-7)

    def draw(id: str, sizes: tuple[int, int, int, int], causal: bool) -> JsonCase:
        def made() -> JsonCase:
            head = drawn(
                lambda: draw_head(rng, sizes, bound=30, step=0.05),
                lambda head: tells_precision(head, causal),
            )
            output = to_decimals(fused_attention(*head, causal=causal))
            return case(id, **fields(head), causal=causal, output=output)

        return settled(made)

    def three(causal: bool) -> Iterator[JsonCase]:
        for i, sizes in enumerate(((5, 4, 3, 2), (6, 3, 2, 4), (4, 6, 5, 3)), start=1):
            yield draw(f"head_{i}", sizes, causal)

    return {
        "test_agrees_with_the_kernel": list(three(False)),
        "test_agrees_with_the_kernel_under_the_mask": list(three(True)),
    }
