"""A guest: one freshly executed interpreter that holds one submission's files, and its pipes."""

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from autograder.intake.submission import Submission
from autograder.manifest import Limits
from autograder.report import GraderError
from autograder.sandbox import cleanup, protocol
from autograder.sandbox.interpreter import interpreter

GUEST = Path(__file__).parent / "inside" / "guest.py"
START_SECONDS = 60.0
# What the guest's Python and NumPy load when they need it, and how the loader finds it.
LIBRARIES = ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib", f"{sys.base_prefix}/lib"]
LIBRARY_CACHE = "/etc/ld.so.cache"


class GuestDied(Exception):
    """The guest's process ended; returncode as subprocess gives it."""

    def __init__(self, returncode: int) -> None:
        super().__init__(returncode)
        self.returncode = returncode


class GuestLate(Exception):
    """No answer within the deadline."""


class Answering(Protocol):
    """What a Student asks: a Guest, or what stands in for one in a dry run."""

    isolation: list[str]

    def ask(
        self, header: dict[str, Any], arrays: list[NDArray[Any]], seconds: float
    ) -> protocol.Reply | protocol.Raised | None: ...

    def close(self) -> None: ...


class Guest:
    """One freshly executed interpreter that holds one submission's files."""

    def __init__(
        self, submission: Submission, limits: Limits, without: tuple[str, ...] = ()
    ) -> None:
        """`without` leaves locks open by name: for tests of what each of them holds back."""
        self._folder = tempfile.TemporaryDirectory(prefix="guest-")
        root = Path(self._folder.name).resolve()
        root.chmod(0o755)
        libraries, work = root / "libraries", root / "work"
        link_numpy(libraries)
        submission.write(work)
        for path in (libraries, work, *work.rglob("*")):
            if not path.is_symlink():
                # Whatever the umask: the guest's own user reads them too.
                path.chmod(0o755 if path.is_dir() else 0o644)
        python, self._uid = interpreter(root)
        if self._uid is not None:
            # Of no other user: where Landlock is missing, a neighbour's guest could read along.
            os.chown(root, 0, self._uid)
            root.chmod(0o750)
        self._process = subprocess.Popen(
            [python, "-I", "-S", "-B", str(GUEST)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=work,
            # Else each thread reserves a share of the address space that RLIMIT_AS allows.
            env={"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._replies = self._process.stdin, self._process.stdout
        os.set_blocking(self._requests.fileno(), False)
        os.set_blocking(self._replies.fileno(), False)
        self._asked = 0
        configuration = {
            "libraries": str(libraries),
            "folder": str(work),
            "folders": submission.folders(),
            "locks": {
                "memory_mebibytes": limits.memory_mebibytes,
                "cpu_seconds": int(limits.submission_seconds) + 5,
                "uid": self._uid,
                "parent": os.getpid(),
                "readable": [str(root), *map(str, numpy_folders()), LIBRARY_CACHE],
                "libraries": sorted({os.path.realpath(folder) for folder in LIBRARIES}),
                "without": without,
            },
        }
        try:
            ready, _ = self._exchange(protocol.encode(configuration, []), START_SECONDS)
            self.isolation = [str(lock) for lock in protocol.parse_header(ready, 0)["isolation"]]
        except (GuestDied, GuestLate, protocol.BadFrame, KeyError) as error:
            self.close()
            raise GraderError(f"the guest did not start: {error!r} ({python})") from error

    def ask(
        self, header: dict[str, Any], arrays: list[NDArray[Any]], seconds: float
    ) -> protocol.Reply | protocol.Raised | None:
        """Sends a request and returns its checked reply; GuestDied, GuestLate or BadFrame."""
        self._asked += 1
        request = protocol.encode({"id": self._asked, **header}, arrays)
        encoded, body = self._exchange(request, seconds)
        return protocol.parse_reply(protocol.parse_header(encoded, self._asked), body)

    def _exchange(self, request: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Writes and reads at once, so that neither side can block the other."""
        deadline = time.monotonic() + seconds
        unsent, received = memoryview(request), bytearray()
        wanted = protocol.LENGTHS.size
        sizes: tuple[int, int] | None = None
        with selectors.DefaultSelector() as selector:
            selector.register(self._replies, selectors.EVENT_READ)
            selector.register(self._requests, selectors.EVENT_WRITE)
            while sizes is None or len(received) < wanted:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise GuestLate
                for key, _ in selector.select(left):
                    if key.fileobj is self._replies:
                        # Never past this frame's end: what follows it answers another question.
                        piece = os.read(
                            self._replies.fileno(), min(wanted - len(received), 1 << 16)
                        )
                        if not piece:
                            raise GuestDied(self._returncode())
                        received += piece
                    else:
                        unsent = unsent[self._write(unsent) :]
                        if not unsent:
                            selector.unregister(self._requests)
                if sizes is None and len(received) == wanted:
                    sizes = protocol.lengths(bytes(received))
                    wanted += sum(sizes)
        start = protocol.LENGTHS.size
        return bytes(received[start : start + sizes[0]]), bytes(received[start + sizes[0] :])

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._requests.fileno(), data[: 1 << 16])
        except BrokenPipeError:
            raise GuestDied(self._returncode()) from None

    def _returncode(self) -> int:
        """How it ended; a guest that only closed its pipe is ended here."""
        try:
            return self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return 0

    def close(self) -> None:
        """Ends the guest and whatever it started in its session, and removes its folder."""
        try:
            # While it has not been waited for, its number is nobody else's.
            if self._process.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.kill()
                self._process.wait()
            if self._uid is not None:
                cleanup.clear(self._uid)
        finally:
            self._requests.close()
            self._replies.close()
            self._folder.cleanup()


def link_numpy(folder: Path) -> None:
    """Fills a folder with links to NumPy and its libraries, and nothing else."""
    folder.mkdir()
    for source in numpy_folders():
        (folder / source.name).symlink_to(source)


def numpy_folders() -> list[Path]:
    package = Path(np.__file__).parent
    return [path for path in (package, package.with_name("numpy.libs")) if path.exists()]
