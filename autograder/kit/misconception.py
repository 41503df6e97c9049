"""Names a mistake: a wrong version is the right one with one edit, or with two.

An exercise describes its function as a configuration: choices, each with a right option. A
misconception is a named edit: other options for one choice or a few. explain() looks for the fewest
edits that give every answer of a student; what it tries is counted, never timed.
"""

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.report import StudentFault

# Wrong versions compute what they like; annotations would only say Any.
Array = Any
# Options by the name of the choice: what stands there in place of the right option.
Way = Mapping[str, Any]

# How far two computations of one thing may lie apart, and what rounding alone makes of it.
RELATIVE, ABSOLUTE, ROUNDING = 1e-5, 1e-8, 1e-12
# Below this a share has vanished, whatever order of the same operations it comes from.
VANISHED = 1e-290
# Python's floats raise where NumPy's give infinity or NaN.
NUMERIC = {"OverflowError", "ZeroDivisionError"}
PAIRS_TRIED, ESTIMATES_TRIED = 1500, 30
TWO_ANSWERS = (
    "Asked the same question twice, your function gives two answers: something is kept from an "
    "earlier call, or drawn at random."
)


@dataclass
class Observation:
    """One question and what a student's function made of it: arrays, or the exception raised.

    memo is for a configuration, which may keep there what it computed from the arguments; pivots
    are the places of the arrays that lie furthest from the right ones.
    """

    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]
    arrays: tuple[NDArray[np.float64], ...] = ()
    raised: str = ""
    memo: dict[Any, Any] = field(default_factory=dict)
    pivots: tuple[int, ...] = (0, 0, 0)


Observations = Sequence[Observation]
Claim = Callable[[Observations], bool]
Estimate = Callable[[Observations, Way], Iterable[Way]]


def explained(observations: Observations) -> bool:
    """For a hint that says no more than what the edit does: its answers are the student's."""
    return True


@dataclass(frozen=True)
class Misconception:
    """A named edit: the ways in which it is made, and the hint that it is met with.

    estimate gives further ways, with numbers read off the answers, where the edits of another
    mistake are made too. claims tells whether the hint is true of given answers. test is the hidden
    test that is there to see it; form the fault of form that it shows too, not named beside it.
    Two of one stage are never tried together. apart says that its estimate is not read again beside
    another mistake, which does not change what it reads. versions are for a fault of form, which
    names itself.
    """

    name: str
    test: str
    hint: str
    stage: str = ""
    ways: tuple[Way, ...] = ()
    estimate: Estimate | None = None
    claims: Claim = explained
    form: str = ""
    versions: tuple[Callable[..., Any], ...] = ()
    apart: bool = False


@dataclass(frozen=True)
class Stage:
    """What can be said where no version explains all, and of which answers it is true.

    name is that of the misconception whose hint it is, if it is one's.
    """

    sentence: str
    claims: Callable[["Configuration", Observations], bool]
    name: str = ""


class Choices:
    """The options of one version; remembers which choices were asked for."""

    def __init__(self, way: Way, bits: Mapping[str, int]) -> None:
        self.way, self.bits, self.seen = way, bits, 0

    def __call__(self, choice: str, right: Any) -> Any:
        self.seen |= self.bits.get(choice, 0)
        return self.way.get(choice, right)


# Yields each result with its place among the results, as soon as it is known.
Compute = Callable[[Callable[[str, Any], Any], Observation], Iterator[tuple[int, Array]]]


@dataclass(frozen=True)
class Configuration:
    """A function as choices: how it is computed from them, and the edits that are mistakes.

    styles are edits that are no mistake by themselves: tried beside one that is. results is their
    number; sentences are told, the first that is true, where nothing is named.
    """

    function: str
    compute: Compute
    misconceptions: tuple[Misconception, ...]
    styles: tuple[Way, ...] = ()
    results: int = 1
    sentences: tuple[Stage, ...] = ()
    forms: tuple[Misconception, ...] = ()

    def version(self, way: Way) -> Callable[..., Any]:
        """The wrong version itself, as a function."""

        def wrong(*arguments: Any, **keywords: Any) -> Any:
            found = dict(self.compute(Choices(way, {}), Observation(arguments, keywords)))
            results = tuple(found[place] for place in sorted(found))
            return results[0] if self.results == 1 else results

        return wrong

    def without(self, *names: str) -> "Configuration":
        """The same, these misconceptions unknown."""
        kept = tuple(one for one in self.misconceptions if one.name not in names)
        return Configuration(
            self.function, self.compute, kept, self.styles, self.results, self.sentences
        )


