"""attend_next, bonus."""

import numpy as np

from autograder.exercises.kv_cache.contract import attend_next, matrices
from autograder.exercises.kv_cache.misconceptions import SHARED
from autograder.kit.comparing import close
from autograder.kit.testing import points
from autograder.report import StudentFault


def nothing(case):
    """The caches before the first word."""
    return np.zeros((0, case.W_k.shape[1])), np.zeros((0, case.W_v.shape[1]))


def word_by_word(student, case):
    """Every step through a text, each with the caches that the one before returned."""
    cache, steps = nothing(case), []
    for x in case.X:
        steps.append(attend_next(student, x, cache, matrices(case)))
        cache = steps[-1].keys, steps[-1].values
    return steps


@points(0)
def test_first_word_hands_over_its_own_value(student, case):
    """The first word sees only itself: its output is its own value."""
    output = attend_next(student, case.X[0], nothing(case), matrices(case)).output
    assert close(output, case.X[0] @ case.W_v), "The first word's output is not its own value."


@points(0)
def test_outputs_are_the_rows_of_the_causal_head(student, case):
    """Word by word, the outputs are the rows of the causal head over the whole text."""
    for step, row in zip(word_by_word(student, case), case.output, strict=True):
        assert close(step.output, row), "A word's output is not its row of the causal head."


@points(0)
def test_cache_holds_the_keys_of_all_words_in_order(student, case):
    """The keys that come back are those of all words, the oldest first."""
    step = word_by_word(student, case)[-1]
    assert step.answer.in_order, "attend_next should return output, keys, values, in this order."
    assert close(step.keys, case.X @ case.W_k), (
        "The keys are not those of all words, in their order."
    )


@points(0)
def test_cache_holds_the_values_of_all_words_in_order(student, case):
    """The values that come back are those of all words, the oldest first."""
    values = word_by_word(student, case)[-1].values
    assert close(values, case.X @ case.W_v), "The values are not those of all words, in order."


@points(0)
def test_two_continuations_do_not_disturb_each_other(student, case):
    """One text continued in two ways: neither changes what the other sees."""
    first, one, other, last = case.X[:4]

    def continued(disturbed):
        start = attend_next(student, first, nothing(case), matrices(case))
        step = attend_next(student, one, start.handed_on, matrices(case))
        if disturbed:
            attend_next(student, other, start.handed_on, matrices(case))
        return attend_next(student, last, step.handed_on, matrices(case))

    alone, again, beside = continued(False), continued(False), continued(True)
    assert close(again.output, alone.output), "The same text, read twice, gives two outputs."
    if not close(beside.output, alone.output):
        raise StudentFault("failed", SHARED, "in_place")


@points(0)
def test_a_prompt_is_read_at_once_and_continued(student, case):
    """A prompt's keys and values may be computed at once; the next word goes on from there."""
    prompt = case.X[:-1]
    step = attend_next(student, case.X[-1], (prompt @ case.W_k, prompt @ case.W_v), matrices(case))
    assert close(step.output, case.output[-1]), (
        "After a prompt, the next word's output is not its row of the causal head."
    )
