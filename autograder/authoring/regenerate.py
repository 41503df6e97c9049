"""Draws a term's hidden tests and exam, and puts them in place once they are proved."""

import json
import os
import platform
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring import exam_page, exam_sheets, handouts, notebook
from autograder.exam.own import read_own
from autograder.exercises import registry
from autograder.exercises.exam.bank import draw_exam
from autograder.kit.cases import (
    EXAMPLES,
    EXERCISES,
    PROBES,
    RIGHT,
    SWAPPING,
    digest,
    read_data,
    read_key,
    suites,
)
from autograder.kit.drawing import CHECKOUT, PUBLIC_SEED, SOLUTIONS, load_solution, require_checkout
from autograder.manifest import Exercise, load_manifest
from autograder.report import GraderError

# Whoever knows the seed can compute the key: git ignores this file, and no zip carries it.
SECRET = CHECKOUT / "secret_seed.txt"
SHEETS = (
    "assignments/exam.md",
    "assignments/exam.html",
    "student_template/exam.toml",
    "solutions/exam.toml",
)
STALE = (
    "secret_seed.txt is not the seed of the draw that is here: whoever drew last has the right one."
)
VERIFIED = ("autograder", "solutions", "student_template", "assignments", "tests/submissions")
ROOMS = EXERCISES.relative_to(CHECKOUT).as_posix() if EXERCISES.is_relative_to(CHECKOUT) else ""


def draw_all(seed: str) -> dict[str, str]:
    """Every drawn file but the provenance: its path in the checkout, and its text."""

    def rng(part: str) -> random.Random:
        return random.Random(f"{seed}/{part}")

    questions = draw_exam(rng("exam"), read_own())
    data: dict[str, Any] = {"exam/key": exam_sheets.key(questions)}
    for exercise in load_manifest().exercises:
        if exercise.function:
            data[f"{exercise.name}/cases"] = room(exercise, rng, seed == PUBLIC_SEED)
    return {
        **handouts.decided_pages(len(questions)),
        "assignments/exam.md": exam_sheets.sheet(questions),
        "assignments/exam.html": exam_page.page(questions),
        "student_template/exam.toml": exam_sheets.blank(questions),
        "student_template/attention.ipynb": notebook.notebook(exam_sheets.blank(questions)),
        "solutions/exam.toml": exam_sheets.solved(questions),
        **{f"{ROOMS}/{name}.json": as_json(content) for name, content in data.items()},
    }


def room(exercise: Exercise, rng: Callable[[str], random.Random], public: bool) -> dict[str, Any]:
    """What an exercise's cases.json holds: the cases of each test, and beside them the probes and
    the right function that takes a failed one's place."""
    draws = registry.part(exercise.name, "draws")
    drawn = registry.made(exercise.name, "draws", "cases")
    found: dict[str, Any] = drawn(rng(exercise.name), public)
    if hasattr(draws, "probes"):
        probes = draws.probes(rng(f"{exercise.name}/probes"))
        found[PROBES] = [[argument.tolist() for argument in probe] for probe in probes]
    if exercise.function and exercise in load_manifest().written.values():
        found[EXAMPLES] = examples(exercise.function)
        found[RIGHT] = (SOLUTIONS / f"{exercise.name}.py").read_text(encoding="utf-8")
    return found


def examples(function: str) -> list[list[Any]]:
    """What solutions/ gives for the public examples, to six decimals: enough to be told."""
    right, found = load_solution(function), []
    for example in registry.contracts()[function].examples:
        results = right(*example.arguments, **example.keywords)
        several = results if isinstance(results, tuple) else (results,)
        found.append([np.round(np.asarray(one, dtype=float), 6).tolist() for one in several])
    return found


