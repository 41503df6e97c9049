"""The set-up mends itself, and what README tells people to type holds as written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.platform_runs import ROOT, bundled

PAGES = ("README.md", "autograder/platforms/README.md", "autograder/sandbox/README.md")
COMMAND = re.compile(
    r"^    ((?:[A-Z]+=\S+ )?(?:\.venv/bin/\S+|make|mkdir|git) .*?)(?:  +#.*)?$", re.M
)
# Run by .ci/run and .ci/matrix, or by the tests of Docker and of authoring, as they are written.
ELSEWHERE = (
    *("git clone", "make ", "otter grade", "otter run"),
    *("autograder new", "regenerate", "verify", "pytest"),
)


def commands():
    found = [line for page in PAGES for line in COMMAND.findall((ROOT / page).read_text())]
    return list(dict.fromkeys(found))


def test_the_commands_are_found():
    assert len(commands()) >= 8
    assert any("mkdir -p OUT" in command for command in commands())


@pytest.mark.slow
def test_the_commands_of_the_pages_run_as_written(tmp_path):
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    shutil.copytree(ROOT / "solutions", tmp_path / "PATH")
    for name in ("ada", "bob"):
        shutil.copytree(ROOT / "solutions", tmp_path / "CLASS" / name)
    for name in ("OLD", "NEW"):
        command = [".venv/bin/autograder", "grade", "CLASS", "--out", name]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    ran = [line for line in commands() if not any(word in line for word in ELSEWHERE)]
    for line in ran:
        done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert (tmp_path / "OUT" / "grades.csv").exists()
    assert (tmp_path / "BUNDLE" / "autograder.zip").exists()


@pytest.mark.slow
def test_otter_run_as_the_page_writes_it(tmp_path):
    pytest.importorskip("otter")
    bundled(tmp_path / "BUNDLE")
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    shutil.make_archive(str(tmp_path / "STUDENT"), "zip", ROOT / "solutions")
    for word in ("mkdir -p OUT", "otter run"):
        line = next(command for command in commands() if word in command)
        done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    assert (tmp_path / "OUT" / "results.json").exists()


# --- .venv -----------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path) -> Path:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    return folder


def make(folder, target=".venv/python", **variables):
    return subprocess.run(
        ["make", target, *(f"{name}={value}" for name, value in variables.items())],
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_the_environment_is_made_once_and_again_after_a_move(checkout):
    assert "making .venv" in make(checkout, PYTHON=sys.executable).stdout
    assert "making .venv" not in make(checkout, PYTHON=sys.executable).stdout
    moved = checkout.rename(checkout.with_name("moved"))
    assert "making .venv" in make(moved, PYTHON=sys.executable).stdout


def test_a_python_that_is_too_old_is_named_and_makes_nothing(checkout, tmp_path):
    old = tmp_path / "python3"
    fake = "import sys; sys.version_info = (3, 8, 1); exec(sys.argv.pop(1))"
    old.write_text(f"#!/bin/sh\nshift\nexec {sys.executable} -c '{fake}' \"$@\"\n")
    old.chmod(0o755)
    done = make(checkout, PYTHON=old)
    assert done.returncode != 0
    assert "is Python 3.8, and this needs 3.10 or newer" in done.stderr
    assert not (checkout / ".venv").exists()


@pytest.mark.slow
def test_without_the_network_one_sentence_says_so(checkout):
    shutil.copy(ROOT / "pyproject.toml", checkout)
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    done = subprocess.run(
        ["make", ".venv/grades", f"PYTHON={sys.executable}"],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "it needs the network once" in done.stdout
