"""The hidden suites against functions of ours, in this process: for code that can be trusted.

The replies are encoded by the guest's own code, so a dry run judges as a real grading does.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.intake.submission import Submission
from autograder.judging.grading import Grading, judge, judge_with
from autograder.judging.suites import Suites
from autograder.kit.drawing import load_solution
from autograder.manifest import Limits, load_manifest
from autograder.report import Report
from autograder.sandbox import protocol
from autograder.sandbox.inside import guest

FILE = "dry_run.py"
Functions = Mapping[str, Callable[..., Any]]


@cache
def right() -> dict[str, Callable[..., Any]]:
    """The functions of solutions/."""
    return {function: load_solution(function) for function in load_manifest().functions}


class Answerer:
    """Answers like a guest, from functions at hand."""

    isolation: list[str]

    def __init__(self, functions: Functions) -> None:
        self.isolation = []
        self._guest = guest.Guest("/dry-run", np)
        self._guest.modules[FILE] = SimpleNamespace(**functions)
        self._asked = 0

    def ask(
        self, header: dict[str, Any], arrays: list[NDArray[Any]], seconds: float
    ) -> protocol.Reply | protocol.Raised | None:
        self._asked += 1
        numbered = {"id": self._asked, **header}
        body = bytearray(b"".join(array.tobytes() for array in arrays))
        with np.errstate(all="ignore"):
            answer, data = self._guest.answer(numbered, body)
        return protocol.parse_reply({**answer, "id": self._asked}, data)

    def close(self) -> None:
        """Nothing to end."""


def dry_run(functions: Functions, exam: Path | None = None) -> Report:
    """The report of these functions, right ones in place of those that are not given."""
    return dry_grading(functions, exam).report


def dry_grading(
    functions: Functions, exam: Path | None = None, suites: Suites | None = None
) -> Grading:
    """The same, with the trials that led to the report; `suites` spares collecting them again."""
    submission = Submission(
        "dry run",
        files={FILE: b""},
        places=dict.fromkeys(right(), FILE),
        exam=exam.read_bytes() if exam else None,
    )
    all_functions = {**right(), **functions}

    def start(submission: Submission, limits: Limits) -> Answerer:
        return Answerer(all_functions)

    return judge_with(suites, submission, start) if suites else judge(submission, start)
