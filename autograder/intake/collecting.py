"""Reads what a submission holds: from a folder, a zip or a single file.

Nothing is unpacked to disk and no link is followed. What is read is counted and capped, and what
lies beside it is not: the files nearest to an exercise's name and to the top are read first. The
reading child imports this file: nothing here may be slow to import.
"""

import errno
import io
import os
import posixpath
import stat
from collections import deque
from collections.abc import Callable
from itertools import pairwise

from autograder.intake.naming import (
    ARCHIVES,
    ENVIRONMENT_FOLDERS,
    ENVIRONMENT_MARKS,
    canonical,
    is_exam,
    is_litter,
    is_test,
    kind_of,
    plain,
    stem_of,
)

# As typing's name for it, whose import would take longer than that of all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

KIBIBYTE, MEBIBYTE = 1 << 10, 1 << 20
# Folders within folders: of a file that is read, and how far down a look is taken.
FOLDERS, DEEPEST = 12, 40
# Zips within zips, and beside each other.
ZIPS, ZIPS_BESIDE = 3, 20
SHEETS, NOTEBOOKS = 20, 20
SHEET_BYTES, NOTEBOOK_BYTES = 64 * KIBIBYTE, 48 * MEBIBYTE
# What is only looked at.
FOLDERS_SEEN, ENTRIES_SEEN = 5_000, 100_000
NAME_CHARACTERS = 1_000
ZIP_BYTES, UNPACKED_BYTES = 64 * MEBIBYTE, 160 * MEBIBYTE
TOO_DEAR = "takes too much time or memory to read."
# Why the kernel refuses a file that nobody could read under that name.
NO_FILE = {
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ENXIO,
    errno.EMLINK,
    errno.EINVAL,
}


class UnreadableError(Exception):
    """A whole submission, or one archive in it, that cannot be taken; words for the student."""


class ForbiddenError(Exception):
    """What lies there may not be read by the grader's user: no fault of the student."""


class Candidate:
    """A file that may be read: `read(n)` gives its first n bytes, or raises UnreadableError."""

    def __init__(self, name: str, kind: str, read: Callable[[int], bytes]) -> None:
        self.name, self.kind, self.read = name, kind, read

    def rank(self, functions: tuple[str, ...]) -> tuple[bool, bool, int, str]:
        """The order of reading: what is named as asked for, then what lies near the top."""
        named = is_exam(self.name) or canonical(stem_of(self.name), functions) is not None
        return is_test(self.name), not named, self.name.count("/"), self.name


class Collected:
    """The files of a submission by their path, and why others were refused.

    files are .py files, notebooks .ipynb files, sheets what may be the exam's. `begin` is told of
    each file before it is read, and says whether to read it.
    """

    def __init__(
        self, functions: tuple[str, ...], file_kibibytes: int, together_kibibytes: int, files: int
    ) -> None:
        self.functions = functions
        self.file_bytes = file_kibibytes * KIBIBYTE
        self.bytes_together = together_kibibytes * KIBIBYTE
        self.most_files = files
        self.files: dict[str, bytes] = {}
        self.notebooks: dict[str, bytes] = {}
        self.sheets: dict[str, bytes] = {}
        self.refused: dict[str, str] = {}
        self.left_out = ""
        self.unpacked = 0
        self.begin: Callable[[str], bool] = lambda name: True

    def refuse(self, name: str, reason: str) -> None:
        self.refused[name] = f"{plain(name)} {reason}"

    def leave_out(self, message: str) -> None:
        """Says once that not everything was read."""
        self.left_out = self.left_out or message

    def holds_source(self) -> bool:
        return any(not is_test(name) for name in self.files)

    def read(self, candidates: list[Candidate]) -> None:
        """Reads the files among what was found, within the caps."""
        for candidate in sorted(candidates, key=lambda found: found.rank(self.functions)):
            name = candidate.name
            if name.count("/") >= FOLDERS:
                self.refuse(name, "lies in too many folders: hand in the file itself.")
                continue
            try:
                if not self.begin(name):
                    raise UnreadableError(TOO_DEAR)
                self.take(candidate)
            except UnreadableError as error:
                self.refuse(name, str(error))

    def take(self, candidate: Candidate) -> None:
        """Reads one file; UnreadableError with its reason."""
        if candidate.kind == "sheet":
            if len(self.sheets) < SHEETS:
                # One byte more is enough to see that a sheet is too large.
                self.sheets[candidate.name] = candidate.read(SHEET_BYTES + 1)
            return
        if candidate.kind == "notebook":
            if len(self.notebooks) >= NOTEBOOKS:
                self.leave_out(f"The submission holds more than {NOTEBOOKS} notebooks.")
                return
            self.notebooks[candidate.name] = self.within(candidate, NOTEBOOK_BYTES)
            return
        if len(self.files) >= self.most_files:
            self.leave_out(
                f"The submission holds more than {self.most_files} files of Python: "
                "hand in those of this exercise only."
            )
            return
        source = self.within(candidate, self.file_bytes)
        if sum(map(len, self.files.values())) + len(source) > self.bytes_together:
            self.leave_out(
                f"The .py files are larger than {self.bytes_together // KIBIBYTE} KiB together: "
                "hand in the code of this exercise only."
            )
            return
        self.files[candidate.name] = source

    def within(self, candidate: Candidate, most: int) -> bytes:
        content = candidate.read(most + 1)
        if len(content) > most:
            raise UnreadableError(f"is larger than {most // KIBIBYTE} KiB.")
        return content


