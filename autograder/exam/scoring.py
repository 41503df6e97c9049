"""Reads a student's exam.toml and scores it against the key; knows none of the questions."""

import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.report import GraderError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE_BYTES = 64 * 1024
ANSWER_CHARACTERS = 200
SHOWN = 40  # characters of a wrong answer that staff are shown
# A TOML parser's time and stack grow faster than lines and brackets: nobody needs more than these.
TOML_LINE_CHARACTERS = 300
TOML_BRACKETS = 100
PROBLEMS = 20

# What editors make of quotes and of a minus, and the spaces that part thousands.
DOUBLE_QUOTES = '"\u201c\u201d\u201e\u00ab\u00bb'
SINGLE_QUOTES = "'\u2018\u2019\u201a`\u00b4"
QUOTES = DOUBLE_QUOTES + SINGLE_QUOTES
MINUS = str.maketrans("\u2212\u2013\u2012", "---")
GROUP_MARKS = ",'\u2019 \u00a0\u202f"

ID = re.compile(r"[A-Za-z0-9_]{1,20}")
ID_LINE = re.compile(rf"\s*[{QUOTES}]?({ID.pattern})[{QUOTES}]?\s*[=:]+(.*)")
# The first closing quote with nothing but a comment behind it: a # inside the quotes is text.
QUOTED = re.compile(
    rf"(?:[{DOUBLE_QUOTES}](.*?)[{DOUBLE_QUOTES}]|[{SINGLE_QUOTES}](.*?)[{SINGLE_QUOTES}])"
    r"[\s,;]*(?:#.*)?"
)
EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
DECIMAL = re.compile(rf"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+){EXPONENT}")
# One mark throughout: 1 234,567 could be either of two numbers.
THOUSANDS = re.compile(
    rf"[+-]?[1-9][0-9]{{0,2}}([{GROUP_MARKS}])[0-9]{{3}}(?:\1[0-9]{{3}})*(?:\.[0-9]*)?"
)
DECIMAL_COMMA = re.compile(rf"[+-]?[0-9]*,[0-9]+{EXPONENT}")


@dataclass(frozen=True)
class KeyEntry:
    """One question of the key, as it is stored in exercises/exam/key.json."""

    id: str
    module: int
    title: str
    section: str  # what to read again
    kind: str  # "choice", "number" or "text"
    answer: str  # a letter, a number as text, or the canonical text
    accepted: tuple[str, ...]  # other spellings of a text
    options: Mapping[str, str | None]  # of a choice: letter -> misconception, right one -> None


@dataclass(frozen=True)
class Answers:
    """What a student wrote, by question id, and what could not be read, in words for them."""

    by_id: dict[str, str]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Missed:
    """A question without its right answer; misconception is that of the wrong option chosen.

    chosen is what was answered, empty for a blank.
    """

    id: str
    module: int
    title: str
    misconception: str | None
    chosen: str = ""


@dataclass(frozen=True)
class ExamScore:
    """The exam's own score out of 100; missed_by_module has only modules with a miss.

    problems are the words for what could not be read in exam.toml.
    """

    right: int
    questions: int
    score: int
    passed: bool
    attempted: bool
    missed: tuple[Missed, ...]
    missed_by_module: dict[int, int]
    problems: tuple[str, ...]


# --- reading ---------------------------------------------------------------------------------


def read_answers(source: bytes, ids: Sequence[str]) -> Answers:
    """Reads exam.toml as TOML, or else line by line, so that a bad line costs one question."""
    if len(source) > FILE_BYTES:
        return Answers({}, ("exam.toml is larger than 64 KiB: hand in the sheet you were given.",))
    text = decode(source)
    if text is None:
        return Answers({}, ("exam.toml is not a text file: save it as plain text (UTF-8).",))
    sheet = Sheet({plain_id(id_): id_ for id_ in ids})
    lines = text.split("\n")
    document = parse_toml(text)
    if document is not None:
        places = places_of(lines)
        for key, value in pairs(document, sheet):
            sheet.note(key, value, places.get(key))
    else:
        for number, line in enumerate(lines, start=1):
            read_line(line, number, sheet)
    return Answers(sheet.by_id, first_of(sheet.problems))


