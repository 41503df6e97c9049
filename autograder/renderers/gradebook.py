"""Outcomes -> grades.csv: a row per student, a column per exercise, and why points were lost.

Where a roster or an LMS told the ids, canvas.csv beside it is the part that Canvas imports.
"""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

from autograder.files import Table, read_table, table_bytes, write_whole
from autograder.manifest import load_manifest
from autograder.renderers.wording import VERDICTS, bonus_done, hints, missed_line, points
from autograder.report import ExerciseResult, Outcome, Report, Student, Verdict

ID_COLUMNS = ["name", "sid", "email", "login", "lms_id", "section"]
SCORE_COLUMNS = ["status", "score", "max_score"]
EXAM_COLUMNS = ["bonus", "exam_of_100", "exam_passed", "exam_missed"]
WORD_COLUMNS = ["misconceptions", "reasons", "look_at", "overrides", "remarks", "provenance"]
# What a test's verdict says of the grader's surroundings as much as of the work.
LOOK_AT: tuple[Verdict, ...] = (
    "timeout",
    "crashed",
    "out_of_memory",
    "import_error",
    "syntax_error",
    "not_run",
)
# The header that Canvas's importer asks for, and one column that it takes for an assignment.
CANVAS_HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
CANVAS_TITLE = "Autograder score"


def write_grades(outcomes: Sequence[Outcome], path: Path) -> int:
    """Writes the table for staff; returns how many rows of others in the file were kept.

    Rows and columns that somebody added stay, and so does the delimiter.
    """
    earlier = earlier_table(path)
    reports = [outcome.report for outcome in outcomes if outcome.report]
    names = exercise_names(reports, earlier)
    header = ["submission", *ID_COLUMNS, *SCORE_COLUMNS, *names, *EXAM_COLUMNS, *WORD_COLUMNS]
    added = [column for column in earlier.header if column not in header]
    rows: dict[str, list[list[str]]] = {}
    extras: dict[str, list[list[str]]] = {}
    for row in earlier.dicts():
        kept = [row.get(column, "") for column in header]
        rows.setdefault(row["submission"], []).append(kept + [row[column] for column in added])
        extras.setdefault(row["submission"], []).append([row[column] for column in added])
    fresh = set()
    for outcome in outcomes:
        name = harmless(outcome.name)
        fresh.add(name)
        blank = [""] * len(added)
        students = outcome.students or (Student(),)
        noted = extras.get(name, []) + [blank] * len(students)
        # In the order of this run, whatever of it an earlier one had reached.
        rows.pop(name, None)
        rows[name] = [
            [name, *ids(student), *graded_cells(outcome, names), *noted[number]]
            for number, student in enumerate(students)
        ]
    every = [row for rows_of_one in rows.values() for row in rows_of_one]
    write_whole(path, table_bytes(header + added, every, earlier.delimiter))
    write_canvas(Table(header + added, every), path.with_name("canvas.csv"))
    return sum(len(rows_of_one) for name, rows_of_one in rows.items() if name not in fresh)


def exercise_names(reports: Sequence[Report], earlier: Table) -> list[str]:
    """A column per exercise, in the manifest's order; those of no bonus."""
    if reports:
        return [exercise.name for exercise in reports[0].exercises]
    names = [exercise.name for exercise in load_manifest().exercises if not exercise.bonus]
    return [name for name in names if not earlier.header or name in earlier.header]


def ids(student: Student) -> list[str]:
    return [harmless(str(getattr(student, column))) for column in ID_COLUMNS]


def graded_cells(outcome: Outcome, names: list[str]) -> list[str]:
    """Everything of a row but who it is about; without a report, why there is none."""
    report = outcome.report
    if report is None:
        absent = outcome.status == "no submission"
        score = ["0" if absent else "", points(full_score()) if absent else ""]
        exercises = ["0" if absent else ""] * len(names)
        words = ["", harmless(outcome.fault or outcome.status), "", "", "", ""]
        words[2] = "" if absent else outcome.status
        return [outcome.status, *score, *exercises, *[""] * len(EXAM_COLUMNS), *words]
    by_name = {exercise.name: exercise for exercise in report.exercises}
    scores = [points(by_name[name].score) if name in by_name else "" for name in names]
    return [
        outcome.status,
        points(report.score),
        points(report.max_score),
        *scores,
        bonus(report),
        *exam_columns(report),
        *map(
            harmless,
            (
                " ".join(report.misconceptions),
                "; ".join(map(reason, lost(report))),
                "; ".join(look_at(report)),
                "; ".join(overrides(report)),
                " ".join([*report.remarks, *replaced(report)]),
                " ".join(f"{key}={value}" for key, value in report.provenance.items()),
            ),
        ),
    ]


