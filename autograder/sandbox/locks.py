"""The locks of the guest, closed before any student code runs.

guest.py runs this file by its path: standard library only. Each lock that this system does not
have is left open, and the names of those that held are handed back.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
SIGKILL = 9
MEBIBYTE = 1 << 20


def lock(memory_mebibytes, cpu_seconds, uid, parent):
    """Closes the locks and returns the names of those that hold.

    uid is None where the guest keeps the user it has; parent is the process id of the grader.
    """
    held = ["process"]
    if limit_resources(memory_mebibytes * MEBIBYTE, cpu_seconds):
        held.append("rlimits")
    if uid is not None:
        become(uid)
        held.append("uid")
    # After the change of user, which clears it.
    if die_with_parent(parent):
        held.append("parent_death")
    return held


def limit_resources(memory_bytes, cpu_seconds):
    """Limits memory, CPU time, file sizes and open files; False where a limit is refused."""
    try:
        import resource
    except ImportError:
        return False
    limits = [
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, MEBIBYTE),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, memory_bytes),
    ]
    held = True
    for limit, value in limits:
        try:
            resource.setrlimit(limit, (value, value))
        except (ValueError, OSError):
            held = False
    return held


def become(uid):
    """Gives up root for good."""
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def die_with_parent(parent):
    """Linux: the kernel kills this process when the grader ends."""
    if not sys.platform.startswith("linux"):
        return False
    held = ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0
    if os.getppid() != parent:
        os._exit(1)
    return held
