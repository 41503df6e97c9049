"""The exam, 20 points."""

from autograder.exam.examining import examine
from autograder.kit.cases import read_key
from autograder.kit.testing import points
from autograder.report import StudentFault


@points(20)
def test_answers_are_right(student):
    """The questions of exam.toml: every right answer earns its share."""
    found = examine(student.submission, read_key())
    if found.score.missed:
        raise StudentFault(found.verdict, found.message, share=found.share)
