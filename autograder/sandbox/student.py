"""Asks a submission's functions, remembers what they answered, and names what went wrong."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.intake.submission import Submission
from autograder.manifest import Limits
from autograder.report import StudentFault
from autograder.sandbox import messages, protocol, reading
from autograder.sandbox.process import Answering, Guest, GuestDied, GuestLate

DEATHS_BEFORE_GIVING_UP = 2


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
    outcome: protocol.Reply | StudentFault


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

    def reply(self, function: str, *arguments: Any, **keywords: bool) -> protocol.Reply:
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
    ) -> protocol.Reply:
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
        doing = messages.Doing(function, "call")
        outcome = self._request(header, arrays, key, doing)
        if isinstance(outcome, protocol.Raised):
            raise messages.raised(outcome, doing, self.submission)
        assert outcome is not None
        return outcome

    def _load(self, file: str) -> None:
        """Imports a file in the guest, after the stand-ins; its fault is remembered."""
        if file in self._import_faults:
            raise self._import_faults[file].again()
        if file in self._loaded:
            return
        doing = messages.Doing(file, "import")
        try:
            requests = [{"ask": "stand_in", **asdict(stand_in)} for stand_in in self.stand_ins]
            for request in [*requests, {"ask": "load", "file": file}]:
                outcome = self._request(request, [], (file,), doing)
                if isinstance(outcome, protocol.Raised):
                    raise messages.raised(outcome, doing, self.submission)
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
        doing: messages.Doing,
    ) -> protocol.Reply | protocol.Raised | None:
        """Asks the guest, within the call's deadline and the budget; `key` counts the deaths."""
        if self.budget.seconds <= 0:
            raise messages.budget_spent(self.limits)
        guest = self._guest or self._start()
        seconds = min(self.limits.call_seconds, self.budget.seconds)
        started = time.monotonic()
        try:
            outcome = guest.ask(header, arrays, seconds)
            wanted = protocol.Reply if header["ask"] == "call" else type(None)
            if not isinstance(outcome, (wanted, protocol.Raised)):
                raise protocol.BadFrame("a reply of another kind")
            return outcome
        except GuestDied as death:
            fault = messages.died(death.returncode, doing)
        except GuestLate:
            fault = messages.late(doing, self.limits)
        except protocol.BadFrame:
            fault = messages.bad_frame()
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
