"""The walk of a maintainer: each recipe of CONTRIBUTING.md by commands, in a clean copy.

Every walk ends with what was touched, and with what is green then.
"""

import json
import re
import shutil

import pytest

pytest.importorskip("torch", reason="the gate asks PyTorch")

from autograder.authoring import handouts
from autograder.authoring.regenerate import SHEETS
from autograder.kit.drawing import CHECKOUT
from autograder.manifest import load_manifest
from tests.checkouts import autograder, copied, edit, python, status, touched

ROOMS = "autograder/exercises"
MANIFEST = "autograder/manifest.toml"
# What a draw that is proved writes, whatever was changed.
PROVED = f"{ROOMS}/provenance.json"
TEMPLATE_README = "student_template/README.md"


@pytest.fixture
def clone(tmp_path):
    return copied(tmp_path / "clone")


def proved(clone, *how):
    """The draw is proved, and the gate alone says so again of what lies there then."""
    done = autograder(clone, "regenerate", *(how or ("--same-draw",)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILS" not in done.stdout


def green(clone, *arguments):
    done = python(clone, "-m", "pytest", "-p", "no:cacheprovider", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def goldens(clone):
    return {path for path in touched(clone) if path.startswith("tests/submissions/")}


def graded(clone, path="solutions"):
    return json.loads(autograder(clone, "grade", "--json", path).stdout)


def exercise(report, name):
    return next(one for one in [*report["exercises"], *report["bonus"]] if one["name"] == name)


# --- an exercise ------------------------------------------------------------------------------


def own_files(name):
    """What belongs to an exercise alone: its room, and its mirrored files for students."""
    return {
        f"assignments/bonus/{name}.md",
        f"solutions/{name}.py",
        f"student_template/{name}.py",
        f"student_template/public/check_{name}.py",
        *(f"{ROOMS}/{name}/{part}.py" for part in ("__init__", "contract", "draws")),
        f"{ROOMS}/{name}/misconceptions.py",
        f"{ROOMS}/{name}/test_{name}.py",
    }


def test_new_touches_the_manifest_and_nothing_of_another(clone):
    done = autograder(clone, "new", "centred_rows")
    assert done.returncode == 0, done.stderr
    assert touched(clone) == {MANIFEST, *own_files("centred_rows")}
    assert all(path in done.stdout for path in own_files("centred_rows") if "__init" not in path)
    text = (clone / MANIFEST).read_text()
    start = '[[exercise]]\nname = "centred_rows"\nfunction = "centred_rows"\npoints = 0\n'
    assert text.replace(f"\n{start}bonus = true\n", "") == (CHECKOUT / MANIFEST).read_text()
    done = autograder(clone, "grade", "solutions")
    assert done.returncode == 1
    assert f"{ROOMS}/centred_rows/cases.json is not there" in done.stderr
    assert "--same-draw" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_new_writes_is_formatted_typed_and_documented(clone):
    for name in ("ab", "a_name_of_24_letters_now"):
        assert autograder(clone, "new", name).returncode == 0
        files = [path for path in own_files(name) if path.endswith(".py")]
        for command in (["ruff", "check"], ["ruff", "format", "--check"]):
            done = python(clone, "-m", *command, *files)
            assert done.returncode == 0, done.stdout
    written = [part for part in files if ROOMS in part and "/test_" not in part]
    done = python(clone, "-m", "mypy", "--cache-dir", clone / "cache", *written)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Centred", "small letters"),
        ("two words", "small letters"),
        ("lambda", "small letters"),
        ("", "small letters"),
        ("../softmax", "small letters"),
        ("softmax", "an exercise already"),
        ("attend_next", "an exercise already, or the function of one"),
        ("random", "a module that Python or pytest knows"),
        ("test_it", "a module that Python or pytest knows"),
        ("points", "a word of the grader's own"),
        ("a" * 25, "longer than 24"),
    ],
)
def test_a_name_of_no_use_is_refused_in_a_sentence(name, words):
    """In this very checkout: nothing may be written."""
    before = (CHECKOUT / MANIFEST).read_bytes()
    done = autograder(CHECKOUT, "new", "--", name)
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.startswith("autograder: ")
    assert len(done.stderr.splitlines()) == 1
    assert (CHECKOUT / MANIFEST).read_bytes() == before


def test_nothing_is_overwritten_and_nothing_half_written(clone):
    kept = clone / "student_template" / "public" / "check_centred_rows.py"
    kept.write_text("mine\n")
    done = autograder(clone, "new", "centred_rows")
    assert done.returncode == 1
    assert "check_centred_rows.py is there already" in done.stderr
    kept.unlink()
    shutil.rmtree(clone / "assignments" / "bonus")
    (clone / "assignments" / "bonus").write_text("in the way\n")
    before = status(clone)
    done = autograder(clone, "new", "centred_rows")
    assert done.returncode == 1
    assert "assignments/bonus" in done.stderr
    assert "Traceback" not in done.stderr
    assert status(clone) == before


def test_outside_a_checkout_there_is_nothing_to_begin(tmp_path):
    shutil.copytree(CHECKOUT / "autograder", tmp_path / "autograder")
    done = autograder(tmp_path, "new", "centred_rows")
    assert done.returncode == 1
    assert "in a checkout only" in done.stderr


@pytest.mark.slow
def test_an_exercise(clone):
    assert autograder(clone, "new", "centred_rows").returncode == 0
    proved(clone)
    assert touched(clone) == {
        MANIFEST,
        PROVED,
        f"{ROOMS}/centred_rows/cases.json",
        *own_files("centred_rows"),
    }
    tests = exercise(graded(clone), "centred_rows")["tests"]
    assert [test["verdict"] for test in tests] == ["passed"] * 3
    report = graded(clone, "student_template")
    assert {one["verdict"] for one in exercise(report, "centred_rows")["tests"]} == {
        "not_attempted"
    }
    wrong = clone / "wrong"
    wrong.mkdir()
    (wrong / "centred_rows.py").write_text(
        "def centred_rows(X):\n    return X - X.mean(axis=1, keepdims=True)\n"
    )
    assert graded(clone, "wrong")["misconceptions"] == ["mean_of_each_row"]
    shutil.rmtree(wrong)
    green(clone, "tests/test_house.py", "tests/test_bonus.py", "tests/test_check.py")
    green(clone, "tests/test_handouts.py", "tests/test_hidden_tests.py", "tests/test_formats.py")


# --- points, tests, mistakes ------------------------------------------------------------------


@pytest.mark.slow
def test_points_of_a_test(clone):
    edit(clone / ROOMS / "softmax/test_softmax.py", "@points(4)", "@points(6)")
    done = autograder(clone, "grade", "solutions")
    assert "add up to 22 points, manifest.toml says 20" in done.stderr
    edit(clone / MANIFEST, "points = 20", "points = 22")
    edit(clone / ROOMS / "causal_mask/test_causal_mask.py", "@points(5)", "@points(3)")
    edit(clone / MANIFEST, "points = 10", "points = 8")
    proved(clone)
    # What students read is written from the manifest.
    assert touched(clone) == {
        f"{ROOMS}/softmax/test_softmax.py",
        f"{ROOMS}/causal_mask/test_causal_mask.py",
        MANIFEST,
        PROVED,
        TEMPLATE_README,
    }
    assert "| softmax | 22 | |\n| causal_mask | 8 | |\n" in (clone / TEMPLATE_README).read_text()
    assert graded(clone)["score"] == 100
    done = python(clone, "-m", "tests.renew", "clips-scores-50", "no-scaling")
    assert "2 graded, 1 changed" in done.stdout, done.stdout + done.stderr
    assert goldens(clone) == {"tests/submissions/wrong/clips-scores-50/expected.json"}
    green(clone, "tests/test_submissions.py", "-k", "clips-scores-50 or no-scaling")


@pytest.mark.slow
def test_a_hidden_test(clone):
    room = clone / ROOMS / "causal_mask"
    with (room / "test_causal_mask.py").open("a") as file:
        file.write(
            "\n\n@points(1)\ndef test_first_word_sees_itself_alone(student, case):\n"
            '    """The first word sees itself, and no other."""\n'
            "    mask = causal_mask(student, case.n)\n"
            '    assert mask[0].sum() == case.n - 1, "The first word sees another one."\n'
        )
    edit(room / "test_causal_mask.py", "@points(5)", "@points(4)")
    done = autograder(clone, "grade", "solutions")
    assert f"under its name in {ROOMS}/causal_mask/draws.py" in done.stderr
    assert "Traceback" not in done.stderr
    edit(
        room / "draws.py",
        '        "test_returns_booleans": [case("n4", n=4)],\n',
        '        "test_returns_booleans": [case("n4", n=4)],\n'
        '        "test_first_word_sees_itself_alone": [case("n6", n=6)],\n',
    )
    proved(clone)
    assert touched(clone) == {
        *(f"{ROOMS}/causal_mask/{name}" for name in ("test_causal_mask.py", "draws.py")),
        f"{ROOMS}/causal_mask/cases.json",
        PROVED,
    }
    done = python(clone, "-m", "tests.renew", "hides-diagonal")
    assert done.returncode == 0, done.stdout + done.stderr
    assert goldens(clone) == {"tests/submissions/wrong/hides-diagonal/expected.json"}
    green(
        clone, "tests/test_house.py", "tests/test_hidden_tests.py", "tests/test_misconceptions.py"
    )


@pytest.mark.slow
def test_a_misconception(clone):
    edit(
        clone / ROOMS / "causal_mask/misconceptions.py",
        "MISCONCEPTIONS = (\n    *PATTERNS,\n",
        "MISCONCEPTIONS = (\n    *PATTERNS,\n    Misconception(\n"
        '        "row_counted_twice",\n        BORDER,\n'
        '        "Your border falls half as fast as it should: row i ends at column i.",\n'
        '        "mask",\n        ways(where(lambda i, j, n: j > 2 * i)),\n    ),\n',
    )
    folder = clone / "tests/submissions/wrong/doubles-the-row"
    shutil.copytree(clone / "tests/submissions/wrong/hides-diagonal", folder)
    (folder / "causal_mask.py").write_text(
        "import numpy as np\n\n\ndef causal_mask(n):\n    mask = np.zeros((n, n), bool)\n"
        "    for i in range(n):\n        mask[i, 2 * i + 1 :] = True\n    return mask\n"
    )
    (folder / "expected.json").write_text(
        json.dumps({"kind": "wrong", "why": "2 * i for i", "mistake": "row_counted_twice"})
    )
    done = python(clone, "-m", "tests.renew", "doubles-the-row")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((folder / "expected.json").read_text())["misconceptions"] == [
        "row_counted_twice"
    ]
    proved(clone)
    # Neither suite nor data has changed: nothing is drawn, and nobody else's grade is another.
    assert {path for path in touched(clone) if "doubles-the-row" not in path} == {
        f"{ROOMS}/causal_mask/misconceptions.py"
    }
    green(clone, "tests/test_submissions.py", "-k", "doubles or every_folder or hides")
    green(clone, "tests/test_misconceptions.py")


# --- a question, a rule of the exam -----------------------------------------------------------


@pytest.mark.slow
def test_a_question(clone):
    module = clone / ROOMS / "exam/module1.py"
    module.write_text(
        module.read_text()
        + """

def equal_shares(rng: random.Random) -> Question:
    words = rng.randint(3, 9)
    return number(
        module=1,
        title="Equal scores",
        section="assignments/modules.md, Blending by similarity",
        wording=f"A sentence has {words} words, and all scores of a row are equal. "
        "Which weight does each word get?",
        form=FRACTION,
        answer=Fraction(1, words),
        near={"weights_need_not_sum_to_1": Fraction(1)},
        explanation=f"The {words} weights are equal and sum to 1.",
    )
"""
    )
    bank = clone / ROOMS / "exam/bank.py"
    edit(bank, "    module1.word_order,\n", "    module1.word_order,\n    module1.equal_shares,\n")
    proved(clone, "--seed", "0")
    assert touched(clone) == {
        *(f"{ROOMS}/exam/{name}" for name in ("module1.py", "bank.py", "key.json")),
        *SHEETS,
        PROVED,
        "student_template/attention.ipynb",
        TEMPLATE_README,
    }
    # 13 of 18 passed; of 19, 13 are 68 of 100.
    assert "14 of the 19 questions pass" in " ".join((clone / TEMPLATE_README).read_text().split())
    assert (clone / "assignments/exam.md").read_text().startswith("# The exam\n\n19 questions")
    # A student's public checks take ids and forms from the blank sheet.
    check = python(clone / "student_template", "check.py")
    assert "exam          0 of 19 answered" in check.stdout
    shutil.copy(clone / "solutions/exam.toml", clone / "student_template")
    green(clone / "student_template", "test_public.py", "-k", "exam")
    check = python(clone / "student_template", "check.py")
    assert "exam          19 of 19 answered" in check.stdout
    assert graded(clone)["exam"]["right"] == 19


def test_pages_say_what_the_manifest_does(monkeypatch):
    assert list(handouts.otherwise()) == []
    text = (CHECKOUT / TEMPLATE_README).read_text(encoding="utf-8")
    sheet = (CHECKOUT / "assignments/exam.md").read_text(encoding="utf-8")
    for page, old, new in (
        (text, "| attention | 30 |", "| attention | 35 |"),
        (text, "| causal_mask | 10 | |\n", ""),
        (text, "70 of its own 100 pass", "60 of its own 100 pass"),
        (text, "13 of the 18 questions pass", "9 of the 18 questions pass"),
        (text, "0 of 18 answered", "0 of 20 answered"),
        (sheet, "70 of 100 pass", "80 of 100 pass"),
        (sheet, "the first 3\ndifferent", "the first 5\ndifferent"),
        (sheet, "one of the 3:", "one of the 4:"),
    ):
        assert old in page
        assert handouts.as_decided(page) == page
        assert handouts.as_decided(page.replace(old, new)) == page


@pytest.mark.slow
def test_the_rules_of_the_exam(clone):
    edit(clone / MANIFEST, "threshold = 70", "threshold = 60")
    edit(clone / MANIFEST, "attempts = 3", "attempts = 2")
    done = autograder(clone, "verify")
    assert done.returncode == 1
    assert "FAILS  the pages say what manifest.toml does" in done.stdout
    assert "assignments/exam.md says otherwise than manifest.toml:" in done.stdout
    proved(clone)
    assert touched(clone) == {
        MANIFEST,
        PROVED,
        TEMPLATE_README,
        "assignments/exam.md",
        "assignments/exam.html",
    }
    assert "11 of the 18 questions pass" in " ".join((clone / TEMPLATE_README).read_text().split())
    assert "60 of 100 pass" in (clone / "assignments/exam.md").read_text()


# --- a renderer -------------------------------------------------------------------------------


def test_a_renderer(clone):
    (clone / "autograder/renderers/one_line.py").write_text(
        '"""Report -> one line."""\n\nfrom autograder.report import Report\n\n\n'
        "def one_line(report: Report) -> str:\n"
        '    """A name and a score."""\n'
        '    return f"{report.submission} has {report.score:g}"\n'
    )
    edit(
        clone / "autograder/cli.py",
        "            show_report(report, console)\n",
        "            show_report(report, console)\n            click.echo(one_line(report))\n",
    )
    edit(
        clone / "autograder/cli.py",
        "from autograder.report import",
        "from autograder.renderers.one_line import one_line\nfrom autograder.report import",
    )
    assert touched(clone) == {"autograder/renderers/one_line.py", "autograder/cli.py"}
    assert "solutions has 100" in autograder(clone, "grade", "solutions").stdout
    green(clone, "tests/test_house.py", "-k", "one_line or cli")
    for command in (["ruff", "check"], ["ruff", "format", "--check"]):
        assert python(clone, "-m", *command, "autograder").returncode == 0


# --- what is wrong with a room, in a sentence --------------------------------------------------


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (
            lambda clone: shutil.rmtree(clone / ROOMS / "positions"),
            f"manifest.toml lists positions, and {ROOMS}/positions/test_positions.py is not there",
        ),
        (
            lambda clone: shutil.copytree(clone / ROOMS / "price", clone / ROOMS / "prize"),
            "autograder/exercises/prize/test_price.py should be called test_prize.py",
        ),
        (
            lambda clone: edit(clone / ROOMS / "price/contract.py", "CONTRACT =", "CONTRACTS ="),
            f"{ROOMS}/price/contract.py has no CONTRACT of price",
        ),
        (
            lambda clone: (clone / ROOMS / "price/cases.json").write_text("{"),
            f"{ROOMS}/price/cases.json is not JSON",
        ),
        (
            lambda clone: edit(
                clone / ROOMS / "price/test_price.py",
                "def test_whole_numbers_come_back",
                "def test_position_0_alternates_0_and_1",
            ),
            f"under its name in {ROOMS}/price/draws.py",
        ),
        (
            lambda clone: edit(clone / ROOMS / "price/contract.py", "Example((3, 4, 2, 1)), ", ""),
            "has other examples than its cases.json",
        ),
        (
            lambda clone: edit(clone / MANIFEST, "points = 20", "point = 20"),
            "manifest.toml says 'point'",
        ),
    ],
)
def test_grading_names_the_file_to_edit(clone, break_it, words):
    break_it(clone)
    done = autograder(clone, "grade", "solutions")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("price/draws.py", "kit.drawing", "kit.drawin", r"draws\.py, line \d+: No module named"),
        ("price/draws.py", "import random", "import random(", r"draws\.py, line \d+: invalid"),
        ("price/draws.py", "import random", "import rndom", r"line 3: No module named 'rndom'"),
        ("price/draws.py", "def cases", "def case_s", r"price/draws\.py has no cases\."),
    ],
)
def test_authoring_tells_a_typo_as_what_it_is(clone, file, old, new, words):
    edit(clone / ROOMS / file, old, new)
    done = autograder(clone, "regenerate", "--seed", "0")
    assert done.returncode == 1
    assert re.search(words, done.stderr), done.stderr
    assert "checkout only" not in done.stderr
    assert "installs it" not in done.stderr
    assert "Traceback" not in done.stderr


def test_every_exercise_has_the_files_that_new_would_write():
    """The rooms that are here, so that `new` is no house of its own."""
    for one in load_manifest().exercises:
        if one.bonus:
            assert all((CHECKOUT / path).is_file() for path in own_files(one.name)), one.name