def collect(path: str, found: Collected, added: frozenset[str] = frozenset()) -> None:
    """Reads a submission; `added` are names at its top that are not the student's.

    UnreadableError with its reason; ForbiddenError where the grader may not look.
    """
    name = os.path.basename(path)
    try:
        mode = os.lstat(path).st_mode
    except OSError as error:
        raise UnreadableError(f"{plain(name)} {no_file(name, error)}") from None
    if stat.S_ISLNK(mode):
        raise UnreadableError(f"{plain(name)} is a link: hand in the files themselves.")
    if stat.S_ISDIR(mode):
        collect_folder(path, found, added)
    elif not stat.S_ISREG(mode):
        raise UnreadableError(f"{plain(name)} is not a regular file: hand in the file itself.")
    elif kind_of(name) == "zip":
        with open_file(path, name) as file:
            collect_zip(file, name, found)
    else:
        kind = kind_of(name) or "python"
        found.read([Candidate(name, kind, lambda size: read_file(path, name, size))])


def no_file(name: str, error: OSError) -> str:
    """Why there is no file to read; ForbiddenError where it is the grader that may not."""
    if error.errno == errno.ELOOP:
        return "is a link: hand in the file itself."
    if error.errno in NO_FILE:
        return f"cannot be opened ({error.strerror}): hand in the file itself."
    raise ForbiddenError(f"{plain(name)} cannot be read ({error.strerror}): check its permissions.")


# --- folders -------------------------------------------------------------------------------------


def collect_folder(folder: str, found: Collected, added: frozenset[str]) -> None:
    candidates, archives = look_through(folder, found, added)
    found.read(candidates)
    if not found.holds_source():
        for candidate in archives[:ZIPS_BESIDE]:
            path = posixpath.join(folder, candidate.name)
            try:
                with open_file(path, candidate.name) as file:
                    collect_zip(file, candidate.name, found)
            except UnreadableError as error:
                found.refused[candidate.name] = str(error)


