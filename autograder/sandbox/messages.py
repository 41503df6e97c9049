"""The fixed words for what student code did instead of answering.

Nothing that a student's process says is quoted: an exception is named only if it is built in,
a file and line only if they exist in the submission.
"""

import signal
import sys
from dataclasses import dataclass
from typing import Literal

from autograder.intake.submission import Submission
from autograder.manifest import Limits
from autograder.report import StudentFault, Verdict
from autograder.sandbox.protocol import Raised

# Modules that students reach for: a misconception of its own each.
NAMED = ("scipy", "torch", "matplotlib")
ALLOWED = frozenset({*sys.stdlib_module_names, "numpy"})
NO_FILES = (
    "While grading no file can be written, and none read: only .py files and the exam sheet come "
    "along."
)


@dataclass(frozen=True)
class Doing:
    """What the guest was asked for: a call of a function, or the import of a file."""

    name: str
    what: Literal["call", "import"]

    def __str__(self) -> str:
        return self.name if self.what == "call" else f"Importing {self.name}"


def late(doing: Doing, limits: Limits) -> StudentFault:
    return StudentFault(
        "timeout",
        f"{doing} took longer than {limits.call_seconds:g} seconds: does a loop never end?",
    )


def budget_spent(limits: Limits) -> StudentFault:
    return StudentFault(
        "timeout",
        "Not asked any more: earlier calls of the submission used up its time, which is "
        f"{limits.submission_seconds:g} seconds for all exercises.",
    )


def lost(function: str) -> StudentFault:
    return StudentFault(
        "not_run",
        f"{function} was not asked: it goes on from an answer lost when the program ended.",
    )


def bad_frame() -> StudentFault:
    return StudentFault(
        "crashed", "The program wrote into the channel on which the grader waits for its answers."
    )


def unfit(doing: Doing) -> StudentFault:
    return StudentFault("failed", f"{doing} returned something of another form than is asked for.")


def died(returncode: int, doing: Doing) -> StudentFault:
    if returncode >= 0:
        return StudentFault(
            "crashed", f"{doing} ended the program; leave out exit(), quit() and os._exit()."
        )
    try:
        name = signal.Signals(-returncode).name
    except ValueError:
        name = "a signal"
    return StudentFault("crashed", f"{doing} crashed Python itself ({name}).")


def raised(what: Raised, doing: Doing, submission: Submission) -> StudentFault:
    """The fault for an exception: verdict, words, and the misconception that its class names."""
    source = submission.files.get(what.file, b"")
    known = 0 < what.line <= source.count(b"\n") + 1
    place = f" in line {what.line} of {what.file}" if source and known else ""
    verdict: Verdict = "failed" if doing.what == "call" else "import_error"
    if what.error in ("SystemExit", "KeyboardInterrupt"):
        return StudentFault("crashed", f"{doing} ended the program ({what.error}){place}.")
    if what.error == "MemoryError":
        return StudentFault(
            "out_of_memory", f"{doing} asked for more memory than there is (MemoryError){place}."
        )
    if what.error in ("ImportError", "ModuleNotFoundError") and place:
        return import_fault(what, submission)
    sentence = f"{doing} raised {what.error}{place}.{said(what)}"
    misconception = None
    if what.error in ("PermissionError", "FileNotFoundError"):
        sentence += f" {NO_FILES}"
    if what.error == "EOFError":
        sentence += " input() is not available while grading."
    if what.error in ("NameError", "UnboundLocalError"):
        sentence += " A name is used there that has no value."
        misconception = "undefined_name"
    return StudentFault(verdict, sentence, misconception, raised=what.error)


def without_place(fault: StudentFault, doing: Doing) -> StudentFault:
    """The same fault on a hidden input: neither class nor line, which could tell of that input."""
    sentences: dict[Verdict, str] = {
        "failed": f"{doing} raised an exception here, and with none of the public examples.",
        "crashed": f"{doing} ended the program.",
        "out_of_memory": f"{doing} asked for more memory than there is.",
        "import_error": f"{doing} failed, and did not with the public examples.",
    }
    # The diagnosis needs the class, and tells no more by it than by answers.
    return StudentFault(fault.verdict, sentences[fault.verdict], raised=fault.raised)


def said(what: Raised) -> str:
    """An exception's own message as a sentence: one line, nothing that is not printable."""
    text = "".join(mark if mark.isprintable() else " " for mark in what.message)
    text = " ".join(text.split())
    return f' It says: "{text}".' if text else ""


def import_fault(what: Raised, submission: Submission) -> StudentFault:
    """Words for an import that failed, read off the student's own line."""
    place = f"Line {what.line} of {what.file}"
    module, level = imported_at(submission, what.file, what.line)
    if level:
        return StudentFault(
            "import_error",
            f"{place} imports with a leading dot; the files lie side by side, so leave it out.",
        )
    if not module or module in ALLOWED:
        return StudentFault("import_error", f"{place} raised {what.error}.")
    if module in submission.unread:
        return StudentFault("import_error", f"{place}: {submission.unread[module]}")
    if module in submission.expected_modules():
        return StudentFault(
            "import_error", f"{place} imports from {module}, and {module}.py does not offer that."
        )
    return StudentFault(
        "import_error",
        f"{place} imports {module}; this exercise allows NumPy only.",
        f"needs_{module}" if module in NAMED else None,
    )


def imported_at(submission: Submission, file: str, line: int) -> tuple[str, int]:
    """The top-level module that a line imports, and the number of its leading dots."""
    for found in submission.imports.get(file, []):
        if found.first <= line <= found.last:
            foreign = [name for name in found.modules if name not in ALLOWED]
            return (foreign or found.modules or ("",))[0], found.level
    return "", 0
