"""Gradescope's door in a folder laid out as Gradescope does it: the real run_autograder, no Docker.

tests/test_docker.py opens it in the image that setup.sh builds.
"""

import importlib.util
import json
import os
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.platform_runs import (
    HIDDEN_DATA,
    PARITY,
    SOLUTIONS,
    bundled,
    graded,
    gradescope_layout,
    handed_in,
    plant,
    read_results,
    run,
    scores,
    scores_of_results,
    start_run,
    zipped,
)

# The others take their seconds, and `make test-all`.
QUICK = ("solutions", "student_template", "no-scaling", "syntax-error")


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    return bundled(tmp_path_factory.mktemp("bundle"))


@pytest.fixture
def layout(tmp_path, archive):
    """Lays out a submission: by default the solutions, with some files replaced or added."""

    def lay(name="solutions", metadata=None, **files) -> Path:
        submission = handed_in(name, tmp_path / "handed in")
        for stem, source in files.items():
            (submission / f"{stem}.py").write_text(source)
        root = gradescope_layout(tmp_path / "autograder", archive, submission)
        if metadata is not None:
            (root / "submission_metadata.json").write_text(metadata, encoding="utf-8")
        return root

    return lay


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in PARITY],
)
def test_the_score_is_that_of_the_command(layout, name):
    root = layout(name)
    results, status, _ = run(root)
    assert status == 0
    assert scores_of_results(results) == scores(graded(root / "submission"))


def test_results_for_students_and_for_staff(layout):
    root = layout("no-scaling")
    results, _, said = run(root)
    assert said == ""
    assert results["output"].startswith(f"{results['score']:g} of 100 points; exam: ")
    staff = results.pop("extra_data")
    assert staff["misconceptions"] == ["no_scaling"]
    assert "process" in staff["isolation"]
    assert len(staff["exam"]["missed"]) > 0
    for miss in staff["exam"]["missed"]:
        assert miss["id"] not in json.dumps(results)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_source_and_results_are_closed_to_other_users(layout):
    root = layout()
    run(root)
    for folder in ("source", "results"):
        assert (root / folder).stat().st_mode & 0o077 == 0


# --- whatever happens --------------------------------------------------------------------------


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (found := condition()) is not None:
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come to that")


def results_when(root: Path, holds):
    def look():
        if not (root / "results" / "results.json").exists():
            return None
        results = read_results(root)
        return results if holds(results) else None

    return wait_for(look)


def test_valid_results_are_there_before_student_code_runs(layout):
    root = layout(softmax="def softmax(scores):\n    return scores\nwhile True: pass\n")
    process = start_run(root, start_new_session=True)
    try:
        first = results_when(root, lambda results: True)
        assert first["score"] == 0
        assert "started" in first["output"]
        blank = results_when(root, lambda results: results["tests"])
        assert {test["output"] for test in blank["tests"]} == {"not run"}
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_a_run_killed_after_two_exercises_keeps_their_scores(layout):
    root = layout(attention="def attention(*a, **k):\n    while True: pass\n")
    process = start_run(root, start_new_session=True)
    try:
        results_when(root, lambda results: scores_of_results(results).get("causal_mask", 0) > 0)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    left = read_results(root)
    assert scores_of_results(left) == {
        "softmax": 20,
        "causal_mask": 10,
        "attention": 0,
        "fused_kernel": 0,
        "captured_log": 0,
        "exam": 0,
    }
    assert left["output"].startswith("Not finished")
    assert {test["output"] for test in left["tests"] if test["name"].startswith("attention")} == {
        "not run"
    }


def test_a_full_disk_leaves_no_half_written_results(layout):
    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))

    root = layout()
    process = start_run(root, preexec_fn=little_room)
    said, _ = process.communicate(timeout=120)
    assert "cannot be written" in said or "grader_error" in said
    left = {path.name: path for path in (root / "results").iterdir()}
    assert {*left} <= {"results.json", "results.pkl"}
    # None at all is Gradescope's own error; one that fitted is whole.
    assert "results.json" not in left or json.loads(left["results.json"].read_text())


def broken_zip(submission: Path) -> None:
    for path in submission.iterdir():
        path.unlink()
    (submission / "work.zip").write_bytes(b"PK\x03\x04" + bytes(50))


def links_only(submission: Path) -> None:
    for path in submission.iterdir():
        path.unlink()
        path.symlink_to(SOLUTIONS / path.name)


