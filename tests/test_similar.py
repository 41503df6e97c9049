"""Similar code: what is rarer than chance in a class is named, and what everybody writes is not."""

import random
import re
import time

import pytest

from autograder.intake.shape import shape_of
from autograder.similar import alike

TEXTBOOK = """import numpy as np

def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=-1, keepdims=True)
"""
ODD = """import numpy as np

def softmax(scores):
    rows, columns = scores.shape
    answer = np.zeros((rows, columns))
    for i in range(rows):
        top = float(sorted(scores[i].tolist())[-1])
        parts = [2.718281828459045 ** (value - top) for value in scores[i]]
        for j, part in enumerate(parts):
            answer[i, j] = part / (sum(parts) + 0 * j)
    return np.array(answer[::-1][::-1])
"""
RENAMED = """import numpy as n

def helper():
    '''Nobody calls this.'''

def softmax(x):
    # all my own work
    height, width = x.shape
    result: list = n.zeros((height, width))
    for row in range(height):
        biggest = float(sorted(x[row].tolist())[-1])
        pieces = [2.718281828459045 ** (v - biggest) for v in x[row]]
        for column, piece in enumerate(pieces):
            result[row, column] = piece / (sum(pieces) + 0 * column)
    return n.array(result[::-1][::-1])
"""


def textbooks(number: int) -> dict[str, list[str]]:
    """Everybody's own names, and one line of everybody's own."""
    found = {}
    for n in range(number):
        text = re.sub(r"\b(shifted|e)\b", rf"\1_{n}", TEXTBOOK)
        found[f"s{n}"] = shape_of([text.encode(), f"def f(x):\n    return x + {n}\n".encode()])
    return found


def test_names_types_comments_and_order_do_not_count():
    # An annotated assignment is another statement; all else is the same.
    assert len({*shape_of([RENAMED.encode()])} ^ {*shape_of([ODD.encode()])}) == 2


def test_a_copy_is_found_after_renaming():
    shapes = textbooks(30) | {"a": shape_of([ODD.encode()]), "b": shape_of([RENAMED.encode()])}
    (group,) = alike(shapes)
    assert group.names == ("a", "b")
    assert group.share > 0.75


def test_what_everybody_writes_is_no_hint():
    assert alike(textbooks(30)) == []
    same = {f"s{n}": shape_of([TEXTBOOK.encode()]) for n in range(30)}
    assert alike(same) == []


@pytest.mark.parametrize("number", [0, 1, 2])
def test_in_so_small_a_class_nothing_is_rare(number):
    shapes = dict([("a", shape_of([ODD.encode()])), ("b", shape_of([ODD.encode()]))][:number])
    assert alike(shapes) == []


def test_three_of_a_kind_are_one_group():
    shapes = textbooks(60) | {name: shape_of([ODD.encode()]) for name in ("a", "b", "c")}
    (group,) = alike(shapes)
    assert group.names == ("a", "b", "c")
    assert group.share == 1


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\xff\x00",
        b"def f(:",
        b"(" * 5000,
        b"def f():\n    " + b"-" * 20000 + b"1",
        b"x" * 10**6,
    ],
    ids=["empty", "no text", "no Python", "brackets", "signs", "large"],
)
def test_any_source_has_a_shape(source):
    assert isinstance(shape_of([source]), list)


def test_a_class_of_thousands_takes_seconds():
    random.seed(1)
    shapes = {
        f"s{n}": [f"20.{random.randrange(4000):012x}" for _ in range(12)] for n in range(3000)
    }
    begun = time.process_time()
    alike(shapes)
    assert time.process_time() - begun < 20
