"""What is told of an exercise's wrong answers: mistakes by their names, or how far they are right.

Nothing is told that does not hold for the answers given.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.exercises.registry import configuration
from autograder.kit.misconception import TWO_ANSWERS, answers_change, explain, observe
from autograder.sandbox.student import Exchange

CHANGES = "answers_change_between_calls"


@dataclass(frozen=True)
class Diagnosis:
    """The names of the mistakes, the sentences told, and the faults of form not named beside them.

    explains is whether the names account for every answer.
    """

    names: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    forms: frozenset[str] = frozenset()

    @property
    def explains(self) -> bool:
        return bool(self.names)


def diagnose(transcript: Sequence[Exchange], told: Collection[str] = ()) -> Diagnosis:
    """Of the exchanges of one function, in the order asked; told are the names that tests gave."""
    known = configuration(transcript[0].function) if transcript else None
    if known is None:
        return Diagnosis()
    with np.errstate(all="ignore"):
        if answers_change(transcript):
            # Why they change, a test may have seen.
            seen = [one for one in known.forms if one.name in told]
            if seen:
                return Diagnosis(tuple(one.name for one in seen), tuple(one.hint for one in seen))
            return Diagnosis((CHANGES,), (TWO_ANSWERS,))
        observations = observe(transcript)
        found = explain(known, observations)
        if found.misconceptions:
            return Diagnosis(
                tuple(one.name for one in found.misconceptions),
                tuple(one.hint for one in found.misconceptions if one.claims(observations)),
                frozenset(one.form for one in found.misconceptions if one.form),
            )
        for one in known.sentences:
            if one.claims(known, observations):
                return Diagnosis((one.name,) if one.name else (), (one.sentence,))
        return Diagnosis()
