"""Mistakes by their names: each is found for what it is, two are both found, and nobody else is."""

import re

import numpy as np
import pytest

from autograder.authoring.dry_run import dry_grading, dry_run, right
from autograder.authoring.mistaken import Questions, misnamed_ways, random_pairs
from autograder.exercises.registry import configurations, misconceptions
from autograder.judging.diagnosis import CHANGES
from autograder.kit.misconception import explain
from autograder.manifest import load_manifest
from tests.goldens import GOLDENS

RIGHT = right()
FUNCTIONS = [function for function, _ in configurations()]
# What the authors of the golden folders call their mistakes.
MISTAKES = {golden.mistake for golden in GOLDENS.values() if golden.mistake}
FORMS = [
    pytest.param(function, form, version, id=f"{function}-{form.name}-{number}")
    for function, known in configurations()
    for form in known.forms
    for number, version in enumerate(form.versions)
]


@pytest.fixture(scope="module")
def questions():
    trials = dry_grading({}).trials
    rooms = load_manifest().files
    return {
        function: Questions.of(known, trials[rooms[function]].transcript)
        for function, known in configurations()
    }


def test_names_of_the_golden_folders_are_known():
    assert {entry.name for _, entry in misconceptions()} >= MISTAKES


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_way_is_called_by_another_name(questions, function):
    assert list(misnamed_ways(questions[function], most=1)) == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_of_random_pairs_none_is_misnamed(questions, function):
    assert [words for words, _ in random_pairs(questions[function], pairs=8) if words] == []


@pytest.mark.parametrize(("function", "form", "version"), FORMS)
def test_a_fault_of_form_is_named_and_nothing_else(function, form, version):
    assert dry_run({function: version}).misconceptions == [form.name]


