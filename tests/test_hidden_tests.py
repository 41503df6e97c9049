"""hidden_tests/: what the suites promise, and that a fault of theirs is never a score."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autograder.budget import Budget
from autograder.exercises.registry import readers
from autograder.exercises.softmax.contract import softmax
from autograder.intake.submission import open_submission
from autograder.judging.grading import grade, judge
from autograder.judging.suites import with_suites
from autograder.kit import comparing
from autograder.manifest import load_manifest
from autograder.report import GraderError, StudentFault
from autograder.sandbox.process import Guest
from autograder.sandbox.student import Student
from tests.goldens import CODE_POINTS, GOLDENS, POINTS, folder_of, of_kind

CHECKOUT = Path(__file__).parents[1]
MANIFEST = load_manifest()
SUITES = CHECKOUT / "autograder/exercises"
TESTS = {
    f"{path.stem.removeprefix('test_')}.{node.name}": node
    for path in sorted(SUITES.glob("*/test_*.py"))
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
}
# The right ones of several files are about where functions are found.
STYLES = [name for name in of_kind("right") if len([*folder_of(name).iterdir()]) <= 2]


def points(test):
    """What @points says."""
    (decorator,) = test.decorator_list
    assert isinstance(decorator, ast.Call)
    assert isinstance(decorator.func, ast.Name)
    assert decorator.func.id == "points"
    return ast.literal_eval(decorator.args[0])


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_has_a_title_points_and_fixed_words(test):
    title = ast.get_docstring(test)
    assert title
    assert title.endswith(".")
    for node in ast.walk(test):
        if isinstance(node, ast.Assert):
            assert isinstance(node.msg, ast.Constant), f"line {node.lineno}"
            assert isinstance(node.msg.value, str), f"line {node.lineno}"


def test_a_test_has_points_unless_it_is_of_a_bonus():
    bonus = {exercise.name for exercise in load_manifest().exercises if exercise.bonus}
    for name, test in TESTS.items():
        assert (points(test) == 0) == (name.partition(".")[0] in bonus), name


def test_points_are_those_of_the_manifest():
    sums = {exercise.name: 0 for exercise in load_manifest().exercises}
    for name, test in TESTS.items():
        sums[name.partition(".")[0]] += points(test)
    assert sums == {exercise.name: exercise.points for exercise in load_manifest().exercises}


# A new bonus exercise has no golden folder yet: the gate alone says that its tests are sharp.
BEGUN = {exercise for golden in GOLDENS.values() for exercise in golden.verdicts} | {*POINTS}


@pytest.mark.parametrize("name", [name for name in TESTS if name.partition(".")[0] in BEGUN])
def test_is_failed_by_a_golden_submission(name):
    """By one that made a mistake, not by one that broke down or cheated."""
    exercise, _, test = name.partition(".")
    assert [
        golden
        for golden in of_kind("wrong", "borderline", "bonus")
        if GOLDENS[golden].verdict(exercise, test) == "failed"
    ]


def test_captured_kernel_is_the_live_one():
    pytest.importorskip("torch", reason="torch is the kernel")
    report = grade(CHECKOUT / "solutions", live_kernel=True)
    assert {e.name: e.score for e in report.exercises}["fused_kernel"] == POINTS["fused_kernel"]


def test_live_kernel_is_asked(monkeypatch):
    """With another kernel, the solutions would fail."""
    torch = pytest.importorskip("torch", reason="torch is the kernel")
    attend = torch.nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        torch.nn.functional,
        "scaled_dot_product_attention",
        lambda *heads, **options: 2 * attend(*heads, **options),
    )
    report = grade(CHECKOUT / "solutions", live_kernel=True)
    assert {e.name: e.score for e in report.exercises}["fused_kernel"] == 0


@pytest.mark.parametrize("name", STYLES)
def test_right_styles_are_far_inside_the_tolerance(name, monkeypatch):
    monkeypatch.setattr(comparing, "TOLERANCE", comparing.TOLERANCE / 1000)
    code = [e for e in grade(folder_of(name)).exercises if e.name in POINTS]
    assert sum(e.score for e in code) == sum(e.max_score for e in code) == CODE_POINTS


GRADE = """
import sys
from pathlib import Path
import autograder
from autograder.judging.grading import grade
from autograder.report import GraderError

