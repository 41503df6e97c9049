"""`autograder bundle`: what is in the two zips, and what must not be."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder.manifest import load_manifest
from tests.platform_runs import AUTOGRADER, ROOT, SOLUTIONS

# What otter's Dockerfile adds to its image, each by name.
WANTED_BY_OTTER = {
    "run_autograder",
    "setup.sh",
    "environment.yml",
    "otter_config.json",
    "run_otter.py",
    "requirements.txt",
}
PACKAGE = "files-grader/autograder/"
COPY = """
import sys
*sys.path, command = sys.argv[1:]
from autograder.cli import main
main([command, "--out", "out"])
"""


def bundle(*arguments, **options):
    return subprocess.run(
        [AUTOGRADER, "bundle", *map(str, arguments)], capture_output=True, text=True, **options
    )


@pytest.fixture(scope="module")
def out(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    done = bundle("--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def grader(out) -> zipfile.ZipFile:
    return zipfile.ZipFile(out / "autograder.zip")


def test_the_same_checkout_gives_the_same_bytes(out, tmp_path):
    shifted = {**os.environ, "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"}
    again = tmp_path / "a" / "new folder"
    bundle("--out", again, cwd=tmp_path, env=shifted, umask=0o077, check=True)
    for name in ("autograder.zip", "student_template.zip"):
        assert (again / name).read_bytes() == (out / name).read_bytes()


def test_what_otter_wants_is_there(grader):
    assert {*grader.namelist()} >= WANTED_BY_OTTER
    assert grader.read("files/.OTTER_LOG") == b""
    assert json.loads(grader.read("files/grade.ipynb"))["cells"] == []
    assert {name for name in grader.namelist() if name.startswith("tests/")} == {
        f"tests/{exercise.name}.py" for exercise in load_manifest().exercises
    }


def test_only_programs_can_be_run(grader):
    modes = {info.filename: info.external_attr >> 16 & 0o777 for info in grader.infolist()}
    assert {name for name, mode in modes.items() if mode != 0o644} == {"setup.sh", "run_autograder"}
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755


def test_the_hidden_tests_and_their_data_are_whole(grader):
    stay = re.compile(r"exam/(bank|module\d)|(draws|picture)\.py$")
    for path in (ROOT / "autograder" / "exercises").rglob("*"):
        if path.suffix in (".py", ".json") and not stay.search(path.as_posix()):
            name = PACKAGE + path.relative_to(ROOT / "autograder").as_posix()
            assert grader.read(name) == path.read_bytes()


def test_no_author_s_tools_no_bank_no_solutions(grader, out):
    for part in ("authoring", "exam/bank", "exam/module", "exam/question", "secret", "__pycache__"):
        assert not [name for name in grader.namelist() if part in name]
    solved = [(SOLUTIONS / name).read_bytes() for name in ("attention.py", "exam.toml")]
    for archive in (grader, zipfile.ZipFile(out / "student_template.zip")):
        contents = [archive.read(name) for name in archive.namelist()]
        assert not [content for content in contents for one in solved if one in content]


def test_students_get_their_files_and_the_pages(out):
    archive = zipfile.ZipFile(out / "student_template.zip")
    command = ["git", "ls-files", "student_template", "assignments"]
    tracked = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    wanted = {path.removeprefix("student_template/") for path in tracked.split()}
    assert {*archive.namelist()} == {f"self-attention/{path}" for path in wanted}


def test_torch_is_installed_only_where_it_is_asked_for(grader, tmp_path):
    assert "requirements.kernel" not in grader.namelist()
    bundle("--out", tmp_path, "--with-kernel", check=True)
    archive = zipfile.ZipFile(tmp_path / "autograder.zip")
    assert b"torch==" in archive.read("requirements.kernel")


def test_the_public_demonstration_is_named_in_one_line(tmp_path):
    said = bundle("--out", tmp_path).stdout.splitlines()
    assert len(said) == 3
    assert said[2].startswith("autograder.zip carries seed 0, the public demonstration")


def test_a_folder_that_cannot_be_written_is_an_error_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    done = bundle("--out", tmp_path / "file" / "out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("autograder: cannot write to ")


def test_the_shipped_package_says_that_it_cannot_bundle(grader, tmp_path):
    grader.extractall(tmp_path)
    done = subprocess.run(
        # Without site: an editable install would lend what this copy lacks.
        [sys.executable, "-I", "-S", "-c", COPY, tmp_path / "files-grader", *sys.path, "bundle"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "autograder: authoring works in a checkout only: this copy has no tools for it.\n"
    )


def test_a_checkout_with_other_line_ends_gives_the_same_zip(out, tmp_path):
    copy = tmp_path / "checkout"
    parts = ("autograder", "student_template", "assignments", "solutions")
    for part in parts:
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*"):
        if path.is_file() and path.suffix in {"", ".sh", ".py", ".toml", ".txt", ".md", ".json"}:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    command = [sys.executable, "-m", "autograder", "bundle", "--out", tmp_path / "out"]
    subprocess.run(command, cwd=copy, check=True, env={**os.environ, "PYTHONPATH": str(copy)})
    for name in ("autograder.zip", "student_template.zip"):
        assert (tmp_path / "out" / name).read_bytes() == (out / name).read_bytes()


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13"])
def test_what_images_install_is_locked_for_each_python(grader, version):
    """Each pinned version stands in the lock file, each line of which has a digest."""
    for name, sources in (("", ["txt"]), (".otter", ["txt", "otter"])):
        lock = grader.read(f"requirements{name}.{version}.lock").decode()
        for source in sources:
            for line in grader.read(f"requirements.{source}").decode().splitlines():
                requirement, _, marker = line.partition(";")
                if "==" in requirement and (version == "3.10" or '< "3.11"' not in marker):
                    assert f"{requirement.strip()} \\\n    --hash=sha256:" in lock
        assert "://" not in lock
