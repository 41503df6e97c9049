"""Finds a student's functions in a folder, a zip or a single file; runs none of them."""

import ast
import os
import re
import stat
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.assignment import Assignment, Limits
from autograder.report import StudentFault

LITTER = frozenset({"__macosx", "__pycache__", "node_modules", "site-packages", "venv", "env"})
# What browsers, mail programs and file managers make of a second copy's name.
COPY_MARK = re.compile(r"(^copy of )|( copy( \d+)?$)|([ _-]?\(\d+\)$)|([ _-]\d+$)", re.IGNORECASE)
NESTING = 3


class Unreadable(Exception):
    """A whole submission that cannot be taken; its words are for the student."""


@dataclass
class Collected:
    """The .py files and exam sheets of a submission, by their path, and why others were refused."""

    files: dict[str, bytes] = field(default_factory=dict)
    exams: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


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

        Under the name of each function lies what was found for it, so that a leftover stub is
        imported no more; and `from hw.softmax import ...` works for the files of a folder hw.
        """
        folder.mkdir()
        for file, source in self.files.items():
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source)
        for function, place in self.places.items():
            module = PurePosixPath(place).stem
            if module != function:
                text = f"from {module} import {function}\n"
                (folder / f"{function}.py").write_text(text, encoding="utf-8")
        if self.package.isidentifier() and not (folder / self.package).exists():
            (folder / self.package).symlink_to(".")


def open_submission(path: Path, assignment: Assignment) -> Submission:
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
    sheets = sorted(collected.exams, key=lambda name: (name.count("/"), copy_of(name), name))
    submission.exam = collected.exams[sheets[0]] if sheets else None
    refused = [reason for name, reason in collected.refused.items() if is_exam(name)]
    submission.exam_fault = refused[0] if refused else submission.exam_fault
    return submission


def members(path: Path, assignment: Assignment) -> list[Path] | None:
    """The submissions of a class, or None where the path is one submission.

    A class has two or more direct children that each define the same function. A folder with a
    file named after an exercise is one student's, whatever else lies in it.
    """
    if not path.is_dir():
        return None
    children = sorted(child for child in path.iterdir() if may_be_submission(child))
    if any(canonical(child.stem, assignment.functions) for child in children if child.is_file()):
        return None
    seen: set[str] = set()
    for child in children:
        try:
            collected = collect(child, assignment.limits)
        except Unreadable:
            continue
        contents = [Contents.of(file, source) for file, source in collected.files.items()]
        defined = {name for content in contents for name in content.defined} & {
            *assignment.functions
        }
        if seen & defined:
            return children
        seen |= defined
    return None


def may_be_submission(path: Path) -> bool:
    if is_litter(path.name) or is_test(path.name):
        return False
    return path.is_symlink() or path.is_dir() or path.suffix.lower() in (".py", ".zip")


def is_litter(name: str) -> bool:
    return name.startswith(".") or name.lower() in LITTER


def is_test(name: str) -> bool:
    """A test file is ours or the student's check of their own work, not the work."""
    return name.startswith("test_") or name == "conftest.py"


def plain(name: str) -> str:
    """A file's name as it may be shown: one line, no control or direction marks."""
    shown = "".join(mark if mark.isprintable() else "_" for mark in name)
    return shown[:80] or "submission"


# --- reading ---------------------------------------------------------------------------------


def collect(path: Path, limits: Limits) -> Collected:
    """The .py files below a folder, in a zip, or the file itself; Unreadable with its reason."""
    if path.is_symlink():
        raise Unreadable(f"{plain(path.name)} is a link: hand in the files themselves.")
    if path.is_dir():
        return collect_folder(path, limits, NESTING)
    if path.suffix.lower() == ".zip":
        return collect_zip(path, path.name, limits)
    found = Collected()
    add_file(found, path.name, path, limits)
    return found


def collect_folder(folder: Path, limits: Limits, nesting: int) -> Collected:
    found, archives = Collected(), []
    for count, path in enumerate(walk(folder), start=1):
        relative = path.relative_to(folder).as_posix()
        if count > limits.files:
            raise too_many(limits)
        if path.suffix.lower() == ".py" or is_exam(path.name):
            add_file(found, relative, path, limits)
        elif path.suffix.lower() == ".zip" and not path.is_symlink():
            archives.append(path)
    if not found.files and len(archives) == 1:
        return collect_zip(archives[0], archives[0].name, limits, nesting - 1)
    return found


def walk(folder: Path) -> Iterator[Path]:
    """Everything but folders and litter, in a fixed order; links to folders are not followed."""
    for current, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_litter(name))
        for name in sorted(files):
            if not is_litter(name):
                yield Path(current) / name


def too_many(limits: Limits) -> Unreadable:
    return Unreadable(
        f"The submission holds more than {limits.files} files: hand in your .py files only."
    )


