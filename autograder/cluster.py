"""Many submissions on a Dask cluster: the same work as batch.py's, where one machine is too small.

The workers see the same files and have the same version of this package. Dask gives the work of a
worker that was lost to another one.
"""

from collections.abc import Sequence
from concurrent.futures import Future, as_completed
from pathlib import Path
from typing import Any

from distributed import Client

from autograder.batch import Known, Tell, key_of, outcome_of
from autograder.intake.classes import Member
from autograder.intake.submission import open_submission
from autograder.judging.grading import judge, warm_start
from autograder.manifest import load_manifest
from autograder.report import GraderError, Outcome


def grade_on_cluster(
    members: Sequence[Member], tell: Tell, address: str, known: Known, live_kernel: bool
) -> None:
    """Grades every member that is not known on the cluster at an address (tcp://host:8786).

    GraderError where no scheduler answers there.
    """
    try:
        client = Client(address, timeout=10)
    except OSError as error:
        raise GraderError(f"no Dask scheduler answers at {address}.") from error
    with client, client.get_executor(pure=False) as executor:
        waiting: dict[Future[dict[str, Any]], tuple[Member, str]] = {}
        for member in members:
            outcome = outcome_here(member, known, live_kernel)
            if isinstance(outcome, Outcome):
                tell(outcome)
            else:
                path = str(member.path.resolve())
                waiting[executor.submit(grade_there, path, live_kernel)] = (member, outcome)
        for future in as_completed(waiting):
            member, key = waiting[future]
            try:
                message = future.result()
            except Exception as error:
                message = {"fault": f"its worker failed: {error}"}
            tell(outcome_of(member, key, message))


def outcome_here(member: Member, known: Known, live_kernel: bool) -> Outcome | str:
    """What is known of a member without grading it, or the key under which it will be known."""
    try:
        key = key_of(open_submission(member.path, load_manifest()), live_kernel)
    except GraderError as error:
        return outcome_of(member, "", {"fault": str(error)})
    return known(member, key) or key


def grade_there(path: str, live_kernel: bool) -> dict[str, Any]:
    """One submission, on a worker: its report, or why there is none."""
    try:
        submission = open_submission(Path(path), load_manifest())
        with warm_start() as start:
            report = judge(submission, start, live_kernel=live_kernel).report
    except GraderError as error:
        return {"fault": str(error)}
    return {"report": report.as_json(), "shape": report.shape}
