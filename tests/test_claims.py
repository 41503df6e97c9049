"""What a student is told of a wrong function is true of that function's own answers."""

import numpy as np
import pytest

from autograder.exercises.registry import configuration
from autograder.intake.submission import open_submission
from autograder.judging.diagnosis import CHANGES
from autograder.judging.grading import judge, warm_start
from autograder.kit.misconception import answers_change, difference, explain, observe
from autograder.manifest import load_manifest
from tests.goldens import folder_of, of_kind


@pytest.fixture(scope="module")
def start():
    with warm_start() as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("name", of_kind("wrong", "borderline"))
def test_every_sentence_holds(start, name):
    """Names come with a version that gives every answer; other sentences with a claim."""
    trials = judge(open_submission(folder_of(name), load_manifest()), start).trials
    for trial in trials.values():
        told = trial.diagnosis
        known = configuration(trial.transcript[0].function) if trial.transcript else None
        if known is None or not told.hints:
            continue
        observations = observe(trial.transcript)
        with np.errstate(all="ignore"):
            if CHANGES in told.names:
                assert answers_change(trial.transcript)
                continue
            found = explain(known, observations)
            claims = {one.hint: one.claims(observations) for one in found.misconceptions}
            claims |= {one.sentence: one.claims(known, observations) for one in known.sentences}
            assert [claims[sentence] for sentence in told.hints] == [True] * len(told.hints)
            assert all(gives(known.version(found.way), one) for one in observations if found.way)


def gives(version, asked):
    """Whether a version answers as the student did; one that raised or lost its numbers may."""
    if asked.raised:
        return True
    results = version(*asked.arguments, **asked.keywords)
    results = results if isinstance(results, tuple) else (results,)
    pairs = zip(asked.arrays, results, strict=False)
    return all(difference(one, other) is not None for one, other in pairs)
