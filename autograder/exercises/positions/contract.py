"""positions(T, d_model): a row of sines and cosines for every position."""

from autograder.kit.contract import Answer, Example, FloatArray, one_array
from autograder.report import StudentFault
from autograder.sandbox.student import Student

CONTRACT = one_array(
    "positions", "table", (Example((3, 4)), Example((1, 2)), Example((2, 6)), Example((4, 8)))
)


def positions(student: Student, T: int, d_model: int) -> FloatArray:
    """The student's table, (T, d_model) where it is right; a StudentFault for another shape."""
    answer: Answer = student.call("positions", T, d_model)
    (table,) = answer.arrays
    if table.shape != (T, d_model):
        raise StudentFault("failed", "The table is not (T, d_model).")
    return table