def add_file(found: Collected, name: str, path: Path, limits: Limits) -> None:
    """Reads one regular file below the size cap; a link or a larger file is refused by name."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        reason = "is a link" if path.is_symlink() else "cannot be opened"
        found.refused[name] = f"{plain(name)} {reason}: hand in the file itself."
        return
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            found.refused[name] = f"{plain(name)} is not a regular file: hand in the file itself."
            return
        add_source(found, name, file.read(limits.file_kibibytes * 1024 + 1), limits)


def add_source(found: Collected, name: str, source: bytes, limits: Limits) -> None:
    if is_exam(name):
        # Of a sheet beyond the cap this is enough to see that it is too large.
        found.exams[name] = source
    elif len(source) > limits.file_kibibytes * 1024:
        found.refused[name] = f"{plain(name)} is larger than {limits.file_kibibytes} KiB."
    else:
        found.files[name] = source


def collect_zip(
    path: Path | IO[bytes], name: str, limits: Limits, nesting: int = NESTING
) -> Collected:
    """The .py files of a zip, read member by member below the caps, never unpacked to disk."""
    if nesting <= 0:
        raise Unreadable(f"{plain(name)} lies in zips too deeply nested: hand in your .py files.")
    try:
        with zipfile.ZipFile(path) as archive:
            return collect_members(archive, limits, nesting)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError):
        raise Unreadable(
            f"{plain(name)} is not a readable zip: make it again and open it once yourself."
        ) from None


def collect_members(archive: zipfile.ZipFile, limits: Limits, nesting: int) -> Collected:
    found, archives, count = Collected(), [], 0
    for member in archive.infolist():
        name = member.filename.replace("\\", "/")
        parts = PurePosixPath(name).parts
        if member.is_dir() or any(is_litter(part) for part in parts if part != ".."):
            continue
        count += 1
        if count > limits.files:
            raise too_many(limits)
        suffix = PurePosixPath(name).suffix.lower()
        if suffix == ".zip":
            archives.append(member)
        if suffix != ".py" and not is_exam(name):
            continue
        if name.startswith("/") or ".." in parts or ":" in name:
            found.refused[name] = f"{plain(name)} points outside the zip: zip the files themselves."
        elif stat.S_ISLNK(member.external_attr >> 16):
            found.refused[name] = f"{plain(name)} is a link: hand in the file itself."
        elif member.flag_bits & 1:
            found.refused[name] = f"{plain(name)} is locked with a password: zip it without one."
        else:
            with archive.open(member) as file:
                add_source(found, name, file.read(limits.file_kibibytes * 1024 + 1), limits)
    if not found.files and len(archives) == 1:
        with archive.open(archives[0]) as inner:
            return collect_zip(inner, archives[0].filename, limits, nesting - 1)
    return found


# --- naming ----------------------------------------------------------------------------------


def is_exam(name: str) -> bool:
    """exam.toml, `exam (1).toml` and the like."""
    path = PurePosixPath(name)
    return path.suffix.lower() == ".toml" and canonical(path.stem, ("exam",)) is not None


def copy_of(name: str) -> bool:
    return PurePosixPath(name).name.lower() != "exam.toml"


def canonical(stem: str, functions: tuple[str, ...]) -> str | None:
    """The function that a file's name stands for: `Attention (1)` is attention."""
    name = COPY_MARK.sub("", stem.strip()).strip().lower()
    name = re.sub(r"[ -]+", "_", name)
    return name if name in functions else None


def without_shared_folders(files: dict[str, bytes]) -> tuple[str, dict[str, bytes]]:
    """The innermost folder that all files share ("" for none), and the files relative to it."""
    shared = ""
    while files and all("/" in file for file in files):
        tops = {file.partition("/")[0] for file in files}
        if len(tops) > 1:
            break
        shared = tops.pop()
        files = {file.partition("/")[2]: source for file, source in files.items()}
    return shared, files


def tidy(files: dict[str, bytes], functions: tuple[str, ...]) -> dict[str, bytes]:
    """The files, each under a name that can be imported."""
    paths = {PurePosixPath(file): source for file, source in files.items()}
    tidied: dict[str, bytes] = {}
    # A file that already has its right name keeps it from copies such as `attention (1).py`.
    for path in sorted(paths, key=lambda path: (path.stem not in functions, str(path))):
        function = canonical(path.stem, functions)
        name = f"{function or importable(path.stem)}.py"
        folder = PurePosixPath(*(plain(part) for part in path.parent.parts))
        number = 2
        while str(folder / name) in tidied:
            name = f"{importable(path.stem)}_{number}.py"
            number += 1
        tidied[str(folder / name)] = paths[path]
        # `from Softmax import softmax` still finds Softmax.py beside softmax.py.
        if path.stem.isidentifier():
            tidied.setdefault(str(folder / f"{path.stem}.py"), paths[path])
    return tidied


def importable(stem: str) -> str:
    """A file's name as an import statement can say it."""
    return re.sub(r"\W", "_", plain(stem))


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
        for node in top_level(tree):
            contents.note(node)
        return contents

    def note(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            # A later definition replaces an earlier one.
            self.stubs.discard(node.name)
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
        own = (function, function)
        return function in self.defined or self.imported.get(function, own) != own


def top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a module, those inside if, for, try and the like among them, in order."""
    waiting: list[ast.stmt] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            inner = [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            for handler in getattr(node, "handlers", []):
                inner += handler.body
            waiting += reversed(inner)


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
    """The file to ask a function of, or the fault: CONTRACT.md, Where functions are found."""
    order = sorted(contents, key=lambda file: (file.count("/"), file.lower()))
    named = [file for file in order if PurePosixPath(file).stem == function]
    others = [file for file in order if file not in named and not is_test(PurePosixPath(file).name)]
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
        if PurePosixPath(name).stem.lower() == function or not contents:
            return StudentFault("missing", reason)
    return StudentFault("missing", f"No file defines {function}: hand in {function}.py.")
