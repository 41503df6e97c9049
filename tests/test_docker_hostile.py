"""The hostile corpus inside a container with Docker's default profile, as Gradescope's image."""

import json

from test_docker import archive, docker, image, pytestmark
from test_submissions import EXPECTED, SUBMISSIONS

__all__ = ["archive", "image", "pytestmark"]

HOSTILE = [
    name
    for name, expected in EXPECTED.items()
    if expected["kind"] in ("attack", "cheat", "leak", "broken")
]
CONTROL = "where-neginf"
# After every hostile submission the control is graded: nothing of the first may be left.
PROGRAM = """
import json, sys
from pathlib import Path
sys.path.insert(0, "/autograder/source/files-grader")
from autograder.judging.grading import grade
told = {}
for name in sys.argv[2:]:
    report, control = (grade(Path("/submissions") / folder) for folder in (name, sys.argv[1]))
    scores = {e.name: e.score for e in report.exercises if e.name != "exam"}
    told[name] = {
        "exercises": scores,
        "misconceptions": report.misconceptions,
        "isolation": control.isolation,
        "control": sum(e.score for e in control.exercises if e.name != "exam"),
    }
print(json.dumps(told))
"""


def test_attacks_are_inert_and_the_control_is_full(image):
    command = ["/opt/autograder/bin/python", "-I", "-c", PROGRAM, CONTROL, *HOSTILE]
    container = docker("create", "--network", "none", image.tag, *command).stdout.strip()
    try:
        docker("cp", SUBMISSIONS, f"{container}:/submissions")
        done = docker("start", "--attach", container, check=False)
    finally:
        docker("rm", "--force", container)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told) >= 60
    for name, found in told.items():
        assert found["exercises"] == EXPECTED[name]["exercises"], name
        assert found["misconceptions"] == EXPECTED[name]["misconceptions"], name
        assert found["control"] == 80, name
        assert {"uid", "landlock", "seccomp"} <= {*found["isolation"]}, name
