"""formats/: one report, as Gradescope, students, the gradebook and a terminal see it."""

import csv
import io
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from autograder.renderers.console import show_report, show_summary
from autograder.renderers.feedback import feedback
from autograder.renderers.gradebook import write_grades as write_outcomes
from autograder.renderers.gradescope import results, write_results
from autograder.renderers.wording import VERDICTS, hints, points
from autograder.report import (
    ExamReport,
    ExerciseResult,
    MissedQuestion,
    Outcome,
    Report,
    TestResult,
)

HOSTILE = [
    "a|b",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](https://evil.example)",
    "![x](https://evil.example/p.png)",
    "a `code` b",
    "*bold* _it_ ~~no~~",
    "a & b &lt; c",
    "# title",
    "$x^2$",
    "back\\slash",
    "<https://evil.example>",
]


def outcomes(reports):
    return [Outcome(report.submission, (), report) for report in reports]


def write_grades(reports, path):
    return write_outcomes(outcomes(reports), path)


def report(name="anna", title="Rows sum to 1.", hint="", misconceptions=()):
    softmax = ExerciseResult(
        "softmax",
        [
            TestResult("test_a", title, 4.0, 4.0, "passed"),
            TestResult("test_b", "Second.", 3.0, 0.0, "failed", hint),
            TestResult("test_c", "Third.", 3.0, 0.0, "failed", hint),
        ],
    )
    mask = ExerciseResult("causal_mask", [TestResult("test_d", "Fourth.", 6.67)])
    missed = [MissedQuestion("q07", "A title", "rows_for_columns")]
    return Report(
        name,
        [softmax, mask],
        exam=ExamReport(94, 17, 18, True, {"0": 0, "1": 1, "2": 0, "3": 0}, missed),
        misconceptions=list(misconceptions),
        isolation=["process"],
        provenance={"seed": "0"},
    )


# --- Gradescope ------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", VERDICTS)
def test_gradescope_schema(verdict):
    graded = report(misconceptions=["no_scaling"])
    for test in graded.exercises[0].tests:
        test.settle(verdict, "A hint.")
    content = json.loads(json.dumps(results(graded), allow_nan=False))
    assert content["score"] == graded.score
    assert content["stdout_visibility"] == "hidden"
    # A card for what passed, and one for each cause of what did not.
    assert len({entry["number"] for entry in content["tests"]}) == len(content["tests"]) == 2
    for entry in content["tests"]:
        assert isinstance(entry["score"], int | float)
        assert isinstance(entry["max_score"], int | float)
        assert 0 <= entry["score"] <= entry["max_score"]
        assert entry["status"] in ("passed", "failed")
        assert (entry["status"] == "passed") == (entry["score"] == entry["max_score"])
        assert entry["visibility"] == "visible"
        assert entry["output_format"] == "text"
        assert re.fullmatch(r"\d+\.\d+", entry["number"])
        assert isinstance(entry["output"], str)
        assert isinstance(entry["name"], str)
    assert sum(entry["score"] for entry in content["tests"]) == pytest.approx(content["score"])


def test_gradescope_keeps_what_is_for_staff_in_extra_data():
    content = results(report(misconceptions=["no_scaling"]))
    staff = content.pop("extra_data")
    assert staff["misconceptions"] == ["no_scaling"]
    assert staff["isolation"] == ["process"]
    assert staff["provenance"] == {"seed": "0"}
    assert "q07" in str(staff)
    assert not {"no_scaling", "isolation", "seed", "process", "q07", "rows_for_columns"} & {
        *re.findall(r"\w+", str(content))
    }


def test_results_are_never_seen_half_written(tmp_path):
    path, seen, stop = tmp_path / "results.json", [], threading.Event()
    short, long = report("a"), report("b" * 50, title="t" * 100_000)
    write_results(short, path)

    def read():
        while not stop.is_set():
            seen.append(len(json.loads(path.read_text())["tests"]))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(100):
        write_results(long, path)
        write_results(short, path)
    stop.set()
    reader.join()
    assert seen
    assert set(seen) == {3}
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]


def test_a_failed_write_leaves_the_old_results(tmp_path):
    path = tmp_path / "results.json"
    write_results(report("old"), path)
    before = path.read_bytes()
    broken = report("new")
    broken.provenance = {"x": object()}
    with pytest.raises(TypeError):
        write_results(broken, path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]


