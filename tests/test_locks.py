"""sandbox/locks.py: which locks hold here, and which attacks each of them holds back."""

import ast
import errno
import os
import platform
import re
import runpy
import secrets
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from autograder.budget import Budget
from autograder.exercises.registry import readers
from autograder.intake.submission import Submission, open_submission
from autograder.judging.grading import grade
from autograder.manifest import load_manifest
from autograder.report import StudentFault
from autograder.sandbox import cleanup
from autograder.sandbox.inside import landlock, seccomp
from autograder.sandbox.interpreter import arrangements
from autograder.sandbox.library import numpy_folders
from autograder.sandbox.process import Guest
from autograder.sandbox.student import Student
from tests.goldens import (
    CODE_POINTS,
    CONTROL,
    GOLDENS,
    HOSTILE_KINDS,
    folder_of,
    of_kind,
    scores,
)

ASSIGNMENT = load_manifest()
CHECKOUT = Path(__file__).parents[1]
EINSUM = folder_of("einsum")
IS_ROOT = os.geteuid() == 0
BOTH = ("landlock", "seccomp")
PLAIN_LOCKS = ["process", "no_new_privs", "rlimits", "parent_death", *BOTH]
ROOT_LOCKS = ["process", "no_new_privs", "rlimits", "uid", "nproc", "parent_death", *BOTH]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux"
    or platform.machine() not in seccomp.MACHINES
    or landlock.syscall(landlock.CREATE_RULESET, None, 0, landlock.VERSION_QUESTION) < 6,
    reason="needs Linux 6.12 with Landlock",
)
# As root, guests change to another user if that user can read a Python of this version.
FIRST = arrangements(Path(tempfile.gettempdir()))[0]
DROPS = FIRST.own_user
ROOT = pytest.mark.skipif(not DROPS, reason="needs root, and a Python that every user can read")
PLAIN = pytest.mark.skipif(IS_ROOT and not DROPS, reason="needs a Python that every user can read")


# Most attacks record what they get through.
RECORDING = [
    name
    for name in of_kind("attack")
    if "BREACH." in (folder_of(name) / "attention.py").read_text()
]


def student_of(source, without=(), seconds=60.0):
    """A student whose softmax is given by its file, or a golden folder."""
    if isinstance(source, Path):
        submission = open_submission(source, ASSIGNMENT)
    else:
        submission = Submission("x", {"softmax.py": source.encode()}, {"softmax": "softmax.py"})
    start = partial(Guest, without=without)
    return Student(submission, ASSIGNMENT.limits, Budget(seconds), readers(), start=start)


def breaches(without):
    """The attacks that get through with these locks left open."""
    found = set()
    for name in RECORDING:
        student = student_of(folder_of(name), without)
        try:
            weights = student.call("softmax", np.eye(2, 3)).reply.results[0].values
            # Garbage of one number is how an attack tells that it succeeded.
            found |= {name} if weights.shape == (1, 1) else set()
        except StudentFault as fault:
            found.add(f"{name}: {fault.words}")
        finally:
            student.close()
    return found


def as_plain_user(expression):
    """The value of an expression over this module, in a process of a user without any right.

    Whatever that user's guests leave behind is returned too, and removed.
    """
    uid = (1 << 24) + secrets.randbelow(1 << 29)
    program = (
        f"import sys; sys.path[:0] = {[str(CHECKOUT), *sys.path]!r}; import tests.test_locks as t; "
    )
    done = subprocess.run(
        # As root, this interpreter may be one that no other user can run.
        [FIRST.python, "-B", "-c", program + f"print(repr({expression}))"],
        **({"user": uid, "group": uid, "extra_groups": []} if IS_ROOT else {}),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
    )
    left = list(cleanup.processes(uid))
    cleanup.clear(uid)
    assert done.returncode == 0, done.stderr
    return ast.literal_eval(done.stdout), left


