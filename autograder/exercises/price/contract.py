"""price(T, d_model, heads, layers): what attention owns, computes and keeps."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.kit.contract import Answer, Contract, Example, numbers
from autograder.report import StudentFault
from autograder.sandbox.protocol import Reply
from autograder.sandbox.student import Student

THREE = "price should return three numbers: parameters, multiplications, and those in the cache."


@dataclass(frozen=True)
class Price:
    """The student's three numbers."""

    answer: Answer

    @property
    def parameters(self) -> float:
        return float(self.answer.arrays[0])

    @property
    def multiplications(self) -> float:
        return float(self.answer.arrays[1])

    @property
    def cache(self) -> float:
        return float(self.answer.arrays[2])

    @property
    def whole(self) -> bool:
        """Whether whole numbers came back, and not floats that happen to be whole."""
        return all(one.dtype.startswith(("int", "uint")) for one in self.answer.reply.results)


def price(student: Student, T: int, d_model: int, heads: int, layers: int) -> Price:
    """Asks for a model of these sizes, read over T words."""
    return Price(student.call("price", T, d_model, heads, layers))


def read(reply: Reply, arguments: tuple[Any, ...]) -> Answer:
    """Three numbers, as a sequence or as an array."""
    found = [numbers(one, "price").ravel() for one in reply.results if one.values is not None]
    counts = np.concatenate(found) if found else np.zeros(0)
    if len(counts) != 3:
        raise StudentFault("failed", THREE)
    return Answer(reply, tuple(np.array(count) for count in counts))


CONTRACT = Contract(
    "price",
    read,
    (Example((3, 4, 2, 1)), Example((5, 6, 3, 2)), Example((1, 8, 1, 4))),
    ("parameters", "multiplications", "numbers in the cache"),
)
