"""A copy of the checkout under git, and what a maintainer does in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.kit.drawing import CHECKOUT

NOT_COPIED = (".git", ".venv", "__pycache__", "*.egg-info", "build", ".*_cache", "secret_seed.txt")


def copied(place: Path, *parts: str) -> Path:
    """These parts of the checkout, or all of it, committed in a repository of their own."""
    ignored = shutil.ignore_patterns(*NOT_COPIED)
    for part in parts or (".",):
        source = CHECKOUT / part
        if source.is_dir():
            shutil.copytree(source, place / part, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy(source, place / part)
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.invalid"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run([*git, *command], cwd=place, check=True)
    return place


def python(
    checkout: Path, *arguments: str | Path, **env: str
) -> "subprocess.CompletedProcess[str]":
    """`python ARGUMENTS` in a copy, whose own package is the one that is imported."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), **env},
        capture_output=True,
        text=True,
    )


def autograder(
    checkout: Path, *arguments: str | Path, **env: str
) -> "subprocess.CompletedProcess[str]":
    """The command of a copy."""
    return python(checkout, "-m", "autograder", *arguments, **env)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def status(checkout: Path) -> str:
    command = ["git", "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout


def touched(checkout: Path) -> set[str]:
    """The files that differ from the commit, by their paths."""
    return {line[3:] for line in status(checkout).splitlines()}
