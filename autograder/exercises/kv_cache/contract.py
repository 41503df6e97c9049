"""attend_next(x, keys, values, W_q, W_k, W_v): one word more, beside a KV cache."""

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
from autograder.report import StudentFault
from autograder.sandbox.protocol import Reply
from autograder.sandbox.student import Earlier, Student, as_it_came_back

FUNCTION = "attend_next"
THREE = "attend_next returned fewer than three results; it should return output, keys, values."
NOT_CACHES = "The next word cannot go on: keys and values are not (t + 1, d_k) and (t + 1, d_v)."


@dataclass(frozen=True)
class Step:
    """The student's three results."""

    answer: Answer

    @property
    def output(self) -> FloatArray:
        """The output, (d_v,) where it is right."""
        return self.answer.arrays[0]

    @property
    def keys(self) -> FloatArray:
        """The keys, (t + 1, d_k) where they are right; a StudentFault where they are missing."""
        return result_of(self.answer, 1, THREE)

    @property
    def values(self) -> FloatArray:
        """The values, (t + 1, d_v) where they are right; a StudentFault where they are missing."""
        return result_of(self.answer, 2, THREE)

    @property
    def handed_on(self) -> tuple[Earlier, Earlier]:
        """Keys and values as the very objects that came back; the step must have been kept."""
        places = []
        for number, array in enumerate((self.output, self.keys, self.values)):
            shapes = [
                one.values.shape for one in self.answer.reply.results if one.values is not None
            ]
            places.append(number if self.answer.in_order else shapes.index(array.shape))
        return Earlier(self.answer, places[1]), Earlier(self.answer, places[2])


def attend_next(
    student: Student, x: NDArray[Any], cache: tuple[Any, Any], matrices: tuple[NDArray[Any], ...]
) -> Step:
    """Asks for a word x (d_model,), the keys (t, d_k) and values (t, d_v) before it, and W_q, W_k
    and W_v. The step is kept, so that its caches can be handed on.

    A StudentFault where they came back in shapes that no step could go on from.
    """
    keys, values = (np.shape(as_it_came_back(one)) for one in cache)
    _, W_k, W_v = matrices
    if keys[1:] != W_k.shape[1:] or values[1:] != W_v.shape[1:] or keys[0] != values[0]:
        raise StudentFault("failed", NOT_CACHES)
    return Step(student.call_and_keep(FUNCTION, x, *cache, *matrices))


def matrices(case: Case) -> tuple[NDArray[Any], ...]:
    """The three matrices of a case, as attend_next() takes them."""
    return case.W_q, case.W_k, case.W_v


def read(reply: Reply, arguments: tuple[Any, ...]) -> Answer:
    keys, values = arguments[1:3]
    d_k, d_v = arguments[4].shape[1], arguments[5].shape[1]
    shapes = ((d_v,), (len(keys) + 1, d_k), (len(values) + 1, d_v))
    return several_arrays(reply, FUNCTION, shapes)


# The pencil example of the page, from its first word and from its second; and other sizes.
MATRICES = (
    np.array([[np.log(3)], [0.0]]),
    np.array([[1.0], [0.0]]),
    np.array([[-8.0, 8.0], [4.0, 0.0]]),
)
FIRST = (np.array([0.0, 1.0]), np.zeros((0, 1)), np.zeros((0, 2)), *MATRICES)
SECOND = (np.array([1.0, 2.0]), np.array([[0.0]]), np.array([[4.0, 0.0]]), *MATRICES)
FOURTH = (
    np.array([1.0, 2.0]),
    np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 2.0, 1.0], [2.0, 1.0, 0.0, 0.0]]),
    np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]),
    np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]),
    np.array([[1.0, 1.0, 0.0, 0.0], [1.0, -1.0, 1.0, -1.0]]),
    np.array([[1.0, 0.0, 2.0], [0.0, 4.0, -2.0]]),
)

CONTRACT = Contract(
    FUNCTION,
    read,
    (Example(FIRST), Example(SECOND), Example(FOURTH)),
    ("output", "keys", "values"),
)
