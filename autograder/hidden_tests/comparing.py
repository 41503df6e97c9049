"""How answers are compared: CONTRACT.md, Rules of fairness, 4."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.report import StudentFault

TOLERANCE = 1e-6
ROUNDING = 1e-11


def close(actual: NDArray[Any], expected: NDArray[Any]) -> bool:
    """Same shape, and every value within 1e-6, relative or absolute."""
    return actual.shape == expected.shape and bool(
        np.allclose(actual, expected, rtol=TOLERANCE, atol=TOLERANCE)
    )


def as_printed(actual: NDArray[Any], printed: NDArray[Any], decimals: int) -> bool:
    """Same shape, and every value within half a unit of the last printed digit."""
    return actual.shape == printed.shape and bool(
        (np.abs(actual - printed) <= 0.5 * 10.0**-decimals).all()
    )


def equal_to_rounding(actual: NDArray[Any], expected: NDArray[Any]) -> bool:
    """Within 1e-11 of the largest value; values merely close are a fault with its own name."""
    if not close(actual, expected):
        return False
    if np.abs(actual - expected).max() > ROUNDING * np.abs(expected).max():
        raise StudentFault(
            "failed",
            "Your output is right to about six digits, and float64 carries sixteen: something in "
            "it is computed in float32 or shifted by a small constant.",
            "tolerance",
        )
    return True
