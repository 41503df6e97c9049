"""One small file holds nobody up: each of these ends in seconds, as that submission's own matter.

By three doors: the folder, the same as a zip, and as a member of a class whose others are graded.
"""

import io
import json
import os
import socket
import time
import zipfile
from pathlib import Path

import pytest

from autograder.budget import Budget
from autograder.intake.classes import find
from autograder.intake.submission import open_submission
from autograder.judging.grading import grade, judge
from autograder.manifest import load_manifest
from autograder.sandbox.process import Guest
from tests.goldens import folder_of
from tests.platform_runs import SOLUTIONS, archive_of, laid

MANIFEST = load_manifest()
RIGHT = {
    name: (SOLUTIONS / name).read_bytes()
    for name in ("softmax.py", "causal_mask.py", "attention.py")
}
# The reading child's own deadline, and what a busy machine adds to it.
MOST_SECONDS = 45.0


def code(source: bytes) -> dict[str, bytes]:
    return {"softmax.py": source}


def sheet(source: bytes) -> dict[str, bytes]:
    return {**RIGHT, "exam.toml": source}


def cells(one: bytes, number: int) -> bytes:
    return b'{"cells":[' + b",".join([one] * number) + b'],"nbformat":4}'


def wrapped(depth: int) -> bytes:
    content = archive_of({"a.py": b""})
    for _ in range(depth):
        content = archive_of({"x.zip": content})
    return content


def zeros_in_zips() -> bytes:
    inner = archive_of({"a.txt": bytes(60 << 20)})
    return archive_of({f"{number}.zip": inner for number in range(20)})


CHAIN = "".join(f"a{n} = a{n + 1}\n" for n in range(20_000)) + "def softmax(x): return a0\n"
CELL = b'{"cell_type":"code","source":"1"}'
FILES = {
    "f-strings in f-strings": lambda: code(b"x = " + b"f\"{f'{" * 60 + b"1" + b"}'}\"" * 60),
    "a chain of lambdas": lambda: code(b"x = " + b"lambda:" * 90_000 + b"0"),
    "decorators": lambda: code(b"@a\n" * 45_000 + b"def softmax(x): pass\n"),
    "half a million brackets": lambda: code(b"(" * 500_000),
    "calls in calls": lambda: code((b"x=" + b"f(a=" * 90 + b"1" + b")" * 90 + b"\n") * 300),
    "patterns in patterns": lambda: code(
        b"match x:\n case " + b"A(b=" * 90 + b"1" + b")" * 90 + b": pass\n"
    ),
    "an integer of a million digits": lambda: code(b"x = " + b"9" * 1_000_000),
    "a name of a million letters": lambda: code(b"a" * 1_000_000 + b" = 1\n"),
    "marks above one letter": lambda: code(("a" + "\u0301\u0323" * 200_000 + " = 1\n").encode()),
    "functions around many lines": lambda: code(
        b"".join(b" " * n + b"def f():\n" for n in range(95))
        + (b" " * 95 + b"x=1;" + b"y=1;" * 100 + b"\n") * 100
    ),
    "a long name said often": lambda: code(
        b"import " + b"a" * 20_000 + b" as n\ndef softmax(x):\n return [" + b"n," * 20_000 + b"]\n"
    ),
    "magics": lambda: code(b"get_ipython()\n" + b"%a\n" * 300_000),
    "open strings": lambda: code(b"'''\n\"\"\"\n" * 100_000),
    "a cookie of a megabyte": lambda: code(b"# coding" + b" " * 500_000 + b":" * 500_000 + b"\n"),
    "punycode": lambda: {**RIGHT, "helper.py": b"# coding: punycode\n#" + b"x" * 1_000_000},
    "one giant file of statements": lambda: {**RIGHT, "giant.py": b"1;" * 500_000},
    "a million cells": lambda: {"hw.ipynb": cells(CELL, 1_000_000)},
    "twenty such notebooks": lambda: {f"{n}.ipynb": cells(CELL, 300_000) for n in range(20)},
    "a notebook of keys": lambda: {
        "hw.ipynb": b"{" + b",".join(b'"%d":1' % n for n in range(1_500_000)) + b"}"
    },
    "a chain of assignments": lambda: {
        "hw.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": CHAIN}]}).encode()
    },
    "a notebook ten million deep": lambda: {"hw.ipynb": b"[" * 10_000_000},
    "a number of forty megabytes": lambda: {"hw.ipynb": b'{"cells":' + b"9" * 40_000_000 + b"}"},
    "a lone surrogate": lambda: {
        "hw.ipynb": b'{"cells":[{"cell_type":"code","source":"\\ud800=1\\ndef softmax(x): 1"}]}'
    },
    "empty answers": lambda: sheet(b'=""' * 20_000),
    "a sheet of line ends": lambda: sheet(b"\n" * 65_000),
    "arrays in arrays": lambda: sheet(b"q01 = " + b"[" * 60_000),
    "tables in tables": lambda: sheet(b"[" + b"a." * 30_000 + b"a]\n"),
    "powers for answers": lambda: sheet(
        b'q02 = "1e99999999"\nq03 = "9**9**9**9"\nq04 = "1/1e9999"'
    ),
    "digits of another script": lambda: sheet(('q02 = "' + "\u0663" * 20_000 + '"\n').encode()),
    "fifty zips in each other": lambda: {"hw.zip": wrapped(50)},
    "zips of zeros": lambda: {"hw.zip": zeros_in_zips()},
    "two hundred zips": lambda: {f"{n}.zip": archive_of({"a.txt": b""}) for n in range(200)},
    "60,000 entries": lambda: {"hw.zip": archive_of({f"{n}.txt": b"" for n in range(60_000)})},
    "folders 300 deep": lambda: {
        "hw.zip": archive_of({"a/" * 300 + f"{n}/pyvenv.cfg": b"" for n in range(3_000)})
    },
    "ends of zips": lambda: {"hw.zip": b"PK\5\6" * 5_000_000},
    "zeros by LZMA": lambda: {
        "hw.zip": archive_of({f"{n}.py": bytes(1 << 20) for n in range(190)}, zipfile.ZIP_LZMA)
    },
    "a class of zeros": lambda: {
        "hw.zip": archive_of({f"{n}/{m}.py": bytes(1 << 20) for n in range(5) for m in range(100)})
    },
    "metadata of quotes": lambda: {
        "submission_metadata.yml": b'submission_1:\n  :submitters:\n  - :name: "\\xZZ \\u12'
        + b"\\x" * 1_000_000
        + b'"\n',
        "submission_1/softmax.py": RIGHT["softmax.py"],
        "submission_2/softmax.py": RIGHT["softmax.py"],
    },
}


