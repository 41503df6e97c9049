"""The gate: proves that the hidden tests judge well, before a draw may replace the old one."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from autograder.authoring import handouts
from autograder.authoring.dry_run import dry_grading, right
from autograder.authoring.mistaken import Questions, left_out, misnamed_ways, random_pairs
from autograder.authoring.mutants import mutants
from autograder.authoring.regenerate import SECRET, SHEETS, STALE, fingerprint
from autograder.exam.scoring import Answers, score_exam
from autograder.exercises.registry import configurations
from autograder.exercises.registry import misconceptions as known_misconceptions
from autograder.intake.submission import open_submission
from autograder.judging.grading import Grading, grade, judge
from autograder.judging.suites import Suites, with_suites
from autograder.kit.cases import digest, digest_of_tests, read_data, read_key
from autograder.kit.comparing import Measurement
from autograder.kit.drawing import CHECKOUT, SOLUTIONS, require_checkout
from autograder.kit.misconception import Misconception
from autograder.manifest import load_manifest
from autograder.report import GraderError, Report, TestResult
from autograder.sandbox.process import Guest

TEMPLATE = CHECKOUT / "student_template"
GOLDEN = CHECKOUT / "tests" / "submissions"
# In units of a comparison's tolerance: what honest rounding may use of it, and what a mistake must.
HONEST = {"value": 1e-3, "rounding": 1e-1}
WRONG = 10.0
STYLES = 20

Tell = Callable[[str], None]


@dataclass
class Check:
    """One line of the gate; words say what is wrong, and are empty where it holds."""

    name: str
    faults: list[str] = field(default_factory=list)
    figure: str = ""

    @property
    def holds(self) -> bool:
        return not self.faults


@dataclass
class Row:
    """A misconception against the tests: of the versions that were graded, how many fail each."""

    misconception: str
    function: str
    versions: int
    fails: dict[str, int] = field(default_factory=dict)
    hint: str = ""


@dataclass(frozen=True)
class Column:
    """A column of the matrix: a hidden test, and what its title says."""

    exercise: str
    function: str
    name: str
    title: str


@dataclass
class Verification:
    checks: list[Check]
    tests: list[Column] = field(default_factory=list)
    matrix: list[Row] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return all(check.holds for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "checks": [{**asdict(check), "holds": check.holds} for check in self.checks],
            "tests": [asdict(test) for test in self.tests],
            "matrix": [asdict(row) for row in self.matrix],
        }


def verify(tell: Tell = lambda name: None) -> Verification:
    """Runs every check; `tell` hears the name of each before it starts.

    A suite that cannot be run at all ends the gate at once, with that as its one fault.
    """
    require_checkout()
    found = Verification([])

    def run_checks(suites: Suites) -> None:
        for check in checks(found, suites, tell):
            found.checks.append(check)

    try:
        with_suites(run_checks)
    except GraderError as error:
        found.checks.append(Check("the suites run", [str(error)]))
    return found


def checks(found: Verification, suites: Suites, tell: Tell) -> Iterator[Check]:
    tell("the reference and the template")
    yield reference()
    yield template()
    yield exam()
    yield provenance()
    yield Check("the pages say what manifest.toml does", [*handouts.otherwise()])
    tell("right submissions in every style")
    yield from right_styles()
    tell("misconceptions")
    yield from misconceptions(found, suites)
    tell("mistakes told apart")
    yield from told_apart(suites)
    tell("scores on this draw")
    yield unmoved()
    tell("mutants of the reference")
    yield mechanical_mutants(suites)


def reference() -> Check:
    """solutions/ earns every point, by the real way of grading."""
    report = grade(SOLUTIONS)
    lost = [f"{name} fails solutions/" for name in failed_tests(report)]
    if report.score != report.max_score and not lost:
        lost = [f"solutions/ gets {report.score:g} of {report.max_score:g}"]
    return Check("the reference earns every point", lost, f"{report.score:g}")


def template() -> Check:
    report = grade(TEMPLATE)
    done = [
        f"{test.name} says {test.verdict} of the untouched template"
        for exercise in [*report.exercises, *report.bonus]
        for test in exercise.tests
        if test.verdict != "not_attempted"
    ]
    return Check("the template earns nothing and is not attempted", done, f"{report.score:g}")


def exam() -> Check:
    """The solved sheet is all right, a blank one all missed, and every wrong letter is missed."""
    key = read_key()
    right = {entry.id: entry.answer for entry in key}
    faults = []
    for entry in key:
        for letter in entry.options:
            answers = Answers({**right, entry.id: letter}, ())
            expected = len(key) - (letter != entry.answer)
            if score_exam(answers, key).right != expected:
                faults.append(f"{entry.id} with {letter} is scored wrongly")
    if score_exam(Answers({}, ()), key).right:
        faults.append("a blank sheet has right answers")
    return Check("the key and the answer sheets agree", faults, f"{len(key)} questions")


def provenance() -> Check:
    noted, faults = read_data("provenance"), []
    if noted["digest"] != digest_of_tests():
        faults.append(
            "suites or data were changed by hand since they were drawn: "
            "`autograder regenerate --same-draw` proves them"
        )
    if noted["sheets"] != digest({path: (CHECKOUT / path).read_bytes() for path in SHEETS}):
        faults.append("a sheet of the exam was changed by hand, or is of another draw: regenerate")
    if SECRET.exists() and fingerprint(SECRET.read_text(encoding="utf-8").strip()) != noted["seed"]:
        faults.append(STALE)
    return Check("suites, data and sheets are those that were drawn", faults)


def right_styles() -> Iterator[Check]:
    """Golden right submissions: full points, no accusation, errors far below the tolerance."""
    full = Check("right submissions in every style get full points")
    near = Check("honest rounding stays 1000 times below 1e-6, and 10 times below 1e-11")
    styles = golden("right")
    if len(styles) < STYLES:
        full.faults.append(f"only {len(styles)} of {STYLES} styles in {GOLDEN}")
    worst = dict.fromkeys(HONEST, 0.0)
    for folder in styles:
        grading = graded(folder)
        report = grading.report
        full.faults += [f"{folder.name} fails {name}" for name in failed_tests(report)]
        full.faults += [f"{folder.name} is accused of {name}" for name in report.misconceptions]
        for kind in HONEST:
            worst[kind] = max(
                [worst[kind], *(one.error for one in all_measured(grading) if one.kind == kind)]
            )
    near.faults += [
        f"the largest honest error is {worst[kind]:.1e} of its tolerance"
        for kind in HONEST
        if worst[kind] > HONEST[kind]
    ]
    full.figure = f"{len(styles)} styles"
    near.figure = ", ".join(f"{worst[kind]:.1e} of it" for kind in HONEST)
    yield full
    yield near


def golden(kind: str, *misconceptions: str) -> list[Path]:
    """The golden submissions of a kind that are expected to be given just these names."""
    found = []
    for path in sorted(GOLDEN.glob(f"{kind}/*/expected.json")):
        expected = json.loads(path.read_text(encoding="utf-8"))
        if expected.get("misconceptions", []) == [*misconceptions]:
            found.append(path.parent)
    return found


def misconceptions(found: Verification, suites: Suites) -> Iterator[Check]:
    """Each wrong version loses points where its entry says, is named, and by no other name."""
    seen = Check("every misconception fails the test that is there to see it")
    named = Check("every misconception is named, and nothing else is")
    clear = Check(f"every mistake is at least {WRONG:g} times outside the tolerance")
    idle = Check("every test is failed by a misconception")
    found.tests = list(tested(dry_grading({}, suites=suites).report))
    smallest = float("inf")
    for function, entry in known_misconceptions():
        runs = runs_of(function, entry, suites)
        row = Row(entry.name, function, len(runs), hint=entry.hint)
        for run in runs:
            grading = run()
            report = grading.report
            failed = failed_tests(report)
            for name in failed:
                row.fails[name] = row.fails.get(name, 0) + 1
            if entry.test not in failed:
                seen.faults.append(f"{entry.name} in {function} passes {entry.test}")
            if not twins(function, entry, report.misconceptions):
                got = ", ".join(report.misconceptions) or "nothing"
                named.faults.append(f"{entry.name} in {function} is called {got}")
            for name, error in margins(grading).items():
                smallest = min(smallest, error)
                if error < WRONG:
                    clear.faults.append(f"{entry.name} fails {name} by {error:.1f} tolerances")
        found.matrix.append(row)
    failing = {name for row in found.matrix for name in row.fails}
    idle.faults += [f"nothing fails {one.name}" for one in found.tests if one.name not in failing]
    seen.figure = f"{sum(row.versions for row in found.matrix)} wrong versions"
    clear.figure = f"{smallest:.1e} at least"
    seen.faults += [
        f"no submission shows {row.misconception}" for row in found.matrix if not row.fails
    ]
    yield from (seen, named, clear, idle)


def runs_of(function: str, entry: Misconception, suites: Suites) -> list[Callable[[], Grading]]:
    """What shows a misconception: dry runs of its versions, or else a golden submission graded.

    Of the ways of a misconception, the first is graded; told_apart() searches them all.
    """
    versions = [
        *entry.versions,
        *(dict(configurations())[function].version(way) for way in entry.ways[:1]),
    ]
    if versions:
        return [partial(dry_grading, {function: version}, suites=suites) for version in versions]
    return [partial(graded, folder) for folder in golden("borderline", entry.name)]


def twins(function: str, entry: Misconception, names: list[str]) -> bool:
    """Whether one name was given: the misconception's own, or that of a twin with its hint."""
    hints = {one.name: one.hint for one in dict(configurations())[function].misconceptions}
    return names == [entry.name] or [hints.get(name) for name in names] == [entry.hint]


