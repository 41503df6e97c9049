"""Which Python a guest runs on, and the user that it changes to."""

import os
import pwd
import secrets
import socket
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from autograder.sandbox import cleanup

# What it takes to give a folder and a process to another user, and to end that process: the
# bits of CAP_CHOWN, CAP_KILL, CAP_SETGID and CAP_SETUID.
NEEDED_CAPABILITIES = 1 << 0 | 1 << 5 | 1 << 6 | 1 << 7
# High enough to be nobody's. A container often maps 65,536 ids and no more, the last two of them
# by convention "nobody" and "none".
HIGH = range(1 << 24, (1 << 24) + (1 << 29))
LOW = range(60001, 65534)
PLACES = ("/usr/bin", "/usr/local/bin")


@dataclass(frozen=True)
class Arrangement:
    """The Python of a guest, and whether the guest changes to a user of its own."""

    python: str
    own_user: bool


@cache
def arrangements(folder: Path) -> tuple[Arrangement, ...]:
    """What a guest may be started with, the most locked first; its files lie below `folder`.

    As root, that is first another user on an interpreter which any user can read: this one, or
    the system's of the same version, since NumPy is compiled for one.
    """
    mine = os.path.realpath(sys.executable)
    as_we_are = Arrangement(mine, own_user=False)
    if not may_change_user() or not anyone_may_read(np.__file__, str(folder)):
        return (as_we_are,)
    name = f"python3.{sys.version_info.minor}"
    others = [place for place in (f"{folder}/{name}" for folder in PLACES) if os.path.exists(place)]
    known = [mine] if anyone_may_read(mine, os.__file__) else []
    known += [other for other in others if anyone_may_read(other)]
    return (*(Arrangement(python, own_user=True) for python in known), as_we_are)


def may_change_user() -> bool:
    """Whether this is a root who may change the user, and has another user to change to."""
    return (
        os.name == "posix"
        and os.geteuid() == 0
        and capabilities() & NEEDED_CAPABILITIES == NEEDED_CAPABILITIES
        and bool(free_ids())
    )


def capabilities() -> int:
    """The effective ones as bits; all of them on a system that does not count them."""
    for line in lines_of("/proc/self/status"):
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return -1


@cache
def free_ids() -> range:
    """High ids that are both a user and a group in this namespace; empty where there are none."""
    for wanted in (HIGH, LOW):
        if all(covers(f"/proc/self/{kind}_map", wanted) for kind in ("uid", "gid")):
            return wanted
    return range(0)


def covers(path: str, wanted: range) -> bool:
    """Whether one line of a map (first id inside, first outside, how many) holds them all."""
    lines = [[int(part) for part in line.split()] for line in lines_of(path)]
    return not lines or any(
        first <= wanted[0] and wanted[-1] < first + count for first, _, count in lines
    )


def lines_of(path: str) -> list[str]:
    """The lines of a file of /proc; none where there is no such file."""
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


@dataclass
class User:
    """A user id that no other guest has as long as it is not given back."""

    uid: int
    claim: socket.socket

    def give_back(self) -> None:
        self.claim.close()


def unused_user() -> User:
    """A random high user id without a name and without a process, handed to nobody else."""
    ids = free_ids()
    while True:
        uid = ids[secrets.randbelow(len(ids))]
        try:
            pwd.getpwuid(uid)
        except KeyError:
            claim = claimed(uid)
            if claim is None:
                continue
            # Among half a billion, none is anybody's by chance; to look costs 10 ms.
            if ids is HIGH or next(cleanup.processes(uid), None) is None:
                return User(uid, claim)
            claim.close()


def claimed(uid: int) -> socket.socket | None:
    """What holds a user id until it is closed, at the latest by the end of this process; None
    where another grader of this machine holds it."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    if sys.platform.startswith("linux"):
        try:
            # A name of its own kind, with no file that could be left behind.
            claim.bind(f"\0autograder-guest-{uid}")
        except OSError:
            claim.close()
            return None
    return claim


def anyone_may_read(*paths: str) -> bool:
    """Whether every user can read these files and enter the folders that lead to them."""
    return all(map(open_to_all, paths))


def open_to_all(path: str) -> bool:
    real = Path(os.path.realpath(path))
    try:
        return bool(real.stat().st_mode & 0o004) and all(
            parent.stat().st_mode & 0o001 for parent in real.parents
        )
    except OSError:
        return False
