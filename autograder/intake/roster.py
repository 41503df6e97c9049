"""The roster of a course: who should have handed in. Read as an LMS exports it, matched by ids."""

import re
import unicodedata
from dataclasses import replace
from pathlib import Path

from autograder.files import read_table
from autograder.intake.classes import Member, shown, told_apart
from autograder.intake.naming import plain
from autograder.report import Student

# The headers of Canvas's gradebook, Gradescope's roster, Moodle's participants, and plain ones.
HEADERS: dict[str, tuple[str, ...]] = {
    "name": ("student", "name", "full name", "student name"),
    "first": ("first name", "firstname", "given name"),
    "last": ("last name", "lastname", "surname", "family name"),
    "sid": ("sid", "student id", "sis user id", "id number", "student number", "number"),
    "email": ("email", "email address", "e-mail", "e-mail address", "mail"),
    "login": ("sis login id", "login", "login id", "username", "user name"),
    "lms_id": ("id", "canvas id", "lms_id", "lms id", "user id", "identifier"),
    "section": ("section", "sections", "section name", "group"),
}
STAFF = ("instructor", "ta", "reader", "teacher", "designer", "observer")


def read_roster(path: Path) -> list[Student]:
    """The students of a roster; ValueError, in words, where there is no column to know them by."""
    table = read_table(path)
    header = [cell.casefold() for cell in table.header]
    columns = {
        field: next((header.index(name) for name in names if name in header), None)
        for field, names in HEADERS.items()
    }
    if columns["lms_id"] is not None and columns["sid"] is None and "student" not in header:
        # Outside Canvas, a column `id` is the student's number.
        columns["sid"], columns["lms_id"] = columns["lms_id"], None
    known = [columns[field] for field in ("name", "last", "sid", "email", "login")]
    if all(place is None for place in known):
        raise ValueError(f"{path.name} has no column for a name, a number or an e-mail address.")
    role = header.index("role") if "role" in header else None
    students = []
    for row in table.rows:
        cells = {
            field: plain(row[place].strip()) if place is not None and row[place].strip() else ""
            for field, place in columns.items()
        }
        first, last = cells.pop("first"), cells.pop("last")
        cells["name"] = cells["name"] or f"{first} {last}".strip()
        if role is not None and row[role].strip().casefold() in STAFF:
            continue
        # Two rows of Canvas's gradebook are no students.
        if cells["name"] in ("Points Possible", "Student, Test") or not any(cells.values()):
            continue
        students.append(Student(**cells))
    return students


def match(
    members: list[Member], roster: list[Student]
) -> tuple[list[Member], list[Member], list[str]]:
    """The members with what the roster knows of them, those who are absent, and remarks.

    An absent one's path is empty: there is nothing to read.
    """
    keys: dict[str, set[int]] = {}
    for place, student in enumerate(roster):
        for key in keys_of(student):
            keys.setdefault(key, set()).add(place)
    present: set[int] = set()
    told: list[Member] = []
    unknown: list[str] = []
    for member in members:
        found = []
        for student in member.students or (Student(member.name, lms_id=""),):
            number = place_of(student, member, keys)
            if number is None:
                unknown.append(member.name)
                found += [student] if member.students else []
            else:
                present.add(number)
                found.append(filled(roster[number], student))
        told.append(replace(member, students=tuple(found)))
    absent = [
        Member(shown(student.name or student.email or student.sid), Path(), (student,))
        for place, student in enumerate(roster)
        if place not in present
    ]
    remarks = [f"not on the roster: {', '.join(unknown)}"] if unknown else []
    taken = {member.name for member in told}
    absent = [
        replace(member, name=f"{member.name}-absent") if member.name in taken else member
        for member in told_apart(absent)
    ]
    return told, absent, remarks


def keys_of(student: Student) -> set[str]:
    """By what a student may be known; a name's parts count in any order."""
    keys = {f"sid:{student.sid}", f"mail:{student.email}", f"login:{student.login}"}
    keys |= {f"lms:{student.lms_id}", f"login:{student.email.partition('@')[0]}"}
    named = bare(student.name)
    keys |= {f"name:{' '.join(sorted(named))}"}
    # Canvas writes lastnamefirst, where a roster has "Last, First" or "First Last".
    last, comma, first = student.name.partition(",")
    if not comma:
        first, _, last = student.name.rpartition(" ")
    keys |= {f"joined:{''.join(bare(last) + bare(first))}"}
    return {key.casefold() for key in keys if key.partition(":")[2]}


def place_of(student: Student, member: Member, keys: dict[str, set[int]]) -> int | None:
    """The one of the roster that a submitter is; None for none, or more than one."""
    sought = [
        f"sid:{student.sid}",
        f"mail:{student.email}",
        f"lms:{student.lms_id}",
        f"name:{' '.join(sorted(bare(student.name)))}",
        f"joined:{''.join(bare(student.name))}",
    ]
    if not member.students:
        # A plain folder may be named after anything that tells a student.
        sought += [f"{kind}:{member.name}" for kind in ("sid", "mail", "login")]
    for key in sought:
        places = keys.get(key.casefold(), set()) if key.partition(":")[2] else set()
        if len(places) == 1:
            return next(iter(places))
    return None


def bare(name: str) -> list[str]:
    """The parts of a name without accents, marks and case."""
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
    return re.findall(r"[^\W_]+", letters.casefold())


def filled(known: Student, handed: Student) -> Student:
    """What the roster says, and where it says nothing, what the platform said."""
    return Student(
        name=known.name or handed.name,
        sid=known.sid or handed.sid,
        email=known.email or handed.email,
        login=known.login or handed.login,
        lms_id=known.lms_id or handed.lms_id,
        section=known.section or handed.section,
    )
