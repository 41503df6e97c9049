"""Leak audit: canaries lie wherever a secret does, and the hostile corpus reaches none of them."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
SUBMISSIONS = CHECKOUT / "tests" / "submissions"
HOSTILE = [
    path.parent.name
    for path in sorted(SUBMISSIONS.glob("*/expected.json"))
    if json.loads(path.read_text(encoding="utf-8"))["kind"] in ("attack", "cheat", "leak", "broken")
]
# A number is looked for by digits that stand nowhere else.
WORD, NUMBER = "canary-5b1c9e77d0", 0.73190264851
SECRETS = (WORD.encode(), str(NUMBER)[2:].encode())

# Grades a class in a parent full of canaries, and keeps every byte that a guest ever answered.
PARENT = """
import sys
from pathlib import Path
from autograder.sandbox import host

word, out, *paths = sys.argv[1:]
in_memory = [word + str(i) for i in range(1000)]
replies = open(Path(out) / "replies", "wb", buffering=0)
exchange = host.Guest._exchange

def kept(guest, request, seconds):
    header, body = exchange(guest, request, seconds)
    replies.write(header + body)
    return header, body

host.Guest._exchange = kept
from autograder.cli import main

main(["grade", "--out", out, "--json", *paths])
"""


@pytest.fixture
def planted(tmp_path):
    """A copy of the grader with canaries in its suites, data, key and solutions."""
    for part in ("autograder", "solutions"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / part, tmp_path / part, ignore=ignored)
    for path in [*tmp_path.rglob("test_*.py"), *(tmp_path / "solutions").glob("*.py")]:
        path.write_text(f"{path.read_text()}\nCANARY = {WORD!r}, {NUMBER}\n")
    data = tmp_path / "autograder" / "hidden_tests" / "data"
    for path in data.glob("*.json"):
        content = json.loads(path.read_text())
        if path.stem == "exam":
            content = [{**entry, "answer": entry["answer"], "title": WORD} for entry in content]
        elif path.stem in ("softmax", "attention", "fused_kernel"):
            for cases in content.values():
                cases[0]["canary"] = [[NUMBER]]
        path.write_text(json.dumps(content))
    return tmp_path


def audit(planted, names, extra=()):
    """Every place in which a canary came out: outputs, replies, and files left behind."""
    out = planted / "out"
    out.mkdir()
    started = time.time()
    paths = [str(SUBMISSIONS / name) for name in names] + [str(path) for path in extra]
    done = subprocess.run(
        [sys.executable, "-c", PARENT, WORD, str(out), *paths],
        cwd=planted,
        env={**os.environ, "PYTHONPATH": str(planted), "CANARY": WORD, "NUMBER": str(NUMBER)},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    places = {"stdout": done.stdout, "stderr": done.stderr}
    places |= {str(path): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for folder in ("/tmp", "/var/tmp", "/dev/shm"):
        for path in Path(folder).glob("*"):
            # What the tests themselves keep there is planted on purpose.
            fresh = path.is_file() and path.stat().st_mtime > started
            if fresh and not path.is_relative_to(planted):
                places[str(path)] = path.read_bytes()
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
    assert len(HOSTILE) >= 60
    assert audit(planted, HOSTILE) == []


@pytest.mark.slow
def test_the_audit_sees_what_does_come_out(planted):
    """A submission that has the word from elsewhere answers with it in its arrays."""
    folder = planted / "knows"
    folder.mkdir()
    known = f"np.frombuffer({WORD.ljust(24).encode()!r}, dtype=float)"
    source = f"import numpy as np\ndef softmax(x):\n    return {known}\n"
    (folder / "softmax.py").write_text(source)
    assert any("replies" in place for place in audit(planted, [], [folder]))
