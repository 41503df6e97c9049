"""Makes the two zips of a course: what Gradescope and otter take, and what students download."""

import io
import zipfile
from pathlib import Path

import autograder
from autograder.files import write_whole
from autograder.kit.cases import read_data, require_whole_draw
from autograder.kit.drawing import CHECKOUT, require_checkout
from autograder.manifest import load_manifest
from autograder.report import GraderError

PACKAGE = Path(autograder.__file__).parent
PARTS = Path(__file__).with_name("zip")
# Not `files`, which otter copies into every submission; its image takes whatever matches files*.
GRADER = "files-grader"
# The key's questions and all that only a checkout needs stay at home.
LEFT_OUT = (
    "authoring/",
    "exam/question.py",
    "exam/own.py",
    "own_questions.toml",
    "exercises/exam/bank.py",
    "exercises/exam/module",
    "kit/drawing.py",
    "kit/svg.py",
)
PACKED = (".py", ".toml", ".json")
PROGRAMS = ("setup.sh", "run_autograder")
STUDENT_PARTS = ("student_template", "assignments")
HANDED_OUT = (".py", ".toml", ".md", ".html", ".svg", ".ipynb")
STUDENT_FOLDER = "self-attention"
TIME = (1980, 1, 1, 0, 0, 0)


def bundle(out: Path, with_kernel: bool = False) -> list[str]:
    """Writes both zips, the same bytes from the same checkout; returns what to tell about them."""
    require_checkout()
    require_whole_draw()
    try:
        out.mkdir(parents=True, exist_ok=True)
        told = [
            write_zip(out / "autograder.zip", grader_files(with_kernel)),
            write_zip(out / "student_template.zip", student_files()),
        ]
    except OSError as error:
        raise GraderError(f"cannot write to {out}: {error.strerror}.") from error
    if read_data("provenance")["public_demonstration"]:
        told.append(
            "autograder.zip carries seed 0, the public demonstration: anyone can compute its key. "
            "For a course, run autograder regenerate first."
        )
    return told


def grader_files(with_kernel: bool) -> dict[str, bytes]:
    """autograder.zip, path by path."""
    parts = {path.name: text_of(path) for path in PARTS.iterdir() if path.is_file()}
    if not with_kernel:
        del parts["requirements.kernel"]
    test = parts.pop("exercise_test.py").decode()
    return {
        f"{GRADER}/__main__.py": parts.pop("__main__.py"),
        **{f"{GRADER}/autograder/{name}": source for name, source in package_files().items()},
        "files/grade.ipynb": parts.pop("grade.ipynb"),
        # In place of a student's own, which otter would unpickle in its own process.
        "files/.OTTER_LOG": b"",
        **{
            f"tests/{exercise.name}.py": test.replace("EXERCISE", exercise.name).encode()
            for exercise in load_manifest().exercises
        },
        **parts,
    }


def package_files() -> dict[str, bytes]:
    """The package as it is shipped: no author's tools, no bank of questions."""
    files = {
        path.relative_to(PACKAGE).as_posix(): path
        for path in PACKAGE.rglob("*")
        if path.suffix in PACKED
    }
    return {
        name: text_of(path)
        for name, path in files.items()
        if not name.startswith(LEFT_OUT) and path.name not in ("draws.py", "picture.py")
    }


def student_files() -> dict[str, bytes]:
    """student_template.zip: the files to fill in, and beside them the pages of assignments/."""
    files: dict[str, bytes] = {}
    for part in STUDENT_PARTS:
        folder = "" if part == "student_template" else f"{part}/"
        for path in (CHECKOUT / part).rglob("*"):
            name = path.relative_to(CHECKOUT / part)
            hidden = any(step.startswith((".", "__")) for step in name.parts)
            if path.suffix in HANDED_OUT and not hidden:
                files[f"{STUDENT_FOLDER}/{folder}{name.as_posix()}"] = text_of(path)
    return files


def text_of(path: Path) -> bytes:
    """A file with LF at the ends of its lines, whatever git made of them in this checkout."""
    return path.read_bytes().replace(b"\r\n", b"\n")


def write_zip(path: Path, files: dict[str, bytes]) -> str:
    """Replaces the zip in one step; stored, since deflate's bytes differ between libraries."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, TIME)
            member.create_system = 3  # Unix, so that the modes count
            member.external_attr = (0o100755 if name in PROGRAMS else 0o100644) << 16
            archive.writestr(member, files[name])
    write_whole(path, made.getvalue())
    return f"{path}: {len(files)} files, {path.stat().st_size / 1024:.0f} KiB"
