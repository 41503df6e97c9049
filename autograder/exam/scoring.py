"""Reads a student's exam.toml and scores it against the key; knows none of the questions."""

import hashlib
import json
import math
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from autograder.report import GraderError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE_BYTES = 64 * 1024
ANSWER_CHARACTERS = 200
SHOWN = 40  # characters of a wrong answer that staff are shown
TABLES = 4  # [a.b.c.d] and no deeper
# A TOML parser's time and stack grow faster than lines and brackets: nobody needs more than these.
TOML_LINE_CHARACTERS = 300
TOML_BRACKETS = 100
TOML_DOTS = 1000
PROBLEMS = 20
CONTROL = bytes({*range(32)} - {9, 10, 12, 13})
# Lines that begin like an answer, before a sheet of another name is taken for one.
SHEET_LINES = 3

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
# "b", "Option B", "Answer: (b)"; and "b) the option's own text".
LETTER = re.compile(r"(?:(?:option|answer|choice|letter)\b[\s:=]*)?\(?([a-z])[).:,;]*", re.I)
LETTER_AND_TEXT = re.compile(
    r"(?:(?:option|answer|choice|letter)\b[\s:=]*)?\(?([a-z])(?:[).:]+|\s-)\s*(\S.*)", re.I
)
# One character each, such as \u00bc; \u2044 is the slash that Unicode takes them apart with.
VULGAR = {
    ord(mark): " " + unicodedata.normalize("NFKC", mark).replace("\u2044", "/")
    for mark in "\u00bc\u00bd\u00be\u2150\u2151\u2152\u2153\u2154\u2155\u2156\u2157\u2158"
    "\u2159\u215a\u215b\u215c\u215d\u215e"
}
MIXED = re.compile(r"([+-]?)([0-9]{1,9})\s+([0-9]{1,9})\s*/\s*([0-9]{1,9})")
ANSWERED = re.compile(r"""[\s"']*[qQ][0-9]{1,3}["']?[ \t]*[=:]+[ \t]*["']*([^\s"'#,;]?)""")
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
    texts: Mapping[str, str] = field(default_factory=dict)  # of a choice: letter -> its sentence
    near: Mapping[str, str] = field(default_factory=dict)  # other kinds: answer -> misconception


@dataclass(frozen=True)
class Answers:
    """What a student wrote, by question id, and what could not be read, in words for them."""

    by_id: dict[str, str]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Missed:
    """A question without its right answer; misconception is that behind the wrong one given.

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


def read_key_file(path: Path) -> list[KeyEntry]:
    """The key of the exam, question by question."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    return [KeyEntry(**{**entry, "accepted": tuple(entry["accepted"])}) for entry in entries]


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
    """The text with plain line ends; None where it is none.

    Notepad's UTF-16 is known by its first two bytes, or by a NUL in every other place; what is not
    UTF-8 is taken for Windows' cp1252, if no control mark stands in it.
    """
    encoding = "utf-8-sig"
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif len(source) > 1 and 0 in source[:2] and 0 < max(source[:2]) < 128:
        encoding = "utf-16-le" if source[1] == 0 else "utf-16-be"
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8-sig" or source.translate(None, CONTROL) != source:
            return None
        try:
            text = source.decode("cp1252")
        except UnicodeDecodeError:
            return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def holds_answers(source: bytes) -> bool:
    """Whether this is a sheet with an answer in it, whatever its name: time linear in its size."""
    return any(answered for answered in answered_lines(source))


def is_sheet(source: bytes) -> bool:
    """Whether this is an answer sheet, filled in or blank: several lines begin like an answer."""
    return sum(1 for _ in islice(answered_lines(source), SHEET_LINES)) == SHEET_LINES


def answered_lines(source: bytes) -> Iterator[bool]:
    """For each line that begins like q01 =, whether something stands behind it."""
    text = decode(source) if len(source) <= FILE_BYTES else None
    for line in (text or "").split("\n"):
        found = ANSWERED.match(line[:TOML_LINE_CHARACTERS])
        if found:
            yield bool(found[1])


def parse_toml(text: str) -> dict[str, Any] | None:
    """The TOML document, its decimals kept as they are written; None where it is none."""
    if text.count("[") + text.count("{") > TOML_BRACKETS or text.count(".") > TOML_DOTS:
        return None
    for line in text.split("\n"):
        if len(line) > TOML_LINE_CHARACTERS and not line.lstrip().startswith("#"):
            return None
    try:
        return tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError):
        return None


def pairs(
    document: dict[str, Any], sheet: Sheet, depth: int = TABLES
) -> Iterator[tuple[str, object]]:
    """The answers of a document, and those in tables such as [answers] or [exam.answers]."""
    for key, value in document.items():
        if isinstance(value, dict) and sheet.question(key) is None and depth:
            yield from pairs(value, sheet, depth - 1)
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
        return letter_of(entry, answer) == entry.answer.lower()
    if entry.kind == "number":
        return same_number(entry, answer, entry.answer)
    if entry.kind == "text":
        wanted = {bare_text(text) for text in (entry.answer, *entry.accepted)}
        return bare_text(answer) in wanted - {""}
    raise GraderError(f"The key of the exam has {entry.id} of an unknown kind.")