@dataclass
class Sheet:
    """The answers read so far; a refused one is kept as a blank, so it cannot match."""

    known: dict[str, str]
    by_id: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def question(self, key: str) -> str | None:
        """The id that a student's spelling of it means: Q1 is q01."""
        return self.known.get(plain_id(key))

    def note(self, key: str, value: object, line: int | None) -> None:
        """Takes one answer; a later one replaces an earlier one."""
        place = f" in line {line}" if line else ""
        question = self.question(key)
        if question is None:
            named = key if ID.fullmatch(key) else "A name"
            self.problems.append(f"{named}{place} is no question of this exam.")
            return
        if self.by_id.get(question) and value == "":
            # The untouched line of the template, below an answer that was pasted in.
            return
        if self.by_id.get(question):
            self.problems.append(f"{question} is answered more than once: the last answer counts.")
        answer = text_of(value)
        if answer is None:
            self.problems.append(f"The answer to {question}{place} is not one word or number.")
        elif len(answer) > ANSWER_CHARACTERS:
            self.problems.append(
                f"The answer to {question}{place} is longer than {ANSWER_CHARACTERS} characters."
            )
            answer = None
        self.by_id[question] = answer or ""

    def note_unreadable(self, key: str | None, line: int) -> None:
        question = self.question(key) if key else None
        if question is not None:
            self.by_id[question] = ""
        self.problems.append(
            f'Line {line} of exam.toml cannot be read: write it like q01 = "b", one per line.'
        )


def plain_id(key: str) -> str:
    """An id in lower case without the zeros that lead its number."""
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", key.strip().lower())


def decode(source: bytes) -> str | None:
    """The text with plain line ends; Notepad's UTF-16 is known by its first two bytes."""
    encoding = "utf-16" if source.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError:
        return None
    # No text has a NUL in it, but UTF-16 without its mark does.
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def parse_toml(text: str) -> dict[str, Any] | None:
    """The TOML document, its decimals kept as they are written; None where it is none."""
    if text.count("[") + text.count("{") > TOML_BRACKETS:
        return None
    for line in text.split("\n"):
        if len(line) > TOML_LINE_CHARACTERS and not line.lstrip().startswith("#"):
            return None
    try:
        return tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError):
        return None


def pairs(document: dict[str, Any], sheet: Sheet) -> Iterator[tuple[str, object]]:
    """The answers of a document, and those in a table such as [answers]."""
    for key, value in document.items():
        if isinstance(value, dict) and sheet.question(key) is None:
            yield from value.items()
        else:
            yield key, value


def places_of(lines: list[str]) -> dict[str, int]:
    """The line on which each id is first written."""
    places: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        found = ID_LINE.match(line)
        if found:
            places.setdefault(found[1], number)
    return places


def read_line(line: str, number: int, sheet: Sheet) -> None:
    """Reads one line of a file that is not TOML as a whole."""
    if not line.strip() or line.lstrip().startswith("#"):
        return
    document = parse_toml(line)
    if document is not None:
        for key, value in pairs(document, sheet):
            sheet.note(key, value, number)
        return
    found = ID_LINE.fullmatch(line)
    answer = unquoted(found[2].strip()) if found else None
    if found and answer is not None:
        sheet.note(found[1], answer, number)
    else:
        sheet.note_unreadable(found[1] if found else None, number)


def unquoted(written: str) -> str | None:
    """What stands behind the = of a line that is not TOML; None for a list or a table."""
    if written.startswith(("[", "{")):
        return None
    quoted = QUOTED.fullmatch(written)
    if quoted:
        return (quoted[1] or quoted[2] or "").strip()
    return written.partition("#")[0].strip(QUOTES + " \t,;")


