"""The images of Gradescope and of `otter grade`, built and run for real.

They need a Docker engine: DOCKER_HOST set, or a running one that `docker version` finds.
"""

import csv
import importlib.util
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docker_engine import DOCKERFILE, MEGABYTE, NEEDS_DOCKER, Image, docker
from tests.platform_runs import (
    BONUS,
    HIDDEN_DATA,
    PARITY,
    graded,
    handed_in,
    plant,
    read_results,
    scores,
    scores_of_results,
    with_file,
    zipped,
)

# As on Gradescope: the default memory and half a CPU, and no network to be on the safe side.
LIMITS = ["--memory", "768m", "--memory-swap", "768m", "--cpus", "0.5", "--network", "none"]
EXERCISES = ["attention", "captured_log", "causal_mask", "exam", "fused_kernel", "softmax"]
# The seconds of the run alone, and the most memory that the container has used.
MEASURED = """
TIMEFORMAT=%R
time /autograder/run_autograder
status=$?
cd /sys/fs/cgroup
cat memory.peak memory/memory.max_usage_in_bytes >&2 2>/dev/null
exit $status
"""


pytestmark = NEEDS_DOCKER
NEEDS_OTTER = pytest.mark.skipif(
    importlib.util.find_spec("otter") is None,
    reason="needs otter-grader: pip install -e '.[otter]'",
)


@dataclass
class Run:
    results: dict
    status: int
    seconds: float
    megabytes: float


def run_in(image: str, submission: Path, folder: Path, metadata: str | None = None) -> Run:
    """Copies a submission in, runs the container to its end and takes the results out."""
    container = docker("create", *LIMITS, image, "bash", "-c", MEASURED).stdout.strip()
    try:
        docker("cp", f"{submission}/.", f"{container}:/autograder/submission")
        if metadata is not None:
            (folder / "metadata").write_text(metadata)
            docker("cp", folder / "metadata", f"{container}:/autograder/submission_metadata.json")
        done = docker("start", "--attach", container, check=False)
        docker("cp", f"{container}:/autograder/results", folder)
    finally:
        docker("rm", "--force", container)
    seconds, peak = done.stderr.split()[-2:]
    return Run(read_results(folder), done.returncode, float(seconds), int(peak) / MEGABYTE)


# --- Gradescope's image --------------------------------------------------------------------------


def test_gradescope_s_image_is_small_and_soon_built(image):
    print(f"built in {image.build_seconds:.0f} s, {image.megabytes:.0f} MB above the base")
    assert image.build_seconds < 180
    assert image.megabytes < 250
    assert "setup.sh: done" in image.log
    assert "otter" not in docker("run", "--rm", image.tag, "/opt/autograder/bin/pip", "list").stdout


def test_a_step_of_setup_that_fails_fails_the_build(archive, tmp_path):
    with zipfile.ZipFile(archive) as file:
        file.extractall(tmp_path / "source")
    for path in (tmp_path / "source").glob("requirements*"):
        path.write_text("numpy==0.0.0\n")
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    done = docker("build", "--no-cache", "--progress", "plain", tmp_path, check=False)
    assert done.returncode != 0
    assert "setup.sh: installing from requirements" in done.stdout + done.stderr
    assert "setup.sh: done" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", PARITY)
def test_gradescope_s_score_is_that_of_the_command(image, tmp_path, name):
    submission = handed_in(name, tmp_path / "handed in")
    run = run_in(image.tag, submission, tmp_path)
    assert run.status == 0
    assert scores_of_results(run.results) == scores(graded(submission))


def test_gradescope_s_run_is_quick_and_small(image, tmp_path):
    submission = handed_in("no-scaling", tmp_path / "handed in")
    runs = [run_in(image.tag, submission, tmp_path) for _ in range(3)]
    seconds, megabytes = min(run.seconds for run in runs), max(run.megabytes for run in runs)
    print(f"Gradescope: {[run.seconds for run in runs]} s, at most {megabytes:.0f} MB")
    assert seconds < 10
    assert megabytes < 400


def test_student_code_runs_as_another_user_behind_every_lock(image, tmp_path):
    run = run_in(image.tag, handed_in("solutions", tmp_path / "handed in"), tmp_path)
    assert {"uid", "rlimits"} <= {*run.results["extra_data"]["isolation"]}


SNOOPS = """
import os

def causal_mask(n):
    found = []
    for place in ("/autograder/source", "/autograder/results", "/autograder/source/files-grader"):
        try:
            found.append(os.listdir(place))
        except OSError:
            pass
    raise ValueError if found else KeyError
"""


def test_hidden_tests_and_results_are_closed_to_student_code(image, tmp_path):
    submission = handed_in("solutions", tmp_path / "handed in")
    (submission / "causal_mask.py").write_text(SNOOPS)
    results = run_in(image.tag, submission, tmp_path).results
    outputs = [test["output"] for test in results["tests"] if test["name"].startswith("causal_")]
    assert all("KeyError" in output for output in outputs)


def test_planted_files_change_nothing_on_gradescope(image, tmp_path):
    plain, planted = tmp_path / "plain", tmp_path / "planted"
    handed_in("no-scaling", plain)
    plant(handed_in("no-scaling", planted), Path("/autograder/results/ran"))
    expected = run_in(image.tag, plain, tmp_path).results
    assert run_in(image.tag, planted, tmp_path).results == expected
    assert not (tmp_path / "results" / "ran").exists()


