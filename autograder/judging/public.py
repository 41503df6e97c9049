"""The public examples, asked in a guest of their own before any hidden input is sent.

No secret was sent there, so what happens there may be told in detail.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.exercises.registry import contracts
from autograder.kit.cases import expected_examples
from autograder.kit.comparing import close
from autograder.kit.contract import Answer, Contract, Example
from autograder.manifest import load_manifest
from autograder.report import GraderError, StudentFault
from autograder.sandbox.student import Shown, Student

# Of an array so large that nobody would read it.
SHOWN_NUMBERS = 40


@dataclass
class Public:
    """What the examples showed: exceptions, and by exercise the first wrong answer as text."""

    shown: Shown
    wrong: dict[str, str] = field(default_factory=dict)


def ask_publicly(student: Student) -> Public:
    """Asks every function its examples; one that ends the program is asked no further."""
    found = Public(student.shown)
    try:
        for function, contract in contracts().items():
            exercise = load_manifest().files[function]
            faults: list[StudentFault] = []
            all_expected = expected_examples(function)
            if len(all_expected) != len(contract.examples):
                raise GraderError(
                    f"autograder/exercises/{exercise}/contract.py has other examples than its "
                    "cases.json: `autograder regenerate --same-draw` computes them."
                )
            for example, expected in zip(contract.examples, all_expected, strict=True):
                try:
                    answer = student.call(function, *example.arguments, **example.keywords)
                except StudentFault as fault:
                    if fault.verdict not in ("failed", "import_error"):
                        break
                    faults.append(fault)
                    continue
                if exercise not in found.wrong:
                    told = difference(contract, example, answer, expected)
                    if told:
                        found.wrong[exercise] = told
            if len(faults) == len(contract.examples):
                student.shown.name(faults[0], contract.raised(faults[0].words))
    finally:
        student.close()
    return found


def difference(
    contract: Contract, example: Example, answer: Answer, expected: list[NDArray[Any]]
) -> str:
    """Question, answer and expected values of an example; empty where the answer is right."""
    for name, wanted, given in zip(contract.results, expected, answer.arrays, strict=False):
        if close(given, wanted):
            continue
        if max(given.size, wanted.size) > SHOWN_NUMBERS:
            return ""
        question = ", ".join(
            [*map(as_text, example.arguments), *(f"{k}={v}" for k, v in example.keywords.items())]
        )
        return (
            f"{contract.function}({question})\n{name}, yours:\n{as_text(given)}\n"
            f"{name}, expected:\n{as_text(wanted)}"
        )
    return ""


def as_text(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.ndim == 0:
        return f"{float(value):.4g}"
    return str(np.array2string(value, precision=3, suppress_small=True, floatmode="maxprec"))
