"""Whole submissions at random: whatever is handed in gets a grade, in its time.

    .venv/bin/python -m tests.fuzz --minutes 30
    .venv/bin/python -m tests.fuzz --seed 7        # one round again

A submission is a folder, a zip, a zip within it, or one file, of names and contents that are partly
right and partly anything: code, sheets, notebooks. Each is looked at as a class too, judged, and
shown in every way. A failure is an exception, or a grade that took longer than its deadline; it is
made as small as hypothesis can and printed with the seed of its round.
"""

import argparse
import io
import json
import os
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning

from autograder.intake.classes import find
from autograder.intake.submission import open_submission
from autograder.judging.fairness import Start
from autograder.judging.grading import judge_with, warm_start
from autograder.judging.suites import Suites, with_suites
from autograder.manifest import load_manifest
from autograder.renderers.feedback import feedback
from autograder.renderers.gradescope import results
from tests.platform_runs import SOLUTIONS

MANIFEST = load_manifest()
ROUND = 40
# Beyond what a submission has: for the end of its last guest, and a machine that is busy.
SPARE_SECONDS = 15.0

RIGHT = {path.name: path.read_bytes() for path in sorted(SOLUTIONS.iterdir()) if path.is_file()}
RESULTS = [
    "x",
    "None",
    "np.float64(1)",
    "1j * np.ones((3, 3))",
    "np.ones((2,) * 20)",
    "np.zeros((0, 7))",
    "np.array([['a']])",
    "np.array([None, {}], dtype=object)",
    "{}",
    "{1: x, 2: x}",
    "[x, [x, [x]]]",
    "(x,) * 9",
    "np.full((3, 4), np.nan)",
    "np.full((4, 4), 1e308) * 10",
    "np.ones((3, 4)).view(np.recarray)",
    "np.ma.masked_all((3, 4))",
    "np.matrix([[1, 2]])",
    "iter(())",
    "10 ** 400",
    "True",
    "'\\ud800'",
    "type('T', (), {'__array__': lambda *a, **k: 1 / 0})()",
    "np.longdouble(1) * np.ones((3, 3))",
    "np.ones((2000, 2000), dtype=bool)",
    "__import__('os')._exit(3)",
    "exec('raise KeyError(chr(0xd800))')",
    "exec('raise SystemExit')",
    "open('/etc/passwd').read()",
]
HEADS = [
    b"",
    b"import numpy as np\n",
    b"from softmax import softmax\n",
    b"from . import softmax\n",
    b"import attention, softmax, causal_mask\n",
    b"get_ipython()\n%matplotlib inline\n",
    b"\xef\xbb\xbf",
    b"# coding: latin-1\n\xe9 = 1\n",
    b"# coding: utf-7\n",
    b"import random, code, types\n",
    b"\xff\xfe",
    b"\x00",
    b"class softmax: pass\n",
    b"raise RuntimeError('\\n\\x1b[31m')\n",
]


def function(name: str, result: str) -> bytes:
    return f"import numpy as np\ndef {name}(x, *rest, **named):\n    return {result}\n".encode()


def damaged(content: bytes, changes: list[tuple[int, int]]) -> bytes:
    changed = bytearray(content or b" ")
    for place, value in changes:
        changed[place % len(changed)] = value
    return bytes(changed)


def notebook(cells: list[str]) -> bytes:
    listed = [{"cell_type": "code", "source": cell, "outputs": []} for cell in cells]
    return json.dumps({"cells": listed, "nbformat": 4, "metadata": {}}).encode()


def zipped(files: dict[str, bytes], method: int) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, source in files.items():
            archive.writestr(zipfile.ZipInfo(name), source, method)
    return content.getvalue()