@dataclass(frozen=True)
class Found:
    """What explains every answer of a function: nothing, one mistake or two."""

    misconceptions: tuple[Misconception, ...] = ()
    way: Way = field(default_factory=dict)
    tried: int = 0


def observe(exchanges: Iterable[Any]) -> list[Observation]:
    """Each different question once, in the order asked; repeated ones are left out."""
    found: dict[Any, Observation] = {}
    for exchange in exchanges:
        found.setdefault(question(exchange), observation(exchange))
    return list(found.values())


# What the grader's limits put in the place of an answer.
UNANSWERED = ("crashed", "not_run", "out_of_memory", "timeout")


def answers_change(exchanges: Iterable[Any]) -> bool:
    """Whether one question was answered in two ways; running out of time is no way to answer."""
    found: dict[Any, Observation] = {}
    for exchange in exchanges:
        if isinstance(exchange.outcome, StudentFault) and exchange.outcome.verdict in UNANSWERED:
            continue
        now = observation(exchange)
        first = found.setdefault(question(exchange), now)
        if first is now:
            continue
        if first.raised != now.raised or len(first.arrays) != len(now.arrays):
            return True
        if any(difference(*pair) is None for pair in zip(first.arrays, now.arrays, strict=True)):
            return True
    return False


def question(exchange: Any) -> Any:
    """What was asked, so that two of them can be held together."""
    arguments = tuple(
        (argument.shape, argument.dtype.str, argument.tobytes())
        if isinstance(argument, np.ndarray)
        else argument
        for argument in exchange.arguments
    )
    return arguments, tuple(sorted(exchange.keywords.items()))


def observation(exchange: Any) -> Observation:
    outcome = exchange.outcome
    if isinstance(outcome, StudentFault):
        return Observation(exchange.arguments, exchange.keywords, (), outcome.raised or "nothing")
    return Observation(exchange.arguments, exchange.keywords, outcome.arrays)


# --- something kept from one call to the next ----------------------------------------------------

ORDINARY = 50


def only_first_is_right(configuration: Configuration, observations: Observations) -> bool:
    """Whether answers are right for the first arrays of a shape, and wrong for all later ones.

    Of ordinary numbers alone: others are answered wrongly for other reasons.
    """
    firsts: dict[str, list[Any]] = {}
    later = 0
    for one in observations:
        arrays = [item for item in one.arguments if isinstance(item, np.ndarray)]
        if not arrays or any(not (np.abs(array) < ORDINARY).all() for array in arrays):
            continue
        kind = str([(array.shape, array.dtype.kind) for array in arrays])
        same = all(map(np.array_equal, firsts.setdefault(kind, arrays), arrays))
        later += not same
        if is_right(configuration, one) != same:
            return False
    return later > 1


def is_right(configuration: Configuration, asked: Observation) -> bool:
    """Whether every result of an answer is the right one."""
    right = configuration.version({})(*asked.arguments, **asked.keywords)
    expected = right if isinstance(right, tuple) else (right,)
    return len(asked.arrays) >= len(expected) and all(
        difference(array, wanted) is not None
        for array, wanted in zip(asked.arrays, expected, strict=False)
    )


KEPT = Stage(
    "The first answers for arrays of one shape were right, and each later one, for other numbers, "
    "was not: is something kept from an earlier call?",
    only_first_is_right,
)

# --- one version against the answers -------------------------------------------------------------


