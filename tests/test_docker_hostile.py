"""The hostile corpus inside a container with Docker's default profile, as Gradescope's image."""

import json

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