def value_of(source, without=()):
    """What `value()` in a student's file returns, as a Python literal."""
    body = source + "\nimport numpy as np\n"
    body += "def softmax(x): return np.array(list(repr(value()).encode()))\n"
    student = student_of(body, without)
    try:
        values = student.call("softmax", np.eye(2)).reply.results[0].values
        return ast.literal_eval(bytes(values.astype(np.uint8)).decode())
    finally:
        student.close()


# --- which locks hold ------------------------------------------------------------------------


@ROOT
def test_all_locks_hold_as_root():
    assert isolation(()) == ROOT_LOCKS


@PLAIN
def test_all_locks_but_those_of_root_hold_as_a_plain_user():
    found, left = as_plain_user("t.isolation(())")
    assert found == PLAIN_LOCKS
    assert not left


def isolation(without):
    student = student_of(EINSUM, without)
    student.call("softmax", np.eye(2))
    student.close()
    return student.isolation


@pytest.mark.parametrize("missing", [("landlock",), ("seccomp",), BOTH])
def test_the_rest_holds_without(missing):
    locks = ROOT_LOCKS if DROPS else PLAIN_LOCKS
    assert isolation(missing) == [lock for lock in locks if lock not in missing]


def test_the_report_names_the_locks():
    assert grade(EINSUM).isolation == (ROOT_LOCKS if DROPS else PLAIN_LOCKS)


# --- what each lock holds back ---------------------------------------------------------------

# Either lock alone holds these back.
# Each of the two holds these back alone.
BY_EITHER = {"runs-a-program", "writes-where-everyone-may"}
BY_LANDLOCK = {
    "finds-the-grader-beside-numpy",
    "imports-what-is-not-allowed",
    "lists-processes",
    "maps-a-device",
    "reads-its-own-proc",
    "reads-other-submissions",
    "reads-system-files",
    "shares-memory",
}
BY_SECCOMP = {
    "32-bit-calls",
    "clones-into-namespaces",
    "fork-bomb",
    "leaves-a-daemon",
    "opens-a-socket",
    "raw-calls-for-processes",
    "raw-calls-to-others",
    "raw-calls-to-the-kernel",
    "signals-others",
    "signals-through-a-pipe",
    "starts-programs-every-way",
    "takes-all-aio-slots",
    "talks-to-the-network",
}
# A guest that keeps its user may do these too; another user's cannot.
BY_LANDLOCK_OR_UID = {
    "imports-the-solution",
    "reads-hidden-tests",
    "reads-parent-process",
    "writes-results-everywhere",
    "writes-where-it-stands",
}
BY_EITHER_OR_UID = {"deletes-its-files"}
BY_SECCOMP_OR_UID = {"changes-modes-and-times", "raises-its-limits"}
# With a user who may open its own pipes again it loses replies, its own and nobody else's.
HARMS_ITSELF = {"opens-its-pipes-again"}
# It looks for a while at whatever disk there is.
BY_LUCK = {"walks-the-disk"}

MATRIX = {
    (): set(),
    ("landlock",): BY_LANDLOCK,
    ("seccomp",): BY_SECCOMP,
    BOTH: BY_LANDLOCK | BY_SECCOMP | BY_EITHER,
}
MORE_AS_PLAIN_USER = {
    (): set(),
    ("landlock",): BY_LANDLOCK_OR_UID,
    ("seccomp",): BY_SECCOMP_OR_UID,
    BOTH: BY_LANDLOCK_OR_UID | BY_SECCOMP_OR_UID | BY_EITHER_OR_UID,
}


def names(found):
    """Of an attack that breaks its own program on the way, its name alone."""
    return {name.partition(":")[0] for name in found}


@ROOT
@pytest.mark.slow
@pytest.mark.parametrize("without", MATRIX)
def test_what_gets_through_as_root(without):
    assert names(breaches(without)) - BY_LUCK == MATRIX[without]


@PLAIN
@pytest.mark.slow
@pytest.mark.parametrize("without", MATRIX)
def test_what_gets_through_as_a_plain_user(without):
    found, left = as_plain_user(f"t.breaches({without!r})")
    got_through = names(found) - (BY_LUCK if without else set()) - HARMS_ITSELF
    assert got_through == MATRIX[without] | MORE_AS_PLAIN_USER[without]
    # Without seccomp a daemon outlives its guest, and only root can tell whose it is.
    assert bool(left) == ("seccomp" in without and IS_ROOT)