assert Path(autograder.__file__).parents[1] == Path(sys.argv[2]), autograder.__file__
try:
    print(grade(Path(sys.argv[1])).score)
except GraderError:
    print("GraderError")
"""


def graded_by(copy):
    """What a copy of the package says of the solutions."""
    done = subprocess.run(
        [sys.executable, "-c", GRADE, str(CHECKOUT / "solutions"), str(copy)],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def copy(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CHECKOUT / "autograder", tmp_path / "autograder", ignore=ignored)
    return tmp_path


def test_an_unchanged_copy_grades(copy):
    assert float(graded_by(copy)) >= CODE_POINTS


# Whatever the first test of a suite is worth.
POINTS_LINE = r"@points\((.+)\)\n"


@pytest.mark.parametrize(
    ("suite", "old", "new"),
    [
        ("softmax/test_softmax.py", POINTS_LINE, r"@points(\1\n"),
        ("softmax/test_softmax.py", "import numpy as np", "import no_such_module"),
        ("softmax/test_softmax.py", POINTS_LINE, r"@points(1 + \1)\n"),
        ("softmax/test_softmax.py", POINTS_LINE, ""),
        ("softmax/test_softmax.py", POINTS_LINE, "@points('four')\n"),
        ("softmax/test_softmax.py", r"softmax\(student, case\.scores\)", "{}['scores']"),
        ("softmax/test_softmax.py", r"case\.scores", "case.no_such_field"),
        ("attention/test_attention.py", r"\(student, case\)", "(student, case, no_such_fixture)"),
        ("causal_mask/test_causal_mask.py", r"\(student, case\)", "(student, cases)"),
        ("softmax/cases.json", r'"test_\w+"', '"test_of_another_name"'),
        ("causal_mask/cases.json", "{", "{,"),
        ("fused_kernel/cases.json", '"output"', '"outputs"'),
    ],
)
def test_a_fault_of_the_suites_is_never_a_score(copy, suite, old, new):
    path = copy / "autograder/exercises" / suite
    text, found = re.subn(old, new, path.read_text(encoding="utf-8"), count=1)
    assert found
    path.write_text(text, encoding="utf-8")
    assert graded_by(copy) == "GraderError"


def test_a_missing_suite_is_never_a_score(copy):
    (copy / "autograder/exercises/captured_log/test_captured_log.py").unlink()
    assert graded_by(copy) == "GraderError"


def test_what_a_reply_makes_a_test_raise_is_a_fault_of_the_reply(tmp_path):
    """And what a test raises without any reply is its own: a GraderError."""
    strange = "import numpy as np\ndef softmax(x): return np.ones(7)\n"
    (tmp_path / "softmax.py").write_text(strange)

    def judged(raises_after: bool):
        def run(suites):
            (test, *_) = suites.tests["softmax"].values()
            case = test.cases[0]

            def body(student, **given):
                if raises_after:
                    softmax(student, np.eye(3))
                raise IndexError("too many indices for array")

            case.obj = body
            student = Student(
                open_submission(tmp_path, MANIFEST), MANIFEST.limits, Budget(60), readers()
            )
            try:
                return suites.run(case, student)
            finally:
                student.close()

        return with_suites(run)

    fault = judged(raises_after=True).fault
    assert fault.verdict == "failed"
    assert "another form" in fault.words
    with pytest.raises(GraderError, match="at fault itself"):
        judged(raises_after=False)


def test_a_reply_that_no_reader_understands_is_a_fault_of_the_reply(tmp_path):
    (tmp_path / "softmax.py").write_text("def softmax(x): return x\n")

    def reader(reply, arguments):
        return reply.results[3]

    submission = open_submission(tmp_path, MANIFEST)
    student = Student(submission, MANIFEST.limits, Budget(60), {"softmax": reader})
    try:
        with pytest.raises(StudentFault, match="another form"):
            student.call("softmax", np.eye(3))
    finally:
        student.close()


def test_a_report_is_made_of_forged_replies():
    """Executed guests let a submission write into their own code; forked ones have none there."""
    submission = open_submission(folder_of("zero-dimensional-frames"), MANIFEST)
    report = judge(submission, Guest).report
    assert report.score == 0
