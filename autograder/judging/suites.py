"""The hidden suites as pytest collects them: which tests there are, and one case run."""

import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

import pytest

from autograder.kit.cases import EXERCISES, require_whole_draw
from autograder.kit.comparing import Measurement, measuring
from autograder.kit.testing import STUDENT, exercise_of
from autograder.manifest import Exercise, load_manifest
from autograder.report import ExerciseResult, GraderError, StudentFault, TestResult
from autograder.sandbox.student import UNFIT, Exchange, Student

# Of pytest's own plugins, those that would print, keep files, or collect garbage at every end.
UNUSED_PLUGINS = (
    "terminal",
    "cacheprovider",
    "logging",
    "faulthandler",
    "threadexception",
    "unraisableexception",
)
# Fixtures that are at hand without pytest; `request` is the one behind `student`.
PLAIN = {"student", "case", "request"}
Used = TypeVar("Used")
UNFIT_ANSWER = "The answer has another form than is asked for, so it could not be looked at."


@dataclass
class HiddenTest:
    """One test function: what students read of it, its worth, and its cases.

    form is the fault of form that it alone is about; relates is whether it is earned only where
    the answers depend on the input.
    """

    name: str
    title: str
    points: float
    form: str | None
    relates: bool
    cases: list[pytest.Function] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """What the student did wrong in one case, if anything, and the comparisons made there."""

    fault: StudentFault | None
    measured: list[Measurement]


def with_suites(use: Callable[["Suites"], Used], live_kernel: bool = False) -> Used:
    """Collects the hidden suites and hands them to `use`, inside pytest; returns what it returns.

    Raises GraderError where they cannot be collected, and whatever `use` raises.
    """
    require_whole_draw()
    if not __debug__:
        raise GraderError("Python runs with -O or PYTHONOPTIMIZE, which removes every assert.")
    suites = Suites(use)
    arguments = [
        str(EXERCISES),
        *("-c", "/dev/null", "--rootdir", str(EXERCISES), "--confcutdir", str(EXERCISES)),
        *("-p", "autograder.kit.testing"),
        *("--assert=plain", "--capture=no", "--disable-plugin-autoload"),
        *(f"-pno:{plugin}" for plugin in UNUSED_PLUGINS),
        *(["--live-kernel"] if live_kernel else []),
    ]
    # What is set for somebody's own tests is not for these.
    set_aside = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    try:
        status = pytest.main(arguments, plugins=[suites])
    finally:
        os.environ.update({name: value for name, value in set_aside.items() if value is not None})
    if suites.error is not None:
        raise suites.error
    if not suites.used:
        raise GraderError(f"the hidden suites did not run to their end (pytest: {status!r})")
    return cast(Used, suites.used[0])


