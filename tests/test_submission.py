"""submission.py: whatever is handed in, it is found, or refused in words."""

import io
import os
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.intake.classes import find
from autograder.intake.submission import Submission, open_submission
from autograder.manifest import load_manifest

ASSIGNMENT = load_manifest()
FUNCTIONS = ("softmax", "causal_mask", "attention")
WORK = {f"{name}.py": f"def {name}(*x):\n    return x\n".encode() for name in FUNCTIONS}
ONE_FILE = {"homework.py": b"".join(WORK.values())}
STUBS = {f"{name}.py": f"def {name}(*x):\n    ...\n".encode() for name in FUNCTIONS}
LINK = 0o120777 << 16


def folder(path: Path, files: dict[str, bytes]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, source in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(source)
    return path


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, source in files.items():
            archive.writestr(zipfile.ZipInfo(name), source, method)
    return content.getvalue()


def zip_file(path: Path, files: dict[str, bytes]) -> Path:
    path.write_bytes(zipped(files))
    return path


def opened(path: Path) -> Submission:
    return open_submission(path, ASSIGNMENT)


def all_found(submission: Submission) -> bool:
    return not {*FUNCTIONS} & {*submission.faults} and all(
        f"def {name}(".encode() in submission.files[submission.file_of(name)] for name in FUNCTIONS
    )


def words(submission: Submission, function: str = "attention") -> str:
    return submission.faults[function].words


# --- layouts ---------------------------------------------------------------------------------


def below(prefix: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {f"{prefix}/{name}": source for name, source in files.items()}


LITTER = {
    "__MACOSX/._attention.py": b"\x00\x05\x16\x07",
    ".DS_Store": b"\x00",
    ".git/hooks/attention.py": b"def attention(): return 'wrong place'",
    "__pycache__/attention.cpython-311.pyc": b"\x00",
    "venv/lib/softmax.py": b"def softmax(): return 'wrong place'",
    "notes.txt": b"my notes",
}
LAYOUTS = {
    "flat": WORK,
    "nested": below("week 3", WORK),
    "twice nested": below("a/b", WORK),
    "one file": ONE_FILE,
    "one file nested": below("a", ONE_FILE),
    "litter": {**WORK, **LITTER},
    "scattered": {f"{i}/{name}": source for i, (name, source) in enumerate(WORK.items())},
    "zip inside": {"hand in.zip": zipped(WORK)},
    "nested zip inside": {"a/hand in.zip": zipped(below("b", WORK))},
    "zip in zip": {"outer.zip": zipped({"inner.zip": zipped(WORK)})},
}


@pytest.mark.parametrize("files", LAYOUTS.values(), ids=list(LAYOUTS))
def test_every_layout_is_found_in_a_folder(tmp_path, files):
    assert all_found(opened(folder(tmp_path / "work", files)))


@pytest.mark.parametrize("files", LAYOUTS.values(), ids=list(LAYOUTS))
def test_every_layout_is_found_in_a_zip(tmp_path, files):
    assert all_found(opened(zip_file(tmp_path / "work.zip", files)))


def test_single_file_holds_what_it_defines(tmp_path):
    assert all_found(opened(folder(tmp_path, ONE_FILE) / "homework.py"))
    alone = opened(folder(tmp_path, WORK) / "softmax.py")
    assert set(alone.files) == {"softmax.py"}
    assert alone.faults["attention"].verdict == "missing"


def test_backslashes_of_a_windows_zip_are_folders(tmp_path):
    files = {f"work\\{name}": source for name, source in WORK.items()}
    assert all_found(opened(zip_file(tmp_path / "work.zip", files)))


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("attention (1).py", "attention.py"),
        ("attention(2).py", "attention.py"),
        ("attention copy.py", "attention.py"),
        ("attention - Copy.py", "attention.py"),
        ("Copy of softmax.py", "softmax.py"),
        ("Causal-Mask.py", "causal_mask.py"),
        ("causal mask.py", "causal_mask.py"),
        ("ATTENTION.PY", "attention.py"),
    ],
)
def test_names_of_copies_become_importable(tmp_path, name, right):
    submission = opened(folder(tmp_path / "work", {name: WORK[right]}))
    assert submission.places == {Path(right).stem: right}


