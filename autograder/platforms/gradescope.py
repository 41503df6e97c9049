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
from typing import TYPE_CHECKING, Any

from autograder.renderers.gradescope import UNFINISHED, no_results, results, write_json
from autograder.report import Report

if TYPE_CHECKING:
    from autograder.exam.attempts import History

KEY = Path(__file__).parents[1] / "exercises" / "exam" / "key.json"
SHEET_BYTES = 65_537  # one more than a sheet may have, so that a larger one is told from it

STARTED = "Grading has started. If this text stays, it was stopped: submit again, or tell staff."


def main(root: Path) -> int:
    """Leaves valid results at every moment; 1 if the last ones could not be written.

    A fault of the grader leaves none, and 1: Gradescope then shows an error of its own, which
    counts as no attempt, and no 0. otter reads nothing after another exit status than 0: there the
    fault stands in results.pkl.
    """
    results_folder = root / "results"
    keeper = Keeper(results_folder / "results.json")
    metadata = read_metadata(root / "submission_metadata.json")
    keeper.history = history_of(metadata)
    keeper.write(no_results(STARTED, keeper.history))
    fault = ""
    try:
        grade(root, metadata, keeper)
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
    history: dict[str, Any] = field(default_factory=dict)  # the attempts before this submission
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


def grade(root: Path, metadata: object, keeper: Keeper) -> None:
    # Only now, so that the first results are there before NumPy and pytest are imported.
    from autograder.exam.attempts import History, count, with_history
    from autograder.exam.examining import examine
    from autograder.intake.submission import open_submission
    from autograder.judging.grading import judge
    from autograder.kit.cases import read_key
    from autograder.manifest import load_manifest
    from autograder.sandbox.process import Guest

    keeper.write(no_results(STARTED, glance(root, metadata) or keeper.history))
    assignment = load_manifest()
    submission = open_submission(root / "submission", assignment)
    before = read_history(metadata)
    counted = count(before or History(), examine(submission, read_key()), assignment)
    # Without a history of submissions, nothing is said of attempts.
    record = counted.history.record() if before else {}
    staff = {**about_submission(metadata), **record}
    keeper.write(no_results(STARTED, staff))

    def shown(report: Report) -> Report:
        return with_history(report, counted) if before else report

    def progress(report: Report) -> None:
        keeper.keep(shown(report), staff, UNFINISHED)

    # setup.sh has installed torch if the zip asks for it.
    live_kernel = (root / "source" / "requirements.kernel").exists()
    report = judge(submission, Guest, progress, live_kernel).report
    keeper.keep(shown(report), staff, "")


def read_history(metadata: object) -> "History | None":
    """The exam sheets that came before; None where the platform keeps no history."""
    from autograder.exam.attempts import history_in
    from autograder.exam.scoring import read_key_file
    from autograder.manifest import load_manifest

    if not isinstance(metadata, dict) or "previous_submissions" not in metadata:
        return None
    return history_in(metadata, load_manifest(), len(read_key_file(KEY)))


def history_of(metadata: object) -> dict[str, Any]:
    """The record of the attempts so far, for the very first results; empty where there is none.

    Whatever is wrong here is told by grade(), once valid results lie there.
    """
    try:
        before = read_history(metadata)
    except Exception as error:
        print(f"the exam's history cannot be read yet: {error}", flush=True)
        return {}
    return before.record() if before else {}


def glance(root: Path, metadata: object) -> dict[str, Any]:
    """The record with the sheet that lies in plain sight, while the submission is still unread: a
    run that is stopped there has had a sheet."""
    from autograder.exam.attempts import glance_at
    from autograder.exam.scoring import read_key_file
    from autograder.manifest import load_manifest

    path = root / "submission" / "exam.toml"
    before = read_history(metadata)
    if before is None or path.is_symlink() or not path.is_file():
        return {}
    with path.open("rb") as file:
        source = file.read(SHEET_BYTES)
    now = glance_at(source, read_key_file(KEY))
    return before.with_sheet(now, load_manifest().exam.attempts).record() if now else {}


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
        late = datetime.fromisoformat(metadata["created_at"]) - due_date(metadata)
    except (KeyError, TypeError, ValueError, OverflowError):
        return about
    about["late"] = late.total_seconds() > 0
    if about["late"]:
        about["late_by_hours"] = round(late.total_seconds() / 3600, 1)
    return about


def due_date(metadata: dict[str, Any]) -> datetime:
    """When this submission is due. An extension stands in users[].assignment; a group has the
    latest date of its members. Raises KeyError, TypeError or ValueError where there is none."""
    users = metadata.get("users")
    dates = []
    for user in users if isinstance(users, list) else []:
        own = user.get("assignment") if isinstance(user, dict) else None
        if isinstance(own, dict) and isinstance(own.get("due_date"), str):
            dates.append(datetime.fromisoformat(own["due_date"]))
    return max(dates) if dates else datetime.fromisoformat(metadata["assignment"]["due_date"])