UNREADABLE = {
    "no folder": shutil.rmtree,
    "an empty folder": lambda submission: [path.unlink() for path in submission.iterdir()],
    "a broken zip": broken_zip,
    "links": links_only,
}


@pytest.mark.parametrize("breaking", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_submission_gets_valid_results(layout, breaking):
    root = layout()
    breaking(root / "submission")
    results, status, _ = run(root)
    assert (status, results["score"]) == (0, 0)
    assert results["tests"]


def test_a_fault_of_the_grader_leaves_no_score(layout):
    """Gradescope shows an error of its own where there is no results.json: staff see it, and the
    student reads no 0."""
    root = layout()
    (root / "source" / HIDDEN_DATA).write_text("{}")
    process = start_run(root)
    said, _ = process.communicate(timeout=120)
    assert said.startswith("grader_error:")
    assert "none is drawn" in said
    assert not (root / "results" / "results.json").exists()
    # Where otter is, its results.pkl tells the fault, and is read after status 0 only.
    otter = importlib.util.find_spec("otter") is not None
    assert process.returncode == (0 if otter else 1)
    assert (root / "results" / "results.pkl").exists() == otter


def test_planted_files_neither_run_nor_count(layout, tmp_path):
    root = layout("no-scaling")
    marker = tmp_path / "ran"
    plant(root / "submission", marker)
    results, _, _ = run(root)
    assert not marker.exists()
    shutil.rmtree(root / "submission")
    handed_in("no-scaling", root / "submission")
    assert results["tests"] == run(root)[0]["tests"]


def test_a_zip_in_the_submission_is_opened(layout, tmp_path):
    root = layout()
    archive = zipped(tmp_path / "handed in")
    shutil.rmtree(root / "submission")
    (root / "submission").mkdir()
    shutil.copy(archive, root / "submission")
    assert run(root)[0]["score"] == 100


# --- submission_metadata.json --------------------------------------------------------------------

DUE = "2026-03-01T23:00:00.000000-08:00"


def metadata(*previous, created="2026-03-01T20:00:00.365935-08:00", due=DUE) -> str:
    """As Gradescope documents it; `previous` are the results of earlier runs."""
    return json.dumps(
        {
            "id": 123456,
            "created_at": created,
            "assignment": {"due_date": due, "late_due_date": None, "total_points": "100.0"},
            "submission_method": "upload",
            "users": [{"email": "a@b.c", "id": 1, "name": "A"}],
            "previous_submissions": [
                {"submission_time": created, "score": results["score"], "results": results}
                for results in previous
            ],
        }
    )


def test_staff_see_late_and_earlier_submissions_and_students_do_not(layout):
    root = layout(metadata=metadata({"score": 0}, created="2026-03-03T11:00:00.000000-08:00"))
    results, _, _ = run(root)
    staff = results.pop("extra_data")
    assert (staff["late"], staff["late_by_hours"]) == (True, 36.0)
    assert staff["earlier_submissions"] == 1
    assert "late" not in json.dumps(results)


def test_in_time_is_not_late(layout):
    staff = run(layout(metadata=metadata()))[0]["extra_data"]
    assert (staff["late"], staff["earlier_submissions"]) == (False, 0)


HOSTILE = {
    "empty": "",
    "cut off": metadata({"score": 3, "extra_data": {"exam_attempts": []}})[:-40],
    "no history": '{"id": 1}',
    "null": "null",
    "a list": "[[]]",
    "deep": "[" * 100_000,
    "digits": "9" * 10_000,
    "not a number": '{"previous_submissions": [NaN, {"results": Infinity}]}',
    "odd types": '{"previous_submissions": [{"results": {"extra_data": {"exam_attempts":'
    ' [1, null, {"digest": {}, "right": []}, {"digest": "x", "right": 18}]}}}]}',
    "odd dates": '{"created_at": 5, "assignment": {"due_date": "soon"}}',
    "no zone": '{"created_at": "2026-03-01", "assignment": {"due_date": "2026-03-01T00:00:00Z"}}',
    "surrogate": '{"created_at": "\\ud800", "assignment": [], "previous_submissions": "\\ud800"}',
    "bytes": "\x00\x01\x02",
}


@pytest.fixture(scope="module")
def without_history(tmp_path_factory):
    return scores(graded(handed_in("no-scaling", tmp_path_factory.mktemp("plain") / "handed in")))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_an_odd_history_costs_nothing(layout, without_history, text):
    results, status, _ = run(layout("no-scaling", metadata=text))
    assert status == 0
    assert scores_of_results(results) == without_history