@pytest.mark.slow
@pytest.mark.parametrize("name", of_kind("attack"))
def test_the_next_submission_is_not_harmed_and_nothing_is_left(name, monkeypatch):
    folders, owners = [], set()

    def watched(guest, *arguments, start=Guest._start):
        locks = start(guest, *arguments)
        folders.append(guest._root)
        owners.add(guest._uid)
        return locks

    monkeypatch.setattr(Guest, "_start", watched)
    grade(folder_of(name))
    report = grade(EINSUM)
    code = [exercise for exercise in report.exercises if exercise.name != "exam"]
    assert sum(exercise.score for exercise in code) == CODE_POINTS
    assert len(folders) >= 2
    assert not [folder for folder in folders if folder.exists()]
    # Without root the guests' user is ours, who has more files and processes than these.
    assert not owners & set(owners_of_files_and_processes())


def owners_of_files_and_processes():
    """Whose files lie where everyone may write, and whose processes run."""
    for folder in cleanup.OPEN_TO_ALL:
        for entry in os.scandir(folder):
            with suppress(FileNotFoundError):
                yield entry.stat(follow_symlinks=False).st_uid
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            yield int(re.search(r"Uid:\s+(\d+)", status.read_text())[1])


# --- leavings --------------------------------------------------------------------------------


@ROOT
def test_root_clears_what_an_unlocked_guest_leaves():
    source = """
import os, tempfile, time
def value():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(9)
        os._exit(0)
    paths = [tempfile.mkdtemp(dir=folder) for folder in ("/tmp", "/var/tmp", "/dev/shm")]
    open(paths[0] + "/file", "w").close()
    os.symlink("/etc/passwd", paths[1] + "/link")
    return [os.getuid(), paths]
"""
    uid, paths = value_of(source, BOTH)
    assert not list(cleanup.processes(uid))
    assert not [path for path in paths if Path(path).exists()]
    assert Path("/etc/passwd").exists()


@ROOT
def test_a_fork_bomb_without_seccomp_ends():
    source = """
import os
def value():
    uid = os.getuid()
    for _ in range(100):
        try:
            if os.fork() == 0:
                while True:
                    try: os.fork()
                    except OSError: pass
        except OSError: break
    return uid
"""
    uid = value_of(source, ("seccomp",))
    assert not list(cleanup.processes(uid))


def test_other_users_keep_their_processes():
    cleanup.clear((1 << 24) - 1)
    os.kill(os.getpid(), 0)


# --- honest work under the locks -------------------------------------------------------------

# Not built everywhere.
OPTIONAL = {"_gdbm", "_dbm", "_tkinter", "tkinter", "turtle", "turtledemo", "idlelib", "_crypt"}
# These print, open a browser, or belong to other systems.
LEFT_OUT = OPTIONAL | {"antigravity", "this", "_msi", "_overlapped", "_scproxy", "_winapi"}
LEFT_OUT |= {"msilib", "msvcrt", "nt", "winreg", "winsound", "_wmi", "_ios_support"}
LEFT_OUT |= {"_android_support", "_aix_support", "_osx_support"}


def test_the_whole_standard_library_can_be_imported():
    source = f"""
import importlib, sys
def value():
    failed = {{}}
    for name in sorted(sys.stdlib_module_names - {LEFT_OUT}):
        try: importlib.import_module(name)
        except BaseException as error: failed[name] = repr(error)
    return failed
"""
    assert value_of(source) == {}