def text_of(value: object) -> str | None:
    """A TOML value as text; None for a bool, a date, a list or a table."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return str(value).strip()


def first_of(problems: list[str]) -> tuple[str, ...]:
    """The problems, or the first of very many, each once."""
    different = list(dict.fromkeys(problems))
    if len(different) <= PROBLEMS:
        return tuple(different)
    more = len(different) - PROBLEMS
    return (*different[:PROBLEMS], f"exam.toml has more problems of this sort: {more}.")


# --- matching --------------------------------------------------------------------------------


def matches(entry: KeyEntry, answer: str) -> bool:
    """Whether an answer is the right one; a blank or an overlong one never is."""
    if not answer.strip() or len(answer) > ANSWER_CHARACTERS:
        return False
    if entry.kind == "choice":
        return letter_of(answer) == letter_of(entry.answer)
    if entry.kind == "number":
        return same_number(entry, answer)
    if entry.kind == "text":
        wanted = {bare_text(text) for text in (entry.answer, *entry.accepted)}
        return bare_text(answer) in wanted - {""}
    raise GraderError(f"The key of the exam has {entry.id} of an unknown kind.")


def letter_of(answer: str) -> str:
    """The letter in b, (b), b) and "B."; other text comes back as it is and matches none."""
    return answer.strip(QUOTES + "().:,; \t\n").lower()


def bare_text(answer: str) -> str:
    """A text without its case, its spacing and the punctuation around it."""
    text = " ".join(answer.translate(MINUS).split())
    return text.strip(QUOTES + ".,;:!?() ").casefold()


def same_number(entry: KeyEntry, answer: str) -> bool:
    expected = number_of(entry.answer)
    if expected is None:
        raise GraderError(f"The key of the exam has no number for {entry.id}.")
    given = number_of(answer)
    return given is not None and abs(given - expected) <= max(1e-9, 1e-6 * abs(expected))


def number_of(text: str) -> float | None:
    """The finite value of a decimal or a fraction; None for any other text."""
    # Python would turn overlong digits into a number, slowly.
    if len(text) > ANSWER_CHARACTERS:
        return None
    above, slash, below = text.translate(MINUS).strip(QUOTES + " \t\n").partition("/")
    value = decimal_of(above)
    if value is not None and slash:
        divisor = decimal_of(below)
        value = value / divisor if divisor and math.isfinite(divisor) else None
    return value if value is not None and math.isfinite(value) else None


def decimal_of(text: str) -> float | None:
    """The value of 0.25, 25e-2, 147,456 and 0,25; a mark before exact groups parts thousands."""
    text = text.strip().replace("_", "")
    grouped = THOUSANDS.fullmatch(text)
    if grouped:
        return float(text.replace(grouped[1], ""))
    if DECIMAL_COMMA.fullmatch(text):
        return float(text.replace(",", "."))
    return float(text) if DECIMAL.fullmatch(text) else None


# --- scoring ---------------------------------------------------------------------------------


def score_exam(answers: Answers, key: Sequence[KeyEntry], threshold: int = 70) -> ExamScore:
    """Scores the answers; a question without one is missed like a wrong one."""
    missed = []
    for entry in key:
        answer = answers.by_id.get(entry.id, "")
        if not matches(entry, answer):
            named = misconception_of(entry, answer)
            chosen = letter_of(answer) if entry.kind == "choice" else bare_text(answer)
            missed.append(Missed(entry.id, entry.module, entry.title, named, chosen[:SHOWN]))
    modules = [miss.module for miss in missed]
    right = len(key) - len(missed)
    score = percent(right, len(key))
    return ExamScore(
        right=right,
        questions=len(key),
        score=score,
        passed=score >= threshold,
        attempted=any(answers.by_id.get(entry.id, "").strip() for entry in key),
        missed=tuple(missed),
        missed_by_module={module: modules.count(module) for module in sorted(set(modules))},
        problems=(*answers.problems, *malformed(answers, key)),
    )


def malformed(answers: Answers, key: Sequence[KeyEntry]) -> Iterator[str]:
    """Answers that could be right in no exam, by what their question asks for."""
    for entry in key:
        answer = answers.by_id.get(entry.id, "")
        if answer and entry.kind == "number" and number_of(answer) is None:
            yield f"The answer to {entry.id} is no number, such as 12, 0.25 or 1/4."
        if answer and entry.kind == "choice" and letter_of(answer) not in entry.options:
            yield f"The answer to {entry.id} is none of the letters that it offers."


def misconception_of(entry: KeyEntry, answer: str) -> str | None:
    """What the chosen wrong option stands for."""
    if entry.kind != "choice":
        return None
    options = {letter.lower(): misconception for letter, misconception in entry.options.items()}
    return options.get(letter_of(answer))


def percent(right: int, questions: int) -> int:
    """100 x right / questions, halves rounded up."""
    if questions < 1:
        raise GraderError("The key of the exam has no questions.")
    return (200 * right + questions) // (2 * questions)
