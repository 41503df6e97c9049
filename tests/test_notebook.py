"""student_template/attention.ipynb: made of the files beside it, and working alone."""

import ast
import json
import re
from pathlib import Path

import pytest

from autograder.authoring import notebook
from autograder.judging.grading import grade

CHECKOUT = Path(__file__).parent.parent
TEMPLATE, SOLUTIONS = CHECKOUT / "student_template", CHECKOUT / "solutions"
NOTEBOOK = TEMPLATE / "attention.ipynb"
NAMES = ("softmax", "causal_mask", "attention")
LAST = {"softmax": 8, "causal_mask": 4, "attention": 9}  # the checks of each exercise


def cells(content):
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


def solved():
    """The notebook as a student who is right leaves it: functions and answers filled in."""
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    answers = dict(
        re.findall(r'^(q\d+) = "(.*)"', (SOLUTIONS / "exam.toml").read_text(), re.MULTILINE)
    )
    for cell in content["cells"]:
        source = "".join(cell["source"])
        for name in NAMES:
            if source.startswith(f"def {name}("):
                whole = (SOLUTIONS / f"{name}.py").read_text(encoding="utf-8")
                source = whole[whole.index(f"def {name}(") :]
        if source.startswith("answers = {"):
            for question, answer in answers.items():
                source = source.replace(f'"{question}": ""', f'"{question}": "{answer}"')
        cell["source"] = source.splitlines(keepends=True)
    return content


def executed(content, folder):
    """What the cells print, one text per code cell, run in a kernel in a folder of their own."""
    nbclient = pytest.importorskip("nbclient", reason="the extra otter brings nbclient")
    nbformat = pytest.importorskip("nbformat")
    opened = nbformat.reads(json.dumps(content), as_version=4)
    nbformat.validate(opened)
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(opened, timeout=60, resources=resources).execute()
    return [
        "".join(output.get("text", "") for output in cell.outputs)
        for cell in opened.cells
        if cell.cell_type == "code"
    ]


def test_it_is_made_of_the_files_beside_it():
    blank = (TEMPLATE / "exam.toml").read_text(encoding="utf-8")
    assert NOTEBOOK.read_text(encoding="utf-8") == notebook.notebook(blank), (
        "run autograder regenerate --same-draw"
    )


def test_it_brings_the_checks_word_for_word():
    setup = cells(json.loads(NOTEBOOK.read_text(encoding="utf-8")))[0]
    (files,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(setup).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "FILES"
    )
    assert {*files} == {"check.py", *(f"public/check_{name}.py" for name in NAMES)}
    for name, text in files.items():
        assert text == (TEMPLATE / name).read_text(encoding="utf-8")


def test_it_has_the_stubs_and_every_question():
    shown = cells(json.loads(NOTEBOOK.read_text(encoding="utf-8")))
    for name in NAMES:
        stub = next(cell for cell in shown if cell.startswith(f"def {name}("))
        assert stub in (TEMPLATE / f"{name}.py").read_text(encoding="utf-8")
        assert "NotImplementedError" in stub
    answers = next(cell for cell in shown if cell.startswith("answers = {"))
    assert set(ast.literal_eval(answers.removeprefix("answers = ")).values()) == {""}
    assert answers.count('": "",  # ') == 18


@pytest.mark.slow
def test_before_anything_is_written_each_check_says_so(tmp_path):
    content = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    content["cells"].pop()  # check.plot() needs an attention
    said = executed(content, tmp_path)
    for name in NAMES:
        assert any(f"{name} is not written yet: run its cell" in text for text in said)
    assert any("0 of 18 answered" in text for text in said)


@pytest.mark.slow
def test_filled_in_it_passes_every_check_alone(tmp_path):
    said = executed(solved(), tmp_path)
    assert "All of these hold" in said[-2]
    assert "18 of 18 answered" in said[-2]
    for name, count in LAST.items():
        assert f"{name:<14}{count} of {count} checks hold" in said[-2]


def test_filled_in_it_is_graded_with_full_points(tmp_path):
    path = tmp_path / "attention.ipynb"
    path.write_text(json.dumps(solved()))
    report = grade(path)
    code = [exercise for exercise in report.exercises if exercise.name != "exam"]
    assert [exercise.score for exercise in code] == [exercise.max_score for exercise in code]