def as_json(content: Any) -> str:
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def provenance(drawn: dict[str, str], seed: str) -> str:
    """What gave this draw. One digest over suites and data: none of the key alone."""
    data = {
        path.removeprefix(f"{ROOMS}/"): text.encode()
        for path, text in drawn.items()
        if path.startswith(ROOMS)
    }
    fresh = {
        "digest": digest({**data, **suites()}),
        "sheets": digest({path: drawn[path].encode() for path in SHEETS}),
        "seed": fingerprint(seed),
        "public_demonstration": seed == PUBLIC_SEED,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": metadata.version("torch").partition("+")[0],
    }
    path = EXERCISES / "provenance.json"
    earlier = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if all(earlier.get(name) == fresh[name] for name in ("digest", "sheets", "seed")):
        # The same draw on another machine: what first gave it stands.
        return as_json(earlier)
    return as_json(fresh)


def fingerprint(seed: str) -> str:
    """Tells a stale secret_seed.txt; 128 secret bits cannot be guessed from it."""
    return digest({"seed": seed.encode()})[:16]


def regenerate(seed: str | None) -> str:
    """Draws, verifies in a copy, then swaps in; returns what the gate said.

    Without a seed, a secret one is made and kept. Raises GraderError with the gate's words where
    the draw does not hold: nothing has changed.
    """
    require_checkout()
    if seed is not None:
        return prove(draw_all(seed), seed)
    secret = secrets.token_hex(16)
    drawn = draw_all(secret)
    # Beside the old one until the draw is in place: a seed without its draw helps nobody.
    fresh = keep_beside(secret)
    try:
        said = prove(drawn, secret)
    except GraderError:
        fresh.unlink()
        raise
    fresh.replace(SECRET)
    return said


def prove_changes() -> str:
    """Proves what was changed by hand in mid-term, on the draw that is here: inputs, questions and
    key stay. A test that is new gets its cases from the same seed."""
    require_checkout()
    seed = seed_of_this_draw()
    drawn = draw_all(seed)
    for path in drawn:
        if path in SHEETS or path == f"{ROOMS}/exam/key.json":
            drawn[path] = (CHECKOUT / path).read_text(encoding="utf-8")
    # The questions on the sheets stay; what the manifest says of them may be new.
    drawn |= handouts.decided_pages(len(read_key()))
    return prove(drawn, seed)


def seed_of_this_draw() -> str:
    """The seed that gave what is here; GraderError where it is not known."""
    noted = read_data("provenance")
    seed = PUBLIC_SEED
    if not noted["public_demonstration"]:
        if not SECRET.exists():
            raise GraderError(
                f"the seed of this draw is not here: put {SECRET.name} of the checkout that drew "
                "it beside README.md, or draw anew."
            )
        seed = SECRET.read_text(encoding="utf-8").strip()
    if fingerprint(seed) != noted["seed"]:
        raise GraderError(STALE)
    return seed


def prove(drawn: dict[str, str], seed: str) -> str:
    """Runs the gate on a copy with these files; swaps them in where it holds, and says so."""
    drawn = {**drawn, f"{ROOMS}/provenance.json": provenance(drawn, seed)}
    with tempfile.TemporaryDirectory(prefix="draw-") as name:
        copy = Path(name)
        for part in VERIFIED:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(CHECKOUT / part, copy / part, ignore=ignored)
        write(copy, drawn)
        gate = subprocess.run(
            [sys.executable, "-m", "autograder", "verify"],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            text=True,
        )
        if gate.returncode != 0:
            raise GraderError(f"the gate refused this draw; the old one stays.\n{gate.stdout}")
    write(CHECKOUT, drawn)
    return gate.stdout


def write(checkout: Path, drawn: dict[str, str]) -> None:
    """Swaps all files in. A full disk changes nothing; a run stopped half-way is noticed.

    While the marker lies there, nothing is graded: old and new files would be mixed.
    """
    fresh = {checkout / path: checkout / f"{path}.new" for path in drawn}
    for path, text in drawn.items():
        (checkout / f"{path}.new").write_text(text, encoding="utf-8")
    marker = checkout / ROOMS / SWAPPING.name
    marker.touch()
    for target, new in fresh.items():
        new.replace(target)
    marker.unlink()


def keep_beside(seed: str) -> Path:
    """Writes the seed where only this user can read it, under a name of its own."""
    path = SECRET.with_name(f"{SECRET.name}.new")
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(seed + "\n")
    return path
