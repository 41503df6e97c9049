"""A course's own questions: read from a TOML file, refused in words, mixed into the draw."""

import random
import re
from pathlib import Path

import pytest

from autograder.authoring import exam_sheets
from autograder.exam.own import read_own
from autograder.exam.scoring import Answers, KeyEntry, score_exam
from autograder.exercises.exam.bank import draw_exam
from autograder.report import GraderError

ROOT = Path(__file__).parents[1]
SHOWN = re.search(r"```toml\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.S).group(1)
WORD = """
[[question]]
replaces = "Who gets the largest weight"
kind = "text"
wording = "Which word?"
answer = "sun"
near = { moon = "a", star = "b", sky = "c" }
explanation = "So."
"""


@pytest.fixture
def own(tmp_path):
    def read(text: str):
        path = tmp_path / "own_questions.toml"
        path.write_text(text, encoding="utf-8")
        return read_own(path)

    return read


def test_without_a_file_the_bank_alone_is_drawn(tmp_path):
    assert read_own(tmp_path / "none.toml") == []
    assert draw_exam(random.Random(5), []) == draw_exam(random.Random(5))


def test_the_questions_that_contributing_shows_are_drawn(own):
    drawn = draw_exam(random.Random(5), own(SHOWN + WORD))
    plain = draw_exam(random.Random(5))
    changed = [new for new, old in zip(drawn, plain, strict=True) if new.wording != old.wording]
    assert [question.kind for question in changed] == ["number", "text", "choice"]
    assert [question.module for question in drawn] == [question.module for question in plain]
    for new, old in zip(drawn, plain, strict=True):
        assert (new.wording == old.wording) == (new not in changed)
    key = [KeyEntry(**{**e, "accepted": tuple(e["accepted"])}) for e in exam_sheets.key(drawn)]
    right = {entry.id: entry.answer for entry in key}
    assert score_exam(Answers(right, ()), key).right == 18
    missed = score_exam(Answers({**right, "q04": "6", "q05": "moon"}, ()), key).missed
    assert [miss.misconception for miss in missed] == ["equal_shares", "a"]
    assert "Which of these hides a word for certain?" in exam_sheets.sheet(drawn)


def test_several_for_one_place_are_a_family(own):
    questions = own(SHOWN + SHOWN.replace("a word for certain?", "a word always?"))
    found = {draw_exam(random.Random(seed), questions)[11].wording for seed in range(6)}
    assert len(found) == 2


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('replaces = "Ways to hide"', 'replaces = "Nothing"', "replaces no question"),
        ('kind = "number"', 'kind = "essay"', "wants kind to be one of"),
        ('answer = "5"', 'answer = "five"', "is no number"),
        ('answer = "5"', 'answer = "6"', "own answer among the near misses"),
        ('answer = "5"\n', "", 'wants answer = "..."'),
        ('near = { "6" = "equal_shares", "12" = "weights_forgotten" }\n', "", "wants near"),
        ('"A score of 0 before softmax." = "zero_score_is_not_hidden"\n', "", "wants 5 options"),
        ('"mask_on_values_only"', '""', "another name behind each other"),
        ('replaces = "Ways to hide"', 'replaces = "Counting parameters"', "must be of kind"),
        ("[[question]]", "[[question", "cannot be read"),
    ],
)
def test_what_is_wrong_is_told_in_words(own, old, new, words):
    text = SHOWN.replace(old, new, 1)
    assert text != SHOWN
    with pytest.raises(GraderError, match=re.escape(words)):
        draw_exam(random.Random(5), own(text))
