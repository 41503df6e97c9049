"""The house as ARCHITECTURE.md draws it: who may import whom, and who knows an exercise."""

import ast
import re
from pathlib import Path

import pytest

from autograder.manifest import load_manifest, parse_manifest
from autograder.report import GraderError

PACKAGE = Path(__file__).parents[1] / "autograder"
ROOMS = PACKAGE / "exercises"
# Upwards from the ground; a file imports from its own floor and from those below. The renderers
# stand beside: they see report, manifest and files only.
FLOORS = [
    {"report", "files", "similar", "budget"},
    {"manifest"},
    {"overrides"},
    {"intake"},
    {"sandbox", "exam"},
    {"kit"},
    {"exercises"},
    {"judging"},
    {"platforms", "batch", "cluster", "graded", "authoring", "renderers"},
    {"graded", "compare"},
    {"cli", "__main__", ""},
]
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if "zip" not in path.parts]


def floor_of(part: str) -> int:
    return next(number for number, floor in enumerate(FLOORS) if part in floor)


def part_of(module: str) -> str:
    """The room of `autograder.kit.cases` is kit; that of `autograder` itself is ""."""
    return module.partition(".")[2].partition(".")[0]


def imports(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder"):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("autograder"))


def module_of(path: Path) -> str:
    return ".".join(("autograder", *path.relative_to(PACKAGE).with_suffix("").parts))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downwards(path):
    own = part_of(module_of(path))
    # The kit's plugin asks the registry for the readers, when a suite is run by hand.
    known = {("kit/testing.py", "exercises")}
    for module in imports(path):
        part = part_of(module)
        if (path.relative_to(PACKAGE).as_posix(), part) in known or part == "":
            continue
        assert floor_of(part) <= floor_of(own), module
        if own == "renderers":
            assert part in {"renderers", "report", "manifest", "files"}, module


@pytest.mark.parametrize("path", sorted(ROOMS.glob("*/*.py")), ids=lambda path: str(path)[-40:])
def test_an_exercise_imports_the_kit_and_what_it_needs(path):
    manifest = {exercise.name: exercise for exercise in load_manifest().exercises}
    exercise = manifest[path.parent.name]
    allowed = {exercise.name, exercise.function, *exercise.needs}
    for module in imports(path):
        if module.startswith("autograder.exercises."):
            assert module.split(".")[2] in allowed, module


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if ROOMS not in path.parents],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_no_file_outside_exercises_names_one(path):
    exercises = {exercise.name for exercise in load_manifest().exercises} - {"exam"}
    text = path.read_text(encoding="utf-8")
    # What the package is about, and what it is called.
    text = re.sub(r"[Ss]elf-attention|attention-autograder|attention\.ipynb", "", text)
    names = {*re.findall(r"\w+", text)}
    assert not names & {*exercises, *load_manifest().functions, "causal"}
    assert not re.search(r"\bW_[qkvo]\b", text)


# --- the manifest ------------------------------------------------------------------------------

TEXT = (PACKAGE / "manifest.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[[exercise]]", "[[exercises]]", "no place for [exercises]"),
        ("points = 20", "point = 20", "says 'point'"),
        ("points = 20\n", "", "does not say 'points'"),
        ("points = 20", 'points = "20"', "should be a number"),
        ("points = 20", "points = -1", "should be a number, 0 or more"),
        ("points = 20", "points = 20\nbonus = 1", "true or false"),
        ('function = "causal_mask"', 'function = "causal mask"', "that Python can call"),
        ('function = "causal_mask"', 'function = "mask"', "has no function of its name"),
        ('name = "causal_mask"', 'name = "softmax"', "twice"),
        ('name = "causal_mask"', 'name = "causal mask"', "that Python can import"),
        ('needs = ["softmax", "causal_mask"]', 'needs = ["sofmax"]', "needs 'sofmax'"),
        ('needs = ["softmax", "causal_mask"]', 'needs = "softmax"', "a list of names"),
        ("threshold = 70", "threshold = 70.5", "a whole number"),
        ("[limits]", "[limit]", "no place for [limit]"),
        ("[exam]", "[exam", "not TOML"),
    ],
)
def test_a_fault_of_the_manifest_is_a_sentence(old, new, said):
    assert old in TEXT
    with pytest.raises(GraderError, match=re.escape(said)):
        parse_manifest(TEXT.replace(old, new, 1))


def test_exercises_in_a_wrong_order_are_named():
    entries = TEXT.split("[[exercise]]")
    entries[1], entries[3] = entries[3], entries[1]
    with pytest.raises(GraderError, match="needs 'softmax'"):
        parse_manifest("[[exercise]]".join(entries))
