"""seccomp: the kernel answers the system calls that Python and NumPy need, and no others.

locks.py runs this file by its path: standard library only. A call that is not on the list does
not exist (ENOSYS), one that is there with other arguments is not permitted (EPERM): the student's
program sees an OSError and goes on.
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Mapping

PR_SET_SECCOMP = 22
FILTER_MODE = 2
# <linux/audit.h>; the order is that of the columns below.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Allowed whatever their arguments: what CPython 3.10 to 3.13 and NumPy need, and what tells a
# program of itself. Numbers on x86_64 and aarch64, None where there is no such call.
ALLOWED = {
    # Reading, and writing to what is open.
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "lseek": (8, 62),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "preadv2": (327, 286),
    "stat": (4, None),
    "lstat": (6, None),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "umask": (95, 166),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "eventfd2": (290, 19),
    # Memory.
    "brk": (12, 214),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "msync": (26, 227),
    # Threads, and signals to itself.
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "membarrier": (324, 283),
    "restart_syscall": (219, 128),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    "pause": (34, None),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "wait4": (61, 260),
    "arch_prctl": (158, None),
    # Questions about itself and the machine.
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "getpriority": (140, 141),
    "getcpu": (309, 168),
    "getrandom": (318, 278),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "sysinfo": (99, 179),
    "uname": (63, 160),
}
# Refused with the error that Landlock gives, so that a student reads of a permission: whatever
# makes, moves, removes or changes a file. Landlock knows nothing of modes, owners and times.
FILES = {
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "creat": (85, None),
    "truncate": (76, 45),
    "ftruncate": (77, 46),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
# Allowed with some arguments only. All other calls there are not: sockets, programs, processes,
# namespaces, keys, locks on files, and whatever a kernel adds.
CLONE, KILL, TGKILL, PRLIMIT = (56, 220), (62, 129), (234, 131), (302, 261)
FCNTL, IOCTL, PRCTL, OPENAT = (72, 25), (16, 29), (157, 167), (257, 56)
OPEN = (2, None)

CLONE_THREAD = 0x10000
# New mount, cgroup, uts, ipc, user, pid and network namespaces, and a new process's trace.
CLONE_REFUSED = 0x7E020000 | 0x2000
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ: no lease, no lock, no
# notice of what others do, no signal sent by the kernel, no larger pipe.
FCNTL_COMMANDS = [0, 1, 2, 3, 4, 1030, 1032]
# TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
IOCTL_REQUESTS = [0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451]
# PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ,
# PR_GET_NO_NEW_PRIVS, PR_SET_VMA
PRCTL_OPTIONS = [2, 3, 15, 16, 21, 23, 39, 0x53564D41]
ANY_BITS = 0xFFFFFFFF
O_ACCMODE, O_TRUNC = 0x3, 0x200

# Classic BPF: load a word, mask it, jump if it equals a constant, return.
LOAD, AND, EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16
ALLOW, FAIL_WITH = 0x7FFF0000, 0x00050000


def restrict() -> bool:
    """Installs the filter; False on other machines and on kernels without seccomp."""
    machine = os.uname().machine
    if machine not in MACHINES or sys.maxsize < 1 << 32:
        return False
    instructions = program(machine, os.getpid())
    code = ctypes.create_string_buffer(b"".join(instructions))
    # struct sock_fprog: the count, padding, the address.
    filter_program = struct.pack("HP", len(instructions), ctypes.addressof(code))
    return bool(ctypes.CDLL(None).prctl(PR_SET_SECCOMP, FILTER_MODE, filter_program, 0, 0) == 0)


def program(machine: str, pid: int) -> list[bytes]:
    """The filter for a machine and the process that it is for."""
    column = list(MACHINES).index(machine)
    own = [pid]
    return [
        *load(MACHINE_AT),
        *unless(MACHINES[machine], refuse(errno.EPERM)),
        *load(NUMBER_AT),
        *allowed(column),
        *only(CLONE[column], 0, CLONE_THREAD | CLONE_REFUSED, [CLONE_THREAD]),
        *only(KILL[column], 0, ANY_BITS, own),
        *only(TGKILL[column], 0, ANY_BITS, own),
        # A question only: without a new limit, whose address is the third argument.
        *when(PRLIMIT[column], [*nothing_at(2), *self_or(0, own)]),
        *only(FCNTL[column], 1, ANY_BITS, FCNTL_COMMANDS),
        *only(IOCTL[column], 1, ANY_BITS, IOCTL_REQUESTS),
        # The guest shall not outlive the grader, nor change what it may do.
        *only(PRCTL[column], 0, ANY_BITS, PRCTL_OPTIONS),
        # Emptying a file that one may only read: before Linux 6.2, Landlock lets it pass.
        *never(OPENAT[column], 2, [O_TRUNC], O_ACCMODE | O_TRUNC),
        *never(OPEN[column], 1, [O_TRUNC], O_ACCMODE | O_TRUNC),
        *answers(FILES, column, refuse(errno.EACCES)),
        # clone3 and openat2 too, whose arguments no filter can see: libc takes clone and openat.
        *refuse(errno.ENOSYS),
    ]


def allowed(column: int) -> list[bytes]:
    return answers(ALLOWED, column, answer(ALLOW))


def answers(
    calls: Mapping[str, tuple[int | None, ...]], column: int, then: list[bytes]
) -> list[bytes]:
    """One answer to each of these calls."""
    numbers = [numbers[column] for numbers in calls.values()]
    return [step for number in numbers if number is not None for step in when(number, then)]


def nothing_at(argument: int) -> list[bytes]:
    """Refuses a call unless this argument is 0, both halves of it."""
    low = ARGUMENTS_AT + 8 * argument
    checked = [load(low), load(low + 4)]
    return [step for half in checked for step in [*half, *unless(0, refuse(errno.EPERM))]]


def self_or(argument: int, values: list[int]) -> list[bytes]:
    """Allows a call on the caller itself, which is 0 or its own number."""
    named = [step for value in [0, *values] for step in when(value, answer(ALLOW))]
    return [*load_argument(argument, ANY_BITS), *named, *refuse(errno.EPERM)]


def only(number: int | None, argument: int, bits: int, values: list[int]) -> list[bytes]:
    """Allows a call where these bits of an argument make one of these values."""
    allowed = [step for value in values for step in when(value, answer(ALLOW))]
    return when(number, [*load_argument(argument, bits), *allowed, *refuse(errno.EPERM)])


def never(number: int | None, argument: int, values: list[int], bits: int) -> list[bytes]:
    """Allows a call unless these bits of an argument make one of these values."""
    refused = [step for value in values for step in when(value, refuse(errno.EPERM))]
    return when(number, [*load_argument(argument, bits), *refused, *answer(ALLOW)])


def when(value: int | None, then: list[bytes]) -> list[bytes]:
    """Runs `then`, which ends in an answer, if the loaded word equals the value."""
    return [] if value is None else [instruction(EQUAL, value, 0, len(then)), *then]


def unless(value: int, then: list[bytes]) -> list[bytes]:
    return [instruction(EQUAL, value, len(then), 0), *then]


def load_argument(position: int, bits: int) -> list[bytes]:
    """The lower half of an argument, which is all that the kernel reads of an int."""
    return [*load(ARGUMENTS_AT + 8 * position), instruction(AND, bits)]


def load(offset: int) -> list[bytes]:
    return [instruction(LOAD, offset)]


def refuse(error: int) -> list[bytes]:
    return answer(FAIL_WITH | error)


def answer(value: int) -> list[bytes]:
    return [instruction(RETURN, value)]


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """struct sock_filter"""
    return struct.pack("HBBI", code, if_true, if_false, value)