def test_a_full_disk_leaves_the_old_results(tmp_path):
    """RLIMIT_FSIZE, in a process of its own, fails a write as a full disk does."""
    path = tmp_path / "results.json"
    write_results(report("old"), path)
    before = path.read_bytes()
    program = f"""
import resource, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from tests.test_formats import report, write_results
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_results(report("new"), Path({str(path)!r}))
except OSError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.parametrize("name", ["żółć", "\udcff", "a" * 80, "x\ny"])
def test_results_of_any_name_are_json(tmp_path, name):
    write_results(report(name, hint=name), tmp_path / "r.json")
    json.loads((tmp_path / "r.json").read_text())


# --- feedback --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE)
def test_feedback_escapes_markdown(text):
    written = feedback(report(name=text, title=text, hint=text))
    # A mark of Markdown counts only where an odd number of backslashes does not stand before it.
    bare = re.sub(r"\\.", "", written.replace("| --- | --- |", ""))
    # The hint of a cause stands in bold, which is ours.
    assert not set(bare.replace("**", "")) & set("<>[]`*$&~")
    assert bare.count("**") == 4
    assert bare.count("|") == 3 * 3
    # The name, and the hint once; the title of what passed is not repeated.
    assert re.sub(r"\\(.)", r"\1", written).count(text) == 2


@pytest.mark.parametrize("break_", ["\n", "\r", "\r\n", "\u2028", "\x0b", "\x85"])
def test_feedback_keeps_foreign_text_in_its_line(break_):
    text = f"a{break_}{break_}# Fake: 100 of 100 points"
    expected = feedback(report("a", title="a", hint="a"))
    for at in ({"name": text}, {"title": text}, {"hint": text}):
        arguments = {"name": "a", "title": "a", "hint": "a", **at}
        assert len(feedback(report(**arguments)).splitlines()) == len(expected.splitlines())


def test_feedback_has_nothing_for_staff():
    written = feedback(report(hint="A hint.", misconceptions=["no_scaling"]))
    assert "no_scaling" not in written
    assert "process" not in written
    assert "q07" not in written
    assert "rows_for_columns" not in written
    assert "Exam: 94 of 100, passed" in written
    assert written.count("A hint.") == 1
    assert "1 of 3 tests of softmax" in written
    assert "4 of 16.67 points" in written


# --- gradebook -------------------------------------------------------------------------------


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_gradebook_runs_no_formula(tmp_path, name):
    write_grades([report(name)], tmp_path / "grades.csv")
    assert rows(tmp_path / "grades.csv")[1][0] == f"'{name}"
    write_grades([report(name)], tmp_path / "grades.csv")
    assert len(rows(tmp_path / "grades.csv")) == 2


@pytest.mark.parametrize("name", ["Doe, Jane", 'a "b" c', "a\nb", "żółć", "a;b", "'"])
def test_gradebook_keeps_names_in_their_cell(tmp_path, name):
    for _ in range(2):
        write_grades([report(name), report("other")], tmp_path / "grades.csv")
    header, first, second = rows(tmp_path / "grades.csv")
    assert first[0] == name
    assert second[0] == "other"
    assert len(header) == len(first) == len(second)


def test_gradebook_keeps_earlier_rows_and_replaces_repeated_ones(tmp_path):
    path = tmp_path / "grades.csv"
    write_grades([report("anna"), report("ben")], path)
    better = report("ben", misconceptions=["b", "a"])
    better.exercises[0].tests[1].settle("passed")
    write_grades([better, report("carl")], path)
    table = {row[0]: dict(zip(rows(path)[0], row, strict=True)) for row in rows(path)}
    assert list(table) == ["submission", "anna", "ben", "carl"]
    assert (table["ben"]["score"], table["ben"]["softmax"]) == ("7", "7")
    assert table["anna"]["score"] == "4"
    assert table["ben"]["max_score"] == "16.67"
    assert table["ben"]["misconceptions"] == "b a"
    assert not (tmp_path / "grades.csv.old").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["grades.csv"]


@pytest.mark.parametrize(
    "old", [b"name,grade\nanna,5\n", b"", b"\xff\xfe\x00garbage\x00\r", b'"' + b"x" * 200_000]
)
def test_a_gradebook_of_another_form_is_kept_beside(tmp_path, old):
    path = tmp_path / "grades.csv"
    path.write_bytes(old)
    write_grades([report("ben")], path)
    assert (tmp_path / "grades.csv.old").read_bytes() == old
    assert [row[0] for row in rows(path)] == ["submission", "ben"]


# --- console ---------------------------------------------------------------------------------


def shown(show, what) -> str:
    out = io.StringIO()
    show(what, Console(file=out, width=160))
    return out.getvalue()


@pytest.mark.parametrize("name", ["[red]anna[/red]", "[/]", "[link=x]y", "[@click=f(]", ":smile:"])
def test_console_takes_names_as_they_are(name):
    graded = report(name, title=name, hint=name, misconceptions=[name])
    assert shown(show_report, graded).count(name) == 4
    assert shown(show_summary, outcomes([graded])).count(name) == 3


def test_console_is_plain_in_a_pipe():
    text = shown(show_report, report(hint="A hint."))
    assert "\x1b" not in text
    assert text.isascii()
    assert "anna: 4 of 16.67 points" in text
    assert "> (2 tests) A hint." in text
    assert "\x1b" not in shown(show_summary, outcomes([report("a"), report("b")]))


def test_console_has_colour_on_a_terminal():
    out = io.StringIO()
    show_report(report(), Console(file=out, force_terminal=True, color_system="standard"))
    assert "\x1b[" in out.getvalue()


def test_a_summary_of_none_is_shown():
    assert "submission" in shown(show_summary, [])


def test_a_long_name_is_whole_in_a_summary():
    name = "n" * 79
    assert name in shown(show_summary, outcomes([report(name)]))


# --- wording ---------------------------------------------------------------------------------


@given(st.floats(0, 1000))
def test_points_can_be_read_back(number):
    text = points(number)
    assert abs(float(text) - number) <= 0.005 + 1e-9
    assert re.fullmatch(r"\d+(\.\d?[1-9])?", text)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (12.0, "12"),
        (7.5, "7.5"),
        (16.67, "16.67"),
        (100, "100"),
        (10.0, "10"),
        (0.1, "0.1"),
    ],
)
def test_points(number, text):
    assert points(number) == text


def test_hints_come_once_each():
    told = hints(report(hint="A hint.").exercises[0])
    assert told == [("A hint.", ["Second.", "Third."])]
