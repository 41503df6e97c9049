"""Whether mistakes are told apart: each way of each, each name left out, and random pairs.

Everything is asked what the hidden tests ask, and searched in this process.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.kit.misconception import (
    Configuration,
    Found,
    Misconception,
    Observation,
    Observations,
    Way,
    built_in,
    explain,
    observe,
)
from autograder.sandbox.student import Exchange

PAIRS = 60
WAYS_LEFT_OUT = 1


@dataclass(frozen=True)
class Questions:
    """What the suite of a function asks, each question once."""

    known: Configuration
    asked: list[Observation]

    @classmethod
    def of(cls, known: Configuration, transcript: list[Exchange]) -> "Questions":
        return cls(known, observe(transcript))

    @property
    def function(self) -> str:
        return self.known.function

    def answered(self, way: Way) -> Observations:
        """The answers of a wrong version."""
        return [answer(self.known.version(way), one) for one in self.asked]


def answer(version: Callable[..., Any], asked: Observation) -> Observation:
    given = [np.array(item) if isinstance(item, np.ndarray) else item for item in asked.arguments]
    try:
        with np.errstate(all="ignore"):
            result = version(*given, **asked.keywords)
    except Exception as error:
        return Observation(asked.arguments, asked.keywords, (), built_in(error))
    results = result if isinstance(result, tuple) else (result,)
    arrays = tuple(np.asarray(one, dtype=np.float64) for one in results)
    return Observation(asked.arguments, asked.keywords, arrays)


def meant(found: Found) -> set[str]:
    """The hints of what was found: numerical twins share theirs."""
    return {one.hint for one in found.misconceptions}


def names(found: Found) -> str:
    return ", ".join(one.name for one in found.misconceptions) or "nothing"


def misnamed_ways(questions: Questions, most: int = 100) -> Iterator[str]:
    """Each way that is called by another name, of the first ones of each misconception."""
    for one in questions.known.misconceptions:
        for number, way in enumerate(one.ways[:most], start=1):
            answers = questions.answered(way)
            found = explain(questions.known, answers)
            if found.misconceptions and meant(found) != {one.hint}:
                yield f"{one.name} in {questions.function}, way {number}, is called {names(found)}"


def left_out(questions: Questions) -> Iterator[str]:
    """Each mistake that is called by another's name once its own is unknown."""
    for one in questions.known.misconceptions:
        unknowing = questions.known.without(one.name)
        for way in one.ways[:WAYS_LEFT_OUT]:
            found = explain(unknowing, questions.answered(way))
            if not meant(found) <= {one.hint}:
                yield f"{one.name} in {questions.function}, left out, is called {names(found)}"


def random_pairs(questions: Questions, pairs: int = PAIRS) -> Iterator[tuple[str, bool]]:
    """Of each random pair what is wrong with the names, if anything, and whether both are named.

    One of a pair may hide the other; then that one alone is right.
    """
    rng = random.Random(questions.function)
    for one, way, other, beside in drawn_pairs(questions.known, rng, pairs):
        found = explain(questions.known, questions.answered({**way, **beside}))
        wrong = not meant(found) <= {one.hint, other.hint}
        words = f"{one.name} and {other.name} in {questions.function}: called {names(found)}"
        yield words if wrong else "", meant(found) == {one.hint, other.hint}


def drawn_pairs(
    known: Configuration, rng: random.Random, pairs: int
) -> Iterator[tuple[Misconception, Way, Misconception, Way]]:
    """None where all mistakes are of one stage."""
    drawn = 0 if len({one.stage for one in known.misconceptions}) > 1 else pairs
    while drawn < pairs:
        one, other = rng.sample(known.misconceptions, k=2)
        way, beside = rng.choice(one.ways), rng.choice(other.ways)
        if one.stage != other.stage and not {*way} & {*beside}:
            drawn += 1
            yield one, way, other, beside
