"""manifest.toml as dataclasses; what is wrong in it is told in a sentence that names the entry."""

import sys
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from autograder.report import GraderError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PATH = Path(__file__).with_name("manifest.toml")
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Exercise:
    """One graded exercise, whose room is exercises/<name>/; the exam has no function.

    Students write its function in <name>.py, unless an exercise above it has that function. needs
    are earlier exercises whose functions this one may call. A bonus has a line of its own, and no
    part in the score.
    """

    name: str
    points: float
    function: str | None = None
    needs: tuple[str, ...] = ()
    bonus: bool = False


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
class ExamRules:
    """How the exam counts: `threshold` of 100 passes, the first `attempts` different sheets."""

    threshold: int
    attempts: int


@dataclass(frozen=True)
class Manifest:
    exercises: tuple[Exercise, ...]
    limits: Limits
    exam: ExamRules

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that students write, each once, in the order of the exercises."""
        return tuple(self.written)

    @property
    def files(self) -> dict[str, str]:
        """The file in which each function is written, without its ending."""
        return {function: exercise.name for function, exercise in self.written.items()}

    @property
    def written(self) -> dict[str, Exercise]:
        """The exercise in which each function is written: its room, and the name of its file."""
        found: dict[str, Exercise] = {}
        for exercise in self.exercises:
            if exercise.function:
                found.setdefault(exercise.function, exercise)
        return found

    @property
    def file_names(self) -> tuple[str, ...]:
        """The names of the files that students write functions in, without their ending."""
        return tuple(self.files.values())


@cache
def load_manifest() -> Manifest:
    """Reads autograder/manifest.toml; GraderError says what is wrong in it."""
    try:
        text = PATH.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GraderError(f"{PATH} cannot be read: {error}") from None
    return parse_manifest(text)


def parse_manifest(text: str) -> Manifest:
    """The manifest that a text holds; GraderError with a sentence that names the entry."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise GraderError(f"manifest.toml is not TOML: {error}.") from None
    unknown = sorted({*found} - {"exercise", "limits", "exam"})
    if unknown:
        raise GraderError(f"manifest.toml has no place for [{unknown[0]}].")
    entries = found.get("exercise", [])
    if not isinstance(entries, list) or not entries:
        raise GraderError("manifest.toml lists no [[exercise]].")
    exercises: dict[str, Exercise] = {}
    for number, entry in enumerate(entries, start=1):
        exercise = entry_of(Exercise, f"[[exercise]] number {number}", entry)
        check(exercise, exercises)
        exercises[exercise.name] = exercise
    return Manifest(
        tuple(exercises.values()),
        entry_of(Limits, "[limits]", found.get("limits", {})),
        entry_of(ExamRules, "[exam]", found.get("exam", {})),
    )


def entry_of(kind: type[Entry], place: str, values: Any) -> Entry:
    """A dataclass from a table; GraderError for a key that is unknown, missing or of no use."""
    if not isinstance(values, Mapping):
        raise GraderError(f"{place} of manifest.toml is no table.")
    known = {item.name: item for item in fields(kind)}  # type: ignore[arg-type]
    for key in values:
        if key not in known:
            raise GraderError(
                f"{place} of manifest.toml says {key!r}; known are {', '.join(known)}."
            )
    for name, item in known.items():
        if name not in values and item.default is MISSING:
            raise GraderError(f"{place} of manifest.toml does not say {name!r}.")
    for name, value in values.items():
        fault = fault_of(value, known[name].type)
        if fault:
            raise GraderError(f"{place} of manifest.toml: {name} should be {fault}, not {value!r}.")
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


def fault_of(value: Any, wanted: Any) -> str:
    """What a value should be and is not; empty where it is right."""
    if wanted is bool:
        return "" if isinstance(value, bool) else "true or false"
    if wanted in (int, float):
        kinds = (int,) if wanted is int else (int, float)
        sound = isinstance(value, kinds) and not isinstance(value, bool) and value >= 0
        return "" if sound else "a whole number" if wanted is int else "a number, 0 or more"
    if wanted == tuple[str, ...]:
        names = isinstance(value, list) and all(isinstance(name, str) for name in value)
        return "" if names else "a list of names"
    return "" if isinstance(value, str) else "text"


def check(exercise: Exercise, earlier: Mapping[str, Exercise]) -> None:
    """Whether an exercise fits those before it."""
    place = f"the exercise {exercise.name!r} of manifest.toml"
    if not exercise.name.isidentifier():
        raise GraderError(f"{place} needs a name that Python can import.")
    if exercise.name in earlier:
        raise GraderError(f"{place} stands there twice.")
    if exercise.function is not None and not exercise.function.isidentifier():
        raise GraderError(f"{place} needs a function that Python can call.")
    for needed in exercise.needs:
        if needed not in earlier:
            raise GraderError(f"{place} needs {needed!r}, and no exercise above it has that name.")
        if earlier[needed].function != needed:
            raise GraderError(f"{place} needs {needed!r}, which has no function of its name.")
    if exercise.bonus and exercise.function is None:
        raise GraderError(f"{place} is a bonus without a function.")
