"""What a machine cannot give leaves one lock open, or the guest to the next arrangement."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autograder.budget import Budget
from autograder.exercises.registry import readers
from autograder.intake.submission import Submission, open_submission
from autograder.judging.grading import grade
from autograder.manifest import load_manifest
from autograder.report import GraderError
from autograder.sandbox import interpreter, process
from autograder.sandbox.inside import landlock, locks
from autograder.sandbox.interpreter import Arrangement
from autograder.sandbox.process import Guest
from autograder.sandbox.student import Student

SUBMISSION = Path(__file__).parent / "submissions" / "right" / "einsum"
MANIFEST = load_manifest()
AS_WE_ARE = Arrangement(os.path.realpath(sys.executable), own_user=False)
ALL_IDS = "0 0 4294967295\n"
REMAPPED = "         0     100000      65536\n"
DROPPED = "CapInh:\t0000000000000000\nCapEff:\t0000000000000000\n"
AS_ROOT = "CapEff:\t000001ffffffffff\n"


@pytest.fixture(autouse=True)
def undecided(monkeypatch):
    monkeypatch.setattr(process, "DECIDED", [])
    forget()
    yield
    forget()


def forget():
    interpreter.arrangements.cache_clear()
    interpreter.free_ids.cache_clear()


def on_a_machine(monkeypatch, closed=(), **files):
    """Puts what /proc says of this process in the place of what it says here.

    All users can read everything but the closed paths.
    """
    monkeypatch.setattr(interpreter, "open_to_all", lambda path: path not in closed)
    answers = {f"/proc/self/{name}": text.splitlines() for name, text in files.items()}
    monkeypatch.setattr(interpreter, "lines_of", lambda path: answers.get(path, []))
    monkeypatch.setattr(os, "geteuid", lambda: 0)


def guest(**options):
    return Guest(open_submission(SUBMISSION, MANIFEST), MANIFEST.limits, **options)


def isolation_with(program, monkeypatch, tmp_path):
    """The locks that hold where a line is run in the guest's own Python before it locks itself."""
    changed = tmp_path / "inside"
    changed.mkdir(mode=0o755)
    for file in Path(locks.__file__).parent.glob("*.py"):
        (changed / file.name).write_text(file.read_text())
    path = changed / "guest.py"
    path.write_text(path.read_text().replace("import builtins\n", f"import builtins\n{program}\n"))
    monkeypatch.setattr(process, "GUEST", path)
    started = guest()
    started.close()
    return started.isolation


# --- which user ------------------------------------------------------------------------------


def test_a_container_that_maps_few_ids_gets_one_of_them(monkeypatch):
    on_a_machine(monkeypatch, uid_map=REMAPPED, gid_map=REMAPPED, status=AS_ROOT)
    assert interpreter.may_change_user()
    users = [interpreter.unused_user() for _ in range(300)]
    try:
        assert all(60000 < user.uid < 65534 for user in users)
        # Of 300 drawn from 5,533 by chance alone, some would be alike.
        assert len({user.uid for user in users}) == len(users)
    finally:
        for user in users:
            user.give_back()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names of Linux's own kind")
