"""`autograder grade` as a TA runs it: real processes, their output, files and exit codes."""

import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import pytest

from autograder.sandbox.interpreter import anyone_may_read
from tests.goldens import POINTS

ROOT = Path(__file__).parent.parent
SOLUTIONS, TEMPLATE = ROOT / "solutions", ROOT / "student_template"
AUTOGRADER = [str(Path(sys.executable).with_name("autograder"))]
MODULE = [sys.executable, "-m", "autograder"]
AS_ROOT = pytest.mark.skipif(
    os.geteuid() != 0 or not anyone_may_read(sys.executable, os.__file__),
    reason="needs root, and a Python that every user can run",
)


def run(*arguments, command=AUTOGRADER, env=None, **options):
    done = subprocess.run(
        [*command, *map(str, arguments)],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, **(env or {})},
        timeout=60,
        **options,
    )
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return done


def graded(*arguments, **options):
    """The reports that --json prints."""
    done = run("grade", "--json", *arguments, **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def code_points(report) -> dict[str, float]:
    scores = {exercise["name"]: exercise["score"] for exercise in report["exercises"]}
    scores.pop("exam", None)
    return scores


FULL = POINTS


def submission(folder: Path, **files: str) -> Path:
    """The solutions in a folder, some files replaced."""
    shutil.copytree(SOLUTIONS, folder)
    for name, source in files.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def a_class(folder: Path) -> Path:
    submission(folder / "anna")
    shutil.copytree(TEMPLATE, folder / "ben")
    with zipfile.ZipFile(folder / "carl.zip", "w") as archive:
        for file in SOLUTIONS.iterdir():
            archive.write(file, f"carl/{file.name}")
    return folder


# --- what is graded --------------------------------------------------------------------------


@pytest.mark.parametrize("command", [AUTOGRADER, MODULE], ids=["autograder", "python -m"])
def test_one_submission_is_a_table(tmp_path, command):
    done = run("grade", SOLUTIONS, command=command, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("solutions: ")
    assert "attention  30 of 30" in done.stdout
    assert "\x1b" not in done.stdout
    assert [*tmp_path.iterdir()] == []


def test_solutions_get_all_and_the_template_nothing():
    solutions, template = graded(SOLUTIONS, TEMPLATE)
    assert code_points(solutions) == FULL
    assert template["score"] == 0
    for exercise in template["exercises"]:
        assert {test["verdict"] for test in exercise["tests"]} == {"not_attempted"}
        assert exercise["max_score"] > 0
    assert solutions["misconceptions"] == template["misconceptions"] == []


def test_json_is_one_object_or_a_list(tmp_path):
    one = graded(SOLUTIONS)
    assert one["submission"] == "solutions"
    assert {"score", "max_score", "exam", "isolation", "provenance"} < {*one}
    assert [report["submission"] for report in graded(a_class(tmp_path / "class"))] == [
        "anna",
        "ben",
        "carl",
    ]


def test_same_grade_for_folder_zip_and_single_file(tmp_path):
    submission(tmp_path / "work")
    archive = shutil.make_archive(str(tmp_path / "zipped"), "zip", tmp_path, "work")
    parts = [(SOLUTIONS / f"{name}.py").read_text() for name in ("softmax", "causal_mask")]
    attention = (SOLUTIONS / "attention.py").read_text().replace("from softmax", "from one")
    parts.append(attention.replace("from causal_mask", "from one"))
    (tmp_path / "one.py").write_text("\n".join(parts))
    reports = graded(tmp_path / "work", archive, tmp_path / "one.py")
    assert [code_points(report) for report in reports] == [FULL] * 3


def test_several_are_a_summary(tmp_path):
    done = run("grade", a_class(tmp_path / "class"))
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
    assert names[:4] == ["submission", "anna", "ben", "carl"]
    assert "\x1b" not in done.stdout


def test_out_holds_the_table_the_results_and_the_feedback(tmp_path):
    out = tmp_path / "new" / "out"
    reports = graded(a_class(tmp_path / "class"), "--out", out)
    names = ["anna", "ben", "carl"]
    assert sorted(path.name for path in out.iterdir()) == ["feedback", "grades.csv", "results"]
    assert sorted(path.stem for path in (out / "results").iterdir()) == names
    assert sorted(path.stem for path in (out / "feedback").iterdir()) == names
    with (out / "grades.csv").open(newline="") as file:
        rows = {row["submission"]: row for row in csv.DictReader(file)}
    for report in reports:
        name = report["submission"]
        results = json.loads((out / "results" / f"{name}.json").read_text())
        assert results["score"] == report["score"] == float(rows[name]["score"])
        assert f"# {name}: " in (out / "feedback" / f"{name}.md").read_text()


def test_names_are_unique_and_whole(tmp_path):
    for folder in ("a/jane.doe", "a/jane.roe", "b/jane.doe"):
        shutil.copytree(TEMPLATE, tmp_path / folder)
    paths = [tmp_path / name for name in ("a/jane.doe", "a/jane.roe", "b/jane.doe")]
    reports = graded(*paths, "--out", tmp_path / "out")
    names = [report["submission"] for report in reports]
    assert names == ["jane.doe", "jane.roe", "jane.doe-2"]
    assert sorted(path.name for path in (tmp_path / "out" / "results").iterdir()) == sorted(
        f"{name}.json" for name in names
    )


def test_out_inside_the_class_is_no_student(tmp_path):
    folder = a_class(tmp_path / "class")
    for _ in range(2):
        reports = graded(folder, "--out", folder / "grades")
        assert [report["submission"] for report in reports] == ["anna", "ben", "carl"]


# --- exit codes and words --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path, "does not exist"),
        (lambda path: path.with_suffix(".txt").write_text("x") and path.with_suffix(".txt"), ""),
        (lambda path: shutil.copy(SOLUTIONS / "softmax.py", path), "is no submission"),
    ],
    ids=["missing", ".txt", "no suffix"],
)
def test_unusable_arguments(tmp_path, make, words):
    done = run("grade", make(tmp_path / "work"))
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_usage_errors(tmp_path):
    (tmp_path / "file").write_text("")
    for arguments in ([], [SOLUTIONS, "--nothing"], [SOLUTIONS, "--out", tmp_path / "file"]):
        done = run("grade", *arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert "Usage" in done.stderr


def test_out_where_a_file_is_in_the_way(tmp_path):
    (tmp_path / "results").write_text("")
    done = run("grade", SOLUTIONS, "--out", tmp_path)
    assert done.returncode == 2
    assert "cannot write" in done.stderr


def test_a_notebook_is_graded_or_refused_in_words(tmp_path):
    (tmp_path / "work.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4}')
    done = run("grade", tmp_path / "work.ipynb")
    assert done.returncode in (0, 2)
    assert done.stdout + done.stderr


def test_empty_and_broken_submissions_are_graded(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no zip")
    (tmp_path / "text.py").write_text("def softmax(:\n")
    empty, broken, text = graded(*(tmp_path / name for name in ("empty", "broken.zip", "text.py")))
    assert empty["score"] == broken["score"] == text["score"] == 0
    for report, verdict, hint in (
        (empty, "missing", "hand in softmax.py"),
        (broken, "missing", "not a readable zip"),
        (text, "syntax_error", "Line 1 of text.py"),
    ):
        test = report["exercises"][0]["tests"][0]
        assert test["verdict"] == verdict
        assert hint in test["hint"]


@AS_ROOT
@pytest.mark.parametrize("mode", [0o000, 0o100])
def test_unreadable_paths_for_a_plain_user(mode):
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        path = Path(place, "work") if mode else Path(place, "work.py")
        path.mkdir() if mode else path.write_text("def softmax(x): return x\n")
        path.chmod(mode)
        done = run("grade", path, user=65534, group=65534, cwd="/")
    assert done.returncode == 2
    assert "read" in done.stderr


@AS_ROOT
def test_an_unreadable_file_inside_is_told():
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        work = submission(Path(place) / "work")
        (work / "softmax.py").chmod(0)
        done = run("grade", work, user=65534, group=65534, cwd="/")
    # It is the grader who may not read it: no grade, and not a 0.
    assert done.returncode == 1
    assert "grader_error" in done.stderr
    assert "softmax.py" in done.stderr


@pytest.mark.parametrize("name", [b"caf\xe9", b"n" * 250, b"a\nb", b"=1+1", b"[@click=f(]"])
def test_folders_of_any_name(tmp_path, name):
    for part in (name, b"other"):
        shutil.copytree(TEMPLATE, os.fsdecode(os.path.join(os.fsencode(tmp_path / "class"), part)))
        # One function makes it a class.
        with open(os.path.join(os.fsencode(tmp_path / "class"), part, b"own.py"), "w") as file:
            file.write("def softmax(x): return x\n")
    terminal = {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1"}
    done = run("grade", tmp_path / "class", "--out", tmp_path / "out", env=terminal)
    assert done.returncode == 0, done.stderr
    assert len([*(tmp_path / "out" / "results").iterdir()]) == 2


# --- one bad submission is no fault of the grader --------------------------------------------

FICKLE = """import numpy as np
calls = []
def attention(X, W_q, W_k, W_v, causal=False):
    calls.append(1)
    output, weights = np.ones((len(X), W_v.shape[1])), np.ones((len(X), len(X)))
    return output if len(calls) % 2 else (output, weights)
"""
FORGER = """import json, os, sys
import numpy as np
def attention(X, W_q, W_k, W_v, causal=False):
    number = sys._getframe(1).f_locals["header"]["id"]
    header = {"id": number, "kind": "returned", "container": "", "changed": [], "items": [ITEM]}
    encoded = json.dumps(header).encode()
    frame = len(encoded).to_bytes(4, "big") + bytes(4) + encoded
    for fd in range(3, 64):
        try:
            os.write(fd, frame)
        except OSError:
            pass
"""
ODD = {
    "one result, then two": FICKLE,
    "forged type": FORGER.replace("ITEM", '{"type": []}'),
    "forged shape": FORGER.replace("ITEM", '{"type": "ndarray", "shape": [-1]}'),
    "no numbers": "def attention(*a, **k): return [[], [[]]]\n",
    "0-dimensional pair": "import numpy as np\ndef attention(*a, **k): return np.float64(1), 2\n",
    "many dimensions": "import numpy as np\ndef attention(*a, **k): return np.ones((1,) * 40), 1\n",
    "NaN": "import numpy as np\ndef attention(X, *a, **k): return X * np.nan, X * np.nan\n",
    "ragged": "def attention(*a, **k): return [[1], [1, 2]], [[1]]\n",
    "empty pair": "def attention(*a, **k): return ()\n",
    "huge integers": "def attention(*a, **k): return [[10**400]], [[2**64 - 1]]\n",
    "wrong arguments": "def attention(X): return X\n",
    "a class": "class attention:\n    def __init__(self, *a, **k): pass\n",
    "no function": "attention = 3\n",
}


@pytest.fixture(scope="module")
def odd_reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    for number, source in enumerate(ODD.values()):
        submission(folder / f"{number:02}", attention=source)
    command = [*AUTOGRADER, "grade", "--json", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return {report["submission"]: report for report in json.loads(done.stdout)}, done.stderr


@pytest.mark.parametrize("number", range(len(ODD)), ids=list(ODD))
def test_odd_submissions_are_graded(odd_reports, number):
    reports, errors = odd_reports
    assert f"grader_error: {number:02}" not in errors
    scores = code_points(reports[f"{number:02}"])
    assert scores["softmax"] == 20
    assert scores["causal_mask"] == 10
    assert scores["attention"] < 30


# --- killed half-way -------------------------------------------------------------------------

SLOW = "import time\ndef attention(*a, **k):\n    time.sleep(4)\nsoftmax = attention\n"


def killed(folder: Path, out: Path, ready) -> None:
    """Starts grading, and kills the process as soon as `ready` holds."""
    process = subprocess.Popen(
        [*AUTOGRADER, "grade", str(folder), "--out", str(out)],
        env={**os.environ, "TMPDIR": str(folder.parent)},
    )
    until = time.monotonic() + 20
    while not ready() and time.monotonic() < until:
        time.sleep(0.05)
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_killed_first_run_leaves_no_grade(tmp_path):
    work, out = submission(tmp_path / "work", softmax=SLOW), tmp_path / "out"
    killed(work, out, (out / "results").exists)
    assert [*(out / "results").iterdir()] == []


def test_an_earlier_grade_survives_a_killed_run(tmp_path):
    work, out = submission(tmp_path / "work"), tmp_path / "out"
    run("grade", work, "--out", out)
    kept = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    (work / "attention.py").write_text(SLOW)
    started = time.monotonic()
    killed(work, out, lambda: time.monotonic() > started + 1.5)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == kept


def test_an_interrupt_ends_the_whole_run(tmp_path):
    paths = [submission(tmp_path / name, softmax=SLOW) for name in ("anna", "ben", "carl")]
    process = subprocess.Popen(
        [*AUTOGRADER, "grade", *map(str, paths)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 30
    # Once the first guest is there, the command listens.
    while not [*tmp_path.glob("guest-*/guest-*")] and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    try:
        process.wait(2)
    finally:
        process.kill()
        output = "".join(process.communicate())
    assert process.returncode not in (0, 2)
    assert "Traceback" not in output
    assert not [*tmp_path.glob("guest-*")]


def test_no_guest_folder_is_left(tmp_path):
    run("grade", SOLUTIONS, TEMPLATE, env={"TMPDIR": str(tmp_path)})
    assert [*tmp_path.iterdir()] == []


# --- the surroundings ------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["missing", "file"])
def test_an_unusable_tmpdir(tmp_path, place):
    (tmp_path / "file").write_text("")
    assert code_points(graded(SOLUTIONS, env={"TMPDIR": str(tmp_path / place)})) == FULL


def test_no_room_for_any_file_is_a_grader_error_in_words():
    done = run(
        "grade",
        SOLUTIONS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert done.returncode == 1
    assert "grader_error" in done.stderr
    assert "of 100 points" not in done.stdout


def test_a_failed_write_of_a_grade_is_told_in_words(tmp_path):
    (tmp_path / "out" / "grades.csv").mkdir(parents=True)
    done = run("grade", TEMPLATE, "--out", tmp_path / "out")
    assert done.returncode in (1, 2)
    assert "grades.csv" in done.stderr


def test_planted_files_in_the_working_directory_do_not_matter(tmp_path):
    for name in ("numpy", "json", "sitecustomize", "usercustomize", "conftest", "autograder", "re"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n1 / 0\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --collect-only --nonsense\n")
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--nonsense'\n")
    (tmp_path / "manifest.toml").write_text("nonsense")
    assert code_points(graded(SOLUTIONS, cwd=tmp_path)) == FULL
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "env",
    [
        {"PYTEST_ADDOPTS": "-x --collect-only"},
        {"PYTEST_ADDOPTS": "-k nothing"},
        {"PYTEST_PLUGINS": "no_such_plugin"},
        {"PYTHONWARNINGS": "error"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "COLUMNS": "20"},
        {"OPENBLAS_NUM_THREADS": "nonsense", "PYTHONHASHSEED": "1"},
        {"CI": "true", "PYTEST_CURRENT_TEST": "x", "PYTHONDONTWRITEBYTECODE": ""},
    ],
    ids=str,
)
def test_the_environment_does_not_change_a_grade(env):
    assert code_points(graded(SOLUTIONS, env=env)) == FULL


def test_python_without_asserts_gives_no_grade():
    done = run("grade", SOLUTIONS, env={"PYTHONOPTIMIZE": "1"})
    assert done.returncode == 1
    assert "PYTHONOPTIMIZE" in done.stderr


def test_a_strict_umask_does_not_change_a_grade(tmp_path):
    assert code_points(graded(SOLUTIONS, umask=0o077)) == FULL


def test_a_closed_stdin_does_not_matter():
    done = run("grade", SOLUTIONS, preexec_fn=lambda: os.close(0))
    assert done.returncode == 0
