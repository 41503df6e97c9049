"""Runs of the platforms: submissions as files to hand in, the zip unpacked, a platform run."""

import compileall
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

from autograder.manifest import load_manifest
from tests.goldens import folder_of

ROOT = Path(__file__).parent.parent
# They have no points: a line of their own on every platform.
BONUS = {one.name for one in load_manifest().exercises if one.bonus}
SOLUTIONS, TEMPLATE = ROOT / "solutions", ROOT / "student_template"
AUTOGRADER = str(Path(sys.executable).with_name("autograder"))

WILD = [
    "where-minus-1e9",
    "einsum",
    "streaming-softmax",
    "own-helper-module",
    "three-files-import-module",
    "no-scaling",
    "axis0",
    "weights-first",
    "mask-int-zero-one",
    "carried-softmax-columns",
]
BROKEN = [
    "syntax-error",
    "exit-zero-at-import",
    "segfault",
    "memory-bomb",
    "infinite-loop-in-mask",
    "system-exit-at-import",
]
PARITY = ["solutions", "student_template", *WILD, *BROKEN]

HIDDEN_DATA = "files-grader/autograder/exercises/attention/cases.json"

# A planted module tells on itself where it runs as the user who grades.
PLANTED = ("re.py", "json.py", "numpy.py", "pkgutil.py", "sitecustomize.py", "conftest.py")


def handed_in(name: str, folder: Path) -> Path:
    """A copy of a submission; a wild one gets an exam sheet that is right in part."""
    if name in ("solutions", "student_template"):
        # The files or the notebook, says its README.
        files = shutil.ignore_patterns("*.ipynb", "__pycache__")
        return Path(shutil.copytree(ROOT / name, folder, ignore=files))
    ignored = shutil.ignore_patterns("expected.json")
    shutil.copytree(folder_of(name), folder, ignore=ignored)
    if name in WILD:
        (folder / "exam.toml").write_text(exam_sheet(3 + WILD.index(name)), encoding="utf-8")
    return folder


def exam_sheet(right: int) -> str:
    """An exam.toml whose first so many answers are right, the others blank."""
    lines = (SOLUTIONS / "exam.toml").read_text(encoding="utf-8").splitlines()
    answers = [line for line in lines if line.startswith("q")]
    return "\n".join(answers[:right]) + "\n"


def plant(submission: Path, marker: Path) -> None:
    """Adds what would run in place of Python's own modules, the grader's, and otter's log."""
    source = f"open({str(marker)!r}, 'a').write(__file__)\n"
    for name in PLANTED:
        (submission / name).write_text(source)
    for package in ("autograder", "otter", "click"):
        (submission / package).mkdir()
        (submission / package / "__init__.py").write_text(source)
    (submission / "pytest.ini").write_text("[pytest]\naddopts = -p conftest\n")
    # A pickle that opens the marker for writing where it is loaded.
    log = f"c__builtin__\nopen\n(S{str(marker)!r}\nS'w'\ntR."
    (submission / ".OTTER_LOG").write_text(log)


def zipped(folder: Path) -> Path:
    archive = folder.with_name(f"{folder.name}.zip")
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(folder.rglob("*")):
            file.write(path, path.relative_to(folder))
    return archive


def laid(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def archive_of(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, source in files.items():
            archive.writestr(zipfile.ZipInfo(name), source, method)
    return content.getvalue()


def bundled(out: Path) -> Path:
    """autograder.zip, made by the command."""
    subprocess.run([AUTOGRADER, "bundle", "--out", out], check=True, capture_output=True)
    return out / "autograder.zip"


def with_file(archive: Path, copy: Path, name: str, content: str) -> Path:
    """A copy of the zip in which one file has another content."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(copy, "w") as new:
        for info in old.infolist():
            new.writestr(info, content if info.filename == name else old.read(info))
    return copy


def graded(path: Path) -> dict:
    """The report of `autograder grade --json`."""
    done = subprocess.run(
        [AUTOGRADER, "grade", "--json", path], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def scores(report: dict) -> dict[str, float]:
    return {exercise["name"]: exercise["score"] for exercise in report["exercises"]}


# --- Gradescope's layout -------------------------------------------------------------------------


@cache
def unpacked(archive: Path) -> Path:
    """The zip's files, compiled once as setup.sh does for all submissions."""
    source = archive.with_suffix(".unpacked")
    with zipfile.ZipFile(archive) as file:
        file.extractall(source)
    compileall.compile_dir(source / "files-grader", quiet=2)
    return source


def gradescope_layout(root: Path, archive: Path, submission: Path) -> Path:
    """The folders as Gradescope makes them, the zip unpacked and the submission in place."""
    shutil.copytree(unpacked(archive), root / "source")
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    (root / "run_autograder").chmod(0o755)
    shutil.copytree(submission, root / "submission")
    (root / "results").mkdir()
    return root


def start_run(root: Path, **options) -> subprocess.Popen:
    """Starts run_autograder as Gradescope does, with this Python in place of the image's."""
    # From the folder whose files must not run, where there is one.
    folder = root / "submission"
    return subprocess.Popen(
        [root / "run_autograder"],
        cwd=folder if folder.exists() else root,
        env={**os.environ, "AUTOGRADER_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )


def run(root: Path, **options) -> tuple[dict, int, str]:
    """Results, exit status and what staff see on stdout."""
    process = start_run(root, **options)
    said, _ = process.communicate(timeout=120)
    return read_results(root), process.returncode, said


def read_results(root: Path) -> dict:
    """results.json, checked against what Gradescope's documentation asks for."""
    results = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    assert type(results["score"]) in (int, float)
    assert results["stdout_visibility"] == "hidden"
    assert results["output_format"] == "text"
    for test in results["tests"]:
        assert test["visibility"] == "visible"
        assert test["output_format"] == "text"
        assert test["status"] in ("passed", "failed")
        assert 0 <= test["score"] <= test["max_score"]
        assert test["number"]
    if results["tests"]:
        assert results["score"] == round(sum(test["score"] for test in results["tests"]), 2)
    return results


def scores_of_results(results: dict) -> dict[str, float]:
    """Points per exercise, of those that have any: a test's name starts with its exercise."""
    found: dict[str, float] = {}
    for test in results["tests"]:
        exercise = test["name"].partition(":")[0]
        if exercise in BONUS:
            continue
        found[exercise] = round(found.get(exercise, 0) + test["score"], 2)
    return found