def softmax_of_exponentials(scores, base=np.e, axis=1):
    powers = base ** (scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def head(fill=-np.inf, scale=None, blend=None, softmax=softmax_of_exponentials):
    def attention(X, W_q, W_k, W_v, causal=False):
        scores = (X @ W_q) @ (X @ W_k).T * (scale or W_k.shape[1] ** -0.5)
        if causal:
            scores = np.where(RIGHT["causal_mask"](len(X)), fill, scores)
        weights = softmax(scores)
        return weights @ (X if blend == "X" else X @ W_v), weights

    return attention


@pytest.mark.parametrize(
    ("functions", "names"),
    [
        # Numbers that nobody listed are read off the answers.
        ({"softmax": lambda x: softmax_of_exponentials(x, base=4.5)}, {"wrong_base"}),
        (
            {"softmax": lambda x: RIGHT["softmax"](np.clip(x, -37.5, 61))},
            {"clips_instead_of_shifting"},
        ),
        ({"softmax": lambda x: np.round(RIGHT["softmax"](x), 5)}, {"rounds_result"}),
        (
            {"causal_mask": lambda n: RIGHT["causal_mask"](n) * -4321.0},
            {"mask_is_additive_float"},
        ),
        ({"attention": head(fill=-6.5)}, {"fill_value_not_negative_enough"}),
        ({"attention": head(fill=-2750)}, {"fill_value_not_negative_enough"}),
        ({"attention": head(scale=0.37)}, {"wrong_scale"}),
        # Two mistakes: in one function, and in two.
        (
            {"attention": head(fill=-3.0, scale=1.0)},
            {"no_scaling", "fill_value_not_negative_enough"},
        ),
        (
            {"attention": head(blend="X", scale=0.37)},
            {"wrong_scale", "values_not_projected"},
        ),
        (
            {
                "softmax": lambda x: softmax_of_exponentials(x, axis=0),
                "causal_mask": lambda n: RIGHT["causal_mask"](n).T,
            },
            {"softmax_over_columns", "triangle_flipped"},
        ),
    ],
)
def test_numbers_are_estimated_and_two_mistakes_are_both_named(functions, names):
    report = dry_run(functions)
    assert {*report.misconceptions} == names
    hints = " ".join(test.hint for exercise in report.exercises for test in exercise.tests)
    for name in names:
        told = [entry.hint for function, entry in misconceptions() if entry.name == name]
        assert any(hint in hints for hint in told)


def scaled_after_hiding(X, W_q, W_k, W_v, causal=False):
    scores = (X @ W_q) @ (X @ W_k).T
    if causal:
        scores = np.where(RIGHT["causal_mask"](len(X)), -25.0, scores)
    weights = softmax_of_exponentials(scores / np.sqrt(W_k.shape[1]))
    return weights @ (X @ W_v), weights


def thinned(X, *matrices, causal=False):
    _, weights = RIGHT["attention"](X, *matrices, causal=causal)
    return weights * 0.85 @ (X @ matrices[2]), weights * 0.85


def not_filled(scores):
    weights = RIGHT["softmax"](scores)
    weights[-1] = 0.0
    return weights


@pytest.mark.parametrize(
    ("functions", "name"),
    [
        ({"attention": scaled_after_hiding}, "fill_value_not_negative_enough"),
        ({"attention": thinned}, "weights_changed_after_softmax"),
        ({"attention": head(softmax=lambda scores: scores * 1.0)}, "no_exponential"),
        ({"attention": head(fill=1.0)}, "fill_value_not_negative_enough"),
        ({"attention": head(fill=60.0)}, "wrong_sign_of_infinity"),
        ({"softmax": not_filled}, "some_places_left_out"),
        ({"softmax": lambda x: RIGHT["softmax"](np.floor(x))}, "scores_rounded"),
        ({"softmax": lambda x: RIGHT["softmax"](x).astype("f2").astype(float)}, "rounds_result"),
    ],
)
def test_habits_that_nobody_listed_by_their_numbers(functions, name):
    assert dry_run(functions).misconceptions == [name]


def test_an_answer_that_changes_is_named_for_that():
    random = np.random.default_rng(0)

    def dropout(*arguments, causal=False):
        _, weights = RIGHT["attention"](*arguments, causal=causal)
        kept = weights * (random.random(weights.shape) > 0.1)
        return kept @ (arguments[0] @ arguments[3]), kept

    assert dry_run({"attention": dropout}).misconceptions == [CHANGES]


def test_where_nothing_is_named_the_stage_is_told():
    def odd(X, W_q, W_k, W_v, causal=False):
        output, weights = RIGHT["attention"](X, W_q, W_k, W_v, causal=causal)
        return (output**3 if causal else output), (np.sin(weights) if causal else weights)

    report = dry_run({"attention": odd})
    assert report.misconceptions == []
    hints = [test.hint for exercise in report.exercises for test in exercise.tests]
    assert any("Right without the mask, wrong with it." in hint for hint in hints)


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


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_that_always_raises_is_not_accused(function):
    assert dry_run({function: fails}).misconceptions == []


@pytest.mark.parametrize("function", ["softmax", "causal_mask"])
def test_an_unknown_mistake_is_not_accused(function):
    def wrong(argument):
        if function == "softmax":
            return RIGHT[function](argument) * 0.5
        return np.add.outer(np.arange(argument), np.arange(argument)) % 3 == 0

    assert dry_run({function: wrong}).misconceptions == []


def test_an_unknown_head_is_not_accused():
    assert dry_run({"attention": guesses}).misconceptions == []


def test_what_is_tried_is_counted_and_capped(questions):
    asked = questions["attention"]
    answers = [
        type(one)(one.arguments, one.keywords, tuple(np.full((2, 2), 0.5) for _ in range(2)))
        for one in asked.asked
    ]
    assert explain(asked.known, answers).tried < 6000


@pytest.mark.parametrize(
    ("function", "entry"),
    [
        pytest.param(function, entry, id=f"{function}-{entry.name}")
        for function, entry in misconceptions()
    ],
)
def test_a_hint_is_one_or_two_sentences_and_no_code(function, entry):
    assert 1 <= len(re.findall(r"[.?!](?= |$)", entry.hint)) <= 2
    assert entry.hint[-1] in ".?!"
    # np.seterr is the name of a setting, not a line to copy.
    words = entry.hint.replace("np.seterr", "")
    assert not re.search(r"`[^`]*\(|np\.|numpy\.|axis=|keepdims=", words)
