"""Regenerating and the gate, as an instructor meets them; all on copies of the checkout."""

import datetime
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

pytest.importorskip("torch", reason="the kernel's values come from torch")

from autograder.authoring import regenerate as authoring
from autograder.authoring.dry_run import dry_run
from autograder.authoring.matrix import show_verification, write_page
from autograder.authoring.mutants import mutants, random_arguments
from autograder.authoring.verify import Check, Column, Row, Verification
from autograder.kit.drawing import CHECKOUT
from tests.checkouts import autograder, copied, edit, status
from tests.goldens import CODE_POINTS, GOLDENS, POINTS, folder_of

DATA = "autograder/exercises"
PARTS = (*authoring.VERIFIED, ".gitignore")
OTHER_PYTHONS = ("3.10", "3.12", "3.13")


@pytest.fixture
def checkout(tmp_path):
    """A copy of what authoring reads, under git."""
    return copied(tmp_path, *PARTS)


# --- drawing ---------------------------------------------------------------------------------


def test_the_public_seed_gives_the_files_that_are_here():
    for path, text in authoring.draw_all("0").items():
        assert (CHECKOUT / path).read_text(encoding="utf-8") == text, path


@pytest.mark.slow
def test_ten_seeds_give_ten_keys_and_ten_sets_of_inputs():
    draws = [authoring.draw_all(str(seed)) for seed in range(10)]
    for name in ("exam/key", "softmax/cases", "attention/cases", "fused_kernel/cases"):
        assert len({draw[f"{DATA}/{name}.json"] for draw in draws}) == 10, name


def test_handouts_do_not_depend_on_the_key(monkeypatch):
    """Every answer, explanation and misconception replaced by a dummy: the same two files."""
    from dataclasses import replace

    real = authoring.draw_exam

    def without_key(rng, own):
        return tuple(
            replace(
                question,
                answer="x",
                accepted=(),
                explanation="x",
                options=tuple(replace(option, misconception="x") for option in question.options),
            )
            for question in real(rng, own)
        )

    before = authoring.draw_all("7")
    monkeypatch.setattr(authoring, "draw_exam", without_key)
    after = authoring.draw_all("7")
    for path in ("assignments/exam.md", "student_template/exam.toml"):
        assert before[path] == after[path]
    assert before[f"{DATA}/exam/key.json"] != after[f"{DATA}/exam/key.json"]


# Everything but the kernel's values; the kernel is not installed on the other Pythons.
DRAW = """
import hashlib, sys
import autograder.exercises.fused_kernel.kernel
sys.modules["torch"] = None
from autograder.authoring import exam_sheets
from autograder.authoring.regenerate import room
from autograder.exercises.exam.bank import draw_exam
from autograder.manifest import load_manifest
import json, random
code = [one for one in load_manifest().exercises if one.function and one.name != "fused_kernel"]
for seed in ("0", "1", "term"):
    rng = lambda part: random.Random(f"{seed}/{part}")
    drawn = [
        *(room(exercise, rng, seed == "0") for exercise in code),
        exam_sheets.key(draw_exam(rng("exam"))), exam_sheets.sheet(draw_exam(rng("exam"))),
    ]
    print(hashlib.sha256(json.dumps(drawn, sort_keys=True).encode()).hexdigest())
"""


EVERYTHING = """
import hashlib
from autograder.authoring.regenerate import draw_all
for seed in ("0", "1", "term"):
    print(hashlib.sha256(repr(sorted(draw_all(seed).items())).encode()).hexdigest())
"""


def digests(python, program, **env):
    done = subprocess.run(
        [python, "-c", program],
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), **env},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_same_bytes_whatever_the_number_of_threads():
    one, two = (
        digests(sys.executable, EVERYTHING, OPENBLAS_NUM_THREADS=n, OMP_NUM_THREADS=n)
        for n in ("1", "2")
    )
    assert one == two


