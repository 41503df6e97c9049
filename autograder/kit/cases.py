"""The drawn inputs and expected values: exercises/<name>/cases.json, a list of cases per test."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.exam.scoring import KeyEntry, read_key_file
from autograder.manifest import load_manifest
from autograder.report import GraderError

EXERCISES = Path(__file__).parents[1] / "exercises"
# Beside the tests of a cases.json.
PROBES, RIGHT, EXAMPLES = "probes", "right", "examples"
# Lies there while a new draw is swapped in.
SWAPPING = EXERCISES / "swapping"


class Case(SimpleNamespace):
    """One drawn case: every list of the file is an array; `id` names it."""


def content(path: Path) -> bytes:
    """The bytes of a file of the grader's own; GraderError where it is there and unreadable."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise GraderError(f"{path} cannot be read: {error.strerror}.") from error


@cache
def read_data(name: str) -> Any:
    """exercises/<name>.json as it stands: "provenance", "exam/key".

    GraderError, with what to do, where it is not there or no JSON.
    """
    path = f"autograder/exercises/{name}.json"
    redrawn = "`autograder regenerate` draws it anew, with --same-draw on the draw that is here."
    try:
        return json.loads(content(EXERCISES / f"{name}.json"))
    except FileNotFoundError:
        raise GraderError(f"{path} is not there: {redrawn}") from None
    except ValueError as error:
        raise GraderError(f"{path} is not JSON ({error}): {redrawn}") from None


def require_whole_draw() -> None:
    """GraderError where a swap was stopped half-way: old and new files are mixed."""
    if SWAPPING.exists():
        raise GraderError("a new draw was swapped in half-way only: run `autograder regenerate`.")


def digest(files: Mapping[str, bytes]) -> str:
    """One SHA-256 over names and contents, so that none of them can be guessed by itself."""
    whole = hashlib.sha256()
    for name in sorted(files):
        content = files[name]
        whole.update(f"{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


@cache
def digest_of_tests() -> str:
    """The digest of the suites and data that grade, as they lie here."""
    return digest({**suites(), **generated()})


def suites() -> dict[str, bytes]:
    """The hidden suites, by their path in exercises/."""
    return {
        path.relative_to(EXERCISES).as_posix(): content(path)
        for path in EXERCISES.glob("*/test_*.py")
    }


def generated() -> dict[str, bytes]:
    """What was drawn for them, but for the provenance, by its path in exercises/."""
    files = [*EXERCISES.glob("*/*.json"), *EXERCISES.glob("*.json")]
    return {
        path.relative_to(EXERCISES).as_posix(): content(path)
        for path in files
        if path.stem != "provenance"
    }


def read_key() -> list[KeyEntry]:
    """The key of the exam, question by question."""
    path = EXERCISES / "exam" / "key.json"
    try:
        return read_key_file(path)
    except OSError as error:
        raise GraderError(f"{path} cannot be read: {error.strerror}.") from error


def cases_of(exercise: str, test: str) -> list[Case]:
    """The cases of one test function; GraderError, with what to do, where none was drawn."""
    drawn = read_data(f"{exercise}/cases").get(test)
    if not drawn:
        room = f"autograder/exercises/{exercise}"
        raise GraderError(
            f"{test} in {room}/test_{exercise}.py asks for a case, and none is drawn: give it some "
            f"under its name in {room}/draws.py, then `autograder regenerate --same-draw`."
        )
    return [
        Case(
            **{
                key: np.array(value) if isinstance(value, list) else value
                for key, value in case.items()
            }
        )
        for case in drawn
    ]


def probes_of(function: str) -> list[tuple[NDArray[Any], ...]]:
    """Two different float inputs of one shape; none where a function has no such pair."""
    probes = read_data(f"{load_manifest().files[function]}/cases").get(PROBES, [])
    return [tuple(np.array(argument) for argument in probe) for probe in probes]


def expected_examples(function: str) -> list[list[NDArray[Any]]]:
    """What each of a contract's examples must give: an array per result."""
    examples = beside_cases(function, EXAMPLES)
    return [list(map(np.array, one)) for one in examples]


def right_source(function: str) -> str:
    """The source of the right function, for where a helper is replaced."""
    source: str = beside_cases(function, RIGHT)
    return source


def beside_cases(function: str, name: str) -> Any:
    """What cases.json holds beside the cases; GraderError where it was drawn before."""
    room = load_manifest().files[function]
    found = read_data(f"{room}/cases")
    if name not in found:
        raise GraderError(
            f"autograder/exercises/{room}/cases.json has no {name!r}: "
            "`autograder regenerate --same-draw` writes it."
        )
    return found[name]
