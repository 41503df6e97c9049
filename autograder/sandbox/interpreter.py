"""Which Python a guest runs on, and the user that it changes to."""

import os
import pwd
import secrets
import sys
from pathlib import Path

import numpy as np

from autograder.sandbox import cleanup


def interpreter(folder: Path) -> tuple[str, int | None]:
    """The Python for a guest, and the user it changes to (None: it keeps the one it has).

    As root, that is an interpreter which any user can read: this one, or the system's of the same
    version, since NumPy is compiled for one.
    """
    mine = os.path.realpath(sys.executable)
    if os.name != "posix" or os.geteuid() != 0 or not anyone_may_read(np.__file__, str(folder)):
        return mine, None
    uid = unused_uid()
    if anyone_may_read(mine, os.__file__):
        return mine, uid
    for place in ("/usr/bin", "/usr/local/bin"):
        other = f"{place}/python3.{sys.version_info.minor}"
        if Path(other).exists() and anyone_may_read(other):
            return other, uid
    return mine, None


def unused_uid() -> int:
    """A random high user id without a name and without a process."""
    while True:
        uid = (1 << 24) + secrets.randbelow(1 << 29)
        try:
            pwd.getpwuid(uid)
        except KeyError:
            if next(cleanup.processes(uid), None) is None:
                return uid


def anyone_may_read(*paths: str) -> bool:
    """Whether every user can read these files and enter the folders that lead to them."""
    for path in (Path(os.path.realpath(path)) for path in paths):
        if not path.stat().st_mode & 0o004:
            return False
        if not all(parent.stat().st_mode & 0o001 for parent in path.parents):
            return False
    return True
