"""A guest: one interpreter that holds one submission's files, and its pipes."""

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

from numpy.typing import NDArray

from autograder.intake.submission import Submission
from autograder.manifest import Limits, load_manifest
from autograder.report import GraderError
from autograder.sandbox import cleanup, protocol
from autograder.sandbox.interpreter import Arrangement, User, arrangements, unused_user
from autograder.sandbox.library import link_numpy, numpy_folders
from autograder.sandbox.zygote import ENVIRONMENT, START_SECONDS, Forked, ZygoteError, Zygotes

GUEST = Path(__file__).parent / "inside" / "guest.py"
# What the guest's Python and NumPy load when they need it, and how the loader finds it.
LIBRARIES = ["/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib", f"{sys.base_prefix}/lib"]
LIBRARY_CACHE = "/etc/ld.so.cache"
LAST_WORDS = 4096
# For a guest that is started at the end of a submission's time.
LAST_START_SECONDS = 10.0
# The one arrangement that the first guest of this process could be started with.
DECIDED: list[Arrangement] = []


class GuestDied(Exception):
    """The guest's process ended; returncode as subprocess gives it."""

    def __init__(self, returncode: int) -> None:
        super().__init__(returncode)
        self.returncode = returncode


class GuestLate(Exception):
    """No answer within the deadline."""


class GuestNotStartedError(Exception):
    """No guest could be made of an arrangement; says at which step, for staff."""


class Answering(Protocol):
    """What a Student asks: a Guest, or what stands in for one in a dry run."""

    isolation: list[str]

    def ask(
        self, header: dict[str, Any], arrays: list[NDArray[Any]], seconds: float
    ) -> protocol.Reply | protocol.Raised | None: ...

    def close(self) -> None: ...


