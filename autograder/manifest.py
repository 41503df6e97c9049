"""manifest.toml as dataclasses."""

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Exercise:
    """One graded exercise, whose room is exercises/<name>/; the exam has no function."""

    name: str
    points: int
    function: str | None = None


@dataclass(frozen=True)
class Limits:
    """What one submission may use: seconds, MiB, KiB and files."""

    call_seconds: float
    submission_seconds: float
    memory_mebibytes: int
    file_kibibytes: int
    submission_kibibytes: int
    files: int


@dataclass(frozen=True)
class Manifest:
    exercises: tuple[Exercise, ...]
    limits: Limits
    exam_threshold: int
    exam_attempts: int

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that students write, each once, in the order of the exercises."""
        named = (exercise.function for exercise in self.exercises)
        return tuple(dict.fromkeys(function for function in named if function))


@cache
def load_manifest() -> Manifest:
    """Reads autograder/manifest.toml."""
    text = (Path(__file__).parent / "manifest.toml").read_text(encoding="utf-8")
    manifest: dict[str, Any] = tomllib.loads(text)
    return Manifest(
        exercises=tuple(Exercise(**entry) for entry in manifest["exercise"]),
        limits=Limits(**manifest["limits"]),
        exam_threshold=manifest["exam"]["threshold"],
        exam_attempts=manifest["exam"]["attempts"],
    )
