"""What the names of files mean: litter, tests, copies, and names that can be imported or shown."""

import re
from pathlib import PurePosixPath

LITTER = frozenset({"__macosx", "__pycache__", "node_modules", "site-packages", "venv", "env"})
# What browsers, mail programs and file managers make of a second copy's name.
COPY_MARK = re.compile(
    r"(^copy of )|(( -)? copy( \(?\d+\)?)?$)|([ _-]?\(\d+\)$)|([ _-]\d+$)", re.IGNORECASE
)


def is_litter(name: str) -> bool:
    return name.startswith(".") or name.lower() in LITTER


def is_test(path: str) -> bool:
    """A test file is ours or the student's check of their own work, not the work."""
    name = PurePosixPath(path).name
    return name.startswith("test_") or name == "conftest.py"


def is_exam(path: str) -> bool:
    """exam.toml, `exam (1).toml` and the like."""
    name = PurePosixPath(path)
    return name.suffix.lower() == ".toml" and canonical(name.stem, ("exam",)) is not None


def is_copy_of_exam(path: str) -> bool:
    return PurePosixPath(path).name.lower() != "exam.toml"


def canonical(stem: str, functions: tuple[str, ...]) -> str | None:
    """The function that a file's name stands for: `Sort (1)` is sort."""
    name = COPY_MARK.sub("", stem.strip()).strip().lower()
    name = re.sub(r"[ -]+", "_", name)
    return name if name in functions else None


def plain(name: str) -> str:
    """A name as it may be shown and written to disk: one line, no control or direction marks."""
    shown = "".join(mark if mark.isprintable() else "_" for mark in name)
    # 200 bytes leave room for an ending below the 255 that a file system takes.
    return shown.encode("utf-8", "replace")[:200].decode("utf-8", "ignore") or "submission"


def importable(stem: str) -> str:
    """A file's name as an import statement can say it."""
    return re.sub(r"\W", "_", plain(stem))


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
    # A file that already has its right name keeps it from copies such as `sort (1).py`.
    for path in sorted(paths, key=lambda path: (path.stem not in functions, str(path))):
        folder = PurePosixPath(*map(importable, path.parent.parts))
        function = canonical(path.stem, functions)
        name = f"{function or importable(path.stem)}.py"
        number = 2
        while str(folder / name) in tidied:
            name = f"{importable(path.stem)}_{number}.py"
            number += 1
        tidied[str(folder / name)] = paths[path]
        # `from Sort import sort` still finds Sort.py beside sort.py.
        if path.stem.isidentifier():
            tidied.setdefault(str(folder / f"{path.stem}.py"), paths[path])
    return tidied