def full_score() -> float:
    return sum(exercise.points for exercise in load_manifest().exercises if not exercise.bonus)


def bonus(report: Report) -> str:
    """How many bonus exercises are done, which is no part of the score."""
    return str(bonus_done(report)) if report.bonus else ""


def exam_columns(report: Report) -> list[str]:
    if report.exam is None:
        return ["", "", ""]
    passed = "yes" if report.exam.passed else "no"
    return [str(report.exam.score), passed, harmless(missed_line(report.exam))]


def lost(report: Report) -> list[ExerciseResult]:
    every = (*report.exercises, *report.bonus)
    return [exercise for exercise in every if exercise.score < exercise.max_score - 0.005]


def reason(exercise: ExerciseResult) -> str:
    """Why an exercise lost points, in the words that its student reads, each once."""
    told = [hint for hint, _ in hints(exercise)]
    if not told:
        verdicts = dict.fromkeys(VERDICTS[test.verdict] for test in exercise.tests)
        told = [verdict for verdict in verdicts if verdict != "passed"] or ["set by hand"]
    score = f"{points(exercise.score)} of {points(exercise.max_score)}"
    return f"{exercise.name} {score}: {' '.join(told)}"


def look_at(report: Report) -> list[str]:
    """The verdicts that a person should see for themselves."""
    found = []
    for exercise in (*report.exercises, *report.bonus):
        verdicts = dict.fromkeys(test.verdict for test in exercise.tests if test.verdict in LOOK_AT)
        found += [f"{exercise.name}: {VERDICTS[verdict]}" for verdict in verdicts]
    return found


def overrides(report: Report) -> list[str]:
    return [
        f"{exercise.name} {points(sum(test.points for test in exercise.tests))} -> "
        f"{points(exercise.override.points)}: {exercise.override.why}"
        for exercise in (*report.exercises, *report.bonus)
        if exercise.override
    ]


def replaced(report: Report) -> list[str]:
    """Where a right helper stood in for the student's, so that one mistake costs once."""
    return [
        f"{exercise} was graded with a right {' and '.join(helpers)}."
        for exercise, helpers in report.replaced.items()
        if helpers
    ]


# --- what others read and write --------------------------------------------------------------


def earlier_table(path: Path) -> Table:
    """The table of an earlier run; one of another form is kept beside as grades.csv.old."""
    if not path.exists():
        return Table([], [])
    try:
        table = read_table(path)
    except ValueError:
        table = Table([], [])
    if "submission" in table.header and len({*table.header}) == len(table.header):
        return table
    kept = path.with_name(f"{path.name}.old")
    number = 2
    while kept.exists():
        kept, number = path.with_name(f"{path.name}.old{number}"), number + 1
    path.replace(kept)
    return Table([], [])


def write_canvas(table: Table, path: Path) -> None:
    """Canvas's own columns and one score, where somebody has an id that Canvas knows."""
    rows = [row for row in table.dicts() if row["score"] and (row["lms_id"] or row["login"])]
    if not rows:
        return
    cells = [
        [row["name"], row["lms_id"], row["sid"], row["login"], row["section"], row["score"]]
        for row in rows
    ]
    possible = ["    Points Possible", "", "", "", "", points(full_score())]
    write_whole(path, table_bytes([*CANVAS_HEADER, CANVAS_TITLE], [possible, *cells]))


def harmless(text: str) -> str:
    """A text that a spreadsheet does not run as a formula, in full-width letters neither."""
    begins = unicodedata.normalize("NFKC", text.lstrip()[:1])
    runs = begins in ("=", "+", "-", "@", "|", "%") or text[:1] in ("\t", "\r", "\n")
    return f"'{text}" if text and begins and runs else text
