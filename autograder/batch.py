"""Many submissions -> Outcomes: each judged in a process of its own, forked from a warmed one.

The suites are collected once. A forked grader never holds student code: that runs in guests, as
always. Whatever becomes of one grader, or of the submission before it, the others go on.
"""

import hashlib
import json
import os
import selectors
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import autograder
from autograder.intake.classes import Member
from autograder.intake.submission import Submission, open_submission
from autograder.judging.fairness import Start
from autograder.judging.grading import judge_with
from autograder.judging.suites import Suites, with_suites
from autograder.manifest import load_manifest
from autograder.report import GraderError, Outcome, Report
from autograder.sandbox.cleanup import scratch_folder
from autograder.sandbox.process import Guest, warm
from autograder.sandbox.zygote import Zygotes, can_fork

PACKAGE = Path(autograder.__file__).parent
# What shows a grade, and what draws tests, decides none.
DECIDES_NOTHING = ("renderers/", "authoring/", "platforms/", "cli.py", "batch.py")
LENGTH = struct.Struct(">I")
# A grader ends by itself when its submission's time is up; one that has not by then never will.
GRACE_SECONDS = 60.0

Known = Callable[[Member, str], Outcome | None]
Tell = Callable[[Outcome], None]


def nothing_known(member: Member, key: str) -> Outcome | None:
    """No earlier run."""
    return None


@dataclass
class Grader:
    """A forked process that grades one member: what it has said, and how to answer it."""

    member: Member
    pid: int
    said: int
    answer: int
    zygotes: Zygotes | None
    heard: bytearray = field(default_factory=bytearray)
    key: str = ""
    until: float = field(
        default_factory=lambda: (
            time.monotonic() + load_manifest().limits.submission_seconds + GRACE_SECONDS
        )
    )


def grade_all(
    members: Sequence[Member],
    tell: Tell,
    jobs: int = 1,
    known: Known = nothing_known,
    watch: Callable[[Sequence[str]], None] = lambda names: None,
    live_kernel: bool = False,
) -> None:
    """Grades every member, `jobs` at a time; `tell` hears each outcome as soon as it is there.

    known is asked with what decides a grade (key_of) and gives an outcome that stands already.
    watch hears the names in work whenever they change. A fault of the grader is its member's own
    outcome; GraderError where no suite can be run at all. KeyboardInterrupt and SystemExit end
    every grader at once, and go on to the caller.
    """
    with_suites(
        lambda suites: Pool(suites, tell, known, watch, live_kernel).run(members, jobs), live_kernel
    )


class Pool:
    """The graders in work, and the outcomes that others wait for."""

    def __init__(
        self,
        suites: Suites,
        tell: Tell,
        known: Known,
        watch: Callable[[Sequence[str]], None],
        live_kernel: bool,
    ) -> None:
        self.suites, self.live_kernel = suites, live_kernel
        self.tell, self.known, self.watch = tell, known, watch
        self.graders: dict[int, Grader] = {}
        # By key: the members that handed in the same, the first of whom is in work.
        self.same: dict[str, list[Member]] = {}
        self.done: dict[str, Outcome] = {}
        self.selector = selectors.DefaultSelector()
        self.slots: list[Zygotes] = []

    def run(self, members: Sequence[Member], jobs: int) -> None:
        """Starts graders while there are members, and hears them until all have ended."""
        waiting = list(reversed(members))
        self.slots = [Zygotes() for _ in range(max(jobs, 1))] if can_fork() else []
        try:
            self._run(waiting, jobs, several=len(members) > 1)
        except OSError as error:
            raise GraderError(f"no guest can be made: {error}") from error

    def _run(self, waiting: list[Member], jobs: int, several: bool) -> None:
        with scratch_folder("guest-") as scratch:
            # Each guest's own folder in it is closed to all but its user.
            os.chmod(scratch, 0o755)
            try:
                if several:
                    for slot in self.slots:
                        warm(slot)
                while waiting or self.graders:
                    while waiting and len(self.graders) < max(jobs, 1):
                        self.start(waiting.pop(), scratch)
                    self.watch([grader.member.name for grader in self.graders.values()])
                    for selected, _ in self.selector.select(1.0):
                        self.hear(self.graders[selected.fd])
                    self.give_up_on_late()
            finally:
                for grader in [*self.graders.values()]:
                    self.kill(grader)
                    self.end(grader)
                # With them end the guests that a killed grader has left.
                for slot in self.slots:
                    slot.close()
                self.selector.close()

    def kill(self, grader: Grader) -> None:
        with suppress(ProcessLookupError):
            os.killpg(grader.pid, signal.SIGKILL)

    def give_up_on_late(self) -> None:
        """Whatever holds one grader, it does not hold the class."""
        for grader in [*self.graders.values()]:
            if time.monotonic() > grader.until:
                self.kill(grader)
                if grader.zygotes is not None:
                    # With it end the guests that the grader has left; the next gets a new one.
                    grader.zygotes.close()
                self.settle(grader, {"fault": "the process that graded it did not end in time"})

    def start(self, member: Member, scratch: Path) -> None:
        said, says = os.pipe()
        hears, answer = os.pipe()
        zygotes = self.slots.pop() if self.slots else None
        if zygotes is not None:
            zygotes.drop_dead()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            self.be_grader(member, says, hears, scratch, zygotes)
        os.close(says)
        os.close(hears)
        # Here too, whichever process comes first: so that the group can be ended as one.
        with suppress(PermissionError, ProcessLookupError):
            os.setpgid(pid, pid)
        self.graders[said] = Grader(member, pid, said, answer, zygotes)
        self.selector.register(said, selectors.EVENT_READ)

    def be_grader(
        self, member: Member, says: int, hears: int, scratch: Path, zygotes: Zygotes | None
    ) -> None:
        """The forked process: reads, asks whether to grade, grades, and ends here."""
        try:
            os.setpgid(0, 0)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            for grader in self.graders.values():
                os.close(grader.said)
                os.close(grader.answer)
            tempfile.tempdir = str(scratch)
            start = partial(Guest, zygotes=zygotes) if zygotes is not None else Guest
            say(says, self.grade(member, start, lambda key: may_grade(says, hears, key)))
        except BaseException:
            say(says, {"fault": traceback.format_exc()})
        finally:
            os._exit(0)

    def grade(self, member: Member, start: Start, may: Callable[[str], bool]) -> dict[str, Any]:
        try:
            submission = open_submission(member.path, load_manifest())
            if not may(key_of(submission, self.live_kernel)):
                return {}
            report = judge_with(self.suites, submission, start).report
        except GraderError as error:
            return {"fault": str(error)}
        return {"report": report.as_json(), "shape": report.shape}

    def hear(self, grader: Grader) -> None:
        """Takes in what a grader says: its key, then its report; its end is an outcome too."""
        piece = os.read(grader.said, 1 << 16)
        grader.heard += piece
        while (message := take(grader.heard)) is not None:
            if "key" in message:
                grader.key = message["key"]
                self.decide(grader)
            else:
                self.settle(grader, message)
                return
        if not piece:
            self.settle(grader, {"fault": "the process that graded it was ended from outside"})

    def decide(self, grader: Grader) -> None:
        """Whether this one is graded: not where it is known, done, or in work for another."""
        outcome = self.known(grader.member, grader.key) or self.done.get(grader.key)
        if outcome is not None:
            self.finish(grader.member, outcome)
        elif grader.key in self.same:
            self.same[grader.key].append(grader.member)
        else:
            self.same[grader.key] = []
            os.write(grader.answer, b"g")
            return
        grader.key = ""
        os.write(grader.answer, b"n")

    def settle(self, grader: Grader, message: dict[str, Any]) -> None:
        """A grader has ended: its outcome, and those of all who handed in the same."""
        self.end(grader)
        if not message:
            return
        outcome = outcome_of(grader.member, grader.key, message)
        same = self.same.pop(grader.key, []) if grader.key else []
        if outcome.report is not None:
            self.done[grader.key] = outcome
        for member in [grader.member, *same]:
            self.finish(member, outcome)

    def finish(self, member: Member, outcome: Outcome) -> None:
        report = outcome.report
        if report is not None:
            report = replace(report, submission=member.name)
        told = replace(outcome, name=member.name, students=member.students, origin=member.origin)
        self.tell(replace(told, report=report))

    def end(self, grader: Grader) -> None:
        self.selector.unregister(grader.said)
        del self.graders[grader.said]
        os.close(grader.said)
        os.close(grader.answer)
        os.waitpid(grader.pid, 0)
        if grader.zygotes is not None:
            self.slots.append(grader.zygotes)


