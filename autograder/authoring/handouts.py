"""What students read of points, attempts and the pass mark: numbers that manifest.toml decides.

The pages are written by hand. Where a sentence or a table on them says such a number, `regenerate`
writes it, and the gate refuses a page that says otherwise.
"""

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from autograder.exam.scoring import percent
from autograder.kit.cases import read_key
from autograder.kit.drawing import CHECKOUT
from autograder.manifest import Manifest, load_manifest

FOLDERS = ("student_template", "assignments")
ENDINGS = (".md", ".html")
# The table of points: a row per exercise, whose last cell is the page's own.
TABLE_PAGE = "student_template/README.md"
TABLE = re.compile(r"^\| part \| points \| +\|\n\| --- \| --- \| --- \|\n((?:\|.*\|\n)+)", re.M)


def pages() -> Iterator[Path]:
    """Every page that is handed out."""
    for folder in FOLDERS:
        for path in sorted((CHECKOUT / folder).rglob("*")):
            if path.suffix in ENDINGS:
                yield path


def as_decided(text: str, questions: int | None = None) -> str:
    """A page with the numbers that the manifest decides; questions: of the exam, the key's if
    not given."""
    manifest = load_manifest()
    asked = len(read_key()) if questions is None else questions
    needed = next(
        (right for right in range(asked + 1) if percent(right, asked) >= manifest.exam.threshold),
        asked,
    )
    stated = (
        (r"\d+(?= of(?: its own)? 100 pass)", manifest.exam.threshold),
        (r"(?<=\bfirst )\d+(?= different)", manifest.exam.attempts),
        (r"(?<=\bone of the )\d+(?=:)", manifest.exam.attempts),
        (r"\d+(?= of the \d+ questions pass)", needed),
        (r"(?<= of the )\d+(?= questions pass)", asked),
        (r"(?<=\b0 of )\d+(?= answered)", asked),
        (r"\d+(?= questions on Modules)", asked),
    )
    for pattern, number in stated:
        # A line may end between any two words; a look behind cannot be of two lengths.
        text = re.sub(pattern.replace(" ", r"\s"), str(number), text)
    return TABLE.sub(lambda found: with_points(found, manifest), text)


def with_points(table: re.Match[str], manifest: Manifest) -> str:
    """The table with a row for every exercise that has points, in their order."""
    cells = [row.strip("|").split("|") for row in table[1].splitlines()]
    remarks = {row[0].strip(): row[-1].strip() for row in cells if len(row) == 3}
    rows = [
        f"| {one.name} | {one.points:g} | {remarks.get(one.name, '')}".rstrip() + " |\n"
        for one in manifest.exercises
        if not one.bonus
    ]
    head = table[0].removesuffix(table[1])
    return head + "".join(rows)


def decided_pages(questions: int) -> dict[str, str]:
    """The pages that say something else than the manifest decides, by path, as they should be."""
    changed = {}
    for path in pages():
        text = path.read_text(encoding="utf-8")
        decided = as_decided(text, questions)
        if decided != text:
            changed[path.relative_to(CHECKOUT).as_posix()] = decided
    return changed


def otherwise() -> Iterator[str]:
    """What each page says otherwise than the manifest, as it stands and as it should."""
    for path in pages():
        name, text = path.relative_to(CHECKOUT).as_posix(), path.read_text(encoding="utf-8")
        if name == TABLE_PAGE and not TABLE.search(text):
            yield f"{name} has no table of points, which begins | part | points | |"
        found = difflib.unified_diff(
            text.splitlines(), as_decided(text).splitlines(), lineterm="", n=0
        )
        changed = [line for line in found if line[:2] not in ("--", "++", "@@")]
        if changed:
            told = "\n".join([f"{name} says otherwise than manifest.toml:", *changed])
            yield f"{told}\n`autograder regenerate --same-draw` writes it"
