"""seccomp: the kernel refuses the system calls that no exercise needs.

locks.py runs this file by its path: standard library only. A refused call fails with EPERM, so
the student's program sees an OSError and goes on.
"""

import ctypes
import errno
import os
import struct
import sys

PR_SET_SECCOMP = 22
FILTER_MODE = 2
# <linux/audit.h>; the order is that of the columns below.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Refused whatever their arguments: numbers on x86_64 and aarch64, None where there is no such call.
REFUSED = {
    # Sockets, and what would open one by another way.
    "socket": (41, 198),
    "socketpair": (53, 199),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Other programs and processes; clone is below.
    "execve": (59, 221),
    "execveat": (322, 281),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "fork": (57, None),
    "vfork": (58, None),
    # What one process may do to another of the same user; kill is below.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # Memory and messages that outlive a process.
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # Changes of a file's owner, mode, times and labels: Landlock knows none of these.
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "truncate": (76, 45),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    # Ways to files around the path, and eyes on what others do with theirs.
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    # Mounts and namespaces.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    # The kernel itself.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "ioperm": (173, None),
    "iopl": (172, None),
}
# mseal; the numbers from 424 on are shared. What came later, and x86's x32 calls, are unknown here.
LAST_KNOWN = 462
NO_SUCH_CALL = LAST_KNOWN + 1
# Allowed with some arguments only.
CLONE, KILL, TGKILL, PRLIMIT, FCNTL = (56, 220), (62, 129), (234, 131), (302, 261), (72, 25)
PRCTL, OPENAT = (157, 167), (257, 56)
OPEN = (2, NO_SUCH_CALL)
# Their arguments lie in memory, where no filter can look; libc then takes clone and openat.
CLONE3, OPENAT2 = (435, 435), (437, 437)

CLONE_THREAD = 0x10000
# New mount, cgroup, uts, ipc, user, pid and network namespaces, and a new process's trace.
CLONE_REFUSED = 0x7E020000 | 0x2000
F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15
PR_SET_PDEATHSIG = 1
ANY_BITS = 0xFFFFFFFF
O_ACCMODE, O_TRUNC = 0x3, 0x200

# Classic BPF: load a word, mask it, jump if it equals or reaches a constant, return.
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
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
        *when(LAST_KNOWN + 1, refuse(errno.ENOSYS), AT_LEAST),
        *when(CLONE3[column], refuse(errno.ENOSYS)),
        *when(OPENAT2[column], refuse(errno.ENOSYS)),
        *only(CLONE[column], 0, CLONE_THREAD | CLONE_REFUSED, [CLONE_THREAD]),
        *only(KILL[column], 0, ANY_BITS, own),
        *only(TGKILL[column], 0, ANY_BITS, own),
        *only(PRLIMIT[column], 0, ANY_BITS, [0, *own]),
        # These have the kernel send signals to whom they name.
        *never(FCNTL[column], 1, [F_SETOWN, F_SETSIG, F_SETOWN_EX]),
        # The guest shall not outlive the grader.
        *never(PRCTL[column], 0, [PR_SET_PDEATHSIG]),
        # Emptying a file that one may only read: before Linux 6.2, Landlock lets it pass.
        *never(OPENAT[column], 2, [O_TRUNC], O_ACCMODE | O_TRUNC),
        *never(OPEN[column], 1, [O_TRUNC], O_ACCMODE | O_TRUNC),
        *(
            instruction
            for numbers in REFUSED.values()
            if (number := numbers[column]) is not None
            for instruction in when(number, refuse(errno.EPERM))
        ),
        *answer(ALLOW),
    ]


def only(number: int, argument: int, bits: int, values: list[int]) -> list[bytes]:
    """Allows a call where these bits of an argument make one of these values."""
    allowed = [step for value in values for step in when(value, answer(ALLOW))]
    return when(number, [*load_argument(argument, bits), *allowed, *refuse(errno.EPERM)])


def never(number: int, argument: int, values: list[int], bits: int = ANY_BITS) -> list[bytes]:
    """Allows a call unless these bits of an argument make one of these values."""
    refused = [step for value in values for step in when(value, refuse(errno.EPERM))]
    return when(number, [*load_argument(argument, bits), *refused, *answer(ALLOW)])


def when(value: int, then: list[bytes], comparison: int = EQUAL) -> list[bytes]:
    """Runs `then`, which ends in an answer, if the loaded word equals (or reaches) the value."""
    return [instruction(comparison, value, 0, len(then)), *then]


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
