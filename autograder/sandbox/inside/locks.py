"""The locks of the guest, closed before any student code runs.

guest.py runs this file by its path: standard library only. Each lock that this system does not
have is left open, and the names of those that held are handed back.
"""

import os
import runpy
import sys

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
SIGKILL = 9
MEBIBYTE = 1 << 20
THREADS = 32


def lock(memory_mebibytes, cpu_seconds, uid, parent, readable, libraries, without=()):
    """Closes the locks, but for those that a test leaves open, and names those that hold.

    uid is None where the guest keeps the user it has; parent is the process id of the grader;
    readable are the files and folders that stay open beside Python and the shared libraries.
    """
    steps = [
        # Lets a plain user close the last two, and keeps set-uid programs from giving rights.
        ("no_new_privs", lambda: prctl(PR_SET_NO_NEW_PRIVS, 1)),
        ("rlimits", lambda: limit_resources(memory_mebibytes * MEBIBYTE, cpu_seconds)),
        ("uid", lambda: uid is not None and become(uid)),
        # Counts all processes of a user, so it needs one who has no others.
        ("nproc", lambda: os.getuid() == uid and limit("RLIMIT_NPROC", THREADS)),
        # After the change of user, which clears it.
        ("parent_death", lambda: die_with_parent(parent)),
        ("landlock", lambda: on_linux() and LANDLOCK["restrict"](readable, libraries)),
        # Last: it refuses some of what the others need.
        ("seccomp", lambda: on_linux() and SECCOMP["restrict"]()),
    ]
    held = [name for name, close in steps if name not in without and closed(close)]
    return ["process", *held]


def closed(close):
    """Whether a lock holds; whatever this system refuses leaves it open."""
    try:
        return bool(close())
    except (ImportError, AttributeError, OSError, ValueError):
        return False


def beside(file):
    """The names that another file of this folder defines; none where it needs what is missing."""
    try:
        return runpy.run_path(os.path.join(os.path.dirname(__file__), file))
    except ImportError:
        return {"restrict": lambda *paths: False}


# Read with this file: once the locks are closed, these are out of reach too.
LANDLOCK, SECCOMP = beside("landlock.py"), beside("seccomp.py")


def limit_resources(memory_bytes, cpu_seconds):
    """Limits memory, CPU time, file sizes and open files; False where a limit is refused."""
    killed_first()
    limits = {
        "RLIMIT_CPU": cpu_seconds,
        "RLIMIT_FSIZE": MEBIBYTE,
        "RLIMIT_NOFILE": 64,
        "RLIMIT_CORE": 0,
        "RLIMIT_AS": memory_bytes,
    }
    # All are tried: one that is refused does not spare the rest.
    refused = [name for name, value in limits.items() if not limit(name, value)]
    return not refused


def killed_first():
    """Linux: where the machine's or container's own memory ends, this process goes, not ours."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        return


def limit(name, value):
    try:
        import resource

        resource.setrlimit(getattr(resource, name), (value, value))
    except (ImportError, ValueError, OSError):
        return False
    return True


def become(uid):
    """Gives up root for good; False if any part of it is refused. What can be given up, is."""
    steps = [lambda: os.setgroups([]), lambda: os.setgid(uid), lambda: os.setuid(uid)]
    refused = [step for step in steps if not done(step)]
    return not refused


def done(step):
    try:
        step()
    except OSError:
        return False
    return True


def die_with_parent(parent):
    """Linux: the kernel kills this process when the grader ends."""
    held = prctl(PR_SET_PDEATHSIG, SIGKILL)
    if held and os.getppid() != parent:
        os._exit(1)
    return held


def prctl(option, value):
    """Linux only; False where it is refused."""
    if not on_linux():
        return False
    # Not at the top: a Python that was built without it closes the other locks.
    import ctypes

    return ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0


def on_linux():
    return sys.platform.startswith("linux")