def meaning(entry: KeyEntry, answer: str) -> str:
    """What an answer says, however it is spelt: "B" and "b)" are one, 0.25 and 1/4 too.

    Empty for what can be no answer to this question.
    """
    if not answer.strip() or len(answer) > ANSWER_CHARACTERS:
        return ""
    if entry.kind == "choice":
        return letter_of(entry, answer)
    if entry.kind == "number":
        value = number_of(answer)
        return "" if value is None else f"{value + 0.0:.9g}"
    if matches(entry, answer):
        return bare_text(entry.answer)
    text = bare_text(answer)
    offered = {bare_text(word): word for word in entry.near}
    text = text if text in offered else text.removeprefix("the ")
    return text if not offered or text in offered else ""


def digest_of(answers: Answers, key: Sequence[KeyEntry]) -> str:
    """Tells sheets apart by what their answers say; empty where none of them can be used."""
    said = {entry.id: meaning(entry, answers.by_id.get(entry.id, "")) for entry in key}
    said = {question: text for question, text in said.items() if text}
    text = json.dumps(said, sort_keys=True).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest() if said else ""


def letter_of(entry: KeyEntry, answer: str) -> str:
    """The letter in b, (b), "Option B", "b) its text", or of the option's own text; else empty."""
    letters = {letter.lower() for letter in entry.options}
    bare = answer.translate(MINUS).strip(QUOTES + " \t\n")
    found = LETTER.fullmatch(bare)
    if found:
        return found[1].lower() if found[1].lower() in letters else ""
    by_text = {bare_text(text): letter.lower() for letter, text in entry.texts.items()}
    if bare_text(bare) in by_text:
        return by_text[bare_text(bare)]
    found = LETTER_AND_TEXT.fullmatch(" ".join(bare.split()))
    if not found or found[1].lower() not in letters:
        return ""
    letter, rest = found[1].lower(), found[2].strip(QUOTES + " ")
    # "b) c)", or the sentence of another option, could be either.
    other = LETTER.fullmatch(rest)
    if (other and other[1].lower() != letter) or by_text.get(bare_text(rest), letter) != letter:
        return ""
    return letter


def bare_text(answer: str) -> str:
    """A text without its case, its spacing and the punctuation around it."""
    text = " ".join(answer.translate(MINUS).split())
    return text.strip(QUOTES + ".,;:!?() ").casefold()


def same_number(entry: KeyEntry, answer: str, wanted: str) -> bool:
    expected = number_of(wanted)
    if expected is None:
        raise GraderError(f"The key of the exam has no number for {entry.id}.")
    given = number_of(answer)
    return given is not None and abs(given - expected) <= max(1e-9, 1e-6 * abs(expected))


def number_of(text: str) -> float | None:
    """The finite value of 0.25, 1/4, (1/4), 25%, 2 1/2 or \u00bc; None for any other text."""
    # Python would turn overlong digits into a number, slowly.
    if len(text) > ANSWER_CHARACTERS:
        return None
    bare = text.translate(MINUS).translate(VULGAR).strip(QUOTES + " \t\n")
    if bare.startswith("(") and bare.endswith((")", ").")):
        bare = bare.rstrip(".")[1:-1].strip()
    percent = bare.endswith("%")
    bare = bare.removesuffix("%").rstrip()
    mixed = MIXED.fullmatch(bare)
    if mixed and int(mixed[4]):
        value: float | None = int(mixed[2]) + int(mixed[3]) / int(mixed[4])
        value = -value if value is not None and mixed[1] == "-" else value
    else:
        # The full stop of a sentence; a decimal may end in one of its own.
        above, slash, below = bare.removesuffix(".").partition("/")
        value = decimal_of(above)
        if value is not None and slash:
            divisor = decimal_of(below)
            value = value / divisor if divisor and math.isfinite(divisor) else None
    if value is not None and percent:
        value /= 100
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
            chosen = (meaning(entry, answer) or bare_text(answer))[:SHOWN]
            named = misconception_of(entry, answer)
            missed.append(Missed(entry.id, entry.module, entry.title, named, chosen))
    modules = [miss.module for miss in missed]
    right = len(key) - len(missed)
    score = percent(right, len(key))
    return ExamScore(
        right=right,
        questions=len(key),
        score=score,
        passed=score >= threshold,
        attempted=bool(digest_of(answers, key)),
        missed=tuple(missed),
        missed_by_module={module: modules.count(module) for module in sorted(set(modules))},
        problems=(*answers.problems, *malformed(answers, key)),
    )


WANTED = {
    "number": "no number, such as 12, 0.25 or 1/4",
    "choice": "none of the letters that it offers",
    "text": "none of the words that it offers",
}


def malformed(answers: Answers, key: Sequence[KeyEntry]) -> Iterator[str]:
    """Answers that could be right in no exam, by what their question asks for."""
    for entry in key:
        answer = answers.by_id.get(entry.id, "")
        if answer and not meaning(entry, answer):
            yield f"The answer to {entry.id} is {WANTED[entry.kind]}."


def misconception_of(entry: KeyEntry, answer: str) -> str | None:
    """What the wrong answer stands for, where it is a near miss."""
    said = meaning(entry, answer)
    if not said:
        return None
    if entry.kind == "choice":
        options = {letter.lower(): belief for letter, belief in entry.options.items()}
        return options.get(said)
    if entry.kind == "number":
        beliefs = (belief for near, belief in entry.near.items() if same_number(entry, said, near))
        return next(beliefs, None)
    return {bare_text(word): belief for word, belief in entry.near.items()}.get(said)


def percent(right: int, questions: int) -> int:
    """100 x right / questions, halves rounded up."""
    if questions < 1:
        raise GraderError("The key of the exam has no questions.")
    return (200 * right + questions) // (2 * questions)
