"""grades.csv and canvas.csv, the roster, and overrides.csv: what a TA keeps beside a class."""

import csv
import io
import re

import pytest
from rich.console import Console

from autograder.graded import ABSENT, GradedFolder, read_outcomes
from autograder.intake.classes import Member
from autograder.intake.roster import match, read_roster
from autograder.manifest import load_manifest
from autograder.overrides import apply_overrides, read_overrides
from autograder.renderers.console import show_summary
from autograder.renderers.gradebook import harmless, write_grades
from autograder.report import ExerciseResult, Outcome, Report, Student, TestResult

JANE = Student("Doe, Jane", "3031", "jane@example.edu", "jdoe", "111", "A")
MAX = Student("Muster, Max", "3032", "max@example.edu", "mmuster", "222", "B")


def graded(name, points=20.0, students=(), hint="A hint.", verdict="failed", misconceptions=()):
    """An outcome with all exercises of the manifest, of which the first has so many points."""
    results = []
    for number, exercise in enumerate(load_manifest().exercises):
        if exercise.bonus:
            continue
        full = TestResult(f"test_{exercise.name}", f"{exercise.name} is right.", exercise.points)
        full.settle("passed")
        if number == 0 and points < exercise.points:
            full.settle(verdict, hint, points / exercise.points)
        results.append(ExerciseResult(exercise.name, [full]))
    report = Report(name, results, misconceptions=[*misconceptions], provenance={"tests": "abc"})
    return Outcome(name, tuple(students), report)


def table(path, delimiter=","):
    text = path.read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_a_row_says_who_what_and_why(tmp_path):
    path = tmp_path / "grades.csv"
    hurt = graded("jane", 12, [JANE], "Your rows do not sum to 1.", misconceptions=["one_sum"])
    slow = graded("max", 0, [MAX], "It took too long.", "timeout")
    fault = Outcome("zoe", (), None, "grader_error", "no file can be written")
    absent = Outcome("ann", (Student("Ann"),), None, ABSENT)
    assert write_grades([hurt, slow, fault, absent], path) == 0
    jane, max_, zoe, ann = table(path)
    assert (jane["name"], jane["sid"], jane["email"]) == ("Doe, Jane", "3031", JANE.email)
    assert (jane["status"], jane["score"], jane["softmax"]) == ("graded", "92", "12")
    assert jane["reasons"] == "softmax 12 of 20: Your rows do not sum to 1."
    assert jane["misconceptions"] == "one_sum"
    assert jane["provenance"] == "tests=abc"
    assert jane["look_at"] == ""
    assert max_["look_at"] == "softmax: timeout"
    assert (zoe["status"], zoe["score"], zoe["reasons"]) == (
        "grader_error",
        "",
        "no file can be written",
    )
    assert (ann["status"], ann["score"], ann["softmax"]) == (ABSENT, "0", "0")


def test_a_group_has_a_row_per_student(tmp_path):
    path = tmp_path / "grades.csv"
    for _ in range(2):
        write_grades([graded("both", 12, [JANE, MAX])], path)
    assert [row["sid"] for row in table(path)] == ["3031", "3032"]


FORMULAS = ["=1+1", "+1", "-1", "@A1", "＝1+1", "＋1", "－1", "＠A1", "﹦1", " =1", "\t=1", "\r=1"]  # noqa: RUF001


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(tmp_path, text):
    path = tmp_path / "grades.csv"
    who = Student(text, text, text, text, text, text)
    write_grades([graded(text, 12, [who], text, misconceptions=[text])], path)
    (row,) = table(path)
    for column in ("submission", "name", "sid", "email", "login", "section", "misconceptions"):
        assert row[column].startswith("'"), column
    assert harmless("a=1") == "a=1"