def sparse(folder: Path) -> None:
    for name in ("softmax.py", "hw.zip", "a.ipynb", "exam.toml"):
        (folder / name).touch()
        os.truncate(folder / name, 1 << 40)


def pipes(folder: Path) -> None:
    for name in ("softmax.py", "exam.toml", "a.ipynb", "hw.zip", "submission_metadata.yml", "x"):
        os.mkfifo(folder / name)


def sockets(folder: Path) -> None:
    here = os.getcwd()
    os.chdir(folder)
    try:
        for name in ("softmax.py", "exam.toml", "a.ipynb", "hw.zip"):
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(name)
    finally:
        os.chdir(here)


def links(folder: Path) -> None:
    for name in ("softmax.py", "exam.toml", "a.ipynb", "hw.zip", "submission_metadata.yml"):
        (folder / name).symlink_to("/dev/zero")
    (folder / "attention.py").symlink_to("/proc/self/fd/0")
    (folder / "root").symlink_to("/")
    (folder / "up").symlink_to("..")


def many_files(folder: Path) -> None:
    for number in range(20_000):
        (folder / f"{number}.py").touch()


def odd_names(folder: Path) -> None:
    for name in (
        b"\xff\xfe.py",
        b"\x01.py",
        b"a\nb.py",
        b"\xed\xa0\x80.py",
        b"-rf.py",
        b"\x1b[31m.py",
    ):
        (folder / os.fsdecode(name)).write_bytes(RIGHT["softmax.py"])


ON_DISK = {made.__name__: made for made in (sparse, pipes, sockets, links, many_files, odd_names)}


def quickly(do, *arguments):
    started = time.monotonic()
    result = do(*arguments)
    assert time.monotonic() - started < MOST_SECONDS
    return result


def members_of_the_class(folder: Path, scratch: Path) -> list[str]:
    for name in ("aa", "zz"):
        laid(folder / name, RIGHT)
    scratch.mkdir()
    return sorted(member.name for member in quickly(find, folder, MANIFEST, scratch).members)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_file(tmp_path, name):
    files = FILES[name]()
    folder = laid(tmp_path / "class" / "hostile", files)
    archive = tmp_path / "hostile.zip"
    archive.write_bytes(archive_of(files))
    for number, path in enumerate((folder, archive)):
        submission = quickly(open_submission, path, MANIFEST)
        assert set(submission.places) | set(submission.faults) >= {*MANIFEST.functions}
        scratch = tmp_path / f"scratch{number}"
        scratch.mkdir()
        quickly(find, path, MANIFEST, scratch)
    assert members_of_the_class(tmp_path / "class", tmp_path / "room") == ["aa", "hostile", "zz"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_DISK)
