"""The students' own check.py: what it says is true, useful, and the same as the grade."""

import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from functools import cache
from pathlib import Path

import pytest

from autograder.exam import scoring
from autograder.judging.grading import grade
from autograder.manifest import load_manifest
from tests.written_answers import ANSWERS, KEY

CHECKOUT = Path(__file__).parent.parent
TEMPLATE, SOLUTIONS = CHECKOUT / "student_template", CHECKOUT / "solutions"
EXPECTED = {
    path.parent: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((CHECKOUT / "tests" / "submissions").rglob("expected.json"))
}
KINDS = ("right", "wrong", "borderline", "incomplete")
POINTS = {exercise.name: exercise.points for exercise in load_manifest().exercises}
MIRRORED = sorted(path.stem.removeprefix("check_") for path in TEMPLATE.glob("public/check_*.py"))
# As a student runs it: CI makes pytest print its summary without cutting lines short.
QUIET = {
    **{name: value for name, value in os.environ.items() if name not in ("CI", "BUILD_NUMBER")},
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONIOENCODING": "utf-8",
}
# A student's pytest has no plugins.
PLAIN = {**QUIET, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@cache
def surveyed():
    """What check.py says of every submission of these kinds, by its folder's name."""
    folders = [str(folder) for folder, expected in EXPECTED.items() if expected["kind"] in KINDS]
    command = [sys.executable, CHECKOUT / "tests" / "public_checks.py", *folders]
    done = subprocess.run(command, check=True, capture_output=True, env=QUIET)
    return {found["name"]: found for found in map(json.loads, done.stdout.splitlines())}


def of_kind(*kinds):
    """The (name, exercises that lose points, what check.py says) of submissions."""
    for folder, expected in EXPECTED.items():
        if expected["kind"] in kinds:
            earned = expected.get("exercises", {})
            lost = [name for name in MIRRORED if earned.get(name, POINTS[name]) < POINTS[name]]
            yield folder.name, lost, surveyed()[folder.name]


@pytest.mark.slow
def test_no_right_submission_is_told_of_a_fault():
    told = {name: found["words"] for name, _, found in of_kind("right") if found["failed"]}
    assert len([*of_kind("right")]) >= 50
    assert told == {}


@pytest.mark.slow
def test_what_is_told_is_true():
    """The first check that fails is of an exercise that loses points in the grade."""
    for name, lost, found in of_kind(*KINDS):
        if found["failed"]:
            assert found["failed"][0] in ["", *lost], name
            assert lost, name


@pytest.mark.slow
def test_most_wrong_submissions_are_told_something():
    wrong = [(name, found["words"]) for name, lost, found in of_kind("wrong") if lost]
    silent = [name for name, words in wrong if not words]
    assert len(wrong) >= 40
    assert len(silent) <= 0.15 * len(wrong), silent


# --- what a student sees ----------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """A student's folder before anything is written."""
    ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache")
    shutil.copytree(CHECKOUT / "assignments", tmp_path / "mine" / "assignments")
    return Path(shutil.copytree(TEMPLATE, tmp_path / "mine", ignore=ignored, dirs_exist_ok=True))


@pytest.fixture
def solved(folder):
    for path in SOLUTIONS.glob("*.py"):
        shutil.copy(path, folder)
    return folder


def run(folder, *options, script="check.py"):
    command = [sys.executable, folder / script, *options]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=QUIET)
    assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    return done


def test_the_stubs(folder):
    done = run(folder)
    assert done.returncode == 1
    assert "softmax is not written yet: open softmax.py." in done.stdout
    assert "assignments/softmax.md" in done.stdout


def test_the_solutions(solved):
    done = run(solved)
    assert done.returncode == 0, done.stdout
    assert "All of these hold" in done.stdout


def test_no_part_of_the_grader_is_needed(solved):
    text = "".join(path.read_text(encoding="utf-8") for path in TEMPLATE.rglob("*.py"))
    assert "autograder" not in text