@dataclass(frozen=True)
class Trace:
    """A version on one question: its distance from the answer, None where it gives another.

    seen holds the choices that it had asked for by the time that this was known; lost is whether
    its numbers were lost to infinity or NaN, or an exception is on one side.
    """

    distance: float | None
    seen: int
    lost: bool = False


def difference(theirs: NDArray[Any], ours: Array, pivot: int = 0) -> float | None:
    """The largest gap between two arrays that are alike; None where they are not.

    Alike is: equal to a few digits, with NaN, infinity and exact zeros in the same places. Most
    arrays that are not alike differ at the pivot already, a place counted over the whole array.
    """
    ours = np.asarray(ours, dtype=np.float64)
    if theirs.shape != ours.shape:
        return None
    if not theirs.size:
        return 0.0
    one, other = theirs.item(pivot), ours.item(pivot)
    if abs(one - other) > ABSOLUTE + RELATIVE * abs(other):
        return None
    size = np.abs(ours)
    gap = np.abs(theirs - ours)
    near = gap <= ABSOLUTE + RELATIVE * size
    finite = size < np.inf
    if not (near & finite).all():
        same = (theirs == ours) | ((theirs != theirs) & (ours != ours))
        if not (same | (near & finite)).all():
            return None
        gap = np.where(finite & near, gap, 0.0)
    if ((np.abs(theirs) < VANISHED) != (size < VANISHED)).any():
        return None
    largest = float(gap.max())
    return largest if largest > ROUNDING else 0.0


def built_in(error: Exception) -> str:
    """The built-in class of an exception, as a guest names it."""
    kinds = (kind.__name__ for kind in type(error).__mro__)
    return next(name for name in kinds if hasattr(builtins, name))


