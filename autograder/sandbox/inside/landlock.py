"""Landlock: the kernel refuses every file that is not on the list (Linux 5.13 and later).

locks.py runs this file by its path: standard library only.
"""

import ctypes
import os
import struct
import sys

# The same numbers on every architecture.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
RULE_PATH_BENEATH = 1
VERSION_QUESTION = 1
WRITE_FILE, READ_FILE, READ_DIR = 1 << 1, 1 << 2, 1 << 3
# How many kinds of file access each version of Landlock can refuse; later ones as the last.
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
TCP_RIGHTS = 0b11  # bind, connect
SCOPES = 0b11  # abstract sockets, signals: both stay inside the guest
PACKAGES = {"site-packages", "dist-packages"}


def restrict(readable: list[str], libraries: list[str]) -> bool:
    """Leaves these files and folders, Python's own and shared libraries readable, nothing else.

    False where the kernel has no Landlock. Nothing can be written but /dev/null.
    """
    version = syscall(CREATE_RULESET, None, 0, VERSION_QUESTION)
    if version < 1:
        return False
    # Whatever is refused here and allowed by no rule below is denied: write, make, truncate, exec.
    file_rights = (1 << FILE_RIGHTS[min(version, max(FILE_RIGHTS))]) - 1
    refused = struct.pack(
        "QQQ", file_rights, TCP_RIGHTS if version >= 4 else 0, SCOPES if version >= 6 else 0
    )
    ruleset = syscall(CREATE_RULESET, refused, len(refused), 0)
    if ruleset < 0:
        return False
    try:
        allow_python(ruleset)
        for folder in libraries:
            allow_shared_libraries(ruleset, folder)
        for path in readable:
            allow(ruleset, path, READ_FILE | READ_DIR)
        allow(ruleset, os.devnull, READ_FILE | WRITE_FILE)
        return syscall(RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def allow_python(ruleset: int) -> None:
    """The standard library, without the packages that may be installed below it: ours is one."""
    for folder in filter(os.path.isdir, sys.path):
        # Import lists its folders; so the names below are seen, and no contents.
        allow(ruleset, folder, READ_DIR)
        for name in names(folder):
            if name not in PACKAGES:
                allow(ruleset, os.path.join(folder, name), READ_FILE | READ_DIR)


def allow_shared_libraries(ruleset: int, folder: str) -> None:
    """The libraries in a folder and in its folders for this machine (x86_64-linux-gnu)."""
    for name in names(folder):
        if ".so" in name or "-linux-" in name:
            allow(ruleset, os.path.join(folder, name), READ_FILE | READ_DIR)


def names(folder: str) -> list[str]:
    """What lies in a folder; nothing, for a user who may not look."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def allow(ruleset: int, path: str, rights: int) -> None:
    """Adds a rule for a file, or for a folder and all below; a path that is not there adds none."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        rights &= ~READ_DIR
    # Native order without padding, as the kernel's packed struct.
    rule = struct.pack("=Qi", rights, descriptor)
    syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0)
    os.close(descriptor)


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """The kernel's answer, -1 for an error."""
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return int(ctypes.CDLL(None).syscall(ctypes.c_long(number), *passed))
