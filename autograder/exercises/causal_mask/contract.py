"""causal_mask(n): True where a word is hidden."""

import numpy as np
from numpy.typing import NDArray

from autograder.kit.contract import Answer, Example, one_array
from autograder.report import StudentFault
from autograder.sandbox.student import Student

CONTRACT = one_array("causal_mask", "mask", (Example((3,)), Example((1,)), Example((4,))))


def causal_mask(student: Student, n: int) -> NDArray[np.bool_]:
    """The student's mask, (n, n) where it is right, from booleans or from zeros and ones."""
    answer: Answer = student.call("causal_mask", n)
    (values,) = answer.arrays
    if not np.isin(values, (0.0, 1.0)).all():
        raise StudentFault(
            "failed", "causal_mask returned numbers that are neither True/False nor 1/0."
        )
    return values.astype(np.bool_)
