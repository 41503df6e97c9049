"""Asks a submission's functions, remembers what they answered, and names what went wrong."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.budget import Budget
from autograder.intake.submission import Submission
from autograder.manifest import Limits
from autograder.report import StudentFault
from autograder.sandbox import messages, protocol
from autograder.sandbox.process import Answering, Guest, GuestDied, GuestLate

DEATHS_BEFORE_GIVING_UP = 2
# For a call whose guest was started with the last of the budget.
LEAST_SECONDS = 0.1
# What Python raises where a reply has another form than whoever looks at it expects.
UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

# Arguments and keywords as a function takes them whose parameters are not those asked for.
Asking = Callable[[tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]
# What an exercise's contract reads in a reply to these arguments; StudentFault where it is nothing.
Reader = Callable[[protocol.Reply, tuple[Any, ...]], Any]


@dataclass(frozen=True)
class Replacement:
    """A right helper in place of a failed one: its source, and the file of the failed one.

    Where that file does not load, the right helper takes the place of the whole of it.
    """

    function: str
    source: str
    file: str
    loads: bool


@dataclass(frozen=True)
class Earlier:
    """An argument: one result of an earlier call, handed back as the object that it was.

    item counts the results of a tuple or list from 0. The call must have been kept.
    """

    answer: Any
    item: int


@dataclass(frozen=True)
class Exchange:
    """One question, and what was read in the answer or the fault in its place.

    An Earlier among the arguments stands there as the array that had come back.
    """

    function: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    outcome: Any


@dataclass
class Shown:
    """What exceptions the public examples raised, in the words for them.

    A guest that has seen a hidden input could tell of it by the class and the line of what it
    raises; so those are told only where the same was raised before it knew any.
    """

    raised: dict[tuple[str, protocol.Raised], StudentFault] = field(default_factory=dict)

    def keep(self, doing: messages.Doing, what: protocol.Raised, fault: StudentFault) -> None:
        self.raised.setdefault((str(doing), replace(what, message="")), fault)

    def name(self, shown: StudentFault, misconception: tuple[str, str]) -> None:
        """Names an exception that every example raised, and adds the hint to its words."""
        name, hint = misconception
        for fault in self.raised.values():
            if fault is shown and name:
                fault.misconception, fault.words = name, f"{fault.words} {hint}"

    def fault(
        self, doing: messages.Doing, what: protocol.Raised, fault: StudentFault
    ) -> StudentFault:
        """The words of the public example where it raised the same, and else fixed ones."""
        known = self.raised.get((str(doing), replace(what, message="")))
        return known.again() if known else messages.without_place(fault, doing)


@dataclass
class Student:
    """Asks a submission's functions; knows no exercise but by the readers of its functions.

    `askings` are of functions that take their arguments in another way than it was asked for.
    `public` says that no secret is asked: then all of an exception may be told, and is noted in
    `shown` for whoever asks the same function hidden questions.
    """

    submission: Submission
    limits: Limits
    budget: Budget
    readers: Mapping[str, Reader]
    replacements: tuple[Replacement, ...] = ()
    shown: Shown = field(default_factory=Shown)
    public: bool = False
    start: Callable[[Submission, Limits], Answering] = Guest
    askings: Mapping[str, Asking] = field(default_factory=dict)
    transcript: list[Exchange] = field(default_factory=list)
    isolation: list[str] = field(default_factory=list)
    _guest: Answering | None = None
    _loaded: set[str] = field(default_factory=set)
    _import_faults: dict[str, StudentFault] = field(default_factory=dict)
    _deaths: dict[tuple[Any, ...], list[StudentFault]] = field(default_factory=dict)
    _kept: dict[int, Answering] = field(default_factory=dict)

    def call(self, function: str, *arguments: Any, **keywords: Any) -> Any:
        """What the function's reader makes of its reply.

        Arguments are arrays, integers or Earlier; keywords are booleans or numbers. Raises
        StudentFault where the student's code gives no answer, or none that can be judged.
        """
        return self._exchange(function, arguments, keywords, keep=False)

    def call_and_keep(self, function: str, *arguments: Any, **keywords: Any) -> Any:
        """The same; what came back stays in the guest, so that Earlier can hand it on."""
        return self._exchange(function, arguments, keywords, keep=True)

    def loads(self, file: str) -> bool:
        """Whether a file can be imported, as far as it has been tried."""
        return file not in self._import_faults

    def close(self) -> None:
        if self._guest is not None:
            self._guest.close()
            self._guest = None
        self._loaded.clear()

    def _exchange(
        self, function: str, arguments: tuple[Any, ...], keywords: dict[str, Any], keep: bool
    ) -> Any:
        seen = tuple(map(as_it_came_back, arguments))
        try:
            asking = self.askings.get(function)
            asked = asking(arguments, keywords) if asking else (arguments, keywords)
            reply = self._ask(function, *asked, keep)
            answer = self._read(function, reply, seen)
        except StudentFault as fault:
            self.transcript.append(Exchange(function, seen, keywords, fault))
            raise
        if keep:
            assert self._guest is not None
            self._kept[id(answer)] = self._guest
        self.transcript.append(Exchange(function, seen, keywords, answer))
        return answer

    def _read(self, function: str, reply: protocol.Reply, arguments: tuple[Any, ...]) -> Any:
        try:
            return self.readers[function](reply, arguments)
        except UNFIT as error:
            raise messages.unfit(messages.Doing(function, "call")) from error

    def _ask(
        self, function: str, arguments: tuple[Any, ...], keywords: dict[str, Any], keep: bool
    ) -> protocol.Reply:
        file = self.submission.file_of(function)
        key = (function, *sorted(keywords.items()))
        if self._given_up(key):
            raise self._deaths[key][-1].again()
        self._load(file)
        kept = [argument for argument in arguments if isinstance(argument, Earlier)]
        if any(self._kept.get(id(earlier.answer)) is not self._guest for earlier in kept):
            raise messages.lost(function)
        header: dict[str, Any] = {
            "ask": "call",
            "file": file,
            "function": function,
            "keywords": keywords,
            "arguments": [describe(argument) for argument in arguments],
            "keep": keep,
            "most": protocol.most_numbers(arguments, keywords.values()),
        }
        arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
        doing = messages.Doing(function, "call")
        outcome = self._request(header, arrays, key, doing)
        if isinstance(outcome, protocol.Raised):
            fault = self._fault(outcome, doing)
            if outcome.error == "MemoryError":
                # Each takes as long as filling the memory does: two are enough, as of deaths.
                self._deaths.setdefault(key, []).append(fault)
            raise fault
        assert outcome is not None
        return outcome

    def _load(self, file: str) -> None:
        """Imports a file in the guest, after the replacements; its fault is remembered."""
        if file in self._import_faults:
            raise self._import_faults[file].again()
        if file in self._loaded:
            return
        doing = messages.Doing(file, "import")
        try:
            requests = [{"ask": "replace", **asdict(one)} for one in self.replacements]
            for request in [*requests, {"ask": "load", "file": file}]:
                outcome = self._request(request, [], (file,), doing)
                if isinstance(outcome, protocol.Raised):
                    raise self._fault(outcome, doing)
        except StudentFault as fault:
            if self._guest is not None or self._given_up((file,)):
                self._import_faults[file] = fault
            raise
        self._loaded.add(file)

    def _fault(self, what: protocol.Raised, doing: messages.Doing) -> StudentFault:
        """The words for an exception, as much of it as may be told."""
        # Without these, a message could hold what it read in somebody's files.
        if not {"landlock", "uid"} & {*self.isolation}:
            what = replace(what, message="")
        fault = messages.raised(what, doing, self.submission)
        if self.public:
            self.shown.keep(doing, what, fault)
            return fault
        return self.shown.fault(doing, what, fault)

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
        if self.budget.left <= 0:
            raise self._spent()
        seconds = self.limits.call_seconds
        try:
            # Its start counts too: nobody dies so often that the grader is held by starting.
            guest = self._guest or self._start()
            header = {**header, "public": self.public}
            seconds = min(seconds, max(self.budget.left, LEAST_SECONDS))
            outcome = guest.ask(header, arrays, seconds)
            wanted = protocol.Reply if header["ask"] == "call" else type(None)
            if not isinstance(outcome, (wanted, protocol.Raised)):
                raise protocol.BadFrame("a reply of another kind")
            return outcome
        except GuestDied as death:
            fault = messages.died(death.returncode, doing)
        except GuestLate:
            whole = seconds >= self.limits.call_seconds
            fault = messages.late(doing, self.limits) if whole else self._spent()
        except protocol.BadFrame:
            fault = messages.bad_frame()
        self._deaths.setdefault(key, []).append(fault)
        self.close()
        raise fault

    def _spent(self) -> StudentFault:
        return messages.budget_spent(self.limits)

    def _start(self) -> Answering:
        self._guest = self.start(self.submission, self.limits)
        self.isolation = self._guest.isolation
        return self._guest


def as_it_came_back(argument: Any) -> Any:
    """The values of an earlier result; every other argument as it is."""
    if isinstance(argument, Earlier):
        return argument.answer.reply.results[argument.item].values
    return argument


def describe(argument: Any) -> dict[str, Any]:
    """How an argument stands in a request's header."""
    if isinstance(argument, np.ndarray):
        return {"dtype": argument.dtype.str, "shape": list(argument.shape)}
    if isinstance(argument, Earlier):
        return {"kept": argument.answer.reply.number, "item": argument.item}
    if isinstance(argument, bool):
        return {"boolean": argument}
    return {"integer": int(argument)}