class Guest:
    """One interpreter that holds one submission's files: forked from a zygote, or executed."""

    def __init__(
        self,
        submission: Submission,
        limits: Limits,
        without: tuple[str, ...] = (),
        zygotes: Zygotes | None = None,
    ) -> None:
        """Without zygotes, a freshly executed one.

        `without` leaves locks open by name: for tests of what each of them holds back.
        """
        self._zygotes = zygotes
        self._folder = tempfile.TemporaryDirectory(prefix="guest-")
        root = Path(self._folder.name).resolve()
        self._held = cleanup.hold(root)
        libraries, work = root / "libraries", root / "work"
        link_numpy(libraries)
        submission.write(work)
        for path in (libraries, work, *work.rglob("*")):
            if not path.is_symlink():
                # Whatever the umask: the guest's own user reads them too.
                path.chmod(0o755 if path.is_dir() else 0o644)
        self._root, self._work = root, work
        budget = submission.budget
        # Nothing of the student's runs yet, so a late start is the machine's fault.
        self._start_seconds = (
            min(START_SECONDS, max(budget.altogether, LAST_START_SECONDS))
            if budget
            else START_SECONDS
        )
        self._user: User | None = None
        self._process: subprocess.Popen[bytes] | Forked
        self._requests = self._replies = -1
        configuration = {
            "libraries": str(libraries),
            "folder": str(work),
            "folders": submission.folders(),
            "locks": {
                "memory_mebibytes": limits.memory_mebibytes,
                "cpu_seconds": int(limits.submission_seconds) + 5,
                "parent": os.getpid(),
                "readable": [str(root), *map(str, numpy_folders()), LIBRARY_CACHE],
                "libraries": sorted({os.path.realpath(folder) for folder in LIBRARIES}),
                "without": without,
            },
        }
        refusals = []
        for choice in DECIDED or arrangements(root.parent):
            try:
                self.isolation = self._start(choice, configuration)
            except GuestNotStartedError as refusal:
                refusals.append(str(refusal))
                continue
            except BaseException:
                self._remove_folder()
                raise
            # For all later guests of this process: a fall-back is no matter of luck.
            DECIDED[:] = [choice]
            return
        self._remove_folder()
        raise GraderError(f"the guest did not start: {'; '.join(dict.fromkeys(refusals))}.")

    def _start(self, choice: Arrangement, configuration: dict[str, Any]) -> list[str]:
        """Starts it and returns the locks that hold; GuestNotStartedError has its last words."""
        self._give_back_user()
        self._user = unused_user() if choice.own_user else None
        if self._user is not None:
            self._hand_over(self._user.uid)
        locks = {**configuration["locks"], "uid": self._uid}
        request, errors = self._execute(choice, {**configuration, "locks": locks})
        self._asked = 0
        try:
            ready, _ = self._exchange(request, self._start_seconds)
            return [str(lock) for lock in protocol.parse_header(ready, 0)["isolation"]]
        except (GuestDied, GuestLate, protocol.BadFrame, KeyError) as error:
            said = last_words(errors) or repr(error)
            self._end()
            raise GuestNotStartedError(f"{said} ({choice.python})") from error
        except BaseException:
            self._end()
            raise
        finally:
            if self._zygotes is None:
                errors.close()

    def _execute(
        self, choice: Arrangement, configuration: dict[str, Any]
    ) -> tuple[bytes, IO[bytes]]:
        """Starts the process: what it must still be sent, and where it writes why it fails."""
        if self._zygotes is not None:
            try:
                zygote = self._zygotes.of(choice)
                readable = [*configuration["locks"]["readable"], str(zygote.libraries.parent)]
                locks = {**configuration["locks"], "readable": readable}
                self._process = zygote.fork({**configuration, "locks": locks}, self._root)
            except ZygoteError as error:
                raise GuestNotStartedError(str(error)) from error
            self._requests, self._replies = self._process.requests, self._process.replies
            return b"", zygote.errors
        try:
            self._process = process = subprocess.Popen(
                [choice.python, "-s", "-S", "-B", str(GUEST)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Closed by the guest before any student code runs.
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=self._work,
                env=ENVIRONMENT,
                start_new_session=True,
            )
        except OSError as error:
            raise GuestNotStartedError(f"{choice.python} cannot be run: {error}") from error
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        # Descriptors of our own, which outlive the objects that they came in.
        self._requests, self._replies = (
            os.dup(process.stdin.fileno()),
            os.dup(process.stdout.fileno()),
        )
        process.stdin.close()
        process.stdout.close()
        for pipe in (self._requests, self._replies, process.stderr.fileno()):
            os.set_blocking(pipe, False)
        return protocol.encode(configuration, []), process.stderr

    @property
    def _uid(self) -> int | None:
        return self._user.uid if self._user else None

    def _hand_over(self, uid: int) -> None:
        """Opens its folder to its own user: to no other one, where the file system allows that."""
        try:
            os.chown(self._root, 0, uid)
            # Where Landlock is missing, a neighbour's guest could read along.
            self._root.chmod(0o750)
        except OSError:
            self._root.chmod(0o755)

    def ask(
        self, header: dict[str, Any], arrays: list[NDArray[Any]], seconds: float
    ) -> protocol.Reply | protocol.Raised | None:
        """Sends a request and returns its checked reply; GuestDied, GuestLate or BadFrame."""
        self._asked += 1
        request = protocol.encode({"id": self._asked, **header}, arrays)
        most = header.get("most", protocol.BODY_CAP // 8)
        encoded, body = self._exchange(request, seconds, 8 * most)
        return protocol.parse_reply(protocol.parse_header(encoded, self._asked), body, most)

    def _exchange(
        self, request: bytes, seconds: float, most: int = protocol.BODY_CAP
    ) -> tuple[bytes, bytes]:
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
                    if key.fd == self._replies:
                        # Never past this frame's end: what follows it answers another question.
                        piece = os.read(self._replies, min(wanted - len(received), 1 << 16))
                        if not piece:
                            raise GuestDied(self._returncode())
                        received += piece
                    else:
                        unsent = unsent[self._write(unsent) :]
                        if not unsent:
                            selector.unregister(self._requests)
                if sizes is None and len(received) == wanted:
                    sizes = protocol.lengths(bytes(received), most)
                    wanted += sum(sizes)
        start = protocol.LENGTHS.size
        return bytes(received[start : start + sizes[0]]), bytes(received[start + sizes[0] :])

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._requests, data[: 1 << 16])
        except BrokenPipeError:
            raise GuestDied(self._returncode()) from None

    def _returncode(self) -> int:
        """How it ended; a guest that only closed its pipe is ended here."""
        try:
            return self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return 0
        except ZygoteError as error:
            raise GraderError(str(error)) from error

    def close(self) -> None:
        """Ends the guest and whatever it started in its session, and removes its folder."""
        try:
            self._end()
        finally:
            self._remove_folder()

    def _give_back_user(self) -> None:
        if self._user is not None:
            self._user.give_back()
            self._user = None

    def _remove_folder(self) -> None:
        self._give_back_user()
        os.close(self._held)
        self._folder.cleanup()

    def _end(self) -> None:
        try:
            # While it has not been waited for, its number is nobody else's.
            if self._process.returncode is None:
                if isinstance(self._process, subprocess.Popen):
                    with suppress(ProcessLookupError, PermissionError):
                        os.killpg(self._process.pid, signal.SIGKILL)
                with suppress(ZygoteError):
                    self._process.kill()
                    self._process.wait()
            if self._user is not None:
                self._clear(self._user.uid)
        finally:
            os.close(self._requests)
            os.close(self._replies)

    def _clear(self, uid: int) -> None:
        """Removes what its own user has left, processes and files."""
        if isinstance(self._process, Forked):
            try:
                self._process.zygote.clear(uid)
                cleanup.remove_files(uid)
                return
            except ZygoteError:
                # It is gone, and takes nothing with it that changed its session: so look for it.
                cleanup.clear(uid)
                return
        cleanup.clear(uid)


def warm(zygotes: Zygotes) -> None:
    """Starts a zygote, and a guest without a submission by which the arrangement is decided."""
    Guest(Submission("warm"), load_manifest().limits, zygotes=zygotes).close()


def last_words(pipe: IO[bytes]) -> str:
    """The last line that a guest wrote before it ended, at most."""
    try:
        lines = os.read(pipe.fileno(), LAST_WORDS).decode("utf-8", "replace").split("\n")
    except BlockingIOError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
