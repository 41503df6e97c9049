"""softmax(scores): the weights of every row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.kit.contract import Answer, Example, FloatArray, one_array
from autograder.sandbox.student import Student

CONTRACT = one_array(
    "softmax",
    "weights",
    (
        Example((np.array([[0.0, 1.0, 2.0], [2.0, 2.0, -np.inf]]),)),
        Example((np.array([[1.0, 0.5, 0.0, 2.0], [0.0, 3.0, 1.0, 1.0]]),)),
        Example((np.array([[1.0, 2.0, 4.0]]),)),
        Example((np.array([[1, 0], [2, 2], [0, 3]]),)),
        Example((np.array([[10_000.0, 9_999.0], [-10_000.0, -9_999.0]]),)),
    ),
)


def softmax(student: Student, scores: NDArray[Any]) -> FloatArray:
    """The student's weights, (T, N) where they are right, for scores (T, N)."""
    answer: Answer = student.call("softmax", scores)
    return answer.arrays[0]