def test_the_right_name_wins_over_its_copy(tmp_path):
    files = {"attention.py": WORK["attention.py"], "attention (1).py": b"def attention(): old\n"}
    submission = opened(folder(tmp_path / "work", files))
    assert submission.places["attention"] == "attention.py"
    assert submission.files["attention.py"] == WORK["attention.py"]
    assert sorted(submission.files.values()) == sorted(files.values())


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbf" + WORK["attention.py"],
        WORK["attention.py"].replace(b"\n", b"\r\n"),
        b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + WORK["attention.py"],
    ],
    ids=["BOM", "CRLF", "latin-1 cookie"],
)
def test_encodings(tmp_path, source):
    submission = opened(folder(tmp_path / "work", {"attention.py": source}))
    assert submission.places == {"attention": "attention.py"}
    assert submission.files["attention.py"] == source


# --- refused ---------------------------------------------------------------------------------


def file_link(path):
    target = folder(path / "elsewhere", WORK)
    folder(path / "work", {"softmax.py": WORK["softmax.py"]})
    (path / "work" / "attention.py").symlink_to(target / "attention.py")
    return path / "work"


def link_of_a_copy(path):
    link = file_link(path) / "attention.py"
    return link.rename(link.with_name("Attention (1).py")).parent


def folder_link(path):
    folder(path / "work", {})
    (path / "work" / "mine").symlink_to(folder(path / "elsewhere", WORK))
    return path / "work"


def whole_link(path):
    (path / "work").symlink_to(folder(path / "elsewhere", WORK))
    return path / "work"


def link_in_zip(path):
    with zipfile.ZipFile(path / "work.zip", "w") as archive:
        member = zipfile.ZipInfo("attention.py")
        member.external_attr = LINK
        archive.writestr(member, "/etc/passwd")
    return path / "work.zip"


def zip_with(name):
    return lambda path: zip_file(path / "work.zip", {name: WORK["attention.py"]})


def large_file(path):
    return folder(path / "work", {"attention.py": b"#" * (1 << 20) + b"\n"})


def large_member(path):
    return zip_file(path / "work.zip", {"attention.py": b"#" * (1 << 20) + b"\n"})


MANY = {f"f{i}.py": b"" for i in range(201)}


def encrypted(content: bytes) -> bytes:
    """The zip with the flag for a password set on its members."""
    changed = bytearray(content)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            changed[at + flags] |= 1
            at = content.find(mark, at + 1)
    return bytes(changed)


def raw_zip(content):
    def build(path):
        (path / "work.zip").write_bytes(content)
        return path / "work.zip"

    return build


def fifo(path):
    folder(path / "work", {})
    os.mkfifo(path / "work" / "attention.py")
    return path / "work"


REFUSED = {
    "file link": (file_link, "is a link"),
    "file link named as a copy": (link_of_a_copy, "is a link"),
    "folder link": (folder_link, "is a link"),
    "the path is a link": (whole_link, "is a link"),
    "link in a zip": (link_in_zip, "is a link"),
    "parent in a zip": (zip_with("../attention.py"), "outside"),
    "parent inside": (zip_with("a/../../attention.py"), "outside"),
    "absolute": (zip_with("/attention.py"), "outside"),
    "backslashes": (zip_with("..\\attention.py"), "outside"),
    "drive": (zip_with("C:\\attention.py"), "outside"),
    "large file": (large_file, "larger than 1024 KiB"),
    "large member": (large_member, "larger than 1024 KiB"),
    "many files": (lambda path: folder(path / "work", MANY), "more than 200 files"),
    "many members": (lambda path: zip_file(path / "work.zip", MANY), "more than 200 files"),
    "no zip": (raw_zip(b"not a zip"), "not a readable zip"),
    "empty zip file": (raw_zip(b""), "not a readable zip"),
    "cut zip": (raw_zip(zipped(WORK)[:-30]), "not a readable zip"),
    "broken inner zip": (raw_zip(zipped({"inner.zip": b"PK"})), "not a readable zip"),
    "encrypted": (raw_zip(encrypted(zipped(WORK))), "password"),
    "encrypted inner zip": (raw_zip(encrypted(zipped({"in.zip": zipped(WORK)}))), "password"),
    "fifo": (fifo, "not a regular file"),
}