def test_a_wrong_table_is_shown_beside_the_right_one(solved):
    wrong = (solved / "softmax.py").read_text().replace("axis=1", "axis=0")
    (solved / "softmax.py").write_text(wrong)
    said = run(solved).stdout
    assert "row 0 sums to" in said
    assert "(Your columns do sum to 1.)" in said
    (solved / "softmax.py").write_text((SOLUTIONS / "softmax.py").read_text())
    wrong = (solved / "attention.py").read_text().replace(" / np.sqrt(d_k)", "")
    (solved / "attention.py").write_text(wrong)
    lines = run(solved).stdout.splitlines()
    heading = next(line for line in lines if line.split() == ["yours", "expected"])
    rows = lines[lines.index(heading) + 1 :]
    assert rows[0].split() == ["0.119*", "0.881*", "0.269", "0.731"]
    assert rows[1].split() == ["0.500", "0.500", "0.500", "0.500"]


@pytest.mark.parametrize(
    ("file", "source", "words"),
    [
        ("softmax.py", "def softmax(scores)\n    pass\n", "softmax.py, line 1: SyntaxError"),
        ("softmax.py", "import scipy.special as own\nown\n", "softmax.py, line 1: imports scipy"),
        ("softmax.py", "def softmax(scores):\n    return scores / 0 + x\n", "line 2: NameError"),
        ("softmax.py", "def softmax(scores):\n    scores * 2\n", "Is there a return at the end?"),
        ("softmax.py", "def softmaks(scores):\n    return 1\n", "no function called softmax"),
        ("softmax.py", None, "softmax.py is missing"),
        ("numpy.py", "", "numpy.py hides another module"),
        ("random.py", "", "random.py hides another module"),
        ("softmax.py", "raise SystemExit\n", "no function called softmax"),
        ("softmax.py", "softmax = abs\nexit()\n", "SystemExit"),
    ],
)
def test_faults_in_words(solved, file, source, words):
    if source is None:
        (solved / file).unlink()
    else:
        (solved / file).write_text(source)
    assert words in run(solved).stdout


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_other_encodings_are_read_as_in_the_grade(solved, encoding):
    for path in [*SOLUTIONS.glob("*.py"), SOLUTIONS / "exam.toml"]:
        text = path.read_text(encoding="utf-8")
        note = "# \u00fc\n" if path.suffix == ".py" else ""
        chosen = "utf-8" if path.suffix == ".toml" and encoding == "cp1252" else encoding
        (solved / path.name).write_text(note + text, encoding=chosen)
    done = run(solved)
    assert done.returncode == 0, done.stdout
    assert "18 of 18 answered" in done.stdout