def find_python(version):
    """A Python of this version that runs, on the path or among pyenv's; skips without one."""
    pyenv = Path.home() / ".pyenv" / "versions"
    found = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python3"))]
    for python in filter(None, found):
        if subprocess.run([python, "-c", ""], capture_output=True).returncode == 0:
            return python
    pytest.skip(f"Python {version} is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("version", OTHER_PYTHONS)
def test_the_same_bytes_on_another_python(version, tmp_path):
    python = find_python(version)
    subprocess.run([python, "-m", "venv", tmp_path], check=True)
    other = tmp_path / "bin" / "python"
    needs = ["numpy>=2", "pytest>=8.4", "click", "rich", "jinja2", "tomli"]
    subprocess.run([other, "-m", "pip", "install", "--quiet", *needs], check=True)
    assert digests(other, DRAW) == digests(sys.executable, DRAW)


@pytest.mark.slow
def test_regenerating_the_public_seed_changes_nothing(checkout):
    for seed in ("0", "1", "0"):
        done = autograder(checkout, "regenerate", "--seed", seed)
        assert done.returncode == 0, done.stdout + done.stderr
        assert bool(status(checkout)) == (seed == "1")


@pytest.mark.slow
def test_secret_draws_differ_and_their_seed_is_in_no_file(checkout):
    keys = []
    for _ in range(2):
        done = autograder(checkout, "regenerate")
        assert done.returncode == 0, done.stdout + done.stderr
        seed = (checkout / authoring.SECRET.name).read_text().strip()
        keys.append((checkout / DATA / "exam" / "key.json").read_text())
        files = [path for path in checkout.rglob("*") if path.is_file()]
        holders = [path.name for path in files if seed.encode() in path.read_bytes()]
        assert holders == [authoring.SECRET.name]
        assert authoring.SECRET.name not in status(checkout)
    assert keys[0] != keys[1]


@pytest.mark.slow
def test_a_refused_draw_changes_nothing(checkout):
    # A template that is solved breaks the gate and none of the draws.
    solved = "import numpy; return numpy.triu(numpy.ones((n, n), bool), 1)  #"
    edit(checkout / "student_template/causal_mask.py", "raise NotImplementedError", solved)
    before = status(checkout)
    done = autograder(checkout, "regenerate", "--seed", "5")
    assert done.returncode == 1
    assert "the old one stays" in done.stderr
    assert status(checkout) == before


def test_outside_a_checkout_authoring_says_so(tmp_path):
    shutil.copytree(CHECKOUT / "autograder", tmp_path / "autograder")
    for command in ("verify", "regenerate"):
        done = autograder(tmp_path, command)
        assert done.returncode == 1
        assert "in a checkout only" in done.stderr + done.stdout
        assert "Traceback" not in done.stderr


# --- the gate --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (
            "autograder/exercises/attention/test_attention.py",
            "assert head.in_order, ",
            "pass; ",
            "passes test_returns_output_then_weights",
        ),
        ("autograder/exercises/softmax/test_softmax.py", "def test_", "def test_(", "test_softmax"),
        ("solutions/softmax.py", "np.exp(", "np.exp2(", "fails solutions/"),
        (
            "student_template/causal_mask.py",
            "raise NotImplementedError",
            "import numpy; return numpy.triu(numpy.ones((n, n), bool), 1)  #",
            "of the untouched template",
        ),
    ],
    ids=["idle test", "syntax error", "broken solution", "solved template"],
)
def test_the_gate_names_what_is_wrong(checkout, file, old, new, words):
    edit(checkout / file, old, new)
    done = autograder(checkout, "verify")
    assert done.returncode == 1
    assert words in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_every_draw_judges_alike(checkout, seed):
    """The gate holds, and all wild submissions get the same score and the same name."""
    drawn = authoring.draw_all(str(seed))
    drawn[f"{DATA}/provenance.json"] = authoring.provenance(drawn, str(seed))
    authoring.write(checkout, drawn)
    done = autograder(checkout, "verify", "--json")
    assert done.returncode == 0, [c for c in json.loads(done.stdout)["checks"] if not c["holds"]]
    wild = [name for name in GOLDENS if GOLDENS[name].mistake or GOLDENS[name].kind == "right"]
    graded = json.loads(autograder(checkout, "grade", "--json", *map(folder_of, wild)).stdout)
    for name, report in zip(wild, graded, strict=True):
        code = sum(e["score"] for e in report["exercises"] if e["name"] in POINTS)
        assert code == GOLDENS[name].code, name
        assert report["misconceptions"] == GOLDENS[name].misconceptions, name


def a_verification():
    tests = [
        Column("attention", "attention", "test_a_b", "A is <b>."),
        Column("fused_kernel", "attention", "test_c", "C is d."),
        Column("positions", "positions", "test_e", "E is f."),
    ]
    rows = [
        Row("no_scaling", "attention", 3, {"test_a_b": 1, "test_c": 3}, "Your <hint>."),
        *(Row(f"mistake_{n}", "positions", 1, {"test_e": 1}, "Hint.") for n in range(9)),
    ]
    return Verification([Check("it <holds>"), Check("x", ["fault " * 30])], tests, rows)


def test_the_matrix_is_a_page_too(tmp_path):
    write_page(a_verification(), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for words in (
        "it &lt;holds&gt;",
        "<summary>no_scaling</summary><p>Your &lt;hint&gt;.</p>",
        '<th scope="colgroup" colspan="1">fused_kernel</th>',
        "A is &lt;b&gt;. <code>test_a_b</code>",
        '<td class="some">1</td>',
        '<td class="all">3</td>',
        "seed 0, the public demonstration",
        f"Checked on {datetime.date.today().isoformat()}",
    ):
        assert words in page, words


def test_the_matrix_is_readable_at_80_columns():
    out = io.StringIO()
    show_verification(a_verification(), Console(file=out, width=80))
    table, _, rest = out.getvalue().partition("The tests of attention")
    assert max(map(len, table.splitlines())) <= 80
    assert re.search(r"no_scaling +3 +1 \(1\), 2 *\n", table)
    assert "\u2026" not in table
    assert "   1 test_a_b\n\nThe tests of fused_kernel\n   2 test_c\n" in rest
    # A fault is one line, whatever its length: it can be searched for.
    assert "fault " * 29 + "fault" in rest


def test_mutants_differ_from_the_reference_and_are_killed():
    found = list(mutants("causal_mask"))
    assert len(found) > 3
    for mutant in found:
        assert dry_run({"causal_mask": mutant.version}).score < CODE_POINTS, mutant.diff


def test_random_arguments_reach_the_ends_of_the_contract():
    scores = [array for (array,) in random_arguments("softmax")]
    assert any((array == -float("inf")).any() for array in scores)
    assert any(abs(array[array > -float("inf")]).max() > 9000 for array in scores)
    assert any(array.dtype.kind == "i" for array in scores)
    assert {n for (n,) in random_arguments("causal_mask")} >= {1, 2, 30}