@pytest.mark.parametrize(("build", "reason"), REFUSED.values(), ids=list(REFUSED))
def test_refused_in_words(tmp_path, build, reason):
    submission = opened(build(tmp_path))
    assert submission.faults["attention"].verdict == "missing"
    assert reason in words(submission)
    assert "attention" not in submission.places


def test_a_fifo_named_zip_does_not_block(tmp_path):
    pipe = folder(tmp_path / "work", {}) / "work.zip"
    os.mkfifo(pipe)
    found: list[Submission] = []
    thread = threading.Thread(target=lambda: found.append(opened(pipe.parent)), daemon=True)
    thread.start()
    thread.join(1)
    stuck = thread.is_alive()
    if stuck:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        thread.join(1)
    assert not stuck
    assert found[0].faults["attention"].verdict == "missing"


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_members_are_told(tmp_path, method):
    content = bytearray(zipped({"attention.py": os.urandom(4000)}, method))
    content[100:3000] = bytes(2900)
    submission = opened(raw_zip(content)(tmp_path))
    assert "not readable in the zip" in words(submission)


def bomb(inner_name: str, tail: bytes, mebibytes: int) -> bytes:
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(inner_name, "w", force_zip64=True) as member,
    ):
        for _ in range(mebibytes):
            member.write(bytes(1 << 20))
        member.write(tail)
    return content.getvalue()


