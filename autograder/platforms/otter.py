"""`otter run`'s door: otter's kernel asks, and the grader answers from a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from autograder.renderers.otter import cases as cases_of
from autograder.report import Report

PACKAGE_FOLDER = Path(__file__).resolve().parents[2]
ADDED_BY_OTTER = {"tests", "grade.ipynb", ".OTTER_LOG"}


# --- in the kernel: what tests/<exercise>.py call ----------------------------------------------


def cases(exercise: str) -> list[dict[str, Any]]:
    """The test cases of one exercise, judged; the submission is the current folder."""
    found: list[dict[str, Any]] = ask_grader(os.getcwd())[exercise]
    return found


@cache
def ask_grader(submission: str) -> dict[str, Any]:
    """Starts the grader once per kernel: never from the submission's folder, never on its path."""
    refuse_foreign_code(Path(submission))
    done = subprocess.run(
        [sys.executable, "-I", str(PACKAGE_FOLDER), "otter", submission],
        cwd=PACKAGE_FOLDER,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        fail(f"grader_error: no grade. {done.stderr.strip()}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def refuse_foreign_code(submission: Path) -> None:
    """No grade from a kernel that has run the student's files: they could have written it."""
    files = {name: getattr(module, "__file__", None) for name, module in [*sys.modules.items()]}
    ran = sorted(
        name
        for name, file in files.items()
        if isinstance(file, str) and submission in Path(os.path.abspath(file)).parents
    )
    if ran:
        fail(
            f"no grade: the submission's own {', '.join(ran)} ran in place of Python's in otter's "
            "process. Run PYTHONSAFEPATH=1 otter run ... (Python 3.11 or newer), or autograder "
            "grade."
        )


def fail(words: str) -> None:
    """Otter shows no exception of a test file, only that there are no results: so say it too."""
    from otter import logging

    logging.get_logger("autograder").error(words)
    raise RuntimeError(words)


# --- the process of its own --------------------------------------------------------------------


def main(submission: Path) -> int:
    """Prints every exercise's cases as JSON."""
    from autograder.intake.submission import open_submission
    from autograder.judging.grading import judge, warm_start
    from autograder.manifest import load_manifest

    handed_in = open_submission(submission, load_manifest(), added(submission))
    with warm_start() as start:
        print(json.dumps(by_exercise(judge(handed_in, start).report)))
    return 0


def added(submission: Path) -> frozenset[str]:
    """What otter has put into the submission's folder."""
    marker = submission / "__init__.py"
    empty = marker.is_file() and marker.stat().st_size == 0
    return frozenset(ADDED_BY_OTTER | ({marker.name} if empty else set()))


def by_exercise(report: Report) -> dict[str, list[dict[str, Any]]]:
    return {
        exercise.name: [asdict(case) for case in cases_of(exercise)]
        for exercise in (*report.exercises, *report.bonus)
    }