def test_what_lies_on_a_disk(tmp_path, name):
    folder = laid(tmp_path / "class" / "hostile", {})
    ON_DISK[name](folder)
    quickly(open_submission, folder, MANIFEST)
    assert members_of_the_class(tmp_path / "class", tmp_path / "room") == ["aa", "hostile", "zz"]


def test_one_member_that_holds_too_much_takes_no_room_from_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.intake.classes.MEMBER_BYTES", 100_000)
    large = {f"a/{number}.py": bytes(50_000) for number in range(9)}
    content = {**large, **{f"{who}/softmax.py": RIGHT["softmax.py"] for who in ("b", "c")}}
    path = tmp_path / "class.zip"
    path.write_bytes(archive_of(content))
    (tmp_path / "room").mkdir()
    found = find(path, MANIFEST, tmp_path / "room")
    assert {"b", "c"} <= {member.name for member in found.members}
    assert any("beyond what one submission may hold" in remark for remark in found.remarks)
    written = sum(path.stat().st_size for path in (tmp_path / "room").rglob("a/*.py"))
    assert written < 200_000


def test_files_that_lie_on_each_other_are_not_unpacked(tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for who in ("b", "c"):
            archive.writestr(f"{who}/softmax.py", RIGHT["softmax.py"])
        archive.writestr("a/0.py", bytes(1 << 20))
        first = archive.getinfo("a/0.py")
        for number in range(1, 200):
            again = zipfile.ZipInfo(f"a/{number}.py")
            for name in ("header_offset", "compress_size", "file_size", "CRC", "compress_type"):
                setattr(again, name, getattr(first, name))
            archive.filelist.append(again)
            archive.NameToInfo[again.filename] = again
    path = tmp_path / "class.zip"
    path.write_bytes(content.getvalue())
    (tmp_path / "room").mkdir()
    found = find(path, MANIFEST, tmp_path / "room")
    assert {"b", "c"} <= {member.name for member in found.members}
    assert any("lies on top of another file" in remark for remark in found.remarks)


def test_a_member_that_may_not_be_read_costs_the_others_nothing(tmp_path, monkeypatch):
    """As a folder of mode 700 that belongs to somebody else."""
    from autograder.intake import classes
    from autograder.report import GraderError

    def forbidden(part, *others, look=classes.defined_in):
        if part.name == "aa":
            raise GraderError("it cannot be read")
        return look(part, *others)

    monkeypatch.setattr(classes, "defined_in", forbidden)
    for name in ("aa", "bb", "cc"):
        laid(tmp_path / "class" / name, RIGHT)
    (tmp_path / "room").mkdir()
    found = find(tmp_path / "class", MANIFEST, tmp_path / "room")
    assert [member.name for member in found.members] == ["aa", "bb", "cc"]


def test_a_link_to_itself_is_a_member_and_hides_no_other(tmp_path):
    for name in ("aa", "cc"):
        laid(tmp_path / "class" / name, RIGHT)
    (tmp_path / "class" / "bb").symlink_to("bb")
    (tmp_path / "room").mkdir()
    found = find(tmp_path / "class", MANIFEST, tmp_path / "room")
    assert [member.name for member in found.members] == ["aa", "bb", "cc"]


# --- one deadline for everything -----------------------------------------------------------------

SLEEPS = "import time\ndef softmax(x):\n    time.sleep(0.4)\n    return x\n"


def test_what_reading_took_is_not_there_for_asking(tmp_path):
    """And no guest, no call and no search for a mistake begins once the time is up."""
    submission = open_submission(laid(tmp_path / "work", {"softmax.py": SLEEPS.encode()}), MANIFEST)
    assert submission.budget is not None
    assert submission.budget.altogether < MANIFEST.limits.submission_seconds
    submission.budget = Budget(3.0)
    started = time.monotonic()
    report = judge(submission, Guest).report
    assert time.monotonic() - started < 20
    (softmax, *_) = report.exercises
    assert any("used up its time" in test.hint for test in softmax.tests)
    assert report.misconceptions == []


@pytest.mark.slow
def test_who_sleeps_as_long_as_may_be_is_done_in_time():
    started = time.monotonic()
    grade(folder_of("sleeps-just-below-the-deadline"))
    assert time.monotonic() - started < 75