WORK = {
    "lazily loaded NumPy": "[np.linalg.svd(np.eye(3)), np.fft.fft(np.eye(3)), np.ma.array([1]),"
    " np.polynomial.Polynomial([1, 2]), np.testing, np.strings] and 1",
    "numbers by chance": "np.random.default_rng().normal() != random.SystemRandom().random()",
    "thirty threads": "list(map(str, pools.ThreadPoolExecutor(30).map(abs, range(90))))[-1]",
    "a nothing to write to": "open(os.devnull, 'w').write('x')",
    "its own folder": "os.listdir('.')",
    "its own source": "len(inspect.getsource(value)) > 0",
    "clocks": "time.localtime()[0] > 2000 and time.monotonic() > 0",
    "regular expressions and decimals": "str(decimal.Decimal('0.1')) + re.sub('a', 'b', 'a')",
    "a signal to itself": "[signal.signal(10, lambda *a: 0), os.kill(os.getpid(), 10)][1]",
}


@pytest.mark.parametrize("expression", WORK.values(), ids=list(WORK))
def test_honest_work_goes_on(expression):
    source = "import concurrent.futures as pools, decimal, inspect, os, random, re, signal, time\n"
    value = value_of(source + f"import numpy as np\ndef value():\n    return {expression}\n")
    assert value or expression == WORK["a signal to itself"]


def test_refused_calls_are_errors_that_a_program_survives():
    source = """
import os, socket, subprocess
def value():
    numbers = []
    for way in (os.fork, socket.socket, lambda: subprocess.run(["true"]), lambda: open("x", "w"),
                lambda: os.kill(os.getppid(), 9), lambda: open("/etc/passwd")):
        try: way()
        except OSError as error: numbers.append(error.errno)
    return numbers
"""
    answers = value_of(source)
    assert set(answers) == {errno.EPERM, errno.EACCES, errno.ENOSYS}
    assert len(answers) == 6


def test_what_landlock_may_miss_is_refused_by_seccomp():
    """Emptying a readable file (older kernels), and staying when the grader has gone."""
    source = """
import ctypes, os
def value():
    target, results = os.path.abspath(os.listdir(".")[0]), []
    for way in (lambda: os.truncate(target, 0), lambda: os.open(target, os.O_RDONLY | os.O_TRUNC)):
        try: results.append(way())
        except OSError as error: results.append(error.errno)
    libc = ctypes.CDLL(None, use_errno=True)
    return [*results, libc.prctl(1, 0, 0, 0, 0), ctypes.get_errno()]
"""
    without_landlock = value_of(source, without=("landlock",))
    assert without_landlock == [errno.EACCES, errno.EPERM, -1, errno.EPERM]


def golden_differences():
    """The hostile golden submissions that are not graded as expected here, and failed controls."""

    def as_stated(name):
        stated = GOLDENS[name]
        return scores(grade(folder_of(name)), stated.exercises) == stated.scores

    names = [*of_kind(*HOSTILE_KINDS), CONTROL]
    return [name for name in names if not as_stated(name)]


@pytest.mark.slow
@PLAIN
def test_every_hostile_submission_gets_its_grade_as_a_plain_user():
    assert as_plain_user("t.golden_differences()") == ([], [])


@ROOT
def test_no_more_than_32_threads():
    source = """
import threading, time
def value():
    threading.stack_size(64 << 10)
    try:
        for count in range(99): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
    except RuntimeError: pass
    return count
"""
    assert 25 <= value_of(source) <= 32


# --- the filter ------------------------------------------------------------------------------

HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}
PARTLY = {
    "clone": seccomp.CLONE,
    "kill": seccomp.KILL,
    "tgkill": seccomp.TGKILL,
    "prlimit64": seccomp.PRLIMIT,
    "fcntl": seccomp.FCNTL,
    "ioctl": seccomp.IOCTL,
    "prctl": seccomp.PRCTL,
    "open": seccomp.OPEN,
    "openat": seccomp.OPENAT,
}
LISTED = {**seccomp.ALLOWED, **seccomp.FILES, **PARTLY}
# On other architectures the kernel's header has it under the other name.
OTHER_NAMES = {"newfstatat": "fstatat"}


@pytest.mark.parametrize("machine", HEADERS)
def test_call_numbers_are_those_of_the_kernel(machine):
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip("needs the kernel's headers (linux-libc-dev)")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    column = list(seccomp.MACHINES).index(machine)
    for name, numbers in LISTED.items():
        found = defined.get(name, defined.get(OTHER_NAMES.get(name, "")))
        # A header may be older than a call.
        if found is not None or numbers[column] is None or numbers[column] < 424:
            assert (found and int(found)) == numbers[column], name


