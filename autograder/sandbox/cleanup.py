"""What a guest that ran as a user of its own may leave behind: processes and files."""

import fcntl
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SECONDS = 3.0
OURS = ("guest-", "grading-", "autograder-class-")
# A folder is made a moment before it is held.
STALE_SECONDS = 10.0
# Where every user may write; the locks forbid it, where this system has them.
OPEN_TO_ALL = ("/tmp", "/var/tmp", "/dev/shm")


def clear(uid: int) -> None:
    """Kills every process of a user and removes their files. As root, on a uid of nobody else."""
    kill_all(uid)
    remove_files(uid)


def kill_all(uid: int) -> None:
    until = time.monotonic() + SECONDS
    # One that forks while it is sought is found in the next round.
    while (found := list(processes(uid))) and time.monotonic() < until:
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.001)


def remove_files(uid: int) -> None:
    """Removes what a user left where everybody may write."""
    for folder in filter(os.path.isdir, OPEN_TO_ALL):
        for entry in os.scandir(folder):
            with suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_uid == uid:
                    remove(entry)


def hold(folder: Path) -> int:
    """A descriptor that says, as long as it is open, that a folder of OURS is in use."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    # A file system without locks has no stale folders removed either.
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A folder that is there as long as it is used, and removed at a later start if need be."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        held = hold(Path(name))
        try:
            yield Path(name)
        finally:
            os.close(held)


def clear_stale(place: str) -> None:
    """Removes the folders of a grader that was killed, as far as they belong to this user."""
    for entry in os.scandir(place):
        if not entry.name.startswith(OURS) or not entry.is_dir(follow_symlinks=False):
            continue
        with suppress(OSError):
            if entry.stat(follow_symlinks=False).st_uid != os.geteuid():
                continue
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                young = time.time() - os.fstat(descriptor).st_ctime < STALE_SECONDS
                # Held by a grader that lives, in whatever container: BlockingIOError.
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not young:
                    remove(entry)
            finally:
                os.close(descriptor)


def processes(uid: int) -> Iterator[int]:
    """The processes of a user that still run; a zombie has ended."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "status").read_text(errors="replace")
        except OSError:
            continue
        lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        # Its owner would be root: a process that changed its user is not dumpable.
        if lines["Uid"].split()[0] == str(uid) and not lines["State"].startswith("Z"):
            yield int(folder.name)


def remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        # rm climbs down a tree of any depth, where Python would reach the end of its stack.
        subprocess.run(["rm", "-rf", "--", entry.path], check=False, stderr=subprocess.DEVNULL)
    else:
        os.unlink(entry.path)
