"""Golden folders: every submission gets the grade that its expected.json states.

What is said of whole kinds is read from the files, since each of them is held to its grade here.
"""

import json
import re
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from autograder.kit.cases import generated
from autograder.manifest import load_manifest
from autograder.sandbox.inside import guest
from tests.goldens import (
    CODE_POINTS,
    GOLDENS,
    POINTS,
    SLOW,
    SUBMISSIONS,
    as_expected,
    graded,
    of_kind,
    scores,
    verdicts,
)

CHECKOUT = SUBMISSIONS.parents[1]
# Written to make one mistake, by somebody who had not seen the tests.
WRONG = [name for name in of_kind("wrong") if GOLDENS[name].mistake]
CODE = {name: golden.code for name, golden in GOLDENS.items()}
FOLDERS = [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in GOLDENS]


@pytest.mark.parametrize("name", FOLDERS)
def test_grade(name):
    """And no number of the hidden data in a hint, no traceback and no path of ours anywhere."""
    golden, report = GOLDENS[name], graded(name)
    assert scores(report, golden.exercises) == golden.scores
    assert report.misconceptions == golden.misconceptions
    assert verdicts(report, golden.exercises) == golden.verdicts
    tests = [test for exercise in report.exercises for test in exercise.tests]
    assert not {number for test in tests for number in numbers(test.hint)} & hidden_numbers()
    text = json.dumps(report.as_json())
    ours = Path(guest.__file__).name
    for word in ("Traceback", str(CHECKOUT), "site-packages", ours, "autograder/exercises"):
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


# --- the files themselves --------------------------------------------------------------------


def test_every_folder_has_its_expected_json_and_a_name_of_its_own():
    folders = [path for path in SUBMISSIONS.glob("*/*") if path.is_dir()]
    assert {path.name for path in folders} == {*GOLDENS}
    assert len(folders) == len(GOLDENS)


@pytest.mark.parametrize("name", GOLDENS)
def test_a_golden_says_why_and_no_more_than_was_lost(name):
    golden = GOLDENS[name]
    assert golden.kind == golden.folder.parent.name
    assert golden.why
    assert "\n" not in golden.why
    exercises = {exercise.name for exercise in load_manifest().exercises}
    assert {*golden.exercises, *golden.verdicts} <= exercises
    assert not [e for e, score in golden.exercises.items() if score == POINTS.get(e)]
    # A right bonus exercise is stated too, and lost nothing.
    assert {e for e in golden.exercises if e in POINTS} == {
        e for e in golden.verdicts if e in POINTS
    }


def test_no_two_submissions_are_there_for_the_same_thing():
    assert len({golden.why for golden in GOLDENS.values()}) == len(GOLDENS)


def test_renewing_a_golden_changes_nothing():
    for name in ("no-scaling", "attention-only", "where-neginf"):
        stated = json.loads((GOLDENS[name].folder / "expected.json").read_text(encoding="utf-8"))
        renewed = as_expected(GOLDENS[name], graded(name))
        assert json.dumps(renewed) == json.dumps(stated)


# --- whole kinds -----------------------------------------------------------------------------


def test_right_submissions_get_everything_and_no_accusation():
    right = of_kind("right")
    assert right
    assert {CODE[name] for name in right} == {CODE_POINTS}
    assert not [name for name in right if GOLDENS[name].misconceptions]


def test_wrong_submissions_lose_points_and_are_named():
    named = [name for name in WRONG if GOLDENS[name].mistake in GOLDENS[name].misconceptions]
    assert len(named) >= 0.9 * len(WRONG)
    assert all(CODE[name] < CODE_POINTS for name in WRONG)
    assert not [name for name in WRONG if {*GOLDENS[name].misconceptions} - {GOLDENS[name].mistake}]


def test_one_mistake_costs_once():
    losses = [CODE_POINTS - CODE[name] for name in WRONG]
    assert median(losses) <= 25
    assert max(losses) <= 50


def test_a_wrong_softmax_alone_keeps_the_points_of_the_others():
    alone = [name for name in of_kind("wrong") if {*GOLDENS[name].verdicts} == {"softmax"}]
    assert alone
    assert min(CODE[name] for name in alone) >= CODE_POINTS - POINTS["softmax"]


def test_attacks_change_nothing():
    """They are honest work beside, so they earn all, but for those that give no answer at all."""
    silent = {
        "answers-of-eight-mebibytes",
        "garbage-on-every-descriptor",
        "sleeps-just-below-the-deadline",
        "zero-dimensional-frames",
    }
    for name in of_kind("attack"):
        assert CODE[name] == (0 if name in silent else CODE_POINTS), name


def test_cheats_get_no_more_than_their_honest_work():
    """Their softmax and attention compute nothing; some masks are right, or have the right form."""
    for name in of_kind("cheat"):
        earned = dict(GOLDENS[name].scores)
        masks = POINTS["causal_mask"] if name == "constant-answers" else 2
        # Two points of form: what comes back is a new array of floats, whatever it holds.
        assert earned.pop("softmax") <= 2, name
        assert earned.pop("causal_mask") <= masks, name
        # One attention is right with right helpers, which it is given and need not steal.
        assert sum(earned.values()) == (50 if name == "steals-the-right-helper" else 0), name


@pytest.mark.parametrize("name", [name for name in GOLDENS if name.startswith("carried-")])
def test_errors_carried_forward_cost_nothing_later(name):
    assert {*GOLDENS[name].verdicts} <= {"softmax", "causal_mask"}