def outcome(machine, number, *arguments, architecture=None):
    """What the filter answers to a call: an interpreter of the few instructions it is made of."""
    data = {0: number & 0xFFFFFFFF, 4: architecture or seccomp.MACHINES[machine]}
    for position in range(6):
        value = arguments[position] if position < len(arguments) else 0
        data[16 + 8 * position] = value & 0xFFFFFFFF
        data[20 + 8 * position] = value >> 32 & 0xFFFFFFFF
    code = [seccomp.struct.unpack("HBBI", step) for step in seccomp.program(machine, 4242)]
    at, word = 0, 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == seccomp.RETURN:
            return 0 if value == seccomp.ALLOW else value - seccomp.FAIL_WITH
        if operation == seccomp.LOAD:
            word = data[value]
        elif operation == seccomp.AND:
            word &= value
        else:
            met = word == value if operation == seccomp.EQUAL else word >= value
            at += if_true if met else if_false


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_filter_of_each_machine(machine):
    column = list(seccomp.MACHINES).index(machine)
    ask = partial(outcome, machine)
    for name, numbers in LISTED.items():
        if numbers[column] is not None and name not in PARTLY:
            wanted = errno.EACCES if name in seccomp.FILES else 0
            assert ask(numbers[column]) == wanted, name
    listed = {numbers[column] for numbers in LISTED.values()}
    unlisted = [*range(1000), 0x40000000, 0x40000039, -1]
    assert {ask(number) for number in unlisted if number not in listed} == {errno.ENOSYS}
    assert ask(seccomp.ALLOWED["read"][column], architecture=0x40000003) == errno.EPERM
    thread = 0x3D0F00
    clone = partial(ask, seccomp.CLONE[column])
    assert clone(thread) == 0
    assert clone(17) == clone(17 | thread << 32) == clone(thread | 0x10000000) == errno.EPERM
    for call in (seccomp.KILL, seccomp.TGKILL):
        assert ask(call[column], 4242) == 0
        assert {ask(call[column], other) for other in (0, 1, -1, -4242)} == {errno.EPERM}
    prlimit = partial(ask, seccomp.PRLIMIT[column])
    assert prlimit(0, 7) == prlimit(4242, 7) == 0
    assert prlimit(1, 7) == prlimit(0, 7, 0x7000) == prlimit(0, 7, 1 << 32) == errno.EPERM
    for call, position, allowed in (
        (seccomp.FCNTL, 1, seccomp.FCNTL_COMMANDS),
        (seccomp.IOCTL, 1, seccomp.IOCTL_REQUESTS),
        (seccomp.PRCTL, 0, seccomp.PRCTL_OPTIONS),
    ):
        for value in range(3000):
            wanted = 0 if value in allowed else errno.EPERM
            assert ask(call[column], *[3] * position, value) == wanted
    write, read_and_empty = 0x241, 0x200
    assert ask(seccomp.OPENAT[column], 3, 0x7000, write) == 0
    assert ask(seccomp.OPENAT[column], 3, 0x7000, read_and_empty) == errno.EPERM


# What each name does to its numbers on x86_64 and aarch64, and what came of it at a first reader.
UNLISTED = {
    "io_setup": ("206, 0", "the machine's 65,536 slots for asynchronous calls"),
    "flock": ("73, 32", "a lock on NumPy's files, for which the next guest waits"),
    "sync": ("162, 81", "every disk of the machine waits"),
    "syncfs": ("306, 267", "the same for one file system"),
    "fsync": ("74, 82", "the same for one file"),
    "listmount": ("458, 458", "where the grader's folders are"),
    "statmount": ("457, 457", "the same"),
    "socket": ("41, 198", "the network"),
    "io_uring_setup": ("425, 425", "calls that no filter sees"),
    "memfd_create": ("319, 279", "a program without a file"),
    "execve": ("59, 221", "another program"),
    "ptrace": ("101, 117", "another process"),
    "shmget": ("29, 194", "memory that outlives the process"),
    "add_key": ("248, 217", "keys that outlive it"),
    "inotify_init1": ("294, 26", "who opens which file"),
    "bpf": ("321, 280", "the kernel"),
    "setrlimit": ("160, 164", "its own limits"),
    "setpriority": ("141, 140", "others' time"),
    "clone3": ("435, 435", "arguments that no filter sees"),
    "openat2": ("437, 437", "the same"),
}


def test_calls_that_are_not_on_the_list_do_not_exist():
    """Asked in a guest, by number; each is listed with what it would have reached."""
    column = list(seccomp.MACHINES).index(platform.machine())
    numbers = {name: int(said.split(", ")[column]) for name, (said, _) in UNLISTED.items()}
    source = f"""
import ctypes
def value():
    libc = ctypes.CDLL(None, use_errno=True)
    found = {{}}
    for name, number in {numbers}.items():
        ctypes.set_errno(0)
        found[name] = libc.syscall(number, 0, 0, 0, 0, 0), ctypes.get_errno()
    return found
"""
    assert value_of(source) == dict.fromkeys(numbers, (-1, errno.ENOSYS))


def test_no_lease_no_lock_and_no_notice_on_files():
    source = """
import fcntl, numpy, os
def value():
    found = []
    with open(numpy.__file__) as file:
        for command in (fcntl.F_SETLEASE, fcntl.F_NOTIFY, fcntl.F_SETOWN, 10, 1031):
            try: found.append(fcntl.fcntl(file, command, 0))
            except OSError as error: found.append(error.errno)
        for way in (lambda: fcntl.flock(file, fcntl.LOCK_SH), lambda: fcntl.lockf(file, 1)):
            try: found.append(way())
            except OSError as error: found.append(error.errno)
        found.append(fcntl.fcntl(file, fcntl.F_GETFD))
    return found
"""
    refused = [errno.EPERM] * 5
    assert value_of(source) == [*refused, errno.ENOSYS, errno.EPERM, 1]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x86 only")
def test_32_bit_calls_are_refused():
    """int 0x80 reaches the i386 table, where 2 is fork; a kernel without it ends the process."""
    source = """
import ctypes, mmap
def value():
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex("53b802000000cd805bc3"))
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
"""
    try:
        answer = value_of(source)
    except StudentFault as fault:
        answer = fault.words
    assert answer == -errno.EPERM or signal.SIGSEGV.name in str(answer)


# --- files -----------------------------------------------------------------------------------


def test_packages_below_the_standard_library_stay_closed(tmp_path):
    """Where pip installs below the folder of the standard library, the grader itself lies there."""
    library = tmp_path / "python3"
    for name in ("email", "site-packages", "dist-packages"):
        (library / name).mkdir(parents=True)
        (library / name / "file.py").write_text("x")
    (library / "os.py").write_text("x")
    program = f"""
import ctypes, os, runpy, sys
restrict = runpy.run_path({landlock.__file__!r})["restrict"]
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
sys.path[:] = [{str(library)!r}, "/nowhere"]
assert restrict([], [])
for name in ("os.py", "email/file.py", "site-packages/file.py", "dist-packages/file.py"):
    try: open({str(library)!r} + "/" + name); print("open", end=" ")
    except PermissionError: print("closed", end=" ")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.split() == ["open", "open", "closed", "closed"]


def test_the_roots_hold_no_packages():
    roots = [str(path) for path in numpy_folders()]
    assert roots[0].endswith("numpy")
    assert not [root for root in roots if Path(root, "autograder").exists()]


def test_locks_are_read_before_they_close():
    """runpy loads the files beside; all are the standard library's only."""
    for name in ("locks.py", "landlock.py", "seccomp.py"):
        path = Path(landlock.__file__).with_name(name)
        imported = re.findall(r"^(?:import|from) (\w+)", path.read_text(), re.MULTILINE)
        assert set(imported) <= sys.stdlib_module_names
        runpy.run_path(str(path))