def test_another_grader_of_the_machine_keeps_its_users(monkeypatch):
    on_a_machine(monkeypatch, uid_map=REMAPPED, gid_map=REMAPPED, status=AS_ROOT)
    hold = "from autograder.sandbox.interpreter import claimed; held = claimed(60123); "
    command = [sys.executable, "-c", hold + "print('held', flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        assert interpreter.claimed(60123) is None
    claim = interpreter.claimed(60123)
    assert claim is not None
    claim.close()


def test_the_groups_count_too(monkeypatch):
    on_a_machine(monkeypatch, uid_map=ALL_IDS, gid_map=REMAPPED, status=AS_ROOT)
    user = interpreter.unused_user()
    user.give_back()
    assert user.uid < 65534


def test_a_namespace_of_one_id_keeps_the_user(monkeypatch, tmp_path):
    on_a_machine(monkeypatch, uid_map="0 1000 1\n", gid_map="0 1000 1\n", status=AS_ROOT)
    assert interpreter.arrangements(tmp_path) == (AS_WE_ARE,)


def test_without_capabilities_the_user_is_kept(monkeypatch, tmp_path):
    on_a_machine(monkeypatch, uid_map=ALL_IDS, gid_map=ALL_IDS, status=DROPPED)
    assert interpreter.arrangements(tmp_path) == (AS_WE_ARE,)


def test_as_root_the_guest_gets_another_user_where_it_can_read_this_python(monkeypatch, tmp_path):
    on_a_machine(monkeypatch, uid_map=ALL_IDS, gid_map=ALL_IDS, status=AS_ROOT)
    first, *_, last = interpreter.arrangements(tmp_path)
    assert (first, last) == (Arrangement(AS_WE_ARE.python, own_user=True), AS_WE_ARE)


def test_a_python_in_root_s_home_is_never_another_user_s(monkeypatch, tmp_path):
    closed = [AS_WE_ARE.python]
    on_a_machine(monkeypatch, closed, uid_map=ALL_IDS, gid_map=ALL_IDS, status=AS_ROOT)
    found = interpreter.arrangements(tmp_path)
    assert Arrangement(AS_WE_ARE.python, own_user=True) not in found
    assert found[-1] == AS_WE_ARE


def test_a_numpy_that_others_cannot_read_keeps_the_user(monkeypatch, tmp_path):
    on_a_machine(monkeypatch, [np.__file__], uid_map=ALL_IDS, gid_map=ALL_IDS, status=AS_ROOT)
    assert interpreter.arrangements(tmp_path) == (AS_WE_ARE,)


def test_a_file_that_is_not_there_is_readable_to_nobody():
    assert not interpreter.anyone_may_read("/nowhere/at/all")


# --- a lock that this system does not have ----------------------------------------------------


@pytest.mark.parametrize(
    ("program", "open_locks"),
    [
        ("os = __import__('os'); os.setuid = lambda uid: os.open('/nowhere', 0)", {"uid", "nproc"}),
        ("os = __import__('os'); os.setgroups = lambda ids: os.open('/nowhere', 0)", {"uid"}),
        ("import resource; del resource.RLIMIT_AS", {"rlimits"}),
    ],
)
def test_what_is_refused_leaves_that_lock_open(program, open_locks, monkeypatch, tmp_path):
    usual = guest()
    usual.close()
    left = [lock for lock in usual.isolation if lock not in open_locks]
    assert isolation_with(program, monkeypatch, tmp_path) == left


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become a user who may not look")
def test_a_folder_that_may_not_be_listed_is_left_out(tmp_path):
    tmp_path.chmod(0o700)
    reader = os.fork()
    if reader == 0:
        try:
            os.setuid(60001)
            landlock.allow_shared_libraries(-1, str(tmp_path))
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(reader, 0)[1] == 0


# --- the next arrangement, and the last words --------------------------------------------------


@pytest.mark.parametrize("python", ["/nowhere/python3", "/bin/false"])
def test_a_python_that_does_not_start_gives_way_to_the_next_for_good(python, monkeypatch):
    tried = (Arrangement(python, own_user=False), AS_WE_ARE)
    monkeypatch.setattr(process, "arrangements", lambda folder: tried)
    guest().close()
    assert process.DECIDED == [AS_WE_ARE]
    monkeypatch.setattr(process, "arrangements", lambda folder: pytest.fail("decided twice"))
    guest().close()


def test_a_guest_without_numpy_says_at_which_step_it_ended(monkeypatch):
    monkeypatch.setattr(process, "link_numpy", Path.mkdir)
    with pytest.raises(GraderError, match=r"^the guest did not start: the import of NumPy failed"):
        guest()


def test_every_python_that_did_not_start_is_named(monkeypatch):
    tried = tuple(Arrangement(python, own_user=False) for python in ("/nowhere/a", "/nowhere/b"))
    monkeypatch.setattr(process, "arrangements", lambda folder: tried)
    with pytest.raises(GraderError, match=r"/nowhere/a cannot be run: .*/nowhere/b cannot be run"):
        guest()


def test_student_code_cannot_write_to_the_grader():
    source = """
import os
def softmax(scores):
    return [[float(os.path.sameopenfile(descriptor, 1)) for descriptor in (0, 1, 2)]]
"""
    submission = Submission("x", {"softmax.py": source.encode()}, {"softmax": "softmax.py"})
    student = Student(submission, MANIFEST.limits, Budget(60.0), readers())
    try:
        values = student.call("softmax", np.eye(2, 3)).reply.results[0].values
    finally:
        student.close()
    assert values.tolist() == [[1.0, 1.0, 1.0]]


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives a folder away")
def test_a_folder_that_cannot_be_given_away_is_open_to_the_guest(monkeypatch):
    def refused(*arguments):
        raise PermissionError

    monkeypatch.setattr(os, "chown", refused)
    started = guest()
    mode = started._root.stat().st_mode & 0o777
    started.close()
    assert mode == 0o755


# --- what the machine's Python may decide -------------------------------------------------------


def test_a_syntax_error_names_the_python_that_graded(tmp_path):
    (tmp_path / "softmax.py").write_text("def softmax(x: return x\n")
    fault = open_submission(tmp_path, MANIFEST).faults["softmax"]
    assert f"(graded with Python 3.{sys.version_info.minor})" in str(fault.words)


def test_the_report_names_python_and_numpy():
    report = grade(SUBMISSION)
    assert report.provenance["python"] == platform.python_version()
    assert report.provenance["numpy"] == np.__version__
