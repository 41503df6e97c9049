"""A bonus exercise to begin with: its room, its files for students, its entry in the manifest.

What is written works: a small exercise that passes the gate, to be turned into one's own.
"""

import keyword
import re
import sys
from pathlib import Path
from string import Template

from autograder.files import write_whole
from autograder.kit.cases import EXERCISES
from autograder.kit.drawing import CHECKOUT, require_checkout
from autograder.manifest import PATH as MANIFEST
from autograder.manifest import Manifest, load_manifest, parse_manifest
from autograder.report import GraderError

TEMPLATES = Path(__file__).with_name("room")
# Longer names would break the lines of what is written.
LONGEST = 24
# Where students hand in files of these names, they mean something else.
TAKEN = ("numpy", "pytest", "torch", "conftest", "submission")


def new(name: str) -> list[str]:
    """Writes a bonus exercise of this name; returns what to tell.

    GraderError where the name is of no use, where something of it is there already, or where a
    file cannot be written: nothing has changed then.
    """
    require_checkout()
    manifest = load_manifest()
    fault = fault_of(name, manifest)
    if fault:
        raise GraderError(fault)
    files = files_of(name, manifest)
    there = [path for path in (EXERCISES / name, *files) if path.exists()]
    if there:
        raise GraderError(
            f"{shown(there[0])} is there already: move it away, or take another name."
        )
    write(files, with_entry(MANIFEST.read_text(encoding="utf-8"), name))
    return [
        f"{name} is an exercise now, a small one that works, for you to make your own:",
        *(f"  {shown(path)}" for path in files if path.name != "__init__.py"),
        f"  {shown(MANIFEST)} (its entry, a bonus of 0 points)",
        f"Begin with the page and solutions/{name}.py, then the tests and their draws. Now, and",
        "after each change, `autograder regenerate --same-draw` draws its cases and proves it;",
        "before the first time, nothing can be graded.",
    ]


def shown(path: Path) -> str:
    """A path as it is said from the checkout."""
    return path.relative_to(CHECKOUT).as_posix()


def fault_of(name: str, manifest: Manifest) -> str:
    """Why an exercise cannot have this name, in a sentence; empty where it can."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        return f"{name!r} is no name for a function: small letters, digits and _, a letter first."
    if len(name) > LONGEST:
        return f"{name!r} is longer than {LONGEST} letters."
    if name in {one.name for one in manifest.exercises} | {*manifest.functions}:
        return f"{name} is an exercise already, or the function of one."
    if name in sys.stdlib_module_names or name in TAKEN or name.startswith("test_"):
        return f"{name}.py would stand in the way of a module that Python or pytest knows."
    users = sorted(shown(path) for path in package() if name in words(path))
    if users:
        return (
            f"{name} is a word of the grader's own ({users[0]}), which names no exercise: take one "
            "that says more."
        )
    return ""


def package() -> list[Path]:
    """The grader's own files, the rooms apart: none of them may name an exercise."""
    files = MANIFEST.parent.rglob("*.py")
    return [path for path in files if EXERCISES not in path.parents]


def words(path: Path) -> set[str]:
    return {*re.findall(r"\w+", path.read_text(encoding="utf-8"))}


def files_of(name: str, manifest: Manifest) -> dict[Path, str]:
    """Every file of a new exercise but the manifest, with what it holds."""
    written = manifest.written.values()
    values = {
        "name": name,
        "number": str(len(written) + 1),
        "place": str(sum(one.bonus for one in written) + 1),
    }
    room = EXERCISES / name
    template = CHECKOUT / "student_template"
    targets = {
        "page.md": CHECKOUT / "assignments" / "bonus" / f"{name}.md",
        "stub.txt": template / f"{name}.py",
        "public_check.txt": template / "public" / f"check_{name}.py",
        "solution.txt": CHECKOUT / "solutions" / f"{name}.py",
        "contract.txt": room / "contract.py",
        "test.txt": room / f"test_{name}.py",
        "draws.txt": room / "draws.py",
        "misconceptions.txt": room / "misconceptions.py",
    }
    filled = {target: fill(source, values) for source, target in targets.items()}
    return {**filled, room / "__init__.py": ""}


def fill(template: str, values: dict[str, str]) -> str:
    """One file of the templates with the exercise's name and numbers."""
    return Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(values)


def with_entry(manifest: str, name: str) -> str:
    """The text of the manifest with the exercise behind the last one, the rest as it was."""
    lines = manifest.splitlines(keepends=True)
    last = max(place for place, line in enumerate(lines) if line.strip() == "[[exercise]]")
    end = next(
        (place for place in range(last + 1, len(lines)) if not lines[place].strip()), len(lines)
    )
    entry = "\n" + fill("manifest.txt", {"name": name})
    text = "".join([*lines[:end], entry, *lines[end:]])
    before, after = parse_manifest(manifest), parse_manifest(text)
    if after.exercises[:-1] != before.exercises or after.exercises[-1].name != name:
        raise GraderError(f"manifest.toml has no place for another entry; add it by hand:\n{entry}")
    return text


def write(files: dict[Path, str], manifest: str) -> None:
    """All files, the manifest last; where one cannot be written, those before it go again."""
    made: list[Path] = []
    try:
        for path, text in files.items():
            if not path.parent.is_dir():
                path.parent.mkdir()
                made.append(path.parent)
            made.append(path)
            path.write_text(text, encoding="utf-8")
        write_whole(MANIFEST, manifest.encode())
    except OSError as error:
        for path in reversed(made):
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)
        raise GraderError(f"{error.filename} could not be written: {error.strerror}.") from error