def test_the_first_cause_is_said_once(folder):
    """pytest fails once for each cause, and skips what fails for the same one."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_public.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=PLAIN)
    assert "3 failed" in done.stdout
    assert done.stdout.count("softmax is not written yet: open softmax.py.") == 1
    assert "Traceback" not in done.stdout


def test_pytest_passes_for_the_solutions(solved):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=solved, capture_output=True, text=True, env=PLAIN)
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout


def test_test_public_as_a_script(folder):
    assert run(folder, script="test_public.py").stdout == run(folder).stdout


def test_checks_of_another_exercise_are_found(solved):
    (solved / "public" / "check_price.py").write_text(
        "from check import Wrong, ask\n"
        "NUMBER = 1\n"
        "BONUS = True\n"
        "def check_price_is_three():\n"
        '    """price: three comes back."""\n'
        '    if ask("price") != 3:\n'
        '        raise Wrong("not three")\n'
    )
    (solved / "price.py").write_text("def price():\n    raise NotImplementedError\n")
    done = run(solved)
    assert done.returncode == 0
    assert "price         not written yet" in done.stdout
    (solved / "price.py").write_text("def price():\n    return 4\n")
    done = run(solved)
    assert done.returncode == 1
    assert "First: price: three comes back.\n\nnot three" in done.stdout


# --- the options ------------------------------------------------------------------------------


def test_zip(folder):
    shutil.copy(SOLUTIONS / "softmax.py", folder)
    (folder / "helper.py").write_text("x = 1\n")
    answered = [
        line for line in (SOLUTIONS / "exam.toml").read_text().splitlines() if line[:1] == "q"
    ]
    blank = [line for line in (TEMPLATE / "exam.toml").read_text().splitlines() if line[:1] == "q"]
    (folder / "exam.toml").write_text("\n".join(answered[:12] + blank[12:]) + "\n")
    said = run(folder, "--zip").stdout
    with zipfile.ZipFile(folder / "submission.zip") as archive:
        names = {*archive.namelist()}
    assert names == {path.name for path in SOLUTIONS.glob("*.py")} | {"exam.toml", "helper.py"}
    # A bonus exercise that is not begun is nothing that is missing.
    assert "multi_head:" not in said
    assert "causal_mask: causal_mask is not written yet" in said
    assert "softmax:" not in said
    assert "12 of 18 answered; still blank: q13, q14, q15, q16, q17, q18" in said


def test_zip_of_a_sheet_that_is_not_there(solved):
    (solved / "exam.toml").unlink()
    assert "exam.toml is missing" in run(solved, "--zip").stdout


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_plot_without_matplotlib(solved, encoding):
    (solved / "matplotlib.py").write_text("raise ImportError\n")
    blocked = {**QUIET, "PYTHONPATH": str(solved), "PYTHONIOENCODING": encoding}
    command = [sys.executable, solved / "check.py", "--plot"]
    done = subprocess.run(command, capture_output=True, text=True, encoding=encoding, env=blocked)
    lines = done.stdout.splitlines()
    assert "masked: yours" in lines
    bank = [line.split()[::2][1:] for line in lines if line.startswith("bank")]
    assert not (solved / "weights.png").exists()
    assert ["".join(row) for row in bank]
    assert lines[-1].startswith("bank    0.159")


def test_plot_with_matplotlib(solved):
    pytest.importorskip("matplotlib")
    assert "weights.png" in run(solved, "--plot").stdout
    assert (solved / "weights.png").read_bytes().startswith(b"\x89PNG")


def test_watch_runs_again_within_a_second_of_a_save(folder, tmp_path):
    log = tmp_path / "log"
    with log.open("w") as out:
        command = [sys.executable, folder / "check.py", "--watch"]
        process = subprocess.Popen(command, stdout=out, stderr=out, env=QUIET)
    try:
        wait_for(log, "softmax is not written yet", seconds=30)
        # An endless loop does not keep the next version waiting.
        (folder / "softmax.py").write_text("while True:\n    pass\n")
        time.sleep(1)
        shutil.copyfile(SOLUTIONS / "softmax.py", folder / "softmax.py")
        saved, runs = time.monotonic(), log.read_text().count("----\n")
        while log.read_text().count("----\n") == runs:
            assert time.monotonic() - saved < 1
            time.sleep(0.05)
        wait_for(log, "causal_mask is not written yet", seconds=30)
    finally:
        process.kill()
        process.wait()


def wait_for(log, words, seconds):
    end = time.monotonic() + seconds
    while words not in log.read_text():
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)


# --- the form of the exam's answers -----------------------------------------------------------


@pytest.mark.parametrize("kind", KEY)
@pytest.mark.parametrize("answer", ANSWERS)
def test_the_form_that_counts_is_the_grader_s(kind, answer):
    sys.path.insert(0, str(TEMPLATE))
    try:
        import check
    finally:
        sys.path.pop(0)
    fine = not [*scoring.malformed(scoring.Answers({"q01": answer}, ()), [KEY[kind]])]
    assert not answer or check.has_form(f"a {kind}", answer) == fine


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['q01 = "12"'], None),
        (["q1 = 12"], None),
        (["Q01: 12"], None),
        (["[answers]", 'q01 = "12"'], None),
        (["[exam.answers]", "q01 = 1/4"], None),
        (["q05 = lake"], "q05 wants one of boat, bridge, money, stone"),
        (["q05 = The Boat"], None),
        (["q08 = 1/3"], "q08 wants a whole number"),
        (["q08 = 6/2"], None),
        (['q03 = "b)"'], None),
        (['q03 = "f"'], "one of the letters"),
        (['q01 = "many"'], "q01 wants a number"),
        (['q77 = "a"'], "q77 is no question"),
        (["what is this"], "line 1 cannot be read"),
    ],
)
def test_the_sheet_is_read_as_the_grader_reads_it(folder, lines, words):
    sheet = "\n".join(lines) + "\n"
    (folder / "exam.toml").write_text(sheet)
    said = run(folder, "--zip").stdout
    problems = [line for line in said.splitlines() if line.startswith("  exam:")][1:]
    assert (problems == []) == (words is None), said
    assert (words or "") in said
    ids = [f"q{number:02d}" for number in range(1, 19)]
    assert bool(scoring.read_answers(sheet.encode(), ids).problems) == (
        words is not None and "wants" not in words and "letters" not in words
    )


def test_a_sheet_without_its_comments_is_counted_too(folder):
    """The page of the exam tells what each question asks for, where it lies beside."""
    shutil.copy(SOLUTIONS / "exam.toml", folder)
    assert "exam: 18 of 18 answered." in run(folder, "--zip").stdout
    (folder / "exam.toml").write_text('q01 = "1"\n')
    assert "exam: 1 of 18 answered." in run(folder, "--zip").stdout


def test_the_blank_sheet_says_what_each_question_asks():
    sys.path.insert(0, str(TEMPLATE))
    try:
        import check
    finally:
        sys.path.pop(0)
    key = json.loads((CHECKOUT / "autograder" / "exercises" / "exam" / "key.json").read_text())
    forms = check.forms_of((TEMPLATE / "exam.toml").read_text(encoding="utf-8"))
    for entry in key:
        form = forms[entry["id"]]
        if entry["kind"] == "text":
            assert form == f"one of {', '.join(sorted([entry['answer'], *entry['near']]))}"
        else:
            assert form.split()[-1] == {"choice": "letter", "number": "number"}[entry["kind"]]
    assert {"a whole number", "a number"} < {*forms.values()}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_sheet_of_any_editor_is_read_without_a_traceback(folder, encoding):
    blank = (TEMPLATE / "exam.toml").read_text(encoding="utf-8")
    text = blank.replace('q01 = ""', "q01 = 1/4  # G\u00f6del, \u201cmaybe\u201d")
    (folder / "exam.toml").write_bytes(text.encode(encoding))
    done = run(folder, "--zip")
    assert "exam: 1 of 18 answered." in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    (folder / "exam.toml").write_bytes(b"\x00\xff\xd8" * 9)
    assert "not plain text" in run(folder, "--zip").stdout


def test_the_readme_shows_what_the_first_run_says(folder):
    readme = (TEMPLATE / "README.md").read_text(encoding="utf-8")
    bonus = {exercise.name for exercise in load_manifest().exercises if exercise.bonus}
    lines = run(folder).stdout.splitlines()
    core = [line for line in lines if line.partition(" ")[0] not in bonus]
    last = core.index(next(line for line in core if line.startswith("exam")))
    core.insert(last, "...")
    assert "".join(f"    {line}".rstrip() + "\n" for line in core) in readme


def test_the_whole_folder_handed_in_is_graded_as_the_files_alone(folder, tmp_path):
    """No check is taken for the function that it checks, and no stub of the notebook for one."""
    report = grade(folder)
    verdicts = {test.verdict for exercise in report.exercises for test in exercise.tests}
    assert verdicts == {"not_attempted"}
    for path in SOLUTIONS.iterdir():
        shutil.copy(path, folder)
    assert grade(folder).score == 100
