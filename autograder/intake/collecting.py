"""Reads the .py files and the exam sheet of a submission: from a folder, a zip or a single file.

Nothing is unpacked to disk, no link is followed, and every size is capped while it is read.
"""

import io
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from autograder.intake.naming import is_exam, is_litter, is_test, plain
from autograder.manifest import Limits

# Zips within zips, and folders within folders.
ZIPS = 3
FOLDERS = 12


class Unreadable(Exception):
    """A whole submission that cannot be taken; its words are for the student."""


@dataclass
class Collected:
    """The .py files and exam sheets of a submission, by their path, and why others were refused."""

    limits: Limits
    files: dict[str, bytes] = field(default_factory=dict)
    exams: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    seen: int = 0

    def count(self) -> None:
        """Counts one more file of any kind; Unreadable beyond the limit."""
        self.seen += 1
        if self.seen > self.limits.files:
            raise Unreadable(
                f"The submission holds more than {self.limits.files} files: "
                "hand in your .py files only."
            )

    def add(self, name: str, source: bytes) -> None:
        """Takes a file's content, of which no more than one byte beyond the cap was read."""
        if name.count("/") >= FOLDERS:
            self.refused[name] = f"{plain(name)} lies in too many folders: hand in the file itself."
        elif is_exam(name):
            # Of a sheet beyond the cap this is enough to see that it is too large.
            self.exams[name] = source
        elif len(source) > self.cap - 1:
            self.refused[name] = f"{plain(name)} is larger than {self.limits.file_kibibytes} KiB."
        else:
            self.files[name] = source
        if sum(map(len, self.files.values())) > self.limits.submission_kibibytes * 1024:
            raise Unreadable(
                f"The .py files are larger than {self.limits.submission_kibibytes} KiB together: "
                "hand in the code of this exercise only."
            )

    @property
    def cap(self) -> int:
        """How many bytes of a file to read: one more than it may have."""
        return self.limits.file_kibibytes * 1024 + 1


def collect(path: Path, limits: Limits) -> Collected:
    """What a submission holds; Unreadable with its reason."""
    found = Collected(limits)
    if path.is_symlink():
        raise Unreadable(f"{plain(path.name)} is a link: hand in the files themselves.")
    if path.is_dir():
        collect_folder(path, found)
    elif not path.is_file():
        raise Unreadable(f"{plain(path.name)} is not a regular file: hand in the file itself.")
    elif path.suffix.lower() == ".zip":
        collect_zip(path, path.name, found)
    else:
        add_file(found, path.name, path)
    return found


def collect_folder(folder: Path, found: Collected) -> None:
    archives = []
    for path in walk(folder):
        name = path.relative_to(folder).as_posix()
        found.count()
        if path.suffix.lower() == ".py" or is_exam(path.name) or path.is_symlink():
            add_file(found, name, path)
        elif path.suffix.lower() == ".zip" and path.is_file():
            archives.append(path)
    if not any(not is_test(name) for name in found.files):
        for archive in archives:
            collect_zip(archive, archive.name, found)


def walk(folder: Path) -> Iterator[Path]:
    """Every file and every link, litter apart, in a fixed order; links are not followed."""
    for current, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_litter(name))
        links = [name for name in folders if (Path(current) / name).is_symlink()]
        for name in sorted([*files, *links]):
            if not is_litter(name):
                yield Path(current) / name


def add_file(found: Collected, name: str, path: Path) -> None:
    """Reads one regular file below the size cap; a link or a larger file is refused by name."""
    if path.is_symlink():
        found.refused[name] = f"{plain(name)} is a link: hand in the file itself."
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        found.refused[name] = f"{plain(name)} cannot be opened: hand in the file itself."
        return
    with os.fdopen(descriptor, "rb") as file:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            found.add(name, file.read(found.cap))
        else:
            found.refused[name] = f"{plain(name)} is not a regular file: hand in the file itself."


def collect_zip(file: Path | io.BytesIO, name: str, found: Collected, zips: int = ZIPS) -> None:
    if zips <= 0:
        raise Unreadable(f"{plain(name)} lies in zips too deeply nested: hand in your .py files.")
    try:
        with zipfile.ZipFile(file) as archive:
            collect_members(archive, found, zips)
    except Unreadable:
        raise
    except Exception as error:
        # zipfile and its decompressors raise errors of a dozen kinds for a damaged file.
        if isinstance(error, MemoryError):
            raise
        raise Unreadable(
            f"{plain(name)} is not a readable zip: make it again and open it once yourself."
        ) from None


def collect_members(archive: zipfile.ZipFile, found: Collected, zips: int) -> None:
    archives = []
    for member in archive.infolist():
        name = member.filename.replace("\\", "/")
        parts = PurePosixPath(name).parts
        if not parts or name.endswith("/"):
            continue
        if any(is_litter(part) for part in parts if part != ".."):
            continue
        found.count()
        suffix = PurePosixPath(name).suffix.lower()
        if suffix == ".zip":
            archives.append(member)
        if suffix != ".py" and not is_exam(name):
            continue
        reason = objection(member, name)
        if reason:
            found.refused[name] = f"{plain(name)} {reason}"
        else:
            with archive.open(member) as file:
                found.add(name, file.read(found.cap))
    if not any(not is_test(name) for name in found.files):
        for inner in archives:
            collect_inner(archive, inner, found, zips - 1)


def collect_inner(
    archive: zipfile.ZipFile, inner: zipfile.ZipInfo, found: Collected, zips: int
) -> None:
    """A zip in a zip, read whole: seeking in a compressed member would inflate it each time."""
    reason = objection(inner, inner.filename)
    if reason:
        raise Unreadable(f"{plain(inner.filename)} {reason}")
    cap = found.limits.submission_kibibytes * 1024
    with archive.open(inner) as file:
        content = file.read(cap + 1)
    if len(content) > cap:
        raise Unreadable(f"{plain(inner.filename)} is too large: hand in your .py files only.")
    collect_zip(io.BytesIO(content), inner.filename, found, zips)


def objection(member: zipfile.ZipInfo, name: str) -> str:
    """Why a member is refused; empty where it is not."""
    if name.startswith("/") or ".." in PurePosixPath(name).parts or ":" in name:
        return "points outside the zip: zip the files themselves."
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a link: hand in the file itself."
    if member.flag_bits & 1:
        return "is locked with a password: zip it without one."
    return ""
