"""The grader's side of the sandbox: starts guests, asks them, and names what went wrong."""

import os
import pwd
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from autograder.assignment import Limits
from autograder.report import GraderError, StudentFault
from autograder.sandbox import frames, leavings, reading, words
from autograder.submission import Submission

GUEST = Path(__file__).with_name("guest.py")
START_SECONDS = 60.0
DEATHS_BEFORE_GIVING_UP = 2
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
    """What a Student asks: a Guest, or the stand-in of a rehearsal."""

    isolation: list[str]

    def ask(
        self, header: dict[str, Any], arrays: list[NDArray[Any]], seconds: float
    ) -> frames.Reply | frames.Raised | None: ...

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
            ready, _ = self._exchange(frames.encode(configuration, []), START_SECONDS)
            self.isolation = [str(lock) for lock in frames.parse_header(ready, 0)["isolation"]]
        except (GuestDied, GuestLate, frames.BadFrame, KeyError) as error:
            self.close()
            raise GraderError(f"the guest did not start: {error!r} ({python})") from error

    def ask(
        self, header: dict[str, Any], arrays: list[NDArray[Any]], seconds: float
    ) -> frames.Reply | frames.Raised | None:
        """Sends a request and returns its checked reply; GuestDied, GuestLate or BadFrame."""
        self._asked += 1
        request = frames.encode({"id": self._asked, **header}, arrays)
        encoded, body = self._exchange(request, seconds)
        return frames.parse_reply(frames.parse_header(encoded, self._asked), body)

    def _exchange(self, request: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Writes and reads at once, so that neither side can block the other."""
        deadline = time.monotonic() + seconds
        unsent, received = memoryview(request), bytearray()
        wanted = frames.LENGTHS.size
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
                    sizes = frames.lengths(bytes(received))
                    wanted += sum(sizes)
        start = frames.LENGTHS.size
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
                leavings.clear(self._uid)
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


def interpreter(folder: Path) -> tuple[str, int | None]:
    """The Python for a guest, and the user it changes to (None: it keeps the one it has).

    As root, that is an interpreter which any user can read: this one, or the system's of the same
    version, since NumPy is compiled for one.
    """
    mine = os.path.realpath(sys.executable)
    if os.name != "posix" or os.geteuid() != 0 or not anyone_may_read(np.__file__, str(folder)):
        return mine, None
    uid = unused_uid()
    if anyone_may_read(mine, os.__file__):
        return mine, uid
    for place in ("/usr/bin", "/usr/local/bin"):
        other = f"{place}/python3.{sys.version_info.minor}"
        if Path(other).exists() and anyone_may_read(other):
            return other, uid
    return mine, None


def unused_uid() -> int:
    """A random high user id without a name and without a process."""
    while True:
        uid = (1 << 24) + secrets.randbelow(1 << 29)
        try:
            pwd.getpwuid(uid)
        except KeyError:
            if next(leavings.processes(uid), None) is None:
                return uid


def anyone_may_read(*paths: str) -> bool:
    """Whether every user can read these files and enter the folders that lead to them."""
    for path in (Path(os.path.realpath(path)) for path in paths):
        if not path.stat().st_mode & 0o004:
            return False
        if not all(parent.stat().st_mode & 0o001 for parent in path.parents):
            return False
    return True


@dataclass
class Budget:
    """The seconds that a submission may still be asked for, over all its guests."""

    seconds: float


@dataclass(frozen=True)
class StandIn:
    """A right helper: its source, and the file of the failed one.

    Where that file does not load, the right helper stands in for the whole of it.
    """

    function: str
    source: str
    file: str
    loads: bool


@dataclass(frozen=True)
class Exchange:
    """One question and its outcome, for diagnose()."""

    function: str
    arguments: tuple[Any, ...]
    keywords: dict[str, bool]
    outcome: frames.Reply | StudentFault


@dataclass
class Student:
    """Asks a submission's functions and remembers what they answered.

    Every method raises StudentFault where the student's code gives no answer.
    """

    submission: Submission
    limits: Limits
    budget: Budget
    stand_ins: tuple[StandIn, ...] = ()
    start: Callable[[Submission, Limits], Answering] = Guest
    transcript: list[Exchange] = field(default_factory=list)
    isolation: list[str] = field(default_factory=list)
    _guest: Answering | None = None
    _loaded: set[str] = field(default_factory=set)
    _import_faults: dict[str, StudentFault] = field(default_factory=dict)
    _deaths: dict[tuple[Any, ...], list[StudentFault]] = field(default_factory=dict)

    def softmax(self, scores: NDArray[Any]) -> reading.FloatArray:
        """The weights (T, N) for scores (T, N)."""
        return reading.read_softmax(self.reply("softmax", scores))

    def causal_mask(self, n: int) -> NDArray[np.bool_]:
        """The mask (n, n)."""
        return reading.read_mask(self.reply("causal_mask", n))

    def attention(
        self,
        X: NDArray[Any],
        W_q: NDArray[Any],
        W_k: NDArray[Any],
        W_v: NDArray[Any],
        **causal: bool,
    ) -> reading.Head:
        """Output and weights; `causal` is passed on only where it is given."""
        arguments = (X, W_q, W_k, W_v)
        return reading.read_head(self.reply("attention", *arguments, **causal), arguments)

    def reply(self, function: str, *arguments: Any, **keywords: bool) -> frames.Reply:
        """The reply as it came, for the tests of form."""
        try:
            reply = self._ask(function, arguments, keywords)
        except StudentFault as fault:
            self.transcript.append(Exchange(function, arguments, keywords, fault))
            raise
        self.transcript.append(Exchange(function, arguments, keywords, reply))
        # Whoever returns no numbers has no form to be judged.
        reading.read(function, reply, arguments)
        return reply

    def loads(self, file: str) -> bool:
        """Whether a file can be imported, as far as it has been tried."""
        return file not in self._import_faults

    def close(self) -> None:
        if self._guest is not None:
            self._guest.close()
            self._guest = None
        self._loaded.clear()

    def _ask(
        self, function: str, arguments: tuple[Any, ...], keywords: dict[str, bool]
    ) -> frames.Reply:
        file = self.submission.file_of(function)
        key = (function, keywords.get("causal"))
        if self._given_up(key):
            raise self._deaths[key][-1].again()
        self._load(file)
        header: dict[str, Any] = {
            "ask": "call",
            "file": file,
            "function": function,
            "keywords": keywords,
            "arguments": [describe(argument) for argument in arguments],
        }
        arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
        doing = words.Doing(function, "call")
        outcome = self._request(header, arrays, key, doing)
        if isinstance(outcome, frames.Raised):
            raise words.raised(outcome, doing, self.submission)
        assert outcome is not None
        return outcome

    def _load(self, file: str) -> None:
        """Imports a file in the guest, after the stand-ins; its fault is remembered."""
        if file in self._import_faults:
            raise self._import_faults[file].again()
        if file in self._loaded:
            return
        doing = words.Doing(file, "import")
        try:
            requests = [{"ask": "stand_in", **asdict(stand_in)} for stand_in in self.stand_ins]
            for request in [*requests, {"ask": "load", "file": file}]:
                outcome = self._request(request, [], (file,), doing)
                if isinstance(outcome, frames.Raised):
                    raise words.raised(outcome, doing, self.submission)
        except StudentFault as fault:
            if self._guest is not None or self._given_up((file,)):
                self._import_faults[file] = fault
            raise
        self._loaded.add(file)

    def _given_up(self, key: tuple[Any, ...]) -> bool:
        return len(self._deaths.get(key, [])) >= DEATHS_BEFORE_GIVING_UP

    def _request(
        self,
        header: dict[str, Any],
        arrays: list[NDArray[Any]],
        key: tuple[Any, ...],
        doing: words.Doing,
    ) -> frames.Reply | frames.Raised | None:
        """Asks the guest, within the call's deadline and the budget; `key` counts the deaths."""
        if self.budget.seconds <= 0:
            raise words.budget_spent(self.limits)
        guest = self._guest or self._start()
        seconds = min(self.limits.call_seconds, self.budget.seconds)
        started = time.monotonic()
        try:
            outcome = guest.ask(header, arrays, seconds)
            wanted = frames.Reply if header["ask"] == "call" else type(None)
            if not isinstance(outcome, (wanted, frames.Raised)):
                raise frames.BadFrame("a reply of another kind")
            return outcome
        except GuestDied as death:
            fault = words.died(death.returncode, doing)
        except GuestLate:
            fault = words.late(doing, self.limits)
        except frames.BadFrame:
            fault = words.bad_frame()
        finally:
            self.budget.seconds -= time.monotonic() - started
        self._deaths.setdefault(key, []).append(fault)
        self.close()
        raise fault

    def _start(self) -> Answering:
        self._guest = self.start(self.submission, self.limits)
        self.isolation = self._guest.isolation
        return self._guest


def describe(argument: Any) -> dict[str, Any]:
    """How an argument stands in a request's header."""
    if isinstance(argument, np.ndarray):
        return {"dtype": argument.dtype.str, "shape": list(argument.shape)}
    return {"integer": int(argument)}
