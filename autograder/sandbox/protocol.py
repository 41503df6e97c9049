"""The frames between host and guest, as the host writes and reads them.

A frame is two big-endian lengths, a JSON header and a body of raw array bytes. Whatever comes
from a guest may be forged or broken, so every field is checked here and nothing else is trusted.
"""

import builtins
import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LENGTHS = struct.Struct(">II")
HEADER_CAP = 64 << 10
BODY_CAP = 8 << 20
SPARE, TABLES = 8 << 10, 8
MESSAGE = 200
# What a result may say it came as: guest.py's type_name, and a result beyond the cap.
RESULT_TYPES = {"ndarray", "matrix", "MaskedArray", "subclass", "list", "tuple", "dict", "str"} | {
    "None",
    "number",
    "other",
    "too_large",
}
DTYPES = {"<f8": np.float64, "<i8": np.int64, "|b1": np.bool_}
EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)


class BadFrame(Exception):
    """A guest's bytes that are no reply to the question asked."""


@dataclass(frozen=True)
class Result:
    """One returned thing: its values as float64, int64 or bool, and the form it came in.

    values is None where it holds no numbers; type is one of RESULT_TYPES, dtype NumPy's name.
    """

    values: NDArray[Any] | None
    type: str
    dtype: str


@dataclass(frozen=True)
class Reply:
    """What a function returned: one result, or those of a tuple or list; changed arguments.

    number is that of the request.
    """

    results: tuple[Result, ...]
    changed: tuple[int, ...]
    number: int = 0


@dataclass(frozen=True)
class Raised:
    """A built-in exception class, and the student's file and line (0 where it has none).

    message is the exception's own, of a public example only: at most MESSAGE characters.
    """

    error: str
    file: str
    line: int
    message: str = ""


def encode(header: dict[str, Any], arrays: list[NDArray[Any]]) -> bytes:
    """A request as bytes."""
    encoded = json.dumps(header).encode()
    body = b"".join(array.tobytes() for array in arrays)
    return LENGTHS.pack(len(encoded), len(body)) + encoded + body


def most_numbers(arguments: Iterable[Any], keywords: Iterable[Any] = ()) -> int:
    """How many numbers an answer to these arguments may have: far more than any right one has.

    Right ones have no more numbers than a few tables of the longest side, or of the largest whole
    number that was given.
    """
    sides = [1]
    for argument in [*arguments, *keywords]:
        if isinstance(argument, np.ndarray):
            sides += argument.shape
        elif isinstance(argument, (int, np.integer)):
            sides.append(int(argument))
    return min(BODY_CAP // 8, SPARE + TABLES * max(sides) ** 2)


def lengths(prefix: bytes, most: int = BODY_CAP) -> tuple[int, int]:
    """The two lengths that start a frame; BadFrame above the caps, `most` that of the body."""
    header, body = LENGTHS.unpack(prefix)
    if header > HEADER_CAP or body > min(most, BODY_CAP):
        raise BadFrame("a frame longer than the cap")
    return header, body


def parse_any(encoded: bytes) -> dict[str, Any]:
    """A JSON header of our own making."""
    header = json.loads(encoded)
    if not isinstance(header, dict):
        raise BadFrame("a header that is no object")
    return header


def parse_header(encoded: bytes, number: int) -> dict[str, Any]:
    """The JSON header of the reply to request `number`."""
    try:
        header = json.loads(encoded)
    except (ValueError, RecursionError) as error:
        raise BadFrame("a header that is not JSON") from error
    if not isinstance(header, dict) or header.get("id") != number:
        raise BadFrame("a reply to another question")
    return header


def parse_reply(
    header: dict[str, Any], body: bytes, most: int = BODY_CAP // 8
) -> Reply | Raised | None:
    """A checked reply of so many numbers at `most`; None says that a file was loaded."""
    kind = header.get("kind")
    if kind == "loaded":
        return None
    if kind == "raised":
        error, file, line = header.get("error"), header.get("file"), header.get("line")
        known = isinstance(error, str) and error in EXCEPTIONS
        if not known or not isinstance(file, str) or type(line) is not int:
            raise BadFrame("an exception of no known kind")
        message = header.get("message", "")
        if not isinstance(message, str) or len(message) > MESSAGE:
            raise BadFrame("a message that is none")
        return Raised(str(error), file, line, message)
    if kind == "returned":
        return parse_returned(header, body, most)
    raise BadFrame("a reply of no known kind")


def parse_returned(header: dict[str, Any], body: bytes, most: int) -> Reply:
    items, changed = header.get("items"), header.get("changed")
    if not isinstance(items, list) or len(items) > 8:
        raise BadFrame("no list of results")
    if not isinstance(changed, list) or not all(type(position) is int for position in changed):
        raise BadFrame("no list of changed arguments")
    results, offset, view = [], 0, memoryview(body)
    for item in items:
        result, used = parse_item(item, view[offset:])
        results.append(result)
        offset += used
    # Each takes eight bytes once it is read, whatever it came as.
    if sum(one.values.size for one in results if one.values is not None) > most:
        raise BadFrame("more numbers than the question can need")
    return Reply(tuple(results), tuple(changed), header.get("id", 0))


def parse_item(item: Any, body: memoryview) -> tuple[Result, int]:
    """One result and the number of body bytes that it took."""
    known = isinstance(item, dict) and isinstance(item.get("type"), str)
    if not known or item["type"] not in RESULT_TYPES:
        raise BadFrame("a result of no known type")
    if "shape" not in item:
        return Result(None, item["type"], ""), 0
    shape, dtype, name = item["shape"], DTYPES.get(str(item.get("as"))), item.get("dtype")
    sound = isinstance(shape, list) and len(shape) <= 64
    if not sound or not all(type(length) is int and 0 <= length <= BODY_CAP for length in shape):
        raise BadFrame("a shape that is none")
    if dtype is None or not isinstance(name, str):
        raise BadFrame("a dtype of no known kind")
    count = 1
    for length in shape:
        count *= length
    size = count * np.dtype(dtype).itemsize
    if size > len(body):
        raise BadFrame("fewer bytes than the shape asks for")
    if dtype is np.bool_:
        # A byte other than 0 and 1 would be no valid bool.
        values: NDArray[Any] = np.frombuffer(body, np.uint8, count) != 0
    else:
        values = np.frombuffer(body, dtype, count)
    try:
        return Result(values.reshape(shape), item["type"], name[:32]), size
    except ValueError as error:
        raise BadFrame("a shape that NumPy refuses") from error
