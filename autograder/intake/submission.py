"""Finds a student's functions in a folder, a zip or a single file; runs none of them."""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from autograder.intake.collecting import Unreadable, collect
from autograder.intake.naming import (
    canonical,
    is_copy_of_exam,
    is_exam,
    is_test,
    plain,
    tidy,
    without_shared_folders,
)
from autograder.manifest import Manifest
from autograder.report import StudentFault

# Parsing takes about a kilobyte of memory for each of these.
TOKENS = 100_000
ANSWER = re.compile(rb"""^[^#]*=\s*["']?[^\s"'#]""", re.MULTILINE)
TOKEN = re.compile(rb"\w+|[^\s\w]")


@dataclass
class Submission:
    """A submission's files, and for each function its file or the fault that stands in its way."""

    name: str
    files: dict[str, bytes] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    faults: dict[str, StudentFault] = field(default_factory=dict)
    package: str = ""
    exam: bytes | None = None
    exam_fault: str = "No exam.toml was handed in."

    def file_of(self, function: str) -> str:
        """The file that holds a function; StudentFault where there is none to ask."""
        if function in self.faults:
            raise self.faults[function].again()
        return self.places[function]

    def folders(self) -> list[str]:
        """The folders that hold files, the top one first, relative to it."""
        parents = {str(PurePosixPath(file).parent) for file in self.files}
        return sorted({".", *parents}, key=lambda folder: (folder != ".", folder))

    def expected_modules(self) -> set[str]:
        """The names by which the submission's files may import each other."""
        names = {part for file in self.files for part in PurePosixPath(file).with_suffix("").parts}
        return names | set(self.places) | set(self.faults)

    def write(self, folder: Path) -> None:
        """Writes the files below a folder that must not exist yet.

        `from hw.sort import sort` works for the files of a folder hw.
        """
        folder.mkdir()
        for file, source in self.files.items():
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source)
        if self.package.isidentifier() and not (folder / self.package).exists():
            (folder / self.package).symlink_to(".")


def open_submission(path: Path, assignment: Manifest) -> Submission:
    """Reads one submission; what is wrong with it becomes the faults of its functions."""
    submission = Submission(plain(path.stem if path.is_file() else path.resolve().name))
    try:
        collected = collect(path, assignment.limits)
    except Unreadable as error:
        for function in assignment.functions:
            submission.faults[function] = StudentFault("missing", str(error))
        submission.exam_fault = str(error)
        return submission
    submission.package, files = without_shared_folders(collected.files)
    submission.files = tidy(files, assignment.functions)
    contents = {file: Contents.of(file, source) for file, source in submission.files.items()}
    for function in assignment.functions:
        place = locate(function, contents, collected.refused)
        if isinstance(place, StudentFault):
            submission.faults[function] = place
        else:
            submission.places[function] = place
            add_shim(submission.files, contents, function, place)
    sheets = sorted(
        collected.exams, key=lambda name: (name.count("/"), is_copy_of_exam(name), name)
    )
    # A sheet left blank does not hide one that is filled in.
    sheets.sort(key=lambda name: ANSWER.search(collected.exams[name]) is None)
    submission.exam = collected.exams[sheets[0]] if sheets else None
    refused = [reason for name, reason in collected.refused.items() if is_exam(name)]
    submission.exam_fault = refused[0] if refused else submission.exam_fault
    return submission


SHIM = """

def {function}(*arguments, **named):
    from {module} import {function}

    return {function}(*arguments, **named)
"""


def add_shim(
    files: dict[str, bytes], contents: "dict[str, Contents]", function: str, place: str
) -> None:
    """Who imports from a function's own file gets what was found elsewhere, not a leftover stub.

    It looks only when it is called: the place may import from this file in turn.
    """
    module, own = PurePosixPath(place).stem, f"{function}.py"
    if module != function:
        kept = own in files and not contents[own].syntax_fault
        source = files[own] if kept else b""
        files[own] = source + SHIM.format(function=function, module=module).encode()


