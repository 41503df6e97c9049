"""softmax(scores): the weights of every row."""

from typing import Any

from numpy.typing import NDArray

from autograder.kit.contract import Answer, FloatArray, one_array
from autograder.sandbox.student import Student

CONTRACT = one_array("softmax")


def softmax(student: Student, scores: NDArray[Any]) -> FloatArray:
    """The student's weights, (T, N) where they are right, for scores (T, N)."""
    answer: Answer = student.call("softmax", scores)
    return answer.arrays[0]
