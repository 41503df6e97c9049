"""Leak audit: canaries lie wherever a secret does, and the hostile corpus reaches none of them."""

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.goldens import HOSTILE_KINDS, folder_of, of_kind

CHECKOUT = Path(__file__).parents[1]
HOSTILE = of_kind(*HOSTILE_KINDS)
# A number is looked for by digits that stand nowhere else.
WORD, NUMBER = "canary-5b1c9e77d0", 0.73190264851
SECRETS = (WORD.encode(), str(NUMBER)[2:].encode())

# Grades a class in a parent full of canaries, and keeps every byte that a guest ever answered.
# The names before a colon are locks to leave open.
PARENT = """
import functools
import sys
from pathlib import Path
from autograder import batch
from autograder.sandbox import process as host

word, out, without, *paths = sys.argv[1:]
in_memory = [word + str(i) for i in range(1000)]
replies = open(Path(out) / "replies", "wb", buffering=0)
exchange = host.Guest._exchange

def kept(guest, request, *limits):
    header, body = exchange(guest, request, *limits)
    replies.write(header + body)
    return header, body

host.Guest._exchange = kept
batch.Guest = functools.partial(host.Guest, without=tuple(without.split()))
from autograder.cli import main

main(["grade", "--out", out, "--json", *paths])
"""
# A thief answers with what it could open, from the first secret on: eight bytes to a number.
THIEF = """
import glob, os
import numpy as np

def attention(X, W_q, W_k, W_v, causal=False):
    found = b""
    for path in {paths!r}:
        for name in glob.glob(path) or [path]:
            try:
                with open(name, "rb") as file:
                    found += file.read(200_000)
            except OSError:
                pass
    above = os.getppid()
    while above > 1:
        try:
            for name in ("environ", "cmdline"):
                with open("/proc/%d/%s" % (above, name), "rb") as file:
                    found += file.read(200_000)
            with open("/proc/%d/stat" % above) as file:
                above = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            break
    starts = [found.find(secret) for secret in {secrets!r} if secret in found]
    found = found[min(starts) :][:64].ljust(64) if starts else bytes(64)
    return np.frombuffer(found, dtype="<i8"), np.ones((len(X), len(X)))
"""


@pytest.fixture
def planted(tmp_path):
    """A copy of the grader with canaries in its suites, data, key and solutions."""
    for part in ("autograder", "solutions"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / part, tmp_path / part, ignore=ignored)
    for path in [*tmp_path.rglob("test_*.py"), *(tmp_path / "solutions").glob("*.py")]:
        path.write_text(f"{path.read_text()}\nCANARY = {WORD!r}, {NUMBER}\n")
    rooms = tmp_path / "autograder" / "exercises"
    for path in rooms.glob("*/cases.json"):
        content = json.loads(path.read_text())
        drawn = [cases for name, cases in content.items() if name.startswith("test_")]
        for case in (cases[0] for cases in drawn):
            if isinstance(case, dict):
                case["canary"] = [[NUMBER]]
        path.write_text(json.dumps(content))
    key = rooms / "exam" / "key.json"
    key.write_text(json.dumps([{**one, "title": WORD} for one in json.loads(key.read_text())]))
    return tmp_path


def fresh_files(since):
    """What was written where every user may write, but for pytest's own folders and Docker's."""
    for place in ("/tmp", "/var/tmp", "/dev/shm"):
        for current, folders, files in os.walk(place):
            folders[:] = [f for f in folders if not f.startswith(("pytest-of-", "docker-"))]
            for path in (Path(current) / name for name in files):
                with suppress(OSError):
                    if path.stat().st_mtime > since and path.is_file():
                        yield path


def audit(planted, names, extra=(), without=""):
    """Every place in which a canary came out: outputs, replies, and files left behind."""
    out = planted / f"out-{without or 'locked'}"
    out.mkdir()
    started = time.time()
    paths = [str(folder_of(name)) for name in names] + [str(path) for path in extra]
    done = subprocess.run(
        [sys.executable, "-c", PARENT, WORD, str(out), without, *paths],
        cwd=planted,
        env={**os.environ, "PYTHONPATH": str(planted), "CANARY": WORD, "NUMBER": str(NUMBER)},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    places = {"stdout": done.stdout, "stderr": done.stderr}
    places |= {str(path): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    places |= {str(path): path.read_bytes() for path in fresh_files(started)}
    # For staff, the key's titles are no secret: they are named beside the questions missed.
    staff = ("stdout", "results")
    found = []
    for place, content in places.items():
        text = content
        if any(name in place for name in staff):
            text = text.replace(f'"title": "{WORD}"'.encode(), b"")
        found += [place for secret in SECRETS if secret in text]
    return found


@pytest.mark.slow
def test_no_canary_comes_out(planted):
    assert HOSTILE
    assert audit(planted, HOSTILE) == []


@pytest.mark.slow
def test_thieves_get_a_canary_only_where_no_lock_holds(planted):
    """The same thief, with the locks and without: the audit sees what does come out."""
    planted.chmod(0o755)
    for parent in [*planted.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    thefts = {
        "tests": "autograder/exercises/*/test_*.py",
        "data": "autograder/exercises/*/*.json",
        "solutions": "solutions/*.py",
        "process": "nothing",
    }
    for name, pattern in thefts.items():
        folder = planted / f"steals-{name}"
        folder.mkdir()
        (folder / "attention.py").write_text(
            THIEF.format(paths=[str(planted / pattern)], secrets=SECRETS)
        )
        assert audit_of(planted, folder, "") == [], name
        open_to_all = "landlock seccomp uid" if name == "process" else "landlock"
        assert audit_of(planted, folder, open_to_all) == ["replies"], name


def audit_of(planted, folder, without):
    found = {Path(place).name for place in audit(planted, [], [folder], without)}
    shutil.rmtree(planted / f"out-{without or 'locked'}")
    return sorted(found)