class Suites:
    """The pytest plugin that collects the suites, and runs their cases when asked."""

    def __init__(self, use: Callable[["Suites"], object]) -> None:
        self.tests: dict[str, dict[str, HiddenTest]] = {}
        self.error: BaseException | None = None
        self.used: list[object] = []
        self._use = use
        self._raised: tuple[str, BaseException | None] = ("", None)

    def blank(self, exercise: Exercise) -> ExerciseResult:
        """An exercise before anything is asked: every test not run."""
        tests = self.tests[exercise.name].values()
        return ExerciseResult(
            exercise.name, [TestResult(test.name, test.title, test.points) for test in tests]
        )

    def run(self, case: pytest.Function, student: Student) -> Outcome:
        """Runs one case; GraderError where the test itself is at fault."""
        self._raised = ("", None)
        asked = len(student.transcript)
        with measuring() as measured:
            if {*case.fixturenames} <= PLAIN:
                self._call(case, student)
            else:
                case.config.stash[STUDENT] = student
                case.ihook.pytest_runtest_protocol(item=case, nextitem=None)
        when, error = self._raised
        if isinstance(error, (SystemExit, KeyboardInterrupt, GraderError)):
            # A signal to the grader, or a fault of its own: no verdict on whoever is asked now.
            raise error
        if error is None or isinstance(error, StudentFault):
            return Outcome(error, measured)
        if isinstance(error, AssertionError) and when == "call":
            # One line: whatever a rewritten assert would add stays out of the student's sight.
            words = str(error).partition("\n")[0]
            return Outcome(StudentFault("failed", words, points_of(case)[1]), measured)
        if isinstance(error, UNFIT) and any(map(was_answered, student.transcript[asked:])):
            # The gate asks every test with right answers first, so it is this one that is amiss.
            return Outcome(StudentFault("failed", UNFIT_ANSWER), measured)
        trace = "".join(traceback.format_exception(error))
        raise GraderError(f"{case.name} is at fault itself:\n{trace}")

    def _call(self, case: pytest.Function, student: Student) -> None:
        """What pytest would do for a test without fixtures of its own, at a tenth of the time."""
        given: dict[str, object] = {"student": student}
        if "case" in case.fixturenames:
            given["case"] = case.callspec.params["case"]
        try:
            case.obj(**given)
        except Exception as error:
            self._raised = ("call", error)

    # --- pytest's hooks ----------------------------------------------------------------------

    def pytest_exception_interact(
        self, call: pytest.CallInfo[object], report: pytest.CollectReport | pytest.TestReport
    ) -> None:
        """A room that says in a sentence what is wrong with it is quoted, without a traceback."""
        error = call.excinfo.value if call.excinfo else None
        if isinstance(report, pytest.CollectReport) and isinstance(error, GraderError):
            self.error = self.error or error

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self.error is None:
            self.error = GraderError(f"a hidden suite cannot be collected:\n{report.longreprtext}")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            assert isinstance(item, pytest.Function)
            exercise, room = exercise_of(item.module.__name__), item.path.parent.name
            if room != exercise and self.error is None:
                self.error = GraderError(
                    f"autograder/exercises/{room}/{item.path.name} should be called test_{room}.py."
                )
            tests = self.tests.setdefault(exercise, {})
            name = item.function.__name__
            if name not in tests:
                title = " ".join((item.function.__doc__ or name).split())
                tests[name] = HiddenTest(name, title, *points_of(item))
            tests[name].cases.append(item)
        for listed in load_manifest().exercises:
            self.tests.setdefault(listed.name, {})
        fault = next(faults(self.tests), "")
        if fault and self.error is None:
            self.error = GraderError(fault)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self.error is None:
            try:
                self.used.append(self._use(self))
            except BaseException as error:
                # Carried past pytest, which would print it.
                self.error = error
        return True

    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        if call.excinfo is not None:
            self._raised = (call.when, call.excinfo.value)
        assert call.when != "collect"
        # Pytest's own report would format a traceback that nobody reads.
        return pytest.TestReport(item.nodeid, item.location, {}, "passed", None, call.when)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        """Whatever fails outside the tests is the grader's fault, and told once."""
        trace = "".join(traceback.format_exception(excinfo.value))
        self.error = self.error or GraderError(trace)
        return True


def was_answered(exchange: Exchange) -> bool:
    return not isinstance(exchange.outcome, StudentFault)


def faults(tests: Mapping[str, Mapping[str, HiddenTest]]) -> Iterator[str]:
    """What is wrong with the suites, by exercise, in sentences that name the file to edit."""
    exercises = {exercise.name: exercise for exercise in load_manifest().exercises}
    homes: dict[str, str] = {}
    for name, suite in tests.items():
        file = f"autograder/exercises/{name}/test_{name}.py"
        total = sum(test.points for test in suite.values())
        if name not in exercises:
            yield f"{file} has tests, and manifest.toml lists no {name}: write its [[exercise]]."
        elif not (EXERCISES / name / f"test_{name}.py").is_file():
            yield f"manifest.toml lists {name}, and {file} is not there."
        elif not suite:
            yield f"{file} has no test: a function whose name begins with test_."
        elif total != exercises[name].points:
            yield (
                f"the tests in {file} add up to {total:g} points, manifest.toml says "
                f"{exercises[name].points:g}."
            )
        for test in suite:
            if homes.setdefault(test, name) != name:
                yield (
                    f"{test} is a test of {homes[test]} and of {name}, and is known by its name "
                    f"alone: rename it in {file}."
                )


def points_of(item: pytest.Function) -> tuple[float, str | None, bool]:
    """A test's points, the fault of form that it alone is about, and whether it relates answers."""
    marker = item.get_closest_marker("points")
    if marker is None:
        return 0.0, None, False
    number, form, relates = marker.args
    return float(number), form, relates
