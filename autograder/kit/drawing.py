"""What a room draws its cases with: inputs that are sharp, values that every machine rounds alike.

Inputs lie on a coarse binary grid, so that they are exact in float32 too and every honest way to
compute gives the same values; a draw that is not sharp is drawn again, the bar never lowered.
random.Random and its randint, sample and choice give the same stream on every Python.
"""

import importlib
import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from autograder.manifest import load_manifest
from autograder.report import GraderError

# The draw that the repository ships: its log is the workshop's own, and anyone can compute its key.
PUBLIC_SEED = "0"
CHECKOUT = Path(__file__).parents[2]
SOLUTIONS = CHECKOUT / "solutions"
DECIMALS = 12
# Another NumPy, or another number of threads, may give a neighbouring float.
ROUNDING_MARGIN = 1e-14
DRAWS = 100_000

Array = NDArray[Any]
Drawn = TypeVar("Drawn")
JsonCase = dict[str, Any]


def load_solution(function: str) -> Callable[..., Any]:
    """A function of solutions/, its siblings importable by name as they are for students.

    GraderError where its file is not there, or does not define it.
    """
    require_checkout()
    name = load_manifest().files[function]
    if not (SOLUTIONS / f"{name}.py").is_file():
        raise GraderError(f"manifest.toml lists {name}, and solutions/{name}.py is not there.")
    solution: Callable[..., Any] | None = getattr(load_module(name), function, None)
    if solution is None:
        raise GraderError(f"solutions/{name}.py has no {function}.")
    return solution


def require_checkout() -> None:
    if not SOLUTIONS.is_dir():
        raise GraderError("authoring works in a checkout only: there is no solutions/ here.")


def load_module(name: str) -> ModuleType:
    sys.path.insert(0, str(SOLUTIONS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(SOLUTIONS))


class NearBoundary(Exception):
    """A value so close to a rounding boundary that another machine might round it otherwise."""


def drawn(draw: Callable[[], Drawn], sharp: Callable[[Drawn], bool]) -> Drawn:
    """The first draw that is sharp."""
    for _ in range(DRAWS):
        candidate = draw()
        if sharp(candidate):
            return candidate
    raise GraderError(f"no sharp draw in {DRAWS}")


def settled(make: Callable[[], JsonCase]) -> JsonCase:
    """What `make` draws and computes, drawn again while a value lies near a boundary."""
    for _ in range(DRAWS):
        try:
            return make()
        except NearBoundary:
            continue
    raise GraderError(f"no draw clear of rounding boundaries in {DRAWS}")


def grid(rng: random.Random, *shape: int, bound: int = 12, step: float = 0.125) -> Array:
    """Numbers k * step with |k| <= bound."""
    flat = [rng.randint(-bound, bound) * step for _ in range(math.prod(shape))]
    # A step of 0.1 is no binary number: 3 x 0.1 shall read 0.3.
    return np.round(np.array(flat).reshape(shape), 6)


def case(id: str, **fields: Any) -> JsonCase:
    """A case as JSON: arrays as lists, what is computed to 12 decimals."""
    return {
        "id": id,
        **{
            key: value.tolist() if isinstance(value, np.ndarray) else value
            for key, value in fields.items()
        },
    }


def to_decimals(values: Array) -> Array:
    """Rounded for storage; NearBoundary where a neighbouring float would round otherwise."""
    rounded: Array = np.round(values, DECIMALS) + 0.0
    half = 0.5 * 10.0**-DECIMALS
    if (np.abs(np.abs(values - rounded) - half) < ROUNDING_MARGIN).any():
        raise NearBoundary
    return rounded