CHANGES = st.lists(st.tuples(st.integers(0, 100_000), st.integers(0, 255)), max_size=6)
TEXT = st.text(max_size=60)
FUNCTIONS = st.builds(function, st.sampled_from(MANIFEST.functions), st.sampled_from(RESULTS))
CODE = st.one_of(
    st.sampled_from([*RIGHT.values()]),
    st.builds(
        lambda head, parts: head + b"".join(parts), st.sampled_from(HEADS), st.lists(FUNCTIONS)
    ),
    st.builds(damaged, st.sampled_from([*RIGHT.values()]), CHANGES),
    st.binary(max_size=200),
)
QUESTION = st.one_of(st.sampled_from([f"q{n:02}" for n in range(1, 20)]), TEXT)
ANSWER = st.one_of(
    st.sampled_from(
        ['"b"', "b", "1/4", "1e999999", '"9**9"', "[[[", "{a=1}", "0x1F", "nan", "'''"]
    ),
    st.integers(-(10**30), 10**30).map(str),
    TEXT,
    st.text().map(json.dumps),
)
SHEETS = st.one_of(
    st.lists(
        st.tuples(QUESTION, st.sampled_from([" = ", "=", ": ", " "]), ANSWER), max_size=12
    ).map(lambda lines: "\n".join(map("".join, lines)).encode("utf-8", "surrogatepass")),
    st.builds(damaged, st.just(RIGHT["exam.toml"]), CHANGES),
    st.binary(max_size=80),
)
CELLS = st.one_of(
    CODE.map(lambda source: source.decode("utf-8", "replace")),
    st.sampled_from(["%%bash\nls", "!ls", "x = !ls", "%time f()", "answers = {'q01': 'b'}", "("]),
    TEXT,
)
NOTEBOOKS = st.one_of(
    st.lists(CELLS, max_size=6).map(notebook),
    st.builds(damaged, st.lists(CELLS, min_size=1, max_size=3).map(notebook), CHANGES),
    st.binary(max_size=80),
)
STEMS = st.one_of(
    st.sampled_from([*MANIFEST.file_names, "exam", "hw", "code", "numpy", "__init__", "conftest"]),
    st.sampled_from(
        ["Attention (1)", "softmax copy", "test_softmax", "doejane_1_2_softmax", "..", ""]
    ),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20),
)
FOLDERS = st.lists(
    st.sampled_from(["a", "hw 3", "src", "venv", "__MACOSX", "..", "C:", "a\\b", "é", "x" * 250]),
    max_size=3,
)


def path_of(folders: list[str], stem: str, suffix: str) -> str:
    return "/".join([*folders, stem + suffix])


def files_of(suffixes: list[str], contents: st.SearchStrategy[bytes]):
    paths = st.builds(path_of, FOLDERS, STEMS, st.sampled_from(suffixes))
    return st.dictionaries(paths, contents, max_size=5)


FILES = st.builds(
    lambda *parts: {name: content for part in parts for name, content in part.items()},
    files_of([".py", ".PY", ".py.txt", ""], CODE),
    files_of([".toml", ".txt"], SHEETS),
    files_of([".ipynb"], NOTEBOOKS),
)
METHODS = st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
ZIPS = st.builds(damaged, st.builds(zipped, FILES, METHODS), st.one_of(st.just([]), CHANGES))
SUBMISSIONS = st.one_of(
    FILES,
    ZIPS,
    st.builds(lambda files, inner: {**files, "hw.zip": inner}, FILES, ZIPS),
    st.builds(lambda inner: zipped({"hw.zip": inner}, zipfile.ZIP_DEFLATED), ZIPS),
)


def lay(place: Path, submission: dict[str, bytes] | bytes) -> Path:
    """Writes a submission below a folder, as far as a disk takes its names."""
    if isinstance(submission, bytes):
        path = place / "work.zip"
        path.write_bytes(submission)
        return path
    folder = place / "work"
    folder.mkdir()
    for name, content in submission.items():
        path = Path(os.path.normpath(folder / name.lstrip("/")))
        try:
            path.relative_to(folder)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except (OSError, ValueError):
            # Two names that cannot lie beside each other, or one that no disk takes.
            continue
    return folder


def check(submission: dict[str, bytes] | bytes, suites: Suites, start: Start) -> None:
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        place = Path(name)
        (place / "scratch").mkdir()
        path = lay(place, submission)
        find(path, MANIFEST, place / "scratch")
        began = time.monotonic()
        report = judge_with(suites, open_submission(path, MANIFEST), start).report
        seconds = time.monotonic() - began
    most = MANIFEST.limits.submission_seconds + SPARE_SECONDS
    assert seconds < most, f"{seconds:.0f} seconds"
    assert 0 <= report.score <= report.max_score
    json.dumps(report.as_json()).encode()
    json.dumps(results(report, "", {})).encode()
    feedback(report).encode()


def one_round(number: int, suites: Suites, start: Start) -> None:
    phases = (Phase.generate, Phase.target, Phase.shrink)
    options = settings(
        max_examples=ROUND,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=[*HealthCheck],
    )

    @seed(number)
    @options
    @given(SUBMISSIONS)
    def one_after_another(submission: dict[str, bytes] | bytes) -> None:
        try:
            check(submission, suites, start)
        except Exception as error:
            # Before it is made small, which takes minutes.
            print(f"seed {number}: {type(error).__name__}: {error}"[:2000], flush=True)
            raise

    one_after_another()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, help="this round alone")
    asked = parser.parse_args()
    # That a strategy is long to write down.
    warnings.simplefilter("ignore", HypothesisWarning)

    def rounds(suites: Suites) -> int:
        with warm_start() as start:
            if asked.seed is not None:
                one_round(asked.seed, suites, start)
                return 1
            until, number = time.monotonic() + 60 * asked.minutes, 0
            while time.monotonic() < until:
                print(f"seed {number}", flush=True)
                one_round(number, suites, start)
                number += 1
            return number

    print(f"{with_suites(rounds) * ROUND} submissions, each graded in its time.")


if __name__ == "__main__":
    main()
