"""misconceptions.py: each wrong version is named for what it is, and nobody else is."""

import re

import numpy as np
import pytest
from autograder.exercises.misconceptions import FORM, MISCONCEPTIONS, inlined

from autograder.authoring.dry_run import dry_run, right
from tests.goldens import GOLDENS

RIGHT = right()

# What the authors of the golden folders call their mistakes.
MISTAKES = {golden.mistake for golden in GOLDENS.values() if golden.mistake}
VERSIONS = [
    pytest.param(entry, version, id=f"{entry.function}-{entry.name}-{number}")
    for entry in MISCONCEPTIONS
    for number, version in enumerate(entry.versions)
]
# In a head, a helper's versions are told apart as they are alone: one of each is enough.
INLINED = [
    pytest.param(entry, entry.versions[0], id=f"inlined-{entry.name}") for entry in inlined()
]


def test_names_are_those_of_the_golden_folders():
    assert {entry.name for entry in MISCONCEPTIONS} == MISTAKES


@pytest.mark.parametrize(("entry", "version"), [*VERSIONS, *INLINED])
def test_a_wrong_version_is_named_and_nothing_else(entry, version):
    report = dry_run({entry.function: version})
    assert report.misconceptions == [entry.name]
    own = next(exercise for exercise in report.exercises if exercise.name == entry.function)
    # What a fault of form says is its own.
    assert entry in FORM or any(entry.hint in test.hint for test in own.tests)


def right_softmax_with_noise(scores):
    """Off by what rounding may make: somebody else's order of the same operations."""
    return RIGHT["softmax"](scores) * (1 + 2e-16)


@pytest.mark.parametrize("functions", [{}, {"softmax": right_softmax_with_noise}])
def test_right_functions_are_not_accused(functions):
    assert dry_run(functions).misconceptions == []


def fails(*arguments, **keywords):
    raise ValueError("operands could not be broadcast together")


def guesses(*arguments, **keywords):
    """Wrong as no version is."""
    return RIGHT["attention"](*arguments, **keywords)[0] ** 3, np.tri(len(arguments[0])) / 7


@pytest.mark.parametrize("function", RIGHT)
def test_a_function_that_always_raises_is_not_accused(function):
    assert dry_run({function: fails}).misconceptions == []


@pytest.mark.parametrize("function", ["softmax", "causal_mask"])
def test_an_unknown_mistake_is_not_accused(function):
    def wrong(argument):
        return RIGHT[function](argument) * 0.5 if function == "softmax" else np.eye(argument) == 1

    assert dry_run({function: wrong}).misconceptions == []


def test_an_unknown_head_is_not_accused():
    assert dry_run({"attention": guesses}).misconceptions == []


@pytest.mark.parametrize(
    "entry", MISCONCEPTIONS, ids=lambda entry: f"{entry.function}-{entry.name}"
)
def test_a_hint_is_one_or_two_sentences_and_no_code(entry):
    assert 1 <= len(re.findall(r"[.?!](?= |$)", entry.hint)) <= 2
    assert entry.hint[-1] in ".?!"
    # np.matrix is the name of a thing, not a line to copy.
    words = entry.hint.replace("np.matrix", "")
    assert not re.search(r"`[^`]*\(|np\.|numpy\.|axis=|keepdims=", words)
