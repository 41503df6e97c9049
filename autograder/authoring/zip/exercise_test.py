"""One exercise as otter sees it: its hidden tests are judged outside this kernel."""

import os
import sys
from functools import partial
from typing import Any

from otter.test_files import test_case

# Otter runs this file in the submission's folder, whose own modules must not come first.
sys.path.insert(0, os.path.abspath("../source/files-grader"))

from autograder.platforms.otter import cases

OK_FORMAT = False
name = "EXERCISE"


def outcome(case: dict[str, Any]) -> None:
    assert case["passed"], case["verdict"]


for number, case in enumerate(cases(name), start=1):
    globals()[f"case_{number}"] = test_case(
        name=case["name"], points=case["points"], failure_message=case["hint"] or None
    )(partial(outcome, case))
