"""The host's side of inside/zygote.py: guests forked from an interpreter that is warm."""

import os
import select
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from autograder.sandbox import cleanup, protocol
from autograder.sandbox.interpreter import Arrangement
from autograder.sandbox.library import link_numpy

PROGRAM = Path(__file__).parent / "inside" / "zygote.py"
# Else each thread reserves a share of the address space that RLIMIT_AS allows; and a set has the
# same order each time.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1", "PYTHONHASHSEED": "0"}
START_SECONDS = 60.0


class ZygoteError(Exception):
    """No zygote could be made of an arrangement, or it has ended; says why, for staff."""


class Zygotes:
    """One zygote per arrangement, started when it is first asked for. For one thread alone."""

    def __init__(self) -> None:
        self._started: dict[Arrangement, Zygote] = {}

    def of(self, choice: Arrangement) -> "Zygote":
        if choice not in self._started:
            self._started[choice] = Zygote(choice)
        return self._started[choice]

    def drop_dead(self) -> None:
        """Forgets a zygote that has ended, so that the next guest gets a new one."""
        for choice, zygote in [*self._started.items()]:
            if zygote.has_ended():
                zygote.close()
                del self._started[choice]

    def close(self) -> None:
        for zygote in self._started.values():
            zygote.close()
        self._started.clear()


def can_fork() -> bool:
    """Whether guests may be forked here: on Linux, whose fork is safe without threads."""
    return sys.platform.startswith("linux")


class Zygote:
    """An interpreter with NumPy in it that forks guests; it holds no submission, ever."""

    def __init__(self, choice: Arrangement) -> None:
        """Starts it; ZygoteError where that fails."""
        self._folder = tempfile.TemporaryDirectory(prefix="guest-")
        root = Path(self._folder.name).resolve()
        self._held = cleanup.hold(root)
        root.chmod(0o755)
        self.libraries = root / "libraries"
        link_numpy(self.libraries)
        self.libraries.chmod(0o755)
        try:
            self._process = subprocess.Popen(
                [choice.python, "-s", "-S", "-B", str(PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd="/",
                env=ENVIRONMENT,
                start_new_session=True,
            )
        except OSError as error:
            self._remove_folder()
            raise ZygoteError(f"{choice.python} cannot be run: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._orders, self._answers = self._process.stdin, self._process.stdout
        self.errors: IO[bytes] = self._process.stderr
        os.set_blocking(self.errors.fileno(), False)
        try:
            self._ask({"libraries": str(self.libraries)})
        except ZygoteError as error:
            self.close()
            raise ZygoteError(f"{error} ({choice.python})") from error

    def fork(self, configuration: dict[str, Any], folder: Path) -> "Forked":
        """A guest of this configuration; its pipes lie in `folder` until both ends are open."""
        paths = [folder / name for name in ("requests", "replies")]
        for path in paths:
            os.mkfifo(path, 0o600)
        # Open for both, so that neither end waits for the other here.
        requests = os.open(paths[0], os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        replies = os.open(paths[1], os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            answer = self._ask(
                {
                    "order": "fork",
                    "configuration": configuration,
                    "requests": str(paths[0]),
                    "replies": str(paths[1]),
                }
            )
        except BaseException:
            os.close(requests)
            os.close(replies)
            raise
        finally:
            for path in paths:
                path.unlink()
        return Forked(self, answer["pid"], requests, replies)

    def status(self, pid: int, seconds: float, kill: bool) -> int | None:
        """How a guest ended, as subprocess gives it; None while it runs on."""
        order = {"order": "kill" if kill else "wait", "pid": pid, "seconds": seconds}
        status: int | None = self._ask(order)["status"]
        return status

    def clear(self, uid: int) -> None:
        """Kills whatever a guest's own user still runs."""
        self._ask({"order": "clear", "uid": uid})

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """One order and its answer; ZygoteError where the zygote has ended."""
        try:
            self._orders.write(protocol.encode(order, []))
            header, _ = protocol.LENGTHS.unpack(self._read(protocol.LENGTHS.size))
            return protocol.parse_any(self._read(header))
        except (OSError, EOFError, protocol.BadFrame) as error:
            raise ZygoteError(f"the process that forks guests ended: {error!r}") from error

    def _read(self, size: int) -> bytes:
        found = b""
        until = time.monotonic() + START_SECONDS
        while len(found) < size:
            left = max(until - time.monotonic(), 0)
            if not select.select([self._answers], [], [], left)[0]:
                # A later answer would be taken for that to another order.
                self._process.kill()
                raise EOFError(f"no answer within {START_SECONDS:g} seconds")
            piece = self._answers.read(size - len(found))
            if not piece:
                raise EOFError
            found += piece
        return found

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def _remove_folder(self) -> None:
        os.close(self._held)
        self._folder.cleanup()

    def close(self) -> None:
        """Ends it, and with it every guest that is left."""
        try:
            self._process.kill()
            self._process.wait()
        finally:
            for pipe in (self._orders, self._answers, self.errors):
                pipe.close()
            self._remove_folder()


@dataclass
class Forked:
    """A forked guest; asked for its end as a process of subprocess is."""

    zygote: Zygote
    pid: int
    requests: int
    replies: int
    returncode: int | None = None

    def wait(self, timeout: float = 5.0) -> int:
        """Its exit status; subprocess.TimeoutExpired while it runs on."""
        return self._ended(timeout, kill=False)

    def kill(self) -> None:
        """Ends it and its session."""
        with suppress(subprocess.TimeoutExpired):
            self._ended(5.0, kill=True)

    def _ended(self, seconds: float, kill: bool) -> int:
        if self.returncode is None:
            self.returncode = self.zygote.status(self.pid, seconds, kill)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("guest", seconds)
        return self.returncode
