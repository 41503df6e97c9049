"""How answers are compared: to 1e-6, to rounding, or to the last printed digit."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.report import StudentFault

TOO_COARSE = "The output agrees with PyTorch's to about six digits, not down to rounding."

TOLERANCE = 1e-6
ROUNDING = 1e-11


@dataclass(frozen=True)
class Measurement:
    """One comparison: "value", "rounding" or "printed", and its error in units of its tolerance."""

    kind: str
    error: float


measurements: ContextVar[list[Measurement] | None] = ContextVar("measurements", default=None)


@contextmanager
def measuring() -> Iterator[list[Measurement]]:
    """The comparisons made inside, for the gate to calibrate by."""
    made: list[Measurement] = []
    token = measurements.set(made)
    try:
        yield made
    finally:
        measurements.reset(token)


def within(kind: str, actual: NDArray[Any], expected: NDArray[Any], tolerance: Any) -> bool:
    """Same shape, and no value further off than its tolerance; NaN is always further off."""
    if actual.shape != expected.shape:
        return False
    errors = np.abs(actual - expected) / tolerance
    worst = float(np.nan_to_num(errors, nan=np.inf).max(initial=0.0))
    made = measurements.get()
    if made is not None:
        made.append(Measurement(kind, worst))
    return worst <= 1


def close(actual: NDArray[Any], expected: NDArray[Any]) -> bool:
    """Same shape, and every value within 1e-6, relative or absolute."""
    return within("value", actual, expected, TOLERANCE * (1 + np.abs(expected)))


def alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two answers of one student agree, NaN with NaN: what is told of them is true."""
    return one.shape == other.shape and np.allclose(one, other, TOLERANCE, TOLERANCE, True)


def as_printed(actual: NDArray[Any], printed: NDArray[Any], decimals: int) -> bool:
    """Same shape, and every value within half a unit of the last printed digit."""
    return within("printed", actual, printed, 0.5 * 10.0**-decimals)


def equal_to_rounding(actual: NDArray[Any], expected: NDArray[Any]) -> bool:
    """Within 1e-11 of the largest value; values merely close are a fault with its own name."""
    if not close(actual, expected):
        return False
    if not within("rounding", actual, expected, ROUNDING * np.abs(expected).max()):
        raise StudentFault("failed", TOO_COARSE, "tolerance")
    return True