def look_through(
    folder: str, found: Collected, added: frozenset[str]
) -> tuple[list[Candidate], list[Candidate]]:
    """What may be read in a folder and those below, and the zips: the nearest first."""
    candidates: list[Candidate] = []
    archives: list[Candidate] = []
    waiting = deque([""])
    folders = entries = 0
    while waiting:
        inner = waiting.popleft()
        folders += 1
        if folders > FOLDERS_SEEN or entries > ENTRIES_SEEN:
            found.leave_out(
                "The submission holds too many folders and files to look into them all."
            )
            break
        try:
            listed = list_folder(posixpath.join(folder, inner), ENTRIES_SEEN)
        except OSError as error:
            found.refuse(inner or ".", no_file(inner or os.path.basename(folder), error))
            continue
        entries += len(listed)
        environment = any(name.lower() in ENVIRONMENT_MARKS for name, _ in listed)
        for name, mode in listed:
            if is_litter(name) or (not inner and name in added):
                continue
            path = posixpath.join(inner, name)
            if stat.S_ISDIR(mode):
                if environment and name.lower() in ENVIRONMENT_FOLDERS:
                    continue
                if path.count("/") >= DEEPEST:
                    found.refuse(path, "lies in too many folders: what is in it was not read.")
                    continue
                waiting.append(path)
            elif kind_of(name) == "zip":
                if stat.S_ISREG(mode):
                    archives.append(Candidate(path, "zip", reader(folder, path)))
                else:
                    found.refuse(path, "is not a regular file: hand in the file itself.")
            elif kind_of(name):
                # `hw\sort.py` is what unpacking a zip made by Windows leaves.
                shown = path.replace("\\", "/")
                if shown != path and points_outside(shown):
                    found.refuse(shown, "points outside its folder: hand in the file itself.")
                else:
                    candidates.append(Candidate(shown, kind_of(name), reader(folder, path)))
            elif stat.S_ISLNK(mode) and may_be_folder(name):
                found.refuse(path, "is a link: hand in the file itself.")
            else:
                note_other(path, found)
    return candidates, archives


def list_folder(path: str, most: int) -> list[tuple[str, int]]:
    """The entries of a folder with their modes, links not followed, in the order of their names."""
    listed: list[tuple[str, int]] = []
    with os.scandir(path) as entries:
        for entry in entries:
            if len(listed) >= most:
                break
            try:
                mode = entry.stat(follow_symlinks=False).st_mode
            except FileNotFoundError:
                continue
            listed.append((entry.name, mode))
    return sorted(listed)


def may_be_folder(name: str) -> bool:
    return "." not in name


def note_other(path: str, found: Collected) -> None:
    """Names what cannot be read and seems meant: an archive of another kind, sort.docx."""
    name = posixpath.basename(path)
    if name.lower().endswith(ARCHIVES):
        found.refuse(path, "is an archive that is not read: hand in a .zip, or the files.")
    elif canonical(posixpath.splitext(name)[0], (*found.functions, "exam")):
        function = stem_of(name).lower()
        wanted = "exam.toml" if function == "exam" else "a .py file"
        found.refuse(path, f"is not read: hand in {wanted}.")


def reader(folder: str, path: str) -> Callable[[int], bytes]:
    return lambda size: read_file(posixpath.join(folder, path), path, size)


def read_file(path: str, name: str, size: int) -> bytes:
    with open_file(path, name) as file:
        return file.read(size)