class Search:
    """Every version that is tried against one student's answers; tried counts them."""

    def __init__(self, configuration: Configuration, observations: Observations) -> None:
        self.compute = configuration.compute
        self.misconceptions = configuration.misconceptions
        self.styles = configuration.styles
        self.observations = list(observations)
        self.tried = 0
        self.mendable: list[tuple[int, Way]] = []
        self.listed = [
            (number, way, rank)
            for number, one in enumerate(self.misconceptions)
            for rank, way in enumerate([*one.ways, *self.estimated(one, {})])
        ]
        choices = {choice for _, way, _ in self.listed for choice in way}
        self.bits = {choice: 1 << place for place, choice in enumerate(sorted(choices))}
        self.masks = [self.mask(way) for _, way, _ in self.listed]
        turned = [self.turn(one) for one in self.observations]
        right = [
            self.held(one, results, seen)
            for one, (results, seen) in zip(self.observations, turned, strict=True)
        ]
        # Wrong answers to plain questions first: these reach the fewest choices, and an edit that
        # leaves them as they are explains nothing.
        order = sorted(
            range(len(self.observations)),
            key=lambda place: (
                right[place].distance is not None,
                right[place].seen.bit_count(),
                bool(self.observations[place].raised),
                place,
            ),
        )
        self.observations = [self.observations[place] for place in order]
        self.right = [right[place] for place in order]
        self.turned = [turned[place][0] for place in order]
        self.leading = [next(iter(results), 0) for results in self.turned]

    @property
    def shows_numbers(self) -> bool:
        """Whether some wrong answer is made of numbers, none of them NaN."""
        return any(
            trace.distance is None
            and bool(asked.arrays)
            and not any(np.isnan(array).any() for array in asked.arrays)
            for asked, trace in zip(self.observations, self.right, strict=True)
        )

    def turn(self, asked: Observation) -> tuple[dict[int, NDArray[Any]], int]:
        """The right results of a question, and the choices asked for; sets the answer's pivots."""
        choices = Choices({}, self.bits)
        right = {
            place: np.asarray(array, dtype=np.float64)
            for place, array in self.compute(choices, asked)
        }
        pivots = [0, 0, 0]
        for place, array in enumerate(asked.arrays):
            if place in right and right[place].shape == array.shape and array.size:
                gap = np.abs(array - right[place])
                pivots[place] = int(np.where(np.isfinite(gap), gap, -1.0).argmax())
        asked.pivots = tuple(pivots)
        return right, choices.seen

    def held(self, asked: Observation, right: dict[int, NDArray[Any]], seen: int) -> Trace:
        """The right results against the answer."""
        if asked.raised:
            return Trace(None, seen, lost=True)
        gaps = [
            difference(array, right[place], asked.pivots[place])
            for place, array in enumerate(asked.arrays)
            if place in right
        ]
        told = [gap for gap in gaps if gap is not None]
        return Trace(max(told, default=0.0) if len(told) == len(gaps) else None, seen)

    def estimated(self, misconception: Misconception, others: Way) -> list[Way]:
        if misconception.estimate is None:
            return []
        return [{**way} for way in misconception.estimate(self.observations, others)]

    def mask(self, way: Way) -> int:
        """The choices of a way, as bits."""
        found = 0
        for choice in way:
            found |= self.bits.get(choice, 0)
        return found

    def trace(self, way: Way, asked: Observation, watched: bool = False) -> Trace:
        """A version against one answer; what it asks for is noted only where it is watched."""
        choices = Choices(way, self.bits)
        distance, lost = 0.0, False
        try:
            for place, ours in self.compute(choices if watched else way.get, asked):
                if asked.raised:
                    lost = lost or not np.isfinite(ours).all()
                elif place < len(asked.arrays):
                    gap = difference(asked.arrays[place], ours, asked.pivots[place])
                    if gap is None:
                        return Trace(None, choices.seen, not np.isfinite(ours).all())
                    distance = max(distance, gap)
        except Exception as error:
            same = bool(asked.raised) and built_in(error) == asked.raised
            return Trace(0.0 if same else None, choices.seen, lost=True)
        if asked.raised:
            return Trace(0.0 if lost and asked.raised in NUMERIC else None, choices.seen, lost=True)
        return Trace(distance, choices.seen)

    def alone(self, way: Way, place: int) -> "Alone":
        """What a way does to one question by itself: to the answer, and to the right results."""
        asked, right = self.observations[place], self.turned[place]
        if asked.raised or not right:
            trace = self.trace(way, asked, watched=True)
            return Alone(trace.distance is None, trace.seen)
        choices, told = Choices(way, self.bits), self.right[place].distance is None
        wrong, neutral, seen, broken = False, True, 0, 0
        try:
            for number, ours in self.compute(choices, asked):
                results = np.asarray(ours, dtype=np.float64)
                if neutral and difference(right[number], results) is None:
                    neutral, broken = False, self.breaks(place, number, results)
                if number < len(asked.arrays) and not wrong:
                    gap = difference(asked.arrays[number], results, asked.pivots[number])
                    wrong, seen = gap is None, choices.seen
                if wrong and not neutral:
                    break
        except Exception:
            return Alone(True, choices.seen, raises=True)
        return Alone(wrong, seen if wrong else choices.seen, told and neutral, broken)

    def breaks(self, place: int, number: int, results: NDArray[Any]) -> int:
        """What of the right result is lost: 1 the sums along rows, 2 its zeros, 4 the lack of NaN.

        An edit of something earlier does not bring it back. UNSURE: sums are off by little, as
        those of rounded shares are or, by chance, are not.
        """
        right = self.turned[place][number]
        if results.shape != right.shape or results.ndim == 0 or number != self.leading[place]:
            return 0
        zeros = bool(((results == 0) != (right == 0)).any())
        lost = bool(np.isnan(results).any())
        sums = difference(right.sum(axis=-1), results.sum(axis=-1)) is None and not lost
        if sums and np.abs(right.sum(axis=-1) - results.sum(axis=-1)).max() < 0.3:
            return UNSURE
        return sums + 2 * zeros + 4 * lost

    def broken(self, place: int) -> int | None:
        """The same of the student's answer; None where it can tell nothing about a pair."""
        asked, right = self.observations[place], self.turned[place]
        number = self.leading[place]
        if asked.raised or number >= len(asked.arrays) or not right:
            return None
        expected, shown = right[number], asked.arrays[number]
        small = (np.abs(expected) > 0) & (np.abs(expected) < 1e-6)
        if small.any() or shown.shape != expected.shape or not np.isfinite(expected).all():
            return None
        found = self.breaks(place, number, shown)
        return None if found == UNSURE else found

    def distance(self, way: Way) -> float | None:
        """How far a version is from all answers; None from the first that it does not give."""
        self.tried += 1
        largest = 0.0
        for asked in self.observations:
            gap = self.trace(way, asked).distance
            if gap is None:
                return None
            largest = max(largest, gap)
        return largest