def told_apart(suites: Suites) -> Iterator[Check]:
    """No mistake is called what it is not: every way, with its name left out, and in pairs."""
    every = Check("no way of a misconception is called by another name")
    unknown = Check("a misconception left out is called nothing, or a twin with its hint")
    pairs = Check("of random pairs of misconceptions none is misnamed")
    trials = dry_grading({}, suites=suites).trials
    both = drawn = 0
    rooms = load_manifest().files
    for function, known in configurations():
        questions = Questions.of(known, trials[rooms[function]].transcript)
        every.faults += misnamed_ways(questions)
        unknown.faults += left_out(questions)
        for fault, named in random_pairs(questions):
            pairs.faults += [fault] if fault else []
            both, drawn = both + named, drawn + 1
    pairs.figure = f"{both} of {drawn} named in full"
    yield from (every, unknown, pairs)


def unmoved() -> Check:
    """Golden submissions with one mistake fail on every draw the tests that they state.

    A test that none of them fails is new: the goldens are renewed after it is proved.
    """
    check = Check("the draw moves no verdict")
    stated = {
        path.parent: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(GOLDEN.glob("wrong/*/expected.json"))
    }
    found = [one for expected in stated.values() for one in expected.get("verdicts", {}).values()]
    known = {test for one in found if isinstance(one, dict) for test in one}
    alone = {folder: one["verdicts"] for folder, one in stated.items() if "mistake" in one}
    for folder, verdicts in alone.items():
        for exercise in graded(folder).report.exercises:
            failing = verdicts.get(exercise.name, {})
            for test in exercise.tests if exercise.name != "exam" else []:
                passes = isinstance(failing, dict) and test.name not in failing
                if test.name in known and passes != (test.verdict == "passed"):
                    check.faults.append(f"{folder.name}: {test.name} {test.verdict}")
    check.figure = f"{len(alone)} submissions"
    return check


