"""The exam, 20 points."""

from autograder.exam.examining import examine, partly_right
from autograder.kit.cases import read_key
from autograder.kit.testing import points


@points(20)
def test_answers_are_right(student):
    """The questions of exam.toml: every right answer earns its share."""
    key = read_key()
    score = examine(student.submission, key)
    if score.missed:
        raise partly_right(score, key)
