"""student_template/attention.ipynb: the stubs, the public checks and the exam's answers as cells.

Its first cell brings check.py and public/ as they are, so that the notebook works alone, as in
Colab. A notebook that is handed in is read by intake.notebook: functions and imports are kept, this
cell and the experiments are left out. The answers are the dict of the cell `answers = {...}`.
"""

import ast
import json
import re
from typing import Any

from autograder.exercises import registry
from autograder.kit.drawing import CHECKOUT

TEMPLATE = CHECKOUT / "student_template"

WELCOME = """# Self-attention, as a notebook

Everything is in here: the functions to write, the checks to run, and the answers of the exam. The
pages that explain it are in `assignments/`. Run the next cell first, then work from the top. When
you are done, save this notebook and hand in this one file: its cells are read from the top, and
where a function is defined twice, the last one counts. Plots and experiments may stay in."""

SETUP = """#@title Run this cell first: it brings the checks. There is nothing to change in it.
import importlib
import pathlib

FILES = {files}
EXAM_FORMS = {forms}

for name, text in FILES.items():
    path = pathlib.Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")

check = importlib.import_module("check")"""

EXAM = """## The exam

The questions are in `assignments/exam.md`. Write each answer between the quotes and run the cell;
the next one checks the form of your answers, never whether they are right."""


def notebook(blank: str) -> str:
    """The notebook's JSON; blank is the blank answer sheet of the draw."""
    asked = re.findall(r'^(\w+) = ""  # ([^:]+): (.*)$', blank, re.MULTILINE)
    forms = {question: form for question, form, _ in asked}
    setup = SETUP.format(files=listed(brought()), forms=json.dumps(forms, indent=1))
    cells = [markdown(WELCOME), code(setup, hidden=True), code("import numpy as np")]
    core = [exercise for exercise in registry.written() if not exercise.bonus]
    for number, exercise in enumerate(core, start=1):
        name = exercise.name
        heading = f"## Exercise {number}: {name}\n\nIts page is `assignments/{name}.md`."
        cells += [
            markdown(heading),
            code(stub(name)),
            code(f'check.notebook(globals(), "{name}")'),
        ]
    lines = [f'    "{question}": "",  # {form}: {words}' for question, form, words in asked]
    cells += [
        markdown(EXAM),
        code("\n".join(["answers = {", *lines, "}"])),
        code('check.notebook(globals(), "exam")'),
        markdown("## All of it\n\nYour weights beside the workshop's are drawn last."),
        code("check.notebook(globals())"),
        code("check.plot()"),
    ]
    content = {
        "cells": [{"id": f"cell-{place:02d}", **cell} for place, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1) + "\n"


def brought() -> dict[str, str]:
    """check.py and the files of public/, by their paths."""
    paths = [TEMPLATE / "check.py", *sorted((TEMPLATE / "public").glob("check_*.py"))]
    return {
        path.relative_to(TEMPLATE).as_posix(): path.read_text(encoding="utf-8") for path in paths
    }


def listed(files: dict[str, str]) -> str:
    """A dict as source whose texts are readable: a line of a file is a line of the cell."""
    shown = []
    for name, text in files.items():
        lines = "".join(f"        {line!r}\n" for line in text.splitlines(keepends=True))
        shown.append(f"    {name!r}: (\n{lines}    ),\n")
    return "{\n" + "".join(shown) + "}"


def stub(name: str) -> str:
    """The function of a stub's file, without the imports around it."""
    source = (TEMPLATE / f"{name}.py").read_text(encoding="utf-8")
    (node,) = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    )
    found = ast.get_source_segment(source, node)
    assert found is not None  # the node comes from this very text
    return found


def markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code(text: str, hidden: bool = False) -> dict[str, Any]:
    """A code cell; Jupyter and Colab fold up a hidden one."""
    folded = {"cellView": "form", "jupyter": {"source_hidden": True}} if hidden else {}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": folded,
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }
