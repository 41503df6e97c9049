"""Fixtures that several test modules share."""

import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docker_engine import DOCKERFILE, Image, docker
from tests.platform_runs import bundled


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    return bundled(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="module")
def image(archive, tmp_path_factory) -> Iterator[Image]:
    """Gradescope's: the zip in /autograder/source, then setup.sh."""
    context = tmp_path_factory.mktemp("image")
    with zipfile.ZipFile(archive) as file:
        file.extractall(context / "source")
    (context / "Dockerfile").write_text(DOCKERFILE)
    tag = "autograder-gradescope:test"
    started = time.monotonic()
    done = docker("build", "--no-cache", "--progress", "plain", "-t", tag, context)
    yield Image(tag, time.monotonic() - started, done.stdout + done.stderr)
    docker("image", "rm", tag)
