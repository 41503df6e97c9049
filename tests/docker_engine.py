"""The Docker engine, if one answers, and Gradescope's image as it is built there."""

import shutil
import subprocess
from dataclasses import dataclass

import pytest

BASE = "ubuntu:22.04"
MEGABYTE = 10**6
DOCKERFILE = f"""
FROM {BASE}
ADD source /autograder/source
RUN mkdir /autograder/submission /autograder/results \\
 && cp /autograder/source/run_autograder /autograder/run_autograder \\
 && chmod +x /autograder/run_autograder \\
 && bash /autograder/source/setup.sh
"""


def docker(*arguments, check=True, **options):
    return subprocess.run(
        ["docker", *map(str, arguments)], check=check, capture_output=True, text=True, **options
    )


def engine_answers() -> bool:
    found = shutil.which("docker") is not None
    return found and docker("version", check=False).returncode == 0


NEEDS_DOCKER = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not engine_answers(), reason="needs a Docker engine: set DOCKER_HOST to a running one"
    ),
]


@dataclass
class Image:
    tag: str
    build_seconds: float
    log: str

    @property
    def megabytes(self) -> float:
        """What it adds to the base image."""
        sizes = docker("image", "inspect", "--format", "{{.Size}}", self.tag, BASE).stdout.split()
        return (int(sizes[0]) - int(sizes[1])) / MEGABYTE