def outcome_of(member: Member, key: str, message: dict[str, Any]) -> Outcome:
    """What a grader's last message makes of its member."""
    if "report" not in message:
        fault, origin = message["fault"], member.origin
        return Outcome(member.name, member.students, None, "grader_error", fault, origin=origin)
    report = Report.from_json(message["report"])
    report.shape = message["shape"]
    return Outcome(member.name, member.students, report, key=key, origin=member.origin)


def may_grade(says: int, hears: int, key: str) -> bool:
    say(says, {"key": key})
    return os.read(hears, 1) == b"g"


def say(pipe: int, message: dict[str, Any]) -> None:
    encoded = json.dumps(message).encode()
    unsent = memoryview(LENGTH.pack(len(encoded)) + encoded)
    while unsent:
        unsent = unsent[os.write(pipe, unsent) :]


def take(heard: bytearray) -> dict[str, Any] | None:
    """The first whole message, taken off; None where there is none yet."""
    if len(heard) < LENGTH.size:
        return None
    end = LENGTH.size + LENGTH.unpack(heard[: LENGTH.size])[0]
    if len(heard) < end:
        return None
    message: dict[str, Any] = json.loads(heard[LENGTH.size : end])
    del heard[:end]
    return message


# --- what decides a grade ------------------------------------------------------------------------


def key_of(submission: Submission, live_kernel: bool = False) -> str:
    """One digest over all that decides a grade: what was handed in, and what judges it."""
    whole = hashlib.sha256(digest_of_judge(live_kernel).encode())
    parts: dict[str, bytes] = {
        **{f"file {name}": source for name, source in submission.files.items()},
        "places": json.dumps([submission.places, submission.package], sort_keys=True).encode(),
        "faults": repr(
            sorted((name, fault.verdict, fault.words) for name, fault in submission.faults.items())
        ).encode(),
        "exam": b"none" if submission.exam is None else b"sheet" + submission.exam,
        "exam fault": submission.exam_fault.encode(),
    }
    for name in sorted(parts):
        label = name.encode("utf-8", "surrogateescape")
        whole.update(b"%d %d " % (len(label), len(parts[name])) + label + parts[name])
    return whole.hexdigest()


@cache
def digest_of_judge(live_kernel: bool) -> str:
    """Over the grader's own code, its cases and key, and the Python and NumPy that compute."""
    whole = hashlib.sha256(f"{sys.version_info[:3]} {np.__version__} {live_kernel}".encode())
    for path in sorted(PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE).as_posix()
        if path.suffix in (".py", ".toml", ".json") and not name.startswith(DECIDES_NOTHING):
            whole.update(f"{name} {path.stat().st_size} ".encode() + path.read_bytes())
    return whole.hexdigest()
