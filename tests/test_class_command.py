"""`autograder grade` on classes as a TA has them: who is a member, and who is absent."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "student_template"
AUTOGRADER = Path(sys.executable).with_name("autograder")
WRONG = "def softmax(scores):\n    return scores\n"


def run(*arguments):
    command = [AUTOGRADER, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def handed_in(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "softmax.py").write_text(WRONG)
    return folder


@pytest.fixture
def a_class(tmp_path) -> Path:
    for name in ("jane", "max"):
        handed_in(tmp_path / "class" / name)
    return tmp_path / "class"


def rows(out: Path) -> dict[str, dict[str, str]]:
    with (out / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


def test_a_glob_with_metadata_in_it_names_it_and_goes_on(a_class):
    (a_class / "submission_metadata.yml").write_text("---\n")
    done = run("grade", *sorted(a_class.iterdir()), "--json")
    assert done.returncode == 0
    assert [one["submission"] for one in json.loads(done.stdout)] == ["jane", "max"]
    assert "submission_metadata.yml is no submission" in done.stderr


def test_loose_files_of_canvas_in_a_glob_are_a_class(tmp_path):
    for who, number in (("doejane", 1), ("mustermax", 2)):
        (tmp_path / f"{who}_{number}_7{number}_softmax.py").write_text(WRONG)
        (tmp_path / f"{who}_{number}_8{number}_exam.toml").write_text('q01 = "b"\n')
    done = run("grade", *sorted(tmp_path.iterdir()), "--json")
    assert [one["submission"] for one in json.loads(done.stdout)] == ["doejane", "mustermax"]
    assert done.stderr == ""


def test_a_folder_with_nothing_of_ours_is_no_submission(tmp_path):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "passwd").write_text("root:x:0:0\n")
    (tmp_path / "etc" / "site.py").write_text("import os\n")
    done = run("grade", tmp_path / "etc")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no submission" in done.stderr


def test_one_grades_a_class_as_one(a_class):
    report = json.loads(run("grade", a_class, "--one", "--json").stdout)
    assert report["submission"] == "class"


def test_the_downloads_own_zip_is_a_class(a_class, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "download"), "zip", a_class)
    reports = json.loads(run("grade", archive, "--json").stdout)
    assert [report["submission"] for report in reports] == ["jane", "max"]


def test_absent_students_have_a_row_and_a_0(a_class, tmp_path):
    (tmp_path / "roster.csv").write_text("Name,SID\njane,1\nmax,2\nann,3\n")
    out = tmp_path / "out"
    done = run("grade", a_class, "--out", out, "--roster", tmp_path / "roster.csv")
    assert done.returncode == 0
    found = rows(out)
    assert {name: row["sid"] for name, row in found.items()} == {
        "jane": "1",
        "max": "2",
        "ann": "3",
    }
    assert (found["ann"]["score"], found["ann"]["status"]) == ("0", "no submission")
    assert "2 graded, 1 no submission: mean" in done.stdout
    assert not (out / "results" / "ann.json").exists()


def test_a_useless_roster_is_told(a_class, tmp_path):
    (tmp_path / "roster.csv").write_text("a,b\n1,2\n")
    done = run("grade", a_class, "--roster", tmp_path / "roster.csv")
    assert done.returncode == 2
    assert "no column for a name" in done.stderr


def test_rows_of_earlier_runs_are_counted_and_overrides_applied(a_class, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "overrides.csv").write_text("student,exercise,points,why\nmax,softmax,7,oral\n")
    assert run("grade", a_class, "--out", out).returncode == 0
    before = rows(out)
    assert before["max"]["softmax"] == "7"
    done = run("grade", a_class / "jane", "--out", out)
    assert "grades.csv keeps 1 row of earlier runs." in done.stderr
    assert "line 2: max is not among those graded now" in done.stderr
    after = rows(out)
    changed = {key for key, cell in before["jane"].items() if after["jane"][key] != cell}
    assert (changed, after["max"]) == (set(), before["max"])


def test_a_faulty_override_stops_before_grading(a_class, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "overrides.csv").write_text("student,exercise,points,why\nmax,softmax,700,oral\n")
    done = run("grade", a_class, "--out", out)
    assert done.returncode == 2
    assert "between 0 and 20" in done.stderr
    assert not (out / "grades.csv").exists()