@dataclass(frozen=True)
class Alone:
    """What a way does to one question: see Search.alone."""

    wrong: bool
    seen: int
    neutral: bool = False
    broken: int = 0
    raises: bool = False


# More than all that Search.breaks adds up.
UNSURE = 8

# A way that no pair is left of.
DEAD = Alone(True, 0, raises=True)


@dataclass(frozen=True)
class Candidate:
    misconceptions: tuple[int, ...]
    way: Way
    distance: float


def explain(configuration: Configuration, observations: Observations) -> Found:
    """The fewest misconceptions that together give every answer; none where that is in doubt.

    Where several of one number do, the nearest; where these have other names and other hints,
    nothing is named.
    """
    if not observations:
        return Found()
    with np.errstate(all="ignore"):
        search = Search(configuration, observations)
        kinds = {one.raised for one in observations}
        wrong = any(trace.distance is None for trace in search.right)
        # One exception whatever is asked could be anybody's.
        if not wrong or (len(kinds) == 1 and kinds != {""}):
            return Found()
        # Lost numbers alone do not tell two mistakes from one.
        for stage in (singles, styled, pairs) if search.shows_numbers else (singles, styled):
            found = chosen(configuration, list(stage(search)))
            if found is not None:
                return Found(*found, search.tried)
        return Found(tried=search.tried)


def chosen(
    configuration: Configuration, candidates: list[Candidate]
) -> tuple[tuple[Misconception, ...], Way] | None:
    """The nearest; () where others are as near and mean something else; None without any."""
    if not candidates:
        return None
    # An edit that another explanation does without shows nothing.
    shorter = [{*one.way.items()} for one in candidates]
    candidates = [
        one
        for one, way in zip(candidates, shorter, strict=True)
        if not any(other < way for other in shorter)
    ]
    nearest = min(candidates, key=lambda one: one.distance)
    rivals = [one for one in candidates if one.distance <= max(10 * nearest.distance, ROUNDING)]
    first = min(rivals, key=lambda one: (one.misconceptions, one.distance))

    def meant(one: Candidate) -> set[str]:
        return {configuration.misconceptions[number].hint for number in one.misconceptions}

    if any(meant(one) != meant(first) for one in rivals):
        return (), {}
    return tuple(configuration.misconceptions[number] for number in first.misconceptions), first.way


def singles(search: Search) -> Iterator[Candidate]:
    first, reached = search.observations[0], search.right[0].seen
    for (number, way, _), mask in zip(search.listed, search.masks, strict=True):
        if search.right[0].distance is None:
            # What the plainest wrong answer never asks for cannot explain it.
            if not mask & reached:
                continue
            trace = search.trace(way, first)
            if trace.distance is None:
                search.tried += 1
                if trace.lost or first.raised:
                    search.mendable.append((number, way))
                continue
        distance = search.distance(way)
        if distance is not None:
            yield Candidate((number,), way, distance)
        else:
            search.mendable.append((number, way))


def styled(search: Search) -> Iterator[Candidate]:
    """One misconception, beside a style that is none: where it got to NaN, or to an exception."""
    for style in search.styles:
        for number, way in search.mendable:
            if not {*way} & {*style}:
                both = {**style, **way}
                distance = search.distance(both)
                if distance is not None:
                    yield Candidate((number,), both, distance)