def inner_zip_read_backwards() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in [*WORK, *MANY][:150]:
            archive.writestr(name, b"")
        archive.filelist.reverse()
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "tail"),
    [("attention.py", b""), ("inner.zip", b""), ("inner.zip", inner_zip_read_backwards())],
    ids=["file", "inner zip", "inner zip behind zeros"],
)
def test_zip_bombs_stay_quick_and_small(tmp_path, name, tail):
    path = raw_zip(bomb(name, tail, 50))(tmp_path)
    started = time.process_time()
    opened(path)
    assert time.process_time() - started < 1
    tracemalloc.start()
    opened(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


def test_the_size_of_all_files_together_is_bounded(tmp_path):
    files = {f"f{i}.py": b"#" * ((1 << 20) - 1) for i in range(64)}
    submission = opened(zip_file(tmp_path / "work.zip", files))
    assert sum(map(len, submission.files.values())) < 32 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_dense_source_takes_little_memory(tmp_path):
    """Gradescope's container has 768 MiB for everything."""
    path = folder(tmp_path / "work", {"attention.py": b"x=1\n" * 262_000})
    program = f"""
import re
from pathlib import Path
from autograder.manifest import load_manifest
from autograder.intake.submission import open_submission
open_submission(Path({str(path)!r}), load_manifest())
# getrusage would count the peak of the process that started this one.
print(re.search(r"VmHWM:\\s*([0-9]+)", Path("/proc/self/status").read_text())[1])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(done.stdout) < 400 << 10


DEFINES = b"def attention(x):\n    return x\n"
TROUBLE = {
    "null bytes": DEFINES + b"\x00",
    "utf-16": DEFINES.decode().encode("utf-16"),
    "no utf-8": DEFINES + b"# caf\xe9\n",
    "unknown cookie": b"# coding: klingon\n" + DEFINES,
    "5000 parentheses": DEFINES + b"(" * 5000 + b")" * 5000,
    "3000 elifs": DEFINES + b"if x: pass\n" + b"elif x: pass\n" * 3000,
    "100 000 terms": DEFINES + b"x = " + b"+".join([b"1"] * 100_000),
    "100 000 minus signs": DEFINES + b"x = " + b"-" * 100_000 + b"1",
    "deep blocks": DEFINES + b"".join(b" " * i + b"if x:\n" for i in range(99)) + b" " * 99 + b"x",
    "huge integer": DEFINES + b"x = " + b"9" * 10_000,
    "unfinished": DEFINES + b"x = '''",
}


@pytest.mark.parametrize("source", TROUBLE.values(), ids=list(TROUBLE))
def test_unusual_source_is_found_or_refused_in_words(tmp_path, source):
    submission = opened(folder(tmp_path / "work", {"attention.py": source}))
    if "attention" in submission.faults:
        assert submission.faults["attention"].verdict == "syntax_error"
        assert "attention.py" in words(submission)


def test_syntax_error_names_the_line(tmp_path):
    submission = opened(folder(tmp_path / "work", {"attention.py": DEFINES + b"x = = 1\n"}))
    assert "Line 3 of attention.py" in words(submission)
    assert submission.faults["softmax"].verdict == "syntax_error"


# --- stubs and definitions -------------------------------------------------------------------

BODIES = ['"""Docstring."""', "pass", "...", "raise NotImplementedError"]
BODIES += ["raise NotImplementedError('later')", '"""Docstring."""\n    raise NotImplementedError']


@pytest.mark.parametrize("body", BODIES)
def test_stub_is_not_attempted(tmp_path, body):
    source = f"import numpy as np\n\ndef softmax(scores):\n    {body}\n"
    submission = opened(folder(tmp_path / "work", {"softmax.py": source.encode()}))
    assert submission.faults["softmax"].verdict == "not_attempted"


DEFINITIONS = [
    "def softmax(x): return x",
    "async def softmax(x): return x",
    "softmax = lambda x: x",
    "a = softmax = print",
    "softmax, other = print, print",
    "softmax: object = print",
    "from helpers import softmax",
    "from helpers import stable as softmax",
    "try:\n    from fast import softmax\nexcept ImportError:\n    def softmax(x): return x",
    "try:\n    import fast\nexcept ImportError:\n    def softmax(x): return x",
    "if True:\n    def softmax(x): return x",
    "if False:\n    pass\nelse:\n    def softmax(x): return x",
    "if True:\n    def softmax(x): return x\nelse:\n    def softmax(x): pass",
    "with open('x'):\n    def softmax(x): return x",
    "def softmax(x): pass\ndef softmax(x): return x",
    "def softmax(x): pass\nsoftmax = abs",
]


@pytest.mark.parametrize("source", DEFINITIONS)
def test_definitions(tmp_path, source):
    files = {"softmax.py": source.encode(), "helpers.py": b"softmax = stable = print"}
    assert opened(folder(tmp_path / "work", files)).places["softmax"] == "softmax.py"


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("class A:\n    def softmax(self): return 1", "missing"),
        ("def f():\n    def softmax(x): return x", "missing"),
        ("x = 'def softmax(x): return x'", "missing"),
        ("", "missing"),
        ("def softmax(x): return x\ndef softmax(x): pass", "not_attempted"),
    ],
)
def test_no_definition(tmp_path, source, verdict):
    submission = opened(folder(tmp_path / "work", {"softmax.py": source.encode()}))
    assert submission.faults["softmax"].verdict == verdict


@pytest.mark.parametrize("name", ["test_softmax.py", "test_public.py", "conftest.py"])
def test_test_files_never_count(tmp_path, name):
    submission = opened(folder(tmp_path / "work", {name: WORK["softmax.py"]}))
    assert submission.faults["softmax"].verdict == "missing"


REAL, STUB, BROKEN = WORK["softmax.py"], STUBS["softmax.py"], b"def softmax(:\n"


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"softmax.py": REAL, "a.py": REAL}, "softmax.py"),
        ({"softmax.py": STUB, "b.py": REAL, "a.py": REAL}, "a.py"),
        ({"softmax.py": BROKEN, "a.py": REAL}, "a.py"),
        ({"softmax.py": b"x = 1", "z.py": REAL}, "z.py"),
        ({"B.py": REAL, "a.py": REAL}, "a.py"),
        ({"softmax.py": STUB, "a.py": STUB, "b.py": REAL}, "b.py"),
        ({"softmax.py": b"from a import softmax", "a.py": REAL}, "softmax.py"),
        ({"attention.py": b"from softmax import softmax", "softmax.py": REAL}, "softmax.py"),
        ({"attention.py": b"from softmax import softmax", "z.py": REAL}, "z.py"),
        ({"template/softmax.py": STUB, "mine/softmax.py": REAL}, "mine/softmax.py"),
    ],
)
def test_order_of_the_search(tmp_path, files, place):
    assert opened(folder(tmp_path / "work", files)).places["softmax"] == place


def test_a_broken_file_says_so_before_a_stub_elsewhere(tmp_path):
    files = {"softmax.py": BROKEN, "template/softmax.py": STUB}
    submission = opened(folder(tmp_path / "work", files))
    assert submission.faults["softmax"].verdict == "syntax_error"


# --- any names, any bytes --------------------------------------------------------------------

SOURCES = st.one_of(
    st.binary(max_size=50), st.sampled_from([*WORK.values(), *STUBS.values(), b"("])
)
PARTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(["..", ".", "", "/", "\\", "C:", "a", "softmax", "a.py", "COM1", "é" * 80]),
)
NAMES = st.lists(PARTS, min_size=1, max_size=5).map("/".join)
SUFFIXES = st.sampled_from([".py", ".PY", ".zip", "", ".py/"])


def written_below(submission: Submission) -> None:
    """Writes it as the sandbox does; nothing may lie outside the folder."""
    with tempfile.TemporaryDirectory() as place:
        target = Path(place).resolve() / "deep" / "er"
        target.parent.mkdir()
        submission.write(target)
        files = [path for path in Path(place).resolve().rglob("*") if path.is_file()]
        assert len(files) == len(submission.files)
        assert all(path.is_relative_to(target) for path in files)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.tuples(NAMES, SUFFIXES).map("".join), SOURCES, max_size=6))
def test_any_zip_opens_and_stays_in_its_folder(files):
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as room:
        submission = opened(zip_file(Path(place) / "work.zip", files))
        find(Path(place), ASSIGNMENT, Path(room))
    written_below(submission)


HARD_NAMES = {
    "no name": [""],
    "a file and a folder": ["a.py", "a.py/b.py"],
    "many bytes": ["\U0001f600" * 80 + ".py"],
    "deep": ["/".join(["a" * 60] * 80) + "/b.py", "c.py"],
    "alike once plain": ["a\n.py", "a\r.py", "a_.py"],
    "long and alike": ["a" * 90 + ".py", "a" * 91 + ".py"],
}


@pytest.mark.parametrize("names", HARD_NAMES.values(), ids=list(HARD_NAMES))
def test_names_that_no_disk_takes(tmp_path, names):
    submission = opened(zip_file(tmp_path / "work.zip", dict.fromkeys(names, b"")))
    try:
        written_below(submission)
    except OSError as error:
        pytest.fail(f"cannot be written: {error.strerror}")


FILE_NAMES = st.binary(min_size=1, max_size=60).filter(
    lambda name: not {*b"/\0"} & {*name} and name not in (b".", b"..")
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(FILE_NAMES, SOURCES, max_size=5), st.sampled_from([b"", b".py", b".PY"]))
def test_any_folder_opens_and_stays_in_its_folder(files, suffix):
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as room:
        for name, source in files.items():
            with open(os.path.join(os.fsencode(place), name + suffix), "wb") as file:
                file.write(source)
        submission = opened(Path(place))
        find(Path(place), ASSIGNMENT, Path(room))
    written_below(submission)
    assert all(fault.words.isprintable() for fault in submission.faults.values())


METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
VALID = [zipped({**WORK, "in.zip": zipped(WORK)}, method) for method in METHODS]
CHANGES = st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=8)


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(VALID), CHANGES)
def test_any_damaged_zip_opens(content, changes):
    damaged = bytearray(content)
    for position, value in changes:
        damaged[position % len(damaged)] = value
    with tempfile.TemporaryDirectory() as place:
        submission = opened(raw_zip(damaged)(Path(place)))
    written_below(submission)
