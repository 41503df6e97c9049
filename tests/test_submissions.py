"""Golden folders: every submission gets the grade that its expected.json states."""

import json
import re
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from autograder.judging.grading import grade
from autograder.kit.cases import generated

SUBMISSIONS = Path(__file__).parent / "submissions"
CHECKOUT = SUBMISSIONS.parents[1]
EXPECTED = {
    path.parent.name: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(SUBMISSIONS.glob("*/expected.json"))
}
CATALOGUE = json.loads((SUBMISSIONS / "catalogue.json").read_text(encoding="utf-8"))
WRONG = [name for name in CATALOGUE if EXPECTED[name]["kind"] == "wrong"]
CODE_POINTS = 80
# Loops without an end: each takes as long as the deadlines allow.
SLOW = {
    "catastrophic-regex",
    "infinite-loop-at-import",
    "infinite-loop-in-mask",
    "loop-in-c",
    "loop-in-del",
    "reply-without-an-end",
}
FOLDERS = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in EXPECTED
]


@cache
def graded(name):
    return grade(SUBMISSIONS / name)


def score(name):
    """The points of the code, as graded now."""
    exercises = graded(name).exercises
    return sum(exercise.score for exercise in exercises if exercise.name != "exam")


@pytest.mark.parametrize("name", FOLDERS)
def test_grade(name):
    expected = EXPECTED[name]
    # No golden folder hands in the exam, and expected.json leaves it out.
    code = [exercise for exercise in graded(name).exercises if exercise.name != "exam"]
    verdicts = {
        exercise.name: {
            test.name: test.verdict for test in exercise.tests if test.verdict != "passed"
        }
        for exercise in code
    }
    assert {exercise.name: exercise.score for exercise in code} == expected["exercises"]
    assert graded(name).misconceptions == expected["misconceptions"]
    assert {name: tests for name, tests in verdicts.items() if tests} == expected["verdicts"]


@pytest.mark.parametrize("name", FOLDERS)
def test_report_gives_nothing_away(name):
    """No number of the hidden data in a hint; neither a traceback nor a path of ours anywhere."""
    tests = [test for exercise in graded(name).exercises for test in exercise.tests]
    leaked = {number for test in tests for number in numbers(test.hint)} & hidden_numbers()
    assert not leaked
    text = json.dumps(graded(name).as_json())
    for word in ("Traceback", str(CHECKOUT), "site-packages", "guest.py", "hidden_tests"):
        assert word not in text


@cache
def hidden_numbers():
    """The numbers of four or more significant digits in the hidden data."""
    found = numbers(b"".join(generated().values()).decode())
    return {number for number in found if len(number.replace(".", "").strip("0")) >= 4}


def numbers(text):
    return set(re.findall(r"\d+(?:\.\d+)?", text))


def test_hidden_numbers_are_seen():
    assert len(hidden_numbers()) > 100


def test_right_submissions_get_everything_and_no_accusation():
    right = [name for name, expected in EXPECTED.items() if expected["kind"] == "right"]
    assert len(right) >= 45
    assert {score(name) for name in right} == {CODE_POINTS}
    assert not [name for name in right if graded(name).misconceptions]


def test_wrong_submissions_lose_points_and_are_named():
    named = [name for name in WRONG if CATALOGUE[name] in graded(name).misconceptions]
    assert len(WRONG) == 41
    assert len(named) >= 38
    assert all(score(name) < CODE_POINTS for name in WRONG)
    accused = {name for name in WRONG if set(graded(name).misconceptions) - {CATALOGUE[name]}}
    assert not accused


def test_one_mistake_costs_once():
    losses = [CODE_POINTS - score(name) for name in WRONG]
    assert median(losses) <= 25
    assert max(losses) <= 50


def test_a_wrong_softmax_alone_keeps_at_least_50():
    alone = [
        name
        for name, expected in EXPECTED.items()
        if expected["kind"] == "wrong" and set(expected["verdicts"]) == {"softmax"}
    ]
    assert len(alone) >= 11
    assert min(map(score, alone)) >= 50


def test_attacks_change_nothing():
    """They are honest work beside, so they earn all, but for the one that breaks its own pipe."""
    attacks = {
        name
        for name, expected in EXPECTED.items()
        if expected["kind"] == "attack" and name not in SLOW
    }
    assert len(attacks) >= 50
    assert {name for name in attacks if score(name) != CODE_POINTS} == {
        "garbage-on-every-descriptor"
    }
    assert score("garbage-on-every-descriptor") == 0


def test_cheats_get_no_more_than_their_honest_work():
    """Their softmax and attention compute nothing; some masks are right, or have the right form."""
    cheats = {name: expected for name, expected in EXPECTED.items() if expected["kind"] == "cheat"}
    assert len(cheats) >= 14
    for name, expected in cheats.items():
        exercises = {**expected["exercises"]}
        masks = 10 if name == "constant-answers" else 2
        # Two points of form: what comes back is a new array of floats, whatever it holds.
        assert exercises.pop("softmax") <= 2, name
        assert exercises.pop("causal_mask") <= masks, name
        assert sum(exercises.values()) == 0, name


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.startswith("carried-")])
def test_errors_carried_forward_cost_nothing_later(name):
    assert set(EXPECTED[name]["verdicts"]) <= {"softmax", "causal_mask"}
