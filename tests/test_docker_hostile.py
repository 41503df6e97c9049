"""The hostile corpus inside a container with Docker's default profile, as Gradescope's image.

And a sample of all kinds at a whole processor and at a tenth of one: the load decides no score.
"""

import json

import pytest

from tests.docker_engine import NEEDS_DOCKER, docker
from tests.goldens import (
    CODE_POINTS,
    CONTROL,
    GOLDENS,
    HOSTILE_KINDS,
    POINTS,
    SUBMISSIONS,
    folder_of,
    of_kind,
)

pytestmark = NEEDS_DOCKER

HOSTILE = of_kind(*HOSTILE_KINDS)
# Where they lie in tests/submissions/; the control first.
FOLDERS = [str(folder_of(name).relative_to(SUBMISSIONS)) for name in (CONTROL, *HOSTILE)]
# After every hostile submission the control is graded: nothing of the first may be left.
PROGRAM = """
import json, sys
from pathlib import Path
sys.path.insert(0, "/autograder/source/files-grader")
from autograder.judging.grading import grade
told = {}
for folder in sys.argv[2:]:
    report, control = (grade(Path("/submissions") / path) for path in (folder, sys.argv[1]))
    scores = {e.name: e.score for e in report.exercises if e.name != "exam"}
    told[Path(folder).name] = {
        "exercises": scores,
        "misconceptions": report.misconceptions,
        "isolation": control.isolation,
        "control": sum(e.score for e in control.exercises if e.name != "exam"),
    }
print(json.dumps(told))
"""


def test_attacks_are_inert_and_the_control_is_full(image):
    command = ["/opt/autograder/bin/python", "-I", "-c", PROGRAM, *FOLDERS]
    container = docker("create", "--network", "none", image.tag, *command).stdout.strip()
    try:
        docker("cp", SUBMISSIONS, f"{container}:/submissions")
        done = docker("start", "--attach", container, check=False)
    finally:
        docker("rm", "--force", container)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {*told} == {*HOSTILE}
    for name, found in told.items():
        scores = {e: score for e, score in GOLDENS[name].scores.items() if e in POINTS}
        assert found["exercises"] == scores, name
        assert found["misconceptions"] == GOLDENS[name].misconceptions, name
        assert found["control"] == CODE_POINTS, name
        assert {"uid", "landlock", "seccomp"} <= {*found["isolation"]}, name


# What eats memory or time, what sleeps, what is late, and honest work beside it.
SAMPLE = [
    *("einsum", "pure-python-loops", "no-scaling", "carried-both-wrong", "floods-stdout"),
    *("memory-bomb", "memory-slowly", "memory-in-one-string", "object-array-of-bombs"),
    *("sleeps-just-below-the-deadline", "infinite-loop-in-mask", "infinite-loop-at-import"),
    *("loop-in-c", "catastrophic-regex", "oversized-result", "deep-recursion"),
    *("answers-of-eight-mebibytes", "constant-folding-bombs"),
]
AT_ANY_LOAD = """
import json, sys, time
from pathlib import Path
sys.path.insert(0, "/autograder/source/files-grader")
from autograder.judging.grading import grade
told = {}
for folder in sys.argv[1:]:
    started = time.monotonic()
    report = grade(Path("/submissions") / folder)
    scores = {e.name: e.score for e in report.exercises if e.name != "exam"}
    told[Path(folder).name] = [scores, time.monotonic() - started]
print(json.dumps(told))
"""


@pytest.mark.parametrize("processors", [1.0, 0.1])
def test_the_load_decides_no_score_and_nobody_takes_longer(image, processors):
    folders = [str(folder_of(name).relative_to(SUBMISSIONS)) for name in SAMPLE]
    command = ["/opt/autograder/bin/python", "-I", "-c", AT_ANY_LOAD, *folders]
    limits = ["--cpus", processors, "--memory", "512m", "--memory-swap", "512m"]
    container = docker("create", "--network", "none", *limits, image.tag, *command).stdout.strip()
    try:
        docker("cp", SUBMISSIONS, f"{container}:/submissions")
        done = docker("start", "--attach", container, check=False)
    finally:
        docker("rm", "--force", container)
    assert done.returncode == 0, done.stderr
    for name, (scores, seconds) in json.loads(done.stdout).items():
        stated = {e: score for e, score in GOLDENS[name].scores.items() if e in POINTS}
        assert scores == stated, name
        assert seconds < 75, name
