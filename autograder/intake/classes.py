"""What a class is: the members of a folder or zip, in the layouts in which an LMS hands them out.

Each member has a path that open_submission() reads. Loose files and the members of a zipped class
are laid into folders of a scratch place that the caller keeps while the class is graded.
"""

import os
import re
import shutil
import stat
import zipfile
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path, PurePosixPath

from autograder.budget import Budget
from autograder.intake.collecting import DEEPEST, members_that_overlap
from autograder.intake.metadata import read_submitters
from autograder.intake.naming import canonical, is_litter, is_test, plain
from autograder.intake.submission import defined_in
from autograder.manifest import Manifest
from autograder.report import GraderError, Student

# Gradescope's export names every submission in this file.
METADATA = "submission_metadata.yml"
METADATA_BYTES = 64 * 1024 * 1024
GRADESCOPE = re.compile(r"submission_\d+")
# Canvas: lastnamefirst_LATE_user_attachment_file; a file handed in again ends in -1, -2.
CANVAS = re.compile(r"(?P<who>.+?)(?:_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+)", re.IGNORECASE)
AGAIN = re.compile(r"(?P<base>.+)-(?P<number>\d{1,3})")
# Moodle: Full Name_participant_assignsubmission_file_, a folder or the beginning of a file.
MOODLE = re.compile(r"(?P<who>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)")
# What a submission is read from; of anything else in a zip, the beginning is enough to name it.
READ = (".py", ".toml", ".ipynb", ".zip", ".txt", ".yml")
CODE = (".py", ".ipynb", ".toml")
LOOKED_AT = 10_000
OTHER_BYTES = 4096
ZIP_BYTES = 64 * 1024 * 1024
CLASS_BYTES = 4 * 1024 * 1024 * 1024
CLASS_FILES = 400_000
# One member of it; a file counts so many bytes more than it holds.
MEMBER_BYTES, ENTRY_BYTES = 256 * 1024 * 1024, 16 * 1024
LEVELS = 6
# More than any class has files or folders side by side.
CHILDREN = 50_000
# So long submissions are looked into to tell a class from one submission.
LOOK_SECONDS = 20.0
REMARKS = 20
ANSWER = re.compile(rb"^\s*q\d\d?\s*=", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Member:
    """One submission of a class, as a folder, zip or file on disk.

    origin is where it came from, by which it is known again in a later run.
    """

    name: str
    path: Path
    students: tuple[Student, ...] = ()
    origin: str = ""


@dataclass
class Found:
    """What a path holds: one submission, or the members of a class; remarks are for the TA."""

    members: list[Member]
    is_class: bool = False
    remarks: list[str] = field(default_factory=list)


def find(path: Path, manifest: Manifest, scratch: Path, one: bool = False) -> Found:
    """The submissions that a path holds; `one` says that it is one student's, whatever is in it.

    scratch is a folder of the caller's, in which it may lay files.
    """
    alone = Found([Member(name_of(path), path)])
    if one or not (path.is_dir() or is_zip(path)):
        return alone
    found = Found([])
    outside: list[Path] = []
    folder = innermost(path, manifest, scratch, found, outside)
    if folder is None:
        return alone
    for look in (gradescope, moodle, canvas, sections, folders):
        members = look(folder, manifest, scratch, found)
        if members:
            found.members = told_apart(members)
            tell_left_out(set(outside), found)
            tell_mixed(members, manifest, found)
            return found
    return alone


def find_loose(paths: list[Path], manifest: Manifest, scratch: Path) -> Found:
    """The members of a class whose files are given one by one, as `CLASS/*` does."""
    found = Found([])
    for pattern in (MOODLE, CANVAS):
        named = [path for path in paths if path.is_file() and pattern.fullmatch(path.name)]
        if len(named) > 1 and not found.members:
            found.members = told_apart(by_prefix(named, pattern, scratch, found, manifest))
    return found


def is_named_file(path: Path) -> bool:
    """Whether a file's name begins as an LMS begins it."""
    return bool(MOODLE.fullmatch(path.name) or CANVAS.fullmatch(path.name))


def holds_ours(folder: Path, manifest: Manifest) -> bool:
    """Whether a folder could be a submission: it is empty, or a file in it has to do with us."""
    looked = 0
    for place, files in walk(folder):
        for name in files:
            looked += 1
            if looked > LOOKED_AT:
                return False
            if is_ours(place / name, manifest):
                return True
    return not looked


def is_ours(path: Path, manifest: Manifest) -> bool:
    """A file named after an exercise or the exam, one that mentions a function, or a zip."""
    suffix = path.suffix.lower()
    names = (*manifest.file_names, "exam")
    if suffix == ".zip" or any(canonical(part, names) for part in path.name.split(".")[:1]):
        return True
    if suffix not in READ or not path.is_file() or not os.access(path, os.R_OK):
        return False
    with path.open("rb") as file:
        source = file.read(manifest.limits.file_kibibytes * 1024).replace(b"\0", b"")
    return any(name.encode() in source for name in manifest.functions) or bool(
        ANSWER.search(source)
    )


def name_of(path: Path) -> str:
    """The name of a submission: its file's or folder's, as it may be written to disk."""
    try:
        resolved = path.resolve()
    except (OSError, RuntimeError):
        # A link to itself.
        return plain(path.name)
    return plain(resolved.name if resolved.is_dir() else resolved.stem)


def shown(name: str) -> str:
    """A student's name as that of a file."""
    return plain(name.replace("/", "_").replace("\0", "_").lstrip(".") or "submission")


def told_apart(members: list[Member]) -> list[Member]:
    """Members of one name get the platform's id, or else a number, behind it."""
    seen: dict[str, int] = {}
    for member in members:
        seen[member.name] = seen.get(member.name, 0) + 1
    taken: set[str] = set()
    told = []
    for member in members:
        name, ids = member.name, [student.lms_id for student in member.students if student.lms_id]
        if seen[name] > 1 and ids:
            name = f"{name}_{ids[0]}"
        unique, number = name, 2
        while unique in taken:
            unique, number = f"{name}-{number}", number + 1
        taken.add(unique)
        told.append(replace(member, name=unique))
    return told


# --- where the class lies ------------------------------------------------------------------------


def innermost(
    path: Path, manifest: Manifest, scratch: Path, found: Found, outside: list[Path]
) -> Path | None:
    """The folder in which the submissions lie side by side, below wrappings of one folder or zip.

    None where there can be but one submission. What lies beside the wrappings goes to `outside`.
    """
    for _ in range(LEVELS):
        if is_zip(path):
            if not may_hold_class(path):
                return None
            unpacked = scratch / f"unpacked-{len(list(scratch.iterdir()))}"
            unpacked.mkdir()
            if not unpack(path, unpacked, manifest, found):
                return None
            path = unpacked
        children = children_of(path)
        if len(children) > CHILDREN:
            return None
        if any(child.suffix.lower() in CODE and child.is_file() for child in children):
            return path
        parts = [child for child in children if is_part(child) and holds_code(child)]
        if len(parts) != 1 or parts[0].is_symlink() or is_named_by_lms(parts[0]):
            return path
        outside += [child for child in children if child != parts[0]]
        path = parts[0]
    return None


def is_named_by_lms(path: Path) -> bool:
    return bool(MOODLE.fullmatch(path.name)) or (path.parent / METADATA).is_file()


def holds_code(path: Path) -> bool:
    """Whether there is a file that could be part of a submission; a zip is not opened for it."""
    if not path.is_dir() or path.is_symlink():
        return True
    looked = 0
    for _, files in walk(path):
        looked += len(files)
        if any(name.lower().endswith((*CODE, ".zip")) for name in files) or looked > LOOKED_AT:
            return True
    return False


def walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """Each folder with the names of its files, litter apart, the nearest first; links are files.

    No deeper than DEEPEST: os.walk of Python 3.10 and 3.11 reaches the end of its stack.
    """
    waiting = deque([(folder, 0)])
    while waiting:
        place, depth = waiting.popleft()
        try:
            with os.scandir(place) as entries:
                found = sorted((e.name, e.is_dir(follow_symlinks=False)) for e in entries)
        except OSError:
            continue
        kept = [(name, is_folder) for name, is_folder in found if not is_litter(name)]
        yield place, [name for name, is_folder in kept if not is_folder]
        if depth < DEEPEST:
            waiting += [(place / name, depth + 1) for name, is_folder in kept if is_folder]


def children_of(folder: Path) -> list[Path]:
    """What lies in a folder, litter and the output of an earlier run apart; a folder that cannot
    be listed is empty."""
    try:
        with os.scandir(folder) as entries:
            listed = sorted(
                # Links are not followed: one may lead to itself.
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if not is_litter(entry.name)
            )
    except OSError:
        return []
    return [
        folder / name for name, is_folder in listed if not (is_folder and is_output(folder / name))
    ]


def is_output(path: Path) -> bool:
    """What an earlier `--out` left here."""
    return (path / "results").is_dir() and (path / "feedback").is_dir()


def is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and path.is_file()


def is_part(path: Path) -> bool:
    """Whether a child of a class may be one member's work."""
    return path.is_dir() or path.is_symlink() or is_zip(path)


# --- the layouts ---------------------------------------------------------------------------------


def gradescope(folder: Path, manifest: Manifest, scratch: Path, found: Found) -> list[Member]:
    """Gradescope's export: submission_<id>/ beside submission_metadata.yml."""
    metadata = folder / METADATA
    if not metadata.is_file():
        return []
    with metadata.open("rb") as file:
        submitters = read_submitters(file.read(METADATA_BYTES))
    children = children_of(folder)
    parts = [
        child
        for child in children
        if is_part(child) and (child.stem in submitters or GRADESCOPE.fullmatch(child.stem))
    ]
    missing = sorted(submitters.keys() - {child.stem for child in parts})
    if missing:
        found.remarks.append(f"in {METADATA}, but not in the export: {listed(missing)}")
    tell_left_out(set(children) - {*parts, metadata}, found)
    found.is_class = True
    members = []
    for part in parts:
        students = submitters.get(part.stem, ())
        names = " and ".join(student.name for student in students if student.name)
        members.append(Member(shown(names) if names else name_of(part), part, students))
    return members


def moodle(folder: Path, manifest: Manifest, scratch: Path, found: Found) -> list[Member]:
    """Moodle's download: a folder per student, or all files side by side."""
    return by_prefix(children_of(folder), MOODLE, scratch, found, manifest)


def canvas(folder: Path, manifest: Manifest, scratch: Path, found: Found) -> list[Member]:
    """Canvas's download: every file, or a zip per student, side by side under its prefix."""
    return by_prefix(children_of(folder), CANVAS, scratch, found, manifest)


def by_prefix(
    children: list[Path],
    pattern: re.Pattern[str],
    scratch: Path,
    found: Found,
    manifest: Manifest,
) -> list[Member]:
    """The members whose files or folders an LMS has named after them."""
    parts: dict[tuple[str, str], dict[str, Path]] = {}
    others = []
    for child in children:
        match = pattern.fullmatch(child.name)
        if match is None or is_test(child.name):
            others.append(child)
            continue
        file = match["file"] if child.is_file() else child.name
        files = parts.setdefault((match["who"], match["id"]), {})
        files[file if file not in files else child.name] = child
    useful = [
        key
        for key, files in parts.items()
        if any(not path.is_file() or path.suffix.lower() in READ for path in files.values())
    ]
    # One such name may be a student's own, by chance, among other files of theirs.
    own = any(is_part(child) or child.suffix.lower() in CODE for child in others)
    if not useful or (pattern is CANVAS and own and len(useful) < 2):
        return []
    tell_left_out(set(others), found)
    found.is_class = len(parts) > 1 or pattern is MOODLE
    members = []
    for (who, number), files in sorted(parts.items()):
        path = path_of(files, scratch / f"member-{len(list(scratch.iterdir()))}", manifest, found)
        # Moodle parts first and last name by a space, Canvas by nothing.
        students = (Student(name=plain(who), lms_id=number),)
        members.append(Member(shown(who), path, students))
    return members


def path_of(files: dict[str, Path], place: Path, manifest: Manifest, found: Found) -> Path:
    """One member's files as one path: theirs, if there is only one, or a folder of them."""
    folders = [path for path in files.values() if not path.is_file()]
    if len(files) == 1:
        only = next(iter(files.values()))
        if folders or is_zip(only):
            return only
    if folders:
        # Moodle's folder of typed text beside the one of files.
        typed = [path for path in folders if "assignsubmission_onlinetext" in path.name]
        kept = [path for path in folders if path not in typed] or typed
        tell_left_out({*files.values()} - {kept[0]}, found)
        return kept[0]
    place.mkdir()
    for name, path in latest(files, manifest, found).items():
        link_or_copy(path, place / name)
    return place


def latest(files: dict[str, Path], manifest: Manifest, found: Found) -> dict[str, Path]:
    """The files under their own names; of one that was handed in again, the last."""
    versions: dict[str, list[tuple[int, str]]] = {}
    for name in files:
        stem, suffix = os.path.splitext(name)
        again = AGAIN.fullmatch(stem)
        base, number = (again["base"], int(again["number"])) if again else (stem, 0)
        versions.setdefault(base + suffix, []).append((number, name))
    kept: dict[str, Path] = {}
    for base, named in versions.items():
        ours = canonical(os.path.splitext(base)[0], (*manifest.file_names, "exam"))
        if len(named) == 1 or ours or base in files:
            *older, (_, last) = sorted(named)
            kept[base] = files[last]
            tell_left_out({files[name] for _, name in older}, found, "an earlier version")
        else:
            # hw-1.py and hw-2.py are two files of the student's own.
            kept |= {name: files[name] for _, name in named}
    return kept


def link_or_copy(path: Path, target: Path) -> None:
    """A link that is no copy where the file system allows; what is no regular file stays out."""
    if not stat.S_ISREG(path.lstat().st_mode):
        return
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError:
        shutil.copyfile(path, target, follow_symlinks=False)


def sections(folder: Path, manifest: Manifest, scratch: Path, found: Found) -> list[Member]:
    """A folder whose folders are classes in turn: all their members, as section/name."""
    children = children_of(folder)
    parts = [child for child in children if is_part(child)]
    inner: dict[Path, Found] = {}
    for part in parts:
        if not part.is_dir() or part.is_symlink() or len(children_of(part)) < 2:
            return []
        inside = Found([])
        for look in (gradescope, moodle, canvas, folders):
            inside.members = look(part, manifest, scratch, inside)
            if inside.members:
                break
        if len(inside.members) < 2 and not inside.is_class:
            return []
        inner[part] = inside
    names = [{member.path.name for member in inside.members} for inside in inner.values()]
    if len(inner) < 2 or any(a & b for n, a in enumerate(names) for b in names[n + 1 :]):
        # draft/ and final/ in every folder are two of one student, not two students.
        return []
    tell_left_out(set(children) - {*parts}, found)
    found.is_class = True
    for inside in inner.values():
        found.remarks += inside.remarks
    found.remarks.append(f"{plain(folder.name)} holds several classes: {listed(map(str, inner))}")
    return [
        Member(shown(f"{part.name}-{member.name}"), member.path, with_section(member, part.name))
        for part, inside in inner.items()
        for member in inside.members
    ]


def with_section(member: Member, section: str) -> tuple[Student, ...]:
    return tuple(
        Student(who.name, who.sid, who.email, who.login, who.lms_id, section)
        for who in member.students or (Student(member.name),)
    )


def folders(folder: Path, manifest: Manifest, scratch: Path, found: Found) -> list[Member]:
    """Two or more folders or zips, each of which holds a function of an exercise."""
    children = children_of(folder)
    parts = [child for child in children if is_part(child)]
    if not several_hold_functions(parts, manifest, Budget(LOOK_SECONDS)):
        return []
    tell_left_out(set(children) - {*parts}, found)
    found.is_class = True
    members = []
    for part in parts:
        match = CANVAS.fullmatch(part.name)
        students = (Student(plain(match["who"]), lms_id=match["id"]),) if match else ()
        members.append(Member(name_of(part), part, students))
    return members


def several_hold_functions(parts: list[Path], manifest: Manifest, looking: Budget) -> bool:
    """Whether two parts hold a function; looks no further than it must, for a look takes time.

    What is not found while there is time to look is taken as not there.
    """
    holders: set[str] = set()
    for part in parts:
        if looking.left <= 0:
            return False
        # hw/ beside hw.zip is one student's work, unpacked.
        stem = part.name if part.is_dir() else part.stem
        if stem not in holders and holds_function(part, manifest, looking):
            holders.add(stem)
        # A folder per exercise, named after it, is one student's.
        if len(holders) > 1 and any(not canonical(stem, manifest.file_names) for stem in holders):
            return True
    return False


def holds_function(part: Path, manifest: Manifest, looking: Budget) -> bool:
    try:
        return bool(defined_in(part, manifest, looking))
    except GraderError:
        # What may not be read here is told when it is graded, and costs nobody else a grade.
        return False


def tell_mixed(members: list[Member], manifest: Manifest, found: Found) -> None:
    """A member that looks like a class in turn is graded as one student, and named."""
    looking = Budget(LOOK_SECONDS)
    for member in members:
        parts = [child for child in children_of(member.path) if child.is_dir()]
        if len(parts) > 1 and several_hold_functions(parts, manifest, looking):
            found.remarks.append(
                f"{member.name} is graded as one student, though several of its folders hold a "
                f"function: if it is a class, give it by itself: {member.path}"
            )


def tell_left_out(paths: set[Path], found: Found, why: str = "") -> None:
    """Whatever is not graded is named: it may be somebody's work."""
    names = sorted(plain(path.name) for path in paths)
    if names:
        found.remarks.append(f"not graded, being {why or 'no member of a class'}: {listed(names)}")


def listed(names: "Iterator[str] | list[str]") -> str:
    """Names in a row, the first twenty of very many."""
    every = list(names)
    more = f" and {len(every) - 20} more" if len(every) > 20 else ""
    return ", ".join(every[:20]) + more


# --- zips ----------------------------------------------------------------------------------------


def may_hold_class(path: Path) -> bool:
    """Whether the names in a zip allow for more than one submission."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [PurePosixPath(info.filename.replace("\\", "/")) for info in archive.infolist()]
    except Exception:
        # A damaged zip raises errors of a dozen kinds; it is graded as one, and told so.
        return False
    parts = [name.parts for name in names if name.parts and not any(map(is_litter, name.parts))]
    while parts and len({part[0] for part in parts}) == 1:
        parts = [part[1:] for part in parts if len(part) > 1]
        if any(len(part) == 1 and part[0].lower().endswith(".zip") for part in parts):
            return True
    tops = {part[0] for part in parts if len(part) > 1 or part[0].lower().endswith(".zip")}
    prefixed = {part[0] for part in parts if CANVAS.fullmatch(part[0]) or MOODLE.match(part[0])}
    return len(tops) > 1 or len(prefixed) > 1 or any(part[0] == METADATA for part in parts)


def unpack(path: Path, target: Path, manifest: Manifest, found: Found) -> bool:
    """Lays the files of a zip into a folder, every size capped; False where it cannot be read.

    Nothing is written outside the folder, no link is made, and what is left out is named.
    """
    total = 0
    # By member: one of them that holds too much takes no room from the others.
    held: Counter[str] = Counter()
    left_out: list[str] = []
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            overlapping = members_that_overlap(infos)
            names = [info.filename.replace("\\", "/") for info in infos]
            wrapped = wrappings([name for name in names if not name.endswith("/")])
            for number, (info, name) in enumerate(zip(infos, names, strict=True)):
                parts = PurePosixPath(name).parts
                member = "/".join(parts[: wrapped + 1])
                reason = unusable(info, name)
                if not reason and (number >= CLASS_FILES or total >= CLASS_BYTES):
                    reason = "lies beyond what a class may hold"
                elif not reason and held[member] >= MEMBER_BYTES:
                    reason = "lies beyond what one submission may hold"
                elif not reason and info.header_offset in overlapping:
                    reason = "lies on top of another file"
                if name.endswith("/"):
                    if not reason:
                        reason = make_folder(target / name)
                elif any(is_litter(part) for part in parts if part != ".."):
                    continue
                elif not reason:
                    content = content_of(archive, info, cap_of(name, manifest))
                    if content is None:
                        reason = "cannot be unpacked"
                    else:
                        total += len(content)
                        held[member] += len(content) + ENTRY_BYTES
                        reason = write_new(target / name, content)
                if reason:
                    left_out.append(f"{plain(name)} in {plain(path.name)} {reason}")
    except Exception:
        # A damaged zip raises errors of a dozen kinds.
        found.remarks.append(f"{plain(path.name)} cannot be unpacked whole: make it again")
        return False
    found.remarks += left_out[:REMARKS]
    if len(left_out) > REMARKS:
        more = len(left_out) - REMARKS
        found.remarks.append(f"{plain(path.name)}: {more} more files were not unpacked")
    return True


def wrappings(names: list[str]) -> int:
    """Into how many folders within each other all files of a zip are wrapped."""
    paths = [PurePosixPath(name).parts[:-1] for name in names] or [()]
    pairs = zip(min(paths), max(paths), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def content_of(archive: zipfile.ZipFile, info: zipfile.ZipInfo, size: int) -> bytes | None:
    """The beginning of a file in a zip; None where it is damaged."""
    try:
        with archive.open(info) as file:
            return file.read(size)
    except Exception:
        # Its decompressors raise errors of a dozen kinds; a dictionary of LZMA may need all memory.
        return None


def make_folder(path: Path) -> str:
    """Makes a folder; why it could not, in words."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError):
        return "has a name that no disk takes"
    return ""


def cap_of(name: str, manifest: Manifest) -> int:
    """How many bytes of a file to take: one more than it may have tells that it is too large."""
    suffix = PurePosixPath(name).suffix.lower()
    if name.rpartition("/")[2] == METADATA:
        return METADATA_BYTES
    if suffix == ".zip":
        return ZIP_BYTES
    return manifest.limits.file_kibibytes * 1024 + 1 if suffix in READ else OTHER_BYTES


def unusable(info: zipfile.ZipInfo, name: str) -> str:
    """Why a member of a zip is left out; empty where it is not."""
    if name.startswith("/") or ".." in PurePosixPath(name).parts or ":" in name.split("/")[0]:
        return "points outside the zip"
    if name.count("/") >= DEEPEST:
        return "lies in too many folders"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link"
    return "is locked with a password" if info.flag_bits & 1 else ""


def write_new(path: Path, content: bytes) -> str:
    """Writes a file that must not be there yet; why it could not, in words."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        return "is there twice: the first counts"
    except (OSError, ValueError):
        return "has a name that no disk takes"
    return ""
