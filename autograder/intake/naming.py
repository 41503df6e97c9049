"""What the names of files mean: their kind, litter, tests, copies, and names that can be imported.

The reading child imports this file: nothing here may be slow to import.
"""

import posixpath
import re
import sys

LITTER = frozenset({"__macosx", "__pycache__", "node_modules", "site-packages", "venv", "env"})
# What makes a folder an environment of Python's, whatever its name, and what lies in one.
ENVIRONMENT_MARKS = frozenset({"pyvenv.cfg", "conda-meta"})
ENVIRONMENT_FOLDERS = frozenset({"bin", "etc", "include", "lib", "lib64", "scripts", "share"})
# What browsers, mail programs and file managers make of a second copy's name.
COPY_MARK = re.compile(
    r"(^copy of )|(( -)? copy( \(?\d+\)?)?$)|([ _-]?\(\d+\)$)|([ _-]\d+$)", re.IGNORECASE
)
KINDS = {".py": "python", ".ipynb": "notebook", ".toml": "sheet", ".zip": "zip"}
ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")


def is_litter(name: str) -> bool:
    return name.startswith(".") or name.lower() in LITTER


def is_test(path: str) -> bool:
    """A test file is ours or the student's check of their own work, not the work."""
    name = posixpath.basename(path)
    return name.startswith("test_") or name == "conftest.py"


def kind_of(path: str) -> str:
    """ "python", "notebook", "sheet" or "zip" by a file's name; empty for all others.

    `sort.py.txt` is what an editor or a mail program makes of sort.py.
    """
    name = posixpath.basename(path).lower()
    if name.endswith(".txt"):
        name = name[:-4]
        if stem_of(path).lower().startswith("exam") and "." not in name:
            return "sheet"
    kind = KINDS.get(posixpath.splitext(name)[1], "")
    return "" if kind == "zip" and path.lower().endswith(".txt") else kind


def stem_of(path: str) -> str:
    """A file's name without its folder and its endings: sort for `a/sort.py.txt`."""
    name = posixpath.basename(path)
    while True:
        stem, ending = posixpath.splitext(name)
        if not stem or ending.lower() not in (*KINDS, ".txt"):
            return name
        name = stem


def is_exam(path: str) -> bool:
    """exam.toml, `exam (1).toml` and the like."""
    return kind_of(path) == "sheet" and canonical(stem_of(path), ("exam",)) is not None


def is_copy_of_exam(path: str) -> bool:
    return posixpath.basename(path).lower() != "exam.toml"


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


def hides_standard_module(path: str) -> bool:
    """Whether `import name` would mean a module of Python's own: code.py beside Python's code."""
    return "/" not in path and stem_of(path) in sys.stdlib_module_names


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


def tidy(files: dict[str, bytes], functions: tuple[str, ...]) -> dict[str, str]:
    """For each file a path that can be imported: new path -> path as it was handed in."""
    tidied: dict[str, str] = {}

    def rank(file: str) -> tuple[bool, bool, bool, str]:
        # A file that already has its right name keeps it from copies such as `sort (1).py`,
        # and a .py file from a notebook beside it.
        plainly = posixpath.splitext(file)[1] == ".py"
        return kind_of(file) == "notebook", stem_of(file) not in functions, not plainly, file

    for file in sorted(files, key=rank):
        folder, stem = posixpath.dirname(file), stem_of(file)
        parts = [importable(part) for part in folder.split("/") if part not in ("", ".")]
        function = canonical(stem, functions)
        name = function or importable(stem)
        number = 2
        while (path := "/".join([*parts, f"{name}.py"])) in tidied:
            name = f"{importable(stem)}_{number}"
            number += 1
        tidied[path] = file
        # `from Sort import sort` still finds Sort.py beside sort.py.
        if stem.isidentifier() and stem == plain(stem):
            tidied.setdefault("/".join([*parts, f"{stem}.py"]), file)
    return tidied
