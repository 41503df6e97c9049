"""Starts the reading child for one submission, and believes nothing of its answer unchecked.

The child has a deadline and a memory limit, so whatever a submission does to those who read it,
the grader's own process goes on.
"""

import json
import os
import selectors
import struct
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.budget import Budget
from autograder.manifest import Manifest
from autograder.report import GraderError

CHILD = (
    "import sys; sys.path.append(sys.argv[1]); from autograder.intake.reader import main; main()"
)
ROOT = Path(__file__).resolve().parents[2]
# What takes a tenth of a processor thirty seconds: a slow machine refuses no more than a fast one.
SECONDS, CPU_SECONDS = 30.0, 3
# A child that says nothing for so long is the machine's fault.
START_SECONDS = 10.0
MEMORY_BYTES = 384 << 20
# So often a file that the child dies of is left out, and the rest read again.
RETRIES = 3
LENGTH = struct.Struct(">I")
HEADER_BYTES = 4 << 20


class TooDearError(Exception):
    """The child was late, or died; `file` is the one that it was at, "" for none."""

    def __init__(self, file: str, message: str) -> None:
        super().__init__(message)
        self.file = file


class UnreadableSubmissionError(Exception):
    """The submission cannot be taken as a whole; its message is for the student."""


@dataclass(frozen=True)
class Answer:
    """What the child found: its header, and the raw bytes that follow it."""

    header: dict[str, Any]
    body: memoryview


def read(path: Path, manifest: Manifest, added: frozenset[str], budget: Budget) -> Answer:
    """Reads a submission in a child, with at most half of its time.

    GraderError where the grader may not, or has no child.
    """
    limits = manifest.limits
    asked = {
        "path": os.path.abspath(path),
        "functions": manifest.files,
        "added": sorted(added),
        "file_kibibytes": limits.file_kibibytes,
        "submission_kibibytes": limits.submission_kibibytes,
        "files": limits.files,
        "memory_bytes": MEMORY_BYTES,
        "cpu_seconds": CPU_SECONDS,
    }
    most = HEADER_BYTES + (limits.submission_kibibytes << 10) * 4
    deadline = time.monotonic() + min(SECONDS, max(budget.left / 2, START_SECONDS))
    skipped: list[str] = []
    while True:
        if skipped and deadline - time.monotonic() < START_SECONDS:
            raise UnreadableSubmissionError("The submission takes too long to read.")
        try:
            answer = ask({**asked, "skipped": skipped}, most, deadline)
        except TooDearError as error:
            if not error.file or error.file in skipped or len(skipped) >= RETRIES:
                raise UnreadableSubmissionError(f"The submission {error}.") from None
            skipped.append(error.file)
            continue
        if "forbidden" in answer.header:
            raise GraderError(str(answer.header["forbidden"]))
        if "unreadable" in answer.header:
            raise UnreadableSubmissionError(str(answer.header["unreadable"]))
        return answer


def ask(asked: dict[str, Any], most: int, deadline: float) -> Answer:
    """One child's answer; TooDearError where it gives none."""
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", CHILD, str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
            env={},
        )
    except OSError as error:
        raise GraderError(f"the process that reads submissions did not start: {error}") from error
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with suppress(BrokenPipeError):
            # Far below what a pipe holds, so it blocks for no child.
            process.stdin.write(json.dumps(asked).encode())
        process.stdin.close()
        said, late = hear(process.stdout.fileno(), most, deadline)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    headers, body = frames(said)
    if not headers:
        raise GraderError(
            f"the process that reads submissions did not start ({sys.executable}, "
            f"{'late' if late else process.returncode})"
        )
    if "at" in headers[-1]:
        reason = "takes too long to read" if late else "cannot be read: it takes too much to do so"
        raise TooDearError(str(headers[-1]["at"]), reason)
    return Answer(headers[-1], body)


def hear(pipe: int, most: int, deadline: float) -> tuple[bytes, bool]:
    """What a child writes until it ends, and whether it was late."""
    said = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while len(said) <= most:
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                return bytes(said), True
            piece = os.read(pipe, 1 << 16)
            if not piece:
                break
            said += piece
    return bytes(said), False


def frames(said: bytes) -> tuple[list[dict[str, Any]], memoryview]:
    """The headers in order, and what follows the last: the first that names no file to come."""
    headers: list[dict[str, Any]] = []
    rest = memoryview(said)
    while len(rest) >= LENGTH.size:
        (length,) = LENGTH.unpack(rest[: LENGTH.size])
        if length > len(rest) - LENGTH.size:
            break
        try:
            header = json.loads(bytes(rest[LENGTH.size : LENGTH.size + length]))
        except (ValueError, RecursionError):
            break
        rest = rest[LENGTH.size + length :]
        headers.append(header if isinstance(header, dict) else {})
        if "at" not in headers[-1]:
            break
    return headers, rest
