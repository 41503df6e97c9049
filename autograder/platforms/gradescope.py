"""Grades in the folder that Gradescope lays out, and in the image that `otter grade` builds.

ROOT/submission and ROOT/submission_metadata.json go in; ROOT/results/results.json comes out, and
where otter is installed results.pkl too.
"""

import importlib.util
import json
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.renderers.gradescope import UNFINISHED, no_results, results, write_json
from autograder.report import Report

STARTED = "Grading has started. If this text stays, it was stopped: submit again, or tell staff."


def main(root: Path) -> int:
    """Leaves valid results at every moment; 1 if the last ones could not be written.

    A fault of the grader leaves none, and 1: Gradescope then shows an error of its own, which
    counts as no attempt, and no 0. otter reads nothing after another exit status than 0: there the
    fault stands in results.pkl.
    """
    results_folder = root / "results"
    keeper = Keeper(results_folder / "results.json")
    keeper.write(no_results(STARTED))
    fault = ""
    try:
        grade(root, keeper)
    except Exception:
        # Staff read this on stdout, which students are not shown.
        fault = traceback.format_exc()
        print(f"grader_error: {fault}", flush=True)
        keeper.withdraw()
    for_otter = importlib.util.find_spec("otter") is not None
    if for_otter:
        from autograder.renderers.otter import write_pickle

        keeper.attempt(
            write_pickle, None if fault else keeper.report, fault, results_folder / "results.pkl"
        )
    return 1 if keeper.failed or (fault and not for_otter) else 0


@dataclass
class Keeper:
    """Keeps results.json valid and up to date; a full disk leaves the last one that fitted."""

    path: Path
    report: Report | None = None
    failed: set[Callable[..., None]] = field(default_factory=set)

    def write(self, content: dict[str, Any]) -> None:
        self.attempt(write_json, content, self.path)

    def attempt(self, write: Callable[..., None], *arguments: Any) -> None:
        """Tries to write; that it failed is told on stdout and by the exit status."""
        try:
            write(*arguments)
            self.failed.discard(write)
        except OSError as error:
            self.failed.add(write)
            print(f"the results cannot be written: {error.strerror}", flush=True)

    def keep(self, report: Report, staff: dict[str, Any], note: str) -> None:
        self.report = report
        self.write(results(report, note, staff))

    def withdraw(self) -> None:
        """Takes back whatever has been graded so far: half a grade is none."""
        self.attempt(lambda path: path.unlink(missing_ok=True), self.path)


def grade(root: Path, keeper: Keeper) -> None:
    # Only now, so that the first results are there before NumPy and pytest are imported.
    from autograder.exam.attempts import attempt_of, attempts_in, kept, standing, with_standing
    from autograder.intake.submission import open_submission
    from autograder.judging.grading import judge
    from autograder.kit.cases import read_key
    from autograder.manifest import load_manifest
    from autograder.sandbox.process import Guest

    assignment = load_manifest()
    submission = open_submission(root / "submission", assignment)
    key = read_key()
    metadata = read_metadata(root / "submission_metadata.json")
    stands = standing(
        attempts_in(metadata, len(key)), attempt_of(submission, key), assignment.exam_attempts
    )
    staff = about_submission(metadata)

    def told(report: Report) -> dict[str, Any]:
        """A sheet counts from the moment at which its score can be read."""
        return {**staff, **(kept(stands.counted) if report.exam else {})}

    def progress(report: Report) -> None:
        keeper.keep(with_standing(report, stands), told(report), UNFINISHED)

    # setup.sh has installed torch if the zip asks for it.
    live_kernel = (root / "source" / "requirements.kernel").exists()
    report = judge(submission, Guest, progress, live_kernel).report
    keeper.keep(with_standing(report, stands), told(report), "")


def read_metadata(path: Path) -> object:
    """What Gradescope says of this submission and the earlier ones; None where it cannot be read.

    otter's images have an empty file there.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return None


def about_submission(metadata: object) -> dict[str, Any]:
    """For staff: how many submissions came before, and whether this one is late."""
    if not isinstance(metadata, dict):
        return {}
    about: dict[str, Any] = {}
    earlier = metadata.get("previous_submissions")
    if isinstance(earlier, list):
        about["earlier_submissions"] = len(earlier)
    try:
        due = datetime.fromisoformat(metadata["assignment"]["due_date"])
        late = datetime.fromisoformat(metadata["created_at"]) - due
    except (KeyError, TypeError, ValueError, OverflowError):
        return about
    about["late"] = late.total_seconds() > 0
    if about["late"]:
        about["late_by_hours"] = round(late.total_seconds() / 3600, 1)
    return about
