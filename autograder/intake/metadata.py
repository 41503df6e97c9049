"""Reads who handed in from Gradescope's submission_metadata.yml.

The file is YAML that Ruby wrote; of its documented shape only the submitters are read, line by
line, so that no YAML reader is needed and nothing in it can do more than be misread:

    submission_123456:
      :submitters:
      - :name: Jane Doe
        :sid: '3031'
        :email: jane@example.edu
"""

import io
import re
from dataclasses import replace
from itertools import islice

from autograder.intake.naming import plain
from autograder.report import Student

TOP = re.compile(r"""["']?(?P<name>[^\s:"'][^:"']*)["']?:\s*""")
ENTRY = re.compile(r"(?P<indent>\s*)(?P<dash>-\s+)?:?(?P<key>[a-z_]+):(?:\s+(?P<value>.*))?")
KEYS = ("name", "sid", "email")
CHARACTERS = 300
# Some hundreds per submission in a real one.
LINES = 3_000_000
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")


def read_submitters(source: bytes) -> dict[str, tuple[Student, ...]]:
    """The submitters of each submission, by the name of its folder."""
    found: dict[str, list[Student]] = {}
    current: list[Student] | None = None
    inside = -1
    # One line after another: a list of all would be many times as large as the file.
    for line in islice(io.TextIOWrapper(io.BytesIO(source), "utf-8-sig", "replace"), LINES):
        line = line.rstrip("\r\n")
        if not line.strip() or line.startswith(("---", "#")):
            continue
        if not line[0].isspace():
            top = TOP.fullmatch(line)
            current = found.setdefault(top["name"], []) if top else None
            inside, depth = -1, 0
            continue
        entry = ENTRY.fullmatch(line)
        if current is None or entry is None:
            continue
        indent = len(entry["indent"])
        if not depth:
            depth = indent  # that of the keys of a submission
        if indent <= depth and not entry["dash"]:
            inside = indent if entry["key"] == "submitters" and not entry["value"] else -1
            continue
        if inside < 0:
            continue
        if entry["dash"]:
            current.append(Student())
        if current and entry["key"] in KEYS:
            value = plain_scalar(entry["value"] or "")
            current[-1] = replace(current[-1], **{entry["key"]: value})
    return {name: tuple(students) for name, students in found.items()}


def plain_scalar(written: str) -> str:
    """A scalar of YAML as text, on one line; null and its spellings are empty."""
    text = written.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        text = text[1:-1].replace("''", "'")
    elif len(text) > 1 and text[0] == text[-1] == '"':
        text = ESCAPE.sub(escaped, text[1:-1])
    elif text in ("~", "null", "Null", "NULL", "|", ">"):
        text = ""
    return plain(text[:CHARACTERS]) if text else ""


def escaped(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "_"
    return {"n": " ", "t": " ", "r": " ", "0": " "}.get(code, code)
