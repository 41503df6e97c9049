"""Finds the room of an exercise by its name in the manifest: exercises/<name>/."""

import importlib
import importlib.util
from functools import cache
from types import ModuleType
from typing import Any

from autograder.kit.contract import Contract
from autograder.kit.misconception import Configuration, Misconception
from autograder.manifest import Exercise, load_manifest
from autograder.report import GraderError
from autograder.sandbox.student import Reader


def part(name: str, file: str) -> ModuleType:
    """One file of a room as a module; GraderError names the file that is not there."""
    module = f"autograder.exercises.{name}.{file}"
    try:
        found = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise GraderError(
            f"manifest.toml lists {name}, and autograder/exercises/{name}/{file}.py is not there."
        )
    return importlib.import_module(module)


def made(name: str, file: str, what: str) -> Any:
    """Something that a file of a room defines; GraderError where it does not."""
    module = part(name, file)
    if not hasattr(module, what):
        raise GraderError(f"autograder/exercises/{name}/{file}.py has no {what}.")
    return getattr(module, what)


@cache
def contracts() -> dict[str, Contract]:
    """The contract of every function that students write, by its name.

    GraderError where a room has none, or one of another function.
    """
    found = {}
    for function, name in load_manifest().files.items():
        contract = getattr(part(name, "contract"), "CONTRACT", None)
        if not isinstance(contract, Contract) or contract.function != function:
            raise GraderError(
                f"autograder/exercises/{name}/contract.py has no CONTRACT of {function}."
            )
        found[function] = contract
    return found


def readers() -> dict[str, Reader]:
    """How a reply of each function is read."""
    return {function: contract.read for function, contract in contracts().items()}


@cache
def configuration(function: str) -> Configuration | None:
    """How a function is computed, and how it goes wrong; None where nobody has said so yet."""
    room = load_manifest().files[function]
    if importlib.util.find_spec(f"autograder.exercises.{room}.misconceptions") is None:
        return None
    found = getattr(part(room, "misconceptions"), "CONFIGURATION", None)
    if not isinstance(found, Configuration) or found.function != function:
        raise GraderError(
            f"autograder/exercises/{room}/misconceptions.py has no CONFIGURATION of {function}."
        )
    return found


@cache
def form_hint(name: str) -> str:
    """The hint for a fault of form, whichever room has it."""
    return next(
        form.hint for _, known in configurations() for form in known.forms if form.name == name
    )


def configurations() -> list[tuple[str, Configuration]]:
    """Every function with its configuration, in the order of the exercises."""
    found = ((function, configuration(function)) for function in load_manifest().functions)
    return [(function, known) for function, known in found if known]


def misconceptions() -> list[tuple[str, Misconception]]:
    """Every misconception and fault of form, with the function that it is made in."""
    return [
        (function, one)
        for function, known in configurations()
        for one in (*known.misconceptions, *known.forms)
    ]


def written() -> list[Exercise]:
    """The exercises whose function is written in their own file: those that students write."""
    return [*load_manifest().written.values()]