def defined_in(path: Path, assignment: Manifest) -> set[str]:
    """The functions that a child of a folder defines itself, tests apart."""
    try:
        files = collect(path, assignment.limits).files
    except Unreadable:
        return set()
    contents = (Contents.of(file, source) for file, source in files.items() if not is_test(file))
    return {name for content in contents for name in content.defined} & {*assignment.functions}


# --- locating --------------------------------------------------------------------------------


@dataclass
class Contents:
    """What a file defines at its top level, seen without running it."""

    defined: set[str] = field(default_factory=set)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    stubs: set[str] = field(default_factory=set)
    mentions: str = ""
    syntax_fault: str | None = None

    @classmethod
    def of(cls, file: str, source: bytes) -> "Contents":
        if sum(1 for _ in TOKEN.finditer(source)) > TOKENS:
            return cls(syntax_fault=f"{plain(file)} holds far more code than any solution needs.")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
        except SyntaxError as error:
            where = f"Line {error.lineno} of {plain(file)}" if error.lineno else plain(file)
            fault = f"{where} is not valid Python: {plain(error.msg)}."
            return cls(syntax_fault=fault, mentions=source.decode("utf-8", "replace"))
        except (ValueError, RecursionError, MemoryError):
            return cls(syntax_fault=f"{plain(file)} is not valid Python: it cannot be parsed.")
        contents = cls()
        for node, nested in top_level(tree):
            contents.note(node, replaces=not nested)
        return contents

    def note(self, node: ast.stmt, replaces: bool) -> None:
        """Takes a statement in; a later definition replaces an earlier one, but not in a branch."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.stubs.discard(node.name)
            if replaces:
                self.defined.discard(node.name)
            (self.stubs if is_stub(node) else self.defined).add(node.name)
        elif isinstance(node, ast.ClassDef):
            self.defined.add(node.name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                self.defined |= {name.id for name in names if isinstance(name, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self.defined.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self.imported[alias.asname or alias.name] = (node.module or "", alias.name)

    def holds(self, function: str) -> bool:
        """Whether the name is there: defined, or imported, if not as itself from its own file."""
        module, name = self.imported.get(function, (function, function))
        return function in self.defined or (module.rpartition(".")[2], name) != (function, function)


def top_level(tree: ast.Module) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of a module in order, with those inside if, for, try and the like (True)."""
    waiting = [(node, False) for node in reversed(tree.body)]
    while waiting:
        node, nested = waiting.pop()
        yield node, nested
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            inner = [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            for handler in getattr(node, "handlers", []):
                inner += handler.body
            waiting += [(node, True) for node in reversed(inner)]


def is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A body of docstring, pass, `...` or `raise NotImplementedError`."""
    return all(is_nothing(statement) for statement in node.body)


def is_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return isinstance(node, ast.Pass)


def locate(
    function: str, contents: dict[str, Contents], refused: dict[str, str]
) -> str | StudentFault:
    """The file to ask a function of, or the fault.

    The file of its name, unless that is missing, does not parse or is still the stub; then the
    others in alphabetical order, tests apart.
    """
    order = sorted(contents, key=lambda file: (file.count("/"), file.lower()))
    named = [file for file in order if PurePosixPath(file).stem == function]
    others = [file for file in order if file not in named and not is_test(file)]
    for file in [*named, *others]:
        if contents[file].holds(function):
            return file
    unparsed = {file: fault for file in [*named, *others] if (fault := contents[file].syntax_fault)}
    for file, fault in unparsed.items():
        if file in named or f"def {function}" in contents[file].mentions:
            return StudentFault("syntax_error", fault)
    for file in [*named, *others]:
        if function in contents[file].stubs:
            return StudentFault("not_attempted", f"{function} in {file} is not written yet.")
    if unparsed:
        return StudentFault("syntax_error", next(iter(unparsed.values())))
    for name, reason in refused.items():
        if canonical(PurePosixPath(name).stem, (function,)) or not contents:
            return StudentFault("missing", reason)
    if named:
        words = f"{named[0]} does not define {function}: is the name spelled as in the template?"
        return StudentFault("missing", words)
    return StudentFault("missing", f"No file defines {function}: hand in {function}.py.")
