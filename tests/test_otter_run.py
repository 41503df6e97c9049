"""Stock `otter run` with our zip: the real otter-grader, from the extra `otter`.

PYTHONSAFEPATH=1 keeps the submission's files off the path of otter's kernel (Python 3.11).
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.platform_runs import (
    BONUS,
    HIDDEN_DATA,
    PARITY,
    ROOT,
    SOLUTIONS,
    bundled,
    graded,
    handed_in,
    plant,
    scores,
    with_file,
    zipped,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("otter") is None,
        reason="needs otter-grader: pip install -e '.[otter]'",
    ),
]
SAFE = {"PYTHONSAFEPATH": "1"}


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    return bundled(tmp_path_factory.mktemp("bundle"))


def otter_run(archive, submission: Path, out: Path, python=sys.executable, env=SAFE):
    """Results.json by `otter run`, and what it said."""
    out.mkdir()
    done = subprocess.run(
        [python, "-m", "otter", "run", "-a", archive, submission, "-o", out, "--no-logo"],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        cwd=out,
        timeout=300,
    )
    written = out / "results.json"
    results = json.loads(written.read_text(encoding="utf-8")) if written.exists() else None
    return results, done.stdout + done.stderr


def points(results) -> dict[str, float]:
    """Of the exercises that have any."""
    tests = [test for test in results["tests"] if test["name"] not in BONUS]
    return {test["name"]: round(test["score"], 2) for test in tests}


def test_the_zip_has_every_part_that_otter_generate_makes(archive, tmp_path):
    (tmp_path / "tests").mkdir()
    command = [sys.executable, "-m", "otter", "generate", "-o", "stock.zip"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    stock = zipfile.ZipFile(tmp_path / "stock.zip").namelist()
    assert "setup.sh" in stock
    assert {*stock} <= {*zipfile.ZipFile(archive).namelist()}


@pytest.mark.parametrize("name", PARITY)
def test_the_score_is_that_of_the_command(archive, tmp_path, name):
    submission = handed_in(name, tmp_path / "handed in")
    results, _ = otter_run(archive, zipped(submission), tmp_path / "out")
    assert points(results) == scores(graded(submission))


def test_a_single_file(archive, tmp_path):
    results, _ = otter_run(archive, SOLUTIONS / "attention.py", tmp_path / "out")
    assert points(results) == scores(graded(SOLUTIONS / "attention.py"))


def test_a_folder_within_the_zip(archive, tmp_path):
    handed_in("own-helper-module", tmp_path / "outer" / "inner")
    results, _ = otter_run(archive, zipped(tmp_path / "outer"), tmp_path / "out")
    assert points(results)["attention"] == 30


def test_a_question_per_exercise_and_a_case_per_hidden_test(archive, tmp_path):
    submission = handed_in("no-scaling", tmp_path / "handed in")
    results, _ = otter_run(archive, zipped(submission), tmp_path / "out")
    assert {test["visibility"] for test in results["tests"]} == {"visible"}
    report = graded(submission)
    outputs = {test["name"]: test["output"] for test in results["tests"]}
    for exercise in report["exercises"]:
        output = outputs[exercise["name"]]
        for test in exercise["tests"]:
            if exercise["score"] < exercise["max_score"]:
                assert test["title"] in output
            if test["verdict"] != "passed":
                assert test["hint"] in output


def test_planted_files_neither_run_nor_count(archive, tmp_path):
    plain = handed_in("no-scaling", tmp_path / "plain")
    planted = handed_in("no-scaling", tmp_path / "planted")
    plant(planted, tmp_path / "ran")
    expected, _ = otter_run(archive, zipped(plain), tmp_path / "first")
    assert otter_run(archive, zipped(planted), tmp_path / "second")[0] == expected
    assert not (tmp_path / "ran").exists()


REPLACES_RE = """
import sys

here = sys.path.pop(0)
mine = sys.modules.pop("re")
import re

sys.path.insert(0, here)
vars(mine).update({name: value for name, value in vars(re).items() if name[:2] != "__"})
sys.modules["re"] = mine
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no PYTHONSAFEPATH")
def test_a_kernel_that_ran_the_student_s_re_gives_no_grade(archive, tmp_path):
    """Without PYTHONSAFEPATH it runs: then the grade is refused, and the TA is told what to do."""
    submission = handed_in("no-scaling", tmp_path / "handed in")
    (submission / "re.py").write_text(REPLACES_RE)
    python = without_preloads(tmp_path / "environment")
    results, said = otter_run(archive, zipped(submission), tmp_path / "a", python, env={})
    assert [test["name"] for test in results["tests"]] == [
        "Autograder Failed",
        "Autograder Exception",
    ]
    assert "submission's own re ran" in said
    assert "PYTHONSAFEPATH=1 otter run" in said
    results, _ = otter_run(archive, zipped(submission), tmp_path / "b", python)
    assert points(results) == scores(graded(submission))


def without_preloads(folder: Path) -> Path:
    """This environment's packages, but not its start files: an editable install imports re."""
    venv.create(folder, symlinks=True)
    site = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    (folder / site / "packages.pth").write_text(f"{Path(sys.prefix) / site}\n")
    return folder / "bin" / "python"


def test_a_fault_of_the_grader_is_told_and_gives_no_points(archive, tmp_path):
    broken = with_file(archive, tmp_path / "broken.zip", HIDDEN_DATA, "{}")
    results, said = otter_run(broken, SOLUTIONS / "attention.py", tmp_path / "out")
    assert "grader_error: no grade." in said
    assert results["tests"][0]["name"] == "Autograder Failed"


def test_two_notebooks_are_otter_s_own_error(archive, tmp_path):
    """The README sends the TA to `autograder grade`."""
    submission = handed_in("solutions", tmp_path / "handed in")
    shutil.copy(ROOT / "autograder/authoring/zip/grade.ipynb", submission / "scratch.ipynb")
    _, said = otter_run(archive, zipped(submission), tmp_path / "out")
    assert "More than one .ipynb file found" in said
    assert sum(scores(graded(submission)).values()) == 100