# --- otter grade ---------------------------------------------------------------------------------


@dataclass
class Class:
    folder: Path
    rows: list[dict[str, str]]
    image: Image


def otter_grade(name: str, archive: Path, folder: Path, submissions: Path, *options):
    """The rows of final_grades.csv, and the log."""
    wanted = ["-n", name, "-a", archive, "-o", folder, "--ext", "zip"]
    done = subprocess.run(
        [sys.executable, "-m", "otter", "grade", *wanted, "-v", *options, submissions],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    with (folder / "final_grades.csv").open(newline="") as file:
        return list(csv.DictReader(file)), done.stdout + done.stderr


@pytest.fixture(scope="module")
def a_class(archive, tmp_path_factory) -> Iterator[Class]:
    """All submissions graded at once; six of them hang, exit, crash or eat memory."""
    folder = tmp_path_factory.mktemp("otter grade")
    submissions = folder / "class"
    submissions.mkdir()
    for name in PARITY:
        handed_in(name, folder / "files" / name)
        shutil.move(zipped(folder / "files" / name), submissions)
    planted = handed_in("no-scaling", folder / "files" / "planted")
    plant(planted, Path("/autograder/results/results.pkl"))
    shutil.move(zipped(planted), submissions)
    (folder / "one").mkdir()
    (folder / "first").mkdir()
    shutil.copy(submissions / "solutions.zip", folder / "one")
    # Another environment.yml, which nothing reads, and Docker builds from that step on.
    fresh = with_file(archive, folder / "fresh.zip", "environment.yml", f"# {time.time_ns()}\n")
    started = time.monotonic()
    _, log = otter_grade("autograder-test", fresh, folder / "first", folder / "one")
    image = Image("otter-grade:autograder-test", time.monotonic() - started, log)
    rows, _ = otter_grade(
        "autograder-test", fresh, folder, submissions, "--summaries", "--no-network"
    )
    yield Class(folder, rows, image)
    docker("image", "rm", image.tag)


@NEEDS_OTTER
def test_otter_s_image_is_small_and_soon_built(a_class):
    image = a_class.image
    print(f"built and run in {image.build_seconds:.0f} s, {image.megabytes:.0f} MB above the base")
    assert image.build_seconds < 180
    assert image.megabytes < 550


@NEEDS_OTTER
def test_no_row_is_lost_and_none_is_there_twice(a_class):
    files = [row["file"] for row in a_class.rows]
    assert files == ["points-per-question", *sorted(f"{name}.zip" for name in [*PARITY, "planted"])]
    assert [*a_class.rows[0]][1:-3] == sorted([*EXERCISES, *BONUS])
    assert {row["grading_status"] for row in a_class.rows[1:]} == {"Completed"}


@NEEDS_OTTER
@pytest.mark.parametrize("name", PARITY)
def test_otter_grade_s_score_is_that_of_the_command(a_class, name):
    row = next(row for row in a_class.rows if row["file"] == f"{name}.zip")
    expected = graded(a_class.folder / "files" / name)
    assert {exercise: float(row[exercise]) for exercise in EXERCISES} == scores(expected)
    assert round(float(row["total_points_earned"]), 2) == expected["score"]


@NEEDS_OTTER
def test_planted_files_change_nothing_in_otter_grade(a_class):
    plain, planted = (
        next(row for row in a_class.rows if row["file"] == f"{name}.zip")
        for name in ("no-scaling", "planted")
    )
    assert {**plain, "file": ""} == {**planted, "file": ""}


@NEEDS_OTTER
def test_our_verdicts_can_be_read_in_otter_s_summaries(a_class):
    summaries = a_class.folder / "grading-summaries"
    assert "timeout" in (summaries / "infinite-loop-in-mask.txt").read_text()
    assert "out of memory" in (summaries / "memory-bomb.txt").read_text()
    assert "without the 1/sqrt(d_k) scale" in (summaries / "no-scaling.txt").read_text()


@NEEDS_OTTER
def test_otter_s_run_is_quick_and_small(a_class, tmp_path):
    submission = handed_in("no-scaling", tmp_path / "handed in")
    runs = [run_in(a_class.image.tag, submission, tmp_path) for _ in range(3)]
    seconds, megabytes = min(run.seconds for run in runs), max(run.megabytes for run in runs)
    print(f"otter: {[run.seconds for run in runs]} s, at most {megabytes:.0f} MB")
    assert seconds < 15
    assert megabytes < 400


@NEEDS_OTTER
def test_a_fault_of_the_grader_is_otter_s_grading_status(archive, tmp_path):
    broken = with_file(archive, tmp_path / "broken.zip", HIDDEN_DATA, "{}")
    (tmp_path / "class").mkdir()
    for name in ("solutions", "einsum"):
        shutil.move(zipped(handed_in(name, tmp_path / name)), tmp_path / "class")
    rows, _ = otter_grade("autograder-fault", broken, tmp_path, tmp_path / "class")
    docker("image", "rm", "otter-grade:autograder-fault")
    assert len(rows) == 2
    for row in rows:
        assert row["grading_status"].startswith("grader_error: ")
        assert "none is drawn" in row["grading_status"]
