"""What an exercise says of its function: how a reply is read, through whatever form it came in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.report import StudentFault
from autograder.sandbox.protocol import Reply, Result
from autograder.sandbox.student import Asking

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Answer:
    """What a function returned, read once.

    arrays are its values as float64, in the order that the contract asks for; reply is the form
    in which they came, for the tests of form. in_order is False where the results came in another
    order, or in another number, than the contract's. missing are the places of results that did
    not come: what stands there follows from the others, and earns nothing.
    """

    reply: Reply
    arrays: tuple[FloatArray, ...]
    in_order: bool = True
    missing: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Example:
    """A question that is no secret, asked before any hidden one: what goes wrong may be told."""

    arguments: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)


def as_asked(parameters: tuple[str, ...]) -> Asking | None:
    """Whatever the parameters are called, the function is asked as the contract says."""
    return None


def unnamed(words: str) -> tuple[str, str]:
    """For a contract that names no exception."""
    return "", ""


@dataclass(frozen=True)
class Contract:
    """A function that students write, and how a reply to these arguments is read.

    read raises StudentFault where the reply holds no numbers to judge. examples cover every kind
    of input that is asked; results names what comes back, for a student to read. depends holds, by
    the place of a result that has to depend on the input, what is told where it does not: then
    relations between the answers of one student earn nothing.

    asking says how to ask a function whose parameters have other names or another order, None
    where it is asked as all are; who is asked otherwise loses the test named signature_test.
    raised makes of the words on an exception that all examples raise a misconception and its hint.
    """

    function: str
    read: Callable[[Reply, tuple[Any, ...]], Answer]
    examples: tuple[Example, ...]
    results: tuple[str, ...]
    depends: Mapping[int, str] = field(default_factory=dict)
    asking: Callable[[tuple[str, ...]], Asking | None] = as_asked
    signature_test: str = ""
    raised: Callable[[str], tuple[str, str]] = unnamed


def numbers(result: Result, function: str) -> FloatArray:
    """A result's values as float64, whatever they came as; StudentFault where it holds none."""
    if result.type == "None":
        raise StudentFault("failed", f"{function} returned None: is a `return` missing?")
    if result.type == "too_large":
        raise StudentFault("failed", f"{function} returned far more numbers than it should.")
    if result.values is None:
        raise StudentFault("failed", f"{function} returned something that is not an array.")
    return result.values.astype(np.float64)


def one_array(function: str, result: str, examples: tuple[Example, ...]) -> Contract:
    """The contract of a function that returns a single array."""

    def read(reply: Reply, arguments: tuple[Any, ...]) -> Answer:
        if len(reply.results) != 1:
            raise StudentFault(
                "failed", f"{function} returned several results; it should return one array."
            )
        return Answer(reply, (numbers(reply.results[0], function),))

    return Contract(function, read, examples, (result,))


def several_arrays(reply: Reply, function: str, shapes: tuple[tuple[int, ...], ...]) -> Answer:
    """The results of a function that returns an array of each of these shapes.

    Where they came in another order, they are told apart by their shapes. Some may be missing: see
    result_of.
    """
    if not reply.results:
        raise StudentFault("failed", f"{function} returned an empty sequence.")
    arrays = [numbers(one, function) for one in reply.results]
    found = [array.shape for array in arrays]
    if found == [*shapes]:
        return Answer(reply, tuple(arrays))
    if sorted(found) == sorted(shapes) and len({*shapes}) == len(shapes):
        return Answer(reply, tuple(arrays[found.index(shape)] for shape in shapes), in_order=False)
    return Answer(reply, tuple(arrays), in_order=len(arrays) == len(shapes))


def result_of(answer: Answer, number: int, wanted: str) -> FloatArray:
    """One of several results, counted from 0; a StudentFault that says what is `wanted` where it
    is missing."""
    if len(answer.arrays) <= number:
        raise StudentFault("failed", wanted)
    return answer.arrays[number]