def test_excel_gets_its_mark_where_there_are_other_letters(tmp_path):
    path = tmp_path / "grades.csv"
    write_grades([graded("anna")], path)
    assert not path.read_bytes().startswith(b"\xef\xbb\xbf")
    for _ in range(2):
        write_grades([graded("żółć", students=[Student("Żółć")])], path)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    assert [row["submission"] for row in table(path)] == ["anna", "żółć"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_what_a_person_added_stays(tmp_path, delimiter, encoding):
    path = tmp_path / "grades.csv"
    write_grades([graded("anna", 12), graded("bén"), graded("carl")], path)
    rows = table(path)
    for row in rows:
        row["oral"] = f"well done, {row['submission']}"
    with path.open("w", newline="", encoding=encoding) as file:
        # A column more, in another place, with another delimiter, rows in another order.
        header = ["oral", *[name for name in rows[0] if name != "oral"]]
        writer = csv.DictWriter(file, header, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(reversed(rows))
    assert write_grades([graded("anna", 16)], path) == 2
    kept = {row["submission"]: row for row in table(path, delimiter)}
    assert {*kept} == {"anna", "bén", "carl"}
    assert kept["anna"]["score"] == "96"
    assert all(row["oral"] == f"well done, {name}" for name, row in kept.items())


def test_ids_that_come_later_make_no_second_row(tmp_path):
    path = tmp_path / "grades.csv"
    write_grades([graded("jane")], path)
    write_grades([graded("jane", students=[JANE])], path)
    assert [row["sid"] for row in table(path)] == ["3031"]


# --- Canvas ------------------------------------------------------------------------------------


def test_canvas_takes_its_table(tmp_path):
    """By the rules of Canvas's own importer: the columns of a student end with Section."""
    path = tmp_path / "grades.csv"
    absent = Outcome("ann", (Student("Ann", lms_id="333"),), None, ABSENT)
    fault = Outcome("zoe", (Student("Zoe", lms_id="444"),), None, "grader_error", "x")
    write_grades([graded("jane", 12, [JANE]), graded("max", 20, [MAX]), absent, fault], path)
    with (tmp_path / "canvas.csv").open(newline="", encoding="utf-8-sig") as file:
        header, possible, *rows = list(csv.reader(file))
    assert "Student" in header[0]
    assert header[1] == "ID"
    assert re.search(r"SIS\s+User\s+ID", header[2])
    assert re.search(r"SIS\s+Login\s+ID", header[3])
    assert "Section" in header[4]
    assert "Points Possible" in possible[0]
    assert float(possible[5]) == 100
    assert rows == [
        ["Doe, Jane", "111", "3031", "jdoe", "A", "92"],
        ["Muster, Max", "222", "3032", "mmuster", "B", "100"],
        ["Ann", "333", "", "", "", "0"],
    ]


def test_without_ids_there_is_nothing_for_canvas(tmp_path):
    write_grades([graded("jane")], tmp_path / "grades.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["grades.csv"]


# --- the roster --------------------------------------------------------------------------------

CANVAS_ROSTER = """Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (77)
    Points Possible,,,,,100
"Doe, Jane",111,3031,jdoe,A,
"Muster, Max",222,3032,mmuster,B,
"Roe, Ann",333,3033,aroe,B,
"Student, Test",999,,,A,
"""
GRADESCOPE_ROSTER = """First Name,Last Name,SID,Email,Role
Jane,Doe,3031,jane@example.edu,Student
Max,Muster,3032,max@example.edu,Student
Ann,Roe,3033,ann@example.edu,Student
Pat,Teacher,,pat@example.edu,Instructor
"""
PLAIN_ROSTER = "name;id\nJane Doe;3031\nMax Muster;3032\nAnn Roe;3033\n"
MEMBERS = {
    "canvas's names": [("doejane", "111"), ("mustermax", "222")],
    "moodle's names": [("Jane Doe", "5"), ("Max Muster", "6")],
    "accents and case": [("jáne DOE", ""), ("Muster, Max", "")],
}


@pytest.mark.parametrize("text", [CANVAS_ROSTER, GRADESCOPE_ROSTER, PLAIN_ROSTER])
@pytest.mark.parametrize("who", MEMBERS.values(), ids=list(MEMBERS))
def test_the_roster_knows_who_is_there_and_who_is_not(tmp_path, text, who):
    (tmp_path / "roster.csv").write_text(text)
    roster = read_roster(tmp_path / "roster.csv")
    assert len(roster) == 3
    members = [
        Member(name, tmp_path, (Student(name, lms_id=number if text is CANVAS_ROSTER else ""),))
        for name, number in who
    ]
    found, absent, remarks = match(members, roster)
    assert [member.students[0].sid for member in found] == ["3031", "3032"]
    assert [member.students[0].sid for member in absent] == ["3033"]
    assert remarks == []


@pytest.mark.parametrize("name", ["3031", "jane@example.edu", "jane", "Jane Doe", "doejane"])
def test_a_plain_folder_is_known_by_anything_that_tells(tmp_path, name):
    (tmp_path / "roster.csv").write_text(GRADESCOPE_ROSTER)
    found, _, _ = match([Member(name, tmp_path)], read_roster(tmp_path / "roster.csv"))
    assert found[0].students[0].email == "jane@example.edu"


def test_who_is_not_on_the_roster_is_named_and_two_of_one_name_are_not_guessed(tmp_path):
    (tmp_path / "roster.csv").write_text("name,sid\nJane Doe,1\nJane Doe,2\n")
    members = [Member("zoe", tmp_path), Member("Jane Doe", tmp_path)]
    found, absent, remarks = match(members, read_roster(tmp_path / "roster.csv"))
    assert [member.students for member in found] == [(), ()]
    assert len({member.name for member in (*found, *absent)}) == 4
    assert remarks == ["not on the roster: zoe, Jane Doe"]


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\x00\x01", b'"' + b"x" * 200_000])
def test_a_file_that_is_no_roster_is_told(tmp_path, content):
    (tmp_path / "roster.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"roster\.csv"):
        read_roster(tmp_path / "roster.csv")


# --- overrides ---------------------------------------------------------------------------------

RULES = 'student,exercise,points,why\njane,softmax,18,"a test was wrong"\n3032,exam,"0,5",oral\n'


def test_overrides_are_applied_at_every_run_and_survive(tmp_path):
    (tmp_path / "overrides.csv").write_text(RULES)
    for _ in range(10):
        folder = GradedFolder(tmp_path)
        folder.add(graded("jane", 12, [JANE]))
        folder.add(graded("max", 20, [MAX]))
        folder.write_table(["jane", "max"])
        assert folder.unused == set()
    jane, max_ = table(tmp_path / "grades.csv")
    assert (jane["softmax"], jane["score"]) == ("18", "98")
    assert jane["overrides"] == "softmax 12 -> 18: a test was wrong"
    assert (max_["exam"], max_["score"]) == ("0.5", "80.5")
    assert (tmp_path / "overrides.csv").read_text() == RULES
    text = (tmp_path / "feedback" / "jane.md").read_text()
    assert "set by your course staff" in text
    assert "a test was wrong" not in text
    assert [outcome.report.score for outcome in read_outcomes(tmp_path)] == [98, 80.5]


def test_an_override_that_is_taken_back_is_gone(tmp_path):
    outcome = graded("jane", 12)
    (tmp_path / "overrides.csv").write_text(RULES)
    apply_overrides(outcome, read_overrides(tmp_path, load_manifest()))
    assert outcome.report.score == 98
    apply_overrides(outcome, [])
    assert outcome.report.score == 92


def test_an_override_is_not_for_those_who_handed_in_the_same(tmp_path):
    first, twin = graded("jane", 12), graded("max", 12)
    twin.report = first.report
    (tmp_path / "overrides.csv").write_text(RULES)
    for outcome in (first, twin):
        apply_overrides(outcome, read_overrides(tmp_path, load_manifest()))
    assert (first.report.score, twin.report.score) == (98, 92)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("jane,sofmax,1,x", "no exercise is named 'sofmax'"),
        ("jane,softmax,21,x", "between 0 and 20"),
        ("jane,softmax,-1,x", "between 0 and 20"),
        ("jane,softmax,nan,x", "between 0 and 20"),
        ("jane,softmax,,x", "between 0 and 20"),
        ("jane,softmax,1,", "say for whom"),
        (",softmax,1,x", "say for whom"),
        ("jane,softmax,1,x\njane,softmax,2,y", "set twice"),
    ],
)
def test_an_override_that_cannot_be_applied_is_refused(tmp_path, line, said):
    (tmp_path / "overrides.csv").write_text(f"student,exercise,points,why\n{line}\n")
    with pytest.raises(ValueError, match=re.escape(said)):
        read_overrides(tmp_path, load_manifest())


# --- the table on screen -----------------------------------------------------------------------


def test_students_are_told_apart_at_80_columns():
    names = [f"a-very-long-name-of-a-student-that-differs-only-at-its-end-{n}" for n in range(9)]
    out = io.StringIO()
    show_summary(
        [graded(name, 12, misconceptions=["no_scaling"]) for name in names],
        Console(file=out, width=80),
    )
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    joined = "".join(line[:41].strip() for line in lines)
    assert all(name in joined for name in names)


def test_a_summary_ends_with_what_the_class_has_in_common():
    out = io.StringIO()
    outcomes = [
        graded("a", 10, misconceptions=["no_scaling"]),
        graded("b", 12, misconceptions=["no_scaling", "one_sum"]),
        graded("c", 20),
        Outcome("d", (), None, ABSENT),
        Outcome("e", (), None, "grader_error", "x"),
    ]
    show_summary(outcomes, Console(file=out, width=80))
    *_, score, named = out.getvalue().strip().splitlines()
    assert score == "3 graded, 1 grader_error, 1 no submission: mean 94, median 92 of 100"
    assert named == "most frequent misconceptions: no_scaling (2), one_sum (1)"