def graded(folder: Path) -> Grading:
    """A folder, graded by the real way."""
    return judge(open_submission(folder, load_manifest()), Guest)


def all_measured(grading: Grading) -> list[Measurement]:
    return [
        one for trial in grading.trials.values() for made in trial.measured.values() for one in made
    ]


def margins(grading: Grading) -> dict[str, float]:
    """Of each test that a comparison failed, the largest error, in units of its tolerance."""
    largest: dict[str, float] = {}
    for trial in grading.trials.values():
        for test, made in trial.measured.items():
            errors = [one.error for one in made if one.error > 1 and one.kind in HONEST]
            if errors:
                largest[test] = max(errors)
    return largest


def mechanical_mutants(suites: Suites) -> Check:
    check, killed = Check("every mutant of the reference is killed"), 0
    for function in right():
        for mutant in mutants(function):
            if failed_tests(dry_grading({function: mutant.version}, suites=suites).report):
                killed += 1
            else:
                check.faults.append(f"a mutant of {function} survives:\n{mutant.diff}")
    check.figure = f"{killed} killed"
    return check


def code_tests(report: Report) -> Iterator[tuple[str, str, TestResult]]:
    """The tests of code, each with its exercise and the function that it asks."""
    functions: Mapping[str, str | None] = {
        exercise.name: exercise.function for exercise in load_manifest().exercises
    }
    # A right submission need not hold a bonus.
    for exercise in [*report.exercises, *(one for one in report.bonus if one.begun)]:
        function = functions[exercise.name]
        if function:
            yield from ((exercise.name, function, test) for test in exercise.tests)


def tested(report: Report) -> Iterator[Column]:
    for exercise, function, test in code_tests(report):
        yield Column(exercise, function, test.name, test.title)


def failed_tests(report: Report) -> list[str]:
    """The tests of code that were not passed."""
    return [test.name for _, _, test in code_tests(report) if test.verdict != "passed"]
