"""Many submissions at once: in parallel, resumable, and none of them in another's way."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder import batch
from autograder.batch import grade_all, key_of
from autograder.intake.classes import Member
from autograder.intake.submission import open_submission
from autograder.judging.grading import grade, warm_start
from autograder.manifest import load_manifest
from tests.goldens import folder_of, of_kind, scores

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-m", "autograder", "grade"]
HONEST = ("where-neginf", "no-scaling", "axis0", "einsum")
ENDLESS = "import time\ndef softmax(x):\n    while True: time.sleep(0.01)\n"


def members(folder: Path) -> list[Member]:
    return [Member(path.name, path, origin=str(path)) for path in sorted(folder.iterdir())]


def graded(folder: Path, **options):
    outcomes = []
    grade_all(members(folder), outcomes.append, **options)
    return {outcome.name: outcome for outcome in outcomes}


@pytest.fixture
def klass(tmp_path) -> Path:
    folder = tmp_path / "class"
    folder.mkdir()
    for name in HONEST:
        shutil.copytree(folder_of(name), folder / name)
    return folder


def run(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, **options
    )


def test_scores_are_those_of_one_at_a_time(klass):
    shutil.copytree(folder_of("exits-in-a-call"), klass / "exits")
    shutil.copytree(folder_of("segfault"), klass / "segfault")
    together = graded(klass, jobs=2)
    for member in members(klass):
        alone = grade(member.path)
        assert scores(together[member.name].report) == scores(alone), member.name
        assert together[member.name].report.misconceptions == alone.misconceptions


def test_one_that_hangs_delays_no_other(klass):
    (klass / "aaa-endless").mkdir()
    (klass / "aaa-endless" / "softmax.py").write_text(ENDLESS)
    order = []
    grade_all(members(klass), lambda outcome: order.append(outcome.name), jobs=2)
    # It was begun first.
    assert order[0] != "aaa-endless"
    assert len(order) == len(HONEST) + 1


def test_a_grader_that_never_ends_is_ended_and_its_member_has_no_score(klass, monkeypatch):
    (klass / "endless").mkdir()
    (klass / "endless" / "softmax.py").write_text(ENDLESS)
    monkeypatch.setattr(batch, "GRACE_SECONDS", 6 - load_manifest().limits.submission_seconds)
    outcomes = graded(klass, jobs=2)
    late = outcomes.pop("endless")
    assert (late.status, late.report) == ("grader_error", None)
    assert "in time" in late.fault
    assert {outcome.status for outcome in outcomes.values()} == {"graded"}


def test_the_same_work_is_graded_once(klass):
    shutil.copytree(klass / "no-scaling", klass / "no-scaling-too")
    asked = []

    def known(member, key):
        asked.append(key)

    outcomes = graded(klass, jobs=2, known=known)
    assert len(asked) == len(HONEST) + 1
    assert len({*asked}) == len(HONEST)
    one, two = outcomes["no-scaling"].report, outcomes["no-scaling-too"].report
    assert scores(one) == scores(two)
    assert two.submission == "no-scaling-too"


def test_the_key_is_of_the_work_and_not_of_its_name(klass, tmp_path):
    def key(path):
        return key_of(open_submission(path, load_manifest()))

    copy = Path(shutil.copytree(klass / "einsum", tmp_path / "elsewhere" / "einsum"))
    assert key(copy) == key(klass / "einsum")
    assert key_of(open_submission(copy, load_manifest()), live_kernel=True) != key(copy)
    source = next(copy.glob("*.py"))
    source.write_text(source.read_text() + "\n# another byte\n")
    assert key(copy) != key(klass / "einsum")


def test_what_one_submission_plants_is_absent_in_the_next(tmp_path):
    """The zygote is no place to leave anything: each guest is forked before any student code."""
    plant = "import builtins, sys, numpy as np\nbuiltins.planted = True\nnp.planted = True\n"
    plant += "sys.modules['planted'] = sys\ndef causal_mask(n): return np.arange(n) > n\n"
    look = "import builtins, sys, numpy as np\n"
    look += (
        "found = [hasattr(builtins, 'planted'), hasattr(np, 'planted'), 'planted' in sys.modules]\n"
    )
    look += "def causal_mask(n): return np.full((n, n), any(found))\n"
    for name, source in (("one", plant), ("two", look)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "causal_mask.py").write_text(source)
    with warm_start() as start:
        limits = load_manifest().limits
        for name in ("one", "two"):
            guest = start(open_submission(tmp_path / name, load_manifest()), limits)
            header = {"ask": "load", "file": "causal_mask.py", "public": False}
            guest.ask(header, [], 5.0)
            call = {"ask": "call", "file": "causal_mask.py", "function": "causal_mask"}
            asked = {"keywords": {}, "arguments": [{"integer": 2}], "keep": False, "most": 1000}
            reply = guest.ask({**call, **asked}, [], 5.0)
            guest.close()
    assert not reply.results[0].values.any()


# --- the command ---------------------------------------------------------------------------------


def test_a_second_run_grades_only_what_changed(klass, tmp_path):
    out = tmp_path / "out"
    assert run(klass, "--out", out).returncode == 0
    before = {path.name: path.stat().st_mtime_ns for path in (out / "results").iterdir()}
    table = (out / "grades.csv").read_bytes()
    source = klass / "einsum" / "attention.py"
    if not source.exists():
        source = next((klass / "einsum").glob("*.py"))
    source.write_text(source.read_text() + "\n# a byte more\n")
    assert run(klass, "--out", out).returncode == 0
    assert (out / "grades.csv").read_bytes() == table
    assert set(before) == {path.name for path in (out / "results").iterdir()}


def test_two_of_one_name_from_two_sections_are_told_apart(klass, tmp_path):
    other = Path(shutil.copytree(klass, tmp_path / "section-b"))
    out = tmp_path / "out"
    for folder in (klass, other):
        assert run(folder, "--out", out).returncode == 0
    names = {path.stem for path in (out / "results").iterdir()}
    assert names == {*HONEST, *(f"{name}-2" for name in HONEST)}
    assert run(other, "--out", out).returncode == 0
    assert names == {path.stem for path in (out / "results").iterdir()}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_it_ends_at_once_and_keeps_what_was_finished(klass, tmp_path, number):
    (klass / "zzz-endless").mkdir()
    (klass / "zzz-endless" / "softmax.py").write_text(ENDLESS)
    out = tmp_path / "out"
    process = subprocess.Popen(
        [*COMMAND, str(klass), "--out", str(out), "--jobs", "2"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while len(list((out / "results").glob("*.json"))) < len(HONEST) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(number)
    started = time.monotonic()
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - started < 10
    assert process.returncode == 128 + number, said
    assert {path.stem for path in (out / "results").iterdir()} == {*HONEST}
    assert len((out / "grades.csv").read_text().splitlines()) == len(HONEST) + 1


@pytest.mark.slow
def test_killed_at_any_moment_and_run_again_it_gives_the_same_table(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    for name in [*of_kind("right"), *of_kind("wrong")][::12]:
        shutil.copytree(folder_of(name), folder / name)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert run(folder, "--out", whole).returncode == 0
    dice = random.Random(14)
    for _ in range(10):
        process = subprocess.Popen(
            [*COMMAND, str(folder), "--out", str(broken)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(dice.uniform(0.2, 4.0))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert run(folder, "--out", broken).returncode == 0
    assert (broken / "grades.csv").read_bytes() == (whole / "grades.csv").read_bytes()
    for path in (broken / "results").iterdir():
        assert json.loads(path.read_text())["score"] == pytest.approx(
            json.loads((whole / "results" / path.name).read_text())["score"]
        )


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_grades_with_a_worker_lost(klass, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    here, there = tmp_path / "here", tmp_path / "there"
    with cluster:
        process = subprocess.Popen(
            [*COMMAND, str(klass), "--out", str(there), "--scheduler", cluster.scheduler_address],
            cwd=ROOT,
        )
        time.sleep(2)
        pid = next(iter(cluster.workers.values())).process.pid
        os.kill(pid, signal.SIGKILL)
        assert process.wait(timeout=240) == 0
    assert run(klass, "--out", here).returncode == 0
    assert (there / "grades.csv").read_bytes() == (here / "grades.csv").read_bytes()