def pairs(search: Search) -> Iterator[Candidate]:
    """Two misconceptions of different stages.

    An answer that one of the two leaves as it is has to be explained by the other alone, and one
    that has gone wrong before the choices of the other are asked for is not mended by them: so most
    pairs are ruled out by what each of the two does alone on a few questions. Of the others, those
    of the likeliest ways are tried first.
    """
    listed = search.listed
    stages = sorted({one.stage for one in search.misconceptions})
    bits = np.array(search.masks, dtype=np.int64)
    stage = np.array([stages.index(search.misconceptions[one[0]].stage) for one in listed])
    rank = np.array([one[2] for one in listed])
    alive = (bits[:, None] & bits[None, :]) == 0
    alive &= stage[:, None] != stage[None, :]
    rows = []
    for place in sieves(search):
        live = alive.any(axis=0) | alive.any(axis=1)
        alone = [
            search.alone(way, place) if live[number] else DEAD
            for number, (_, way, _) in enumerate(listed)
        ]
        wrong = np.array([one.wrong for one in alone])
        seen = np.array([one.seen for one in alone], dtype=np.int64)
        neutral = np.array([one.neutral for one in alone])
        raises = np.array([one.raises for one in alone])
        broken = np.array([one.broken for one in alone], dtype=np.int64)
        rows.append((wrong, seen))
        dead = wrong[:, None] & (((bits[None, :] & seen[:, None]) == 0) | neutral[None, :])
        alive &= ~(dead | dead.T | raises[:, None] | raises[None, :])
        shown = search.broken(place)
        if shown is not None:
            either = broken[:, None] | broken[None, :]
            alive &= (either == shown) | (either >= UNSURE)
    left, right = np.nonzero(np.triu(alive))
    likeliest = np.argsort(rank[left] + rank[right], kind="stable")[:PAIRS_TRIED]
    for first, second in zip(left[likeliest], right[likeliest], strict=True):
        (number, way, _), (other, beside, _) = listed[first], listed[second]
        both = {**way, **beside}
        distance = search.distance(both)
        if distance is not None:
            yield Candidate((min(number, other), max(number, other)), both, distance)
    yield from estimated_pairs(search, rows)


def estimated_pairs(search: Search, rows: list[tuple[Array, Array]]) -> Iterator[Candidate]:
    """Numbers that are read off the answers depend on the other mistake: they are read again."""
    for other, misconception in enumerate(search.misconceptions):
        if misconception.estimate is None or misconception.apart:
            continue
        tried = 0
        mask = search.mask(misconception.ways[0])
        likeliest = sorted(range(len(search.listed)), key=lambda place: search.listed[place][2])
        for place in likeliest:
            number, way, _ = search.listed[place]
            if search.misconceptions[number].stage == misconception.stage:
                continue
            if any(wrong[place] and not seen[place] & mask for wrong, seen in rows):
                continue
            tried += 1
            if tried > ESTIMATES_TRIED:
                break
            for beside in search.estimated(misconception, way):
                if {*beside} & {*way}:
                    continue
                distance = search.distance({**way, **beside})
                if distance is not None:
                    names = (min(number, other), max(number, other))
                    yield Candidate(names, {**way, **beside}, distance)


def sieves(search: Search) -> list[int]:
    """Of each kind of question, the places of one answered wrongly and of one answered right."""
    found: dict[tuple[int, bool], int] = {}
    for place, trace in enumerate(search.right):
        found.setdefault((trace.seen, trace.distance is None), place)
    return sorted(found.values())[:6]


# --- numbers that a student chose ----------------------------------------------------------------


def nice(number: float, digits: int = 3, tolerance: float = 1e-6) -> list[float]:
    """The short decimal that a number is, if it is one."""
    if not np.isfinite(number) or number == 0:
        return []
    short = float(f"{number:.{digits - 1}e}")
    return [short] if abs(short - number) <= tolerance * abs(number) else []


def decimals(arrays: Iterable[NDArray[Any]]) -> int | None:
    """The number of decimals to which every value is rounded; None where that is more than 8."""
    finite = [array[np.isfinite(array)] for array in arrays]
    for count in range(9):
        if all(np.abs(array - np.round(array, count)).max(initial=0) < 1e-13 for array in finite):
            return count
    return None
