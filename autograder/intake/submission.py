"""A submission as the rest sees it: files, the places of its functions, and its faults."""

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, get_args

from autograder.budget import Budget
from autograder.intake.bounded import Answer, UnreadableSubmissionError, read
from autograder.intake.naming import plain
from autograder.manifest import Manifest
from autograder.report import StudentFault, Verdict

VERDICTS = frozenset(get_args(Verdict))
NAME_BYTES = 200


@dataclass(frozen=True)
class Import:
    """An import in a student's file: its lines, the top-level modules it names, leading dots."""

    first: int
    last: int
    modules: tuple[str, ...]
    level: int


@dataclass
class Submission:
    """A submission's files, and for each function its file or the fault that stands in its way.

    parameters are the names of those of each plain function, as contents.parameters_of writes them;
    relative are the functions whose files import with a leading dot, read without it;
    imports are those of each file; unread says of a module why its file was not taken; remarks
    say what was left out or read otherwise than it was handed in. shape: see shape.py. budget has
    run since the reading began; None for one that was not read.
    """

    name: str
    files: dict[str, bytes] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    faults: dict[str, StudentFault] = field(default_factory=dict)
    parameters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    relative: frozenset[str] = frozenset()
    package: str = ""
    exam: bytes | None = None
    exam_fault: str = "No exam.toml was handed in."
    defines: frozenset[str] = frozenset()
    imports: dict[str, list[Import]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    shape: list[str] = field(default_factory=list)
    budget: Budget | None = None

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
        named = self.package.isidentifier() and len(self.package.encode()) <= NAME_BYTES
        if named and not (folder / self.package).exists():
            (folder / self.package).symlink_to(".")


def open_submission(
    path: Path,
    manifest: Manifest,
    added: frozenset[str] = frozenset(),
    budget: Budget | None = None,
) -> Submission:
    """Reads one submission in a process of its own; what is wrong with it becomes its faults.

    Its time runs from now on, unless another budget is given.
    `added` are names at its top that others have put there. GraderError where the grader may not
    read it, or where no such process can be started.
    """
    budget = budget or Budget(manifest.limits.submission_seconds)
    submission = Submission(name_of(path), budget=budget)
    try:
        answer = read(path, manifest, added, budget)
        fill(submission, answer, manifest.functions)
    except UnreadableSubmissionError as error:
        for function in manifest.functions:
            submission.faults[function] = StudentFault("missing", str(error))
        submission.exam_fault = str(error)
        submission.remarks = [str(error)]
    return submission


def name_of(path: Path) -> str:
    """A submission's name; of a link that leads nowhere, the link's own."""
    try:
        return plain(path.stem if path.is_file() else path.resolve().name)
    except (OSError, RuntimeError):
        return plain(path.name)


def fill(submission: Submission, answer: Answer, functions: tuple[str, ...]) -> None:
    """Takes over what the reading child found; UnreadableSubmissionError where it is not sound."""
    header, offset = answer.header, 0
    try:
        for name, size in header["files"]:
            require_inside(name)
            submission.files[name] = bytes(answer.body[offset : offset + int(size)])
            offset += int(size)
        if header["exam"] is not None:
            submission.exam = bytes(answer.body[offset : offset + int(header["exam"])])
        for function in functions:
            if function in header["places"]:
                submission.places[function] = str(header["places"][function])
                submission.files[submission.places[function]]
                if function in header["parameters"]:
                    names = header["parameters"][function]
                    submission.parameters[function] = tuple(map(str, names))
            else:
                verdict, message = header["faults"][function]
                submission.faults[function] = StudentFault(known_verdict(verdict), str(message))
        submission.relative = frozenset(map(str, header["relative"]))
        submission.package = str(header["package"])
        submission.exam_fault = str(header["exam_fault"] or submission.exam_fault)
        submission.defines = frozenset(map(str, header["defines"]))
        submission.unread = {str(name): str(why) for name, why in header["unread"].items()}
        submission.remarks = [str(remark) for remark in header["remarks"]]
        submission.shape = [str(statement) for statement in header["shape"]]
        for name, imports in header["imports"].items():
            submission.imports[name] = [
                Import(int(first), int(last), tuple(map(str, modules)), int(level))
                for first, last, modules, level in imports
            ]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UnreadableSubmissionError("The submission cannot be read.") from None


def require_inside(name: Any) -> None:
    """ValueError for a path that would lie outside the folder in which it is written."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise ValueError(name)


def known_verdict(verdict: Any) -> Verdict:
    if verdict not in VERDICTS:
        raise ValueError(verdict)
    known: Verdict = verdict
    return known


def defined_in(path: Path, assignment: Manifest, looking: Budget) -> frozenset[str]:
    """The functions that a child of a folder defines itself, tests apart."""
    return open_submission(path, assignment, budget=looking).defines
