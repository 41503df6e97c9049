"""multi_head(X, W_q, W_k, W_v, W_o, causal=False): several heads side by side."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.kit.cases import Case
from autograder.kit.contract import (
    Answer,
    Contract,
    Example,
    FloatArray,
    result_of,
    several_arrays,
)
from autograder.sandbox.protocol import Reply
from autograder.sandbox.student import Student

PAIR = "multi_head returned one result; it should return the pair output, weights."


@dataclass(frozen=True)
class Heads:
    """The student's two results."""

    answer: Answer

    @property
    def output(self) -> FloatArray:
        """The output, (T, d_model) where it is right."""
        return self.answer.arrays[0]

    @property
    def weights(self) -> FloatArray:
        """The weights, (h, T, T) where they are right; a StudentFault where they are missing."""
        return result_of(self.answer, 1, PAIR)


def multi_head(
    student: Student,
    X: NDArray[Any],
    W_q: NDArray[Any],
    W_k: NDArray[Any],
    W_v: NDArray[Any],
    W_o: NDArray[Any],
    **causal: bool,
) -> Heads:
    """Asks for X (T, d_model), W_q and W_k (h, d_model, d_k), W_v (h, d_model, d_v) and
    W_o (h d_v, d_model); `causal` is passed on only where it is given."""
    return Heads(student.call("multi_head", X, W_q, W_k, W_v, W_o, **causal))


def heads(case: Case) -> tuple[NDArray[Any], ...]:
    """The five arrays of a case, as multi_head() takes them."""
    return case.X, case.W_q, case.W_k, case.W_v, case.W_o


def read(reply: Reply, arguments: tuple[Any, ...]) -> Answer:
    X, W_q = arguments[:2]
    return several_arrays(reply, "multi_head", (X.shape, (len(W_q), len(X), len(X))))


# The pencil example of the page: two words, two heads; one head; and two of other sizes.
PENCIL = (
    np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
    np.array([[[0.0], [0.0], [1.0]], [[np.log(4)], [0.0], [0.0]]]),
    np.array([[[np.log(3)], [0.0], [0.0]], [[0.0], [1.0], [0.0]]]),
    np.array([[[4.0], [8.0], [0.0]], [[10.0], [0.0], [0.0]]]),
    np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]]),
)
ONE_HEAD = (*(matrices[:1] for matrices in PENCIL[1:4]), PENCIL[4][:1])
WIDE = (
    np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
    np.array([[[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]], [[1.0] * 4, [0.0] * 4]]),
    np.array([[[1.0, 1.0, 0.0, 0.0], [1.0, -1.0, 1.0, -1.0]], [[0.0] * 4, [1.0] * 4]]),
    np.array([[[1.0, 0.0, 2.0], [0.0, 4.0, -2.0]], [[1.0, 1.0, 0.0], [0.0, 3.0, 1.0]]]),
    np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, -1.0], [1.0, 0.0]]),
)

CONTRACT = Contract(
    "multi_head",
    read,
    (
        Example(PENCIL),
        Example(PENCIL, {"causal": True}),
        Example(WIDE, {"causal": False}),
        Example(WIDE, {"causal": True}),
        Example((PENCIL[0], *ONE_HEAD)),
    ),
    ("output", "weights"),
)
