"""What a reply means: values are read through faults of form, which have tests of their own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.report import StudentFault
from autograder.sandbox.protocol import Reply, Result

FloatArray = NDArray[np.float64]


def numbers(result: Result, function: str) -> FloatArray:
    """A result's values as float64, whatever they came as."""
    if result.type == "None":
        raise StudentFault("failed", f"{function} returned None: is a `return` missing?")
    if result.type == "too_large":
        raise StudentFault("failed", f"{function} returned far more numbers than it should.")
    if result.values is None:
        raise StudentFault("failed", f"{function} returned something that is not an array.")
    return result.values.astype(np.float64)


def read(function: str, reply: Reply, arguments: tuple[Any, ...]) -> list[FloatArray]:
    """Every array of a reply; StudentFault where it holds something else."""
    if function == "attention":
        head = read_head(reply, arguments)
        return [head.first] if head.second is None else [head.first, head.second]
    return [one_array(reply, function)]


def one_array(reply: Reply, function: str) -> FloatArray:
    """The array that softmax or causal_mask returned."""
    if len(reply.results) == 1:
        return numbers(reply.results[0], function)
    raise StudentFault(
        "failed", f"{function} returned several results; it should return one array."
    )


def read_softmax(reply: Reply) -> FloatArray:
    """The weights."""
    return one_array(reply, "softmax")


def read_mask(reply: Reply) -> NDArray[np.bool_]:
    """The mask, from booleans or from zeros and ones."""
    values = one_array(reply, "causal_mask")
    if not np.isin(values, (0.0, 1.0)).all():
        raise StudentFault(
            "failed", "causal_mask returned numbers that are neither True/False nor 1/0."
        )
    return values.astype(np.bool_)


@dataclass(frozen=True)
class Head:
    """The two results of attention, found by their shapes where they came in another order."""

    first: FloatArray
    second: FloatArray | None
    in_order: bool

    @property
    def output(self) -> FloatArray:
        """The output, (T, d_v) where it is right."""
        return self.first

    @property
    def weights(self) -> FloatArray:
        """The weights, (T, T) where they are right; a StudentFault where they are missing."""
        if self.second is None:
            raise StudentFault(
                "failed",
                "attention returned one result; it should return the pair output, weights.",
                "return_order",
            )
        return self.second


def are_shares(array: FloatArray) -> bool:
    """Whether no value is negative and every row sums to 1."""
    return bool((array >= 0).all() and np.allclose(array.sum(axis=1), 1))


def read_head(reply: Reply, arguments: tuple[Any, ...]) -> Head:
    """The output and the weights of attention(X, W_q, W_k, W_v)."""
    tokens, width = len(arguments[0]), arguments[3].shape[1]
    if not reply.results:
        raise StudentFault("failed", "attention returned an empty sequence.")
    # A third result that holds no numbers is one too many, and hides neither of the others.
    kept = [result for result in reply.results if result.values is not None] or reply.results[:1]
    arrays = [numbers(result, "attention") for result in kept]
    if len(arrays) == 1:
        return Head(arrays[0], None, in_order=False)
    shapes = [array.shape for array in arrays]
    right = [(tokens, width), (tokens, tokens)]
    if shapes != right and all(shape in shapes for shape in right):
        output = arrays[shapes.index((tokens, width))]
        square = [array for array in arrays if array.shape == (tokens, tokens)]
        # Beside the weights may lie the scores: the weights are those whose rows are shares.
        return Head(output, next(filter(are_shares, square), square[0]), in_order=False)
    return Head(arrays[0], arrays[1], in_order=len(reply.results) == 2)
