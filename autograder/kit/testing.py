"""What the suites stand on, a pytest plugin: @points, the fixtures `student` and `case`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.budget import Budget
from autograder.intake.submission import open_submission
from autograder.kit.cases import cases_of
from autograder.manifest import load_manifest
from autograder.sandbox.student import Student

STUDENT = pytest.StashKey[Student]()


def points(number: float, form: str | None = None, relates: bool = False) -> pytest.MarkDecorator:
    """The points of a test; `form` is the misconception that a test of form alone names.

    `relates` marks a test that is earned only where the answers depend on the input: it holds a
    student's own answers together, or against a table in public. See Contract.depends.
    """
    return pytest.mark.points(number, form, relates)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--submission", type=Path, help="the submission to ask, with tracebacks")
    parser.addoption("--live-kernel", action="store_true", help="ask the torch at hand")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "points(number, form, relates): what a hidden test is worth")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = cases_of(exercise_of(metafunc.module.__name__), metafunc.function.__name__)
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])


def exercise_of(module: str) -> str:
    """The exercise whose suite a module is."""
    return module.rpartition(".test_")[2]


@pytest.fixture
def student(request: pytest.FixtureRequest) -> Iterator[Student]:
    """The submission under test: the grader's own, or that of --submission."""
    graded = request.config.stash.get(STUDENT, None)
    if graded is not None:
        yield graded
        return
    path = request.config.getoption("--submission")
    if path is None:
        raise pytest.UsageError("say which submission: --submission PATH")
    # The rooms need the kit: so only here, and not above.
    from autograder.exercises.registry import readers

    manifest = load_manifest()
    submission = open_submission(path, manifest)
    budget = submission.budget or Budget(manifest.limits.submission_seconds)
    asked = Student(submission, manifest.limits, budget, readers())
    yield asked
    asked.close()