def open_file(path: str, name: str) -> io.BufferedIOBase:
    """A regular file that is no link, opened; UnreadableError with its reason."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        raise UnreadableError(no_file(name, error)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableError("is not a regular file: hand in the file itself.")
    return os.fdopen(descriptor, "rb")


def points_outside(name: str) -> bool:
    return name.startswith("/") or ".." in name.split("/") or ":" in name


# --- zips ----------------------------------------------------------------------------------------


def collect_zip(file: io.BufferedIOBase, name: str, found: Collected, zips: int = ZIPS) -> None:
    """Reads a zip, and those in it where it holds no source; UnreadableError with its reason."""
    from zipfile import ZipFile

    if zips <= 0:
        raise UnreadableError(f"{plain(name)} lies in zips too deeply nested: hand in .py files.")
    unreadable = f"{plain(name)} is not a readable zip: make it again and open it once yourself."
    try:
        archive = ZipFile(file)
    except MemoryError:
        raise UnreadableError(f"{plain(name)} holds too many files to read it.") from None
    except Exception:
        # zipfile raises errors of a dozen kinds for a damaged file.
        raise UnreadableError(unreadable) from None
    with archive:
        candidates, archives = look_through_zip(archive, found)
        found.read(candidates)
        if found.holds_source():
            return
        for candidate in archives[:ZIPS_BESIDE]:
            # Read whole: seeking in a compressed member would inflate it each time.
            try:
                content = candidate.read(ZIP_BYTES + 1)
                if len(content) > ZIP_BYTES:
                    raise UnreadableError(f"is larger than {ZIP_BYTES >> 20} MiB.")
            except UnreadableError as error:
                found.refuse(candidate.name, str(error))
                continue
            try:
                collect_zip(io.BytesIO(content), candidate.name, found, zips - 1)
            except UnreadableError as error:
                found.refused[candidate.name] = str(error)


def look_through_zip(
    archive: "ZipFile", found: Collected
) -> tuple[list[Candidate], list[Candidate]]:
    """What may be read in a zip, and the zips in it. Of two members of one name the last counts."""
    members = {member.filename.replace("\\", "/"): member for member in archive.infolist()}
    if len(members) > ENTRIES_SEEN:
        raise UnreadableError("The zip holds too many files: hand in your .py files only.")
    environments = {
        "/".join(parts[:depth])
        for parts in (name[:NAME_CHARACTERS].split("/") for name in members)
        for depth, part in enumerate(parts)
        if part.lower() in ENVIRONMENT_MARKS
    }
    overlapping = members_that_overlap([*members.values()])
    candidates: list[Candidate] = []
    archives: list[Candidate] = []
    for name, member in members.items():
        parts = [part for part in name[:NAME_CHARACTERS].split("/") if part not in ("", ".")]
        if not parts or name.endswith("/") or in_environment(name, environments):
            continue
        if any(is_litter(part) for part in parts if part != ".."):
            continue
        kind = kind_of(name)
        if not kind:
            note_other(name, found)
            continue
        reason = objection(member, name)
        if member.header_offset in overlapping:
            reason = "lies on top of another file in the zip: make the zip again."
        if reason:
            found.refuse(name, reason)
        elif kind == "zip":
            archives.append(Candidate(name, kind, unpacker(archive, member, found)))
        else:
            tidied = "/".join(parts)
            candidates.append(Candidate(tidied, kind, unpacker(archive, member, found)))
    return candidates, archives


def in_environment(name: str, environments: set[str]) -> bool:
    """Whether a member lies in a folder such as lib beside a pyvenv.cfg."""
    if not environments:
        return False
    parts = name[:NAME_CHARACTERS].split("/")
    return any(
        part.lower() in ENVIRONMENT_FOLDERS and "/".join(parts[:depth]) in environments
        for depth, part in enumerate(parts[:-1])
    )


def members_that_overlap(members: list["ZipInfo"]) -> set[int]:
    """Where members start of which another one starts before their end, as zip bombs have them."""
    overlapping = set()
    ordered = sorted(members, key=lambda member: member.header_offset)
    for member, following in pairwise(ordered):
        # The smallest header: 30 bytes and the name.
        end = member.header_offset + 30 + member.compress_size
        if end > following.header_offset:
            overlapping |= {member.header_offset, following.header_offset}
    return overlapping


def objection(member: "ZipInfo", name: str) -> str:
    """Why a member is refused; empty where it is not."""
    if len(name) > NAME_CHARACTERS:
        return "has too long a name."
    if points_outside(name):
        return "points outside the zip: zip the files themselves."
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a link: hand in the file itself."
    if member.flag_bits & 1:
        return "is locked with a password: zip it without one."
    return ""


def unpacker(archive: "ZipFile", member: "ZipInfo", found: Collected) -> Callable[[int], bytes]:
    def read(size: int) -> bytes:
        if found.unpacked >= UNPACKED_BYTES:
            raise UnreadableError("was not unpacked any more: the zip holds too much.")
        try:
            with archive.open(member) as file:
                content = file.read(size)
        except MemoryError:
            raise UnreadableError("needs too much memory to unpack: make the zip again.") from None
        except Exception:
            # Its decompressors raise errors of a dozen kinds for a damaged member.
            raise UnreadableError("is not readable in the zip: make the zip again.") from None
        found.unpacked += len(content)
        return content

    return read
