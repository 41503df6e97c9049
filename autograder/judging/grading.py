"""One submission -> Report: runs the hidden suites and carries errors forward."""

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import autograder
from autograder.exam.examining import exam_report
from autograder.exercises.misconceptions import Misconception, diagnose, hint
from autograder.intake.submission import Submission, open_submission
from autograder.kit.cases import (
    EXERCISES,
    digest_of_tests,
    read_data,
    read_key,
    require_whole_draw,
)
from autograder.kit.testing import STUDENT
from autograder.manifest import Exercise, Limits, Manifest, load_manifest
from autograder.report import ExerciseResult, GraderError, Report, StudentFault, TestResult
from autograder.sandbox.process import Answering, Guest
from autograder.sandbox.reading import read
from autograder.sandbox.student import Budget, Exchange, StandIn, Student

# Of pytest's own plugins, those that would print, keep files, or collect garbage at every end.
UNUSED_PLUGINS = (
    "terminal",
    "cacheprovider",
    "logging",
    "faulthandler",
    "threadexception",
    "unraisableexception",
)
HELPERS = ("softmax", "causal_mask")
CONSTANT = "{} gives the same answer to two different inputs: it does not look at what it is given."

Progress = Callable[[Report], None]
Start = Callable[[Submission, Limits], Answering]


def grade(
    path: Path, progress: Progress = lambda report: None, live_kernel: bool = False
) -> Report:
    """Grades one submission; `progress` gets the report before any student code and after each
    exercise, valid every time.

    Raises GraderError where the grader itself is at fault.
    """
    submission = open_submission(path, load_manifest())
    return judge(submission, Guest, progress, live_kernel)


def judge(
    submission: Submission,
    start: Start,
    progress: Progress = lambda report: None,
    live_kernel: bool = False,
) -> Report:
    """Runs the hidden suites against a submission whose code `start` knows how to ask."""
    require_whole_draw()
    if not __debug__:
        raise GraderError("Python runs with -O or PYTHONOPTIMIZE, which removes every assert.")
    plugin = Judge(submission, load_manifest(), progress, start)
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
        status = pytest.main(arguments, plugins=[plugin])
    finally:
        plugin.close()
        os.environ.update({name: value for name, value in set_aside.items() if value is not None})
    if status == pytest.ExitCode.INTERRUPTED and not plugin.fault:
        raise KeyboardInterrupt
    if plugin.fault:
        raise GraderError(plugin.fault)
    if not plugin.finished:
        raise GraderError(f"the hidden suites did not run to their end (pytest: {status!r})")
    return plugin.report


@dataclass
class Attempt:
    """One exercise asked of one student, own helpers or right ones: the results and the answers."""

    result: ExerciseResult
    transcript: list[Exchange]
    lost_values: bool
    faults: dict[str, StudentFault] = field(default_factory=dict)
    form_faults: dict[str, str] = field(default_factory=dict)

    @property
    def faulty(self) -> bool:
        return self.lost_values or bool(self.form_faults)

    @cached_property
    def misconception(self) -> Misconception | None:
        """What explains every answer, where values were lost."""
        if not self.lost_values or not self.transcript:
            return None
        return diagnose(self.transcript[0].function, self.transcript)


class Judge:
    """The pytest plugin that grades: it keeps the results and decides who is asked."""

    def __init__(
        self, submission: Submission, assignment: Manifest, progress: Progress, start: Start
    ) -> None:
        self.submission, self.assignment = submission, assignment
        self.progress, self.start = progress, start
        self.budget = Budget(assignment.limits.submission_seconds)
        self.base = self._student(())
        self.repeats: dict[tuple[str, ...], Student] = {}
        self.items: dict[str, dict[str, list[pytest.Function]]] = {}
        self.outcome: tuple[str, BaseException | None] = ("", None)
        self.fault = ""
        self.finished = False
        self.report = Report(
            submission=submission.name,
            exercises=[],
            provenance=provenance(),
        )

    def _student(self, stand_ins: tuple[StandIn, ...]) -> Student:
        limits = self.assignment.limits
        return Student(self.submission, limits, self.budget, stand_ins, self.start)

    def close(self) -> None:
        for student in (self.base, *self.repeats.values()):
            student.close()

    # --- pytest's hooks ----------------------------------------------------------------------

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.fault = f"a hidden suite cannot be collected:\n{report.longreprtext}"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            assert isinstance(item, pytest.Function)
            exercise = item.module.__name__.rpartition(".test_")[2]
            self.items.setdefault(exercise, {}).setdefault(item.function.__name__, []).append(item)
        for exercise in self.assignment.exercises:
            blank = self._blank(exercise)
            if not self.fault and blank.max_score != exercise.points:
                self.fault = (
                    f"the tests of {exercise.name} add up to {blank.max_score:g} points, "
                    f"manifest.toml says {exercise.points:g}"
                )
            self.report.exercises.append(blank)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self.fault:
            return True
        self.progress(self.report)
        attempts: dict[str, Attempt] = {}
        for position, exercise in enumerate(self.assignment.exercises):
            attempt = self._best_attempt(exercise, attempts)
            attempts[exercise.name] = attempt
            self._waive_repeated_forms(attempt, attempts)
            self._explain(exercise, attempt, attempts)
            self.report.exercises[position] = attempt.result
            self.report.isolation = self.base.isolation
            if exercise.name == "exam":
                self.report.exam = exam_report(self.submission, read_key())
            self.progress(self.report)
        self.finished = True
        return True

    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        if call.excinfo is not None:
            self.outcome = (call.when, call.excinfo.value)
        assert call.when != "collect"
        # Pytest's own report would format a traceback that nobody reads.
        return pytest.TestReport(item.nodeid, item.location, {}, "passed", None, call.when)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        """Whatever fails outside the tests is the grader's fault, and told once."""
        error = excinfo.value
        if isinstance(error, GraderError):
            self.fault = str(error)
        elif isinstance(error, OSError):
            self.fault = f"no file can be written for the guest: {error}"
        else:
            self.fault = "".join(traceback.format_exception(error))
        return True

    # --- one exercise ------------------------------------------------------------------------

    def _blank(self, exercise: Exercise) -> ExerciseResult:
        """The exercise before anything is asked: every test not run."""
        tests = self.items.get(exercise.name, {})
        return ExerciseResult(
            exercise.name,
            [
                TestResult(name, title_of(items[0]), max_points=points_of(items[0])[0])
                for name, items in tests.items()
            ],
        )

    def _best_attempt(self, exercise: Exercise, attempts: dict[str, Attempt]) -> Attempt:
        """With the student's own helpers; where those failed, also with right ones in their place.

        Right helpers for all that failed come first: what earns full points needs no other try.
        """
        best = self._attempt(exercise, self.base)
        function = exercise.function
        if function is None or function in HELPERS or function in self.submission.faults:
            return best
        # A fault of form counts too: whoever uses such a helper shall not pay for it twice.
        failed = [name for name in HELPERS if name in attempts and attempts[name].faulty]
        own = self.submission.places[function]
        places = {self.submission.places.get(name) for name in failed}
        if not self.base.loads(own) and places <= {own}:
            return best
        for count in range(len(failed), 0, -1):
            for replaced in combinations(failed, count):
                if not best.lost_values:
                    return best
                attempt = self._attempt(exercise, self._repeat(replaced))
                if attempt.result.score > best.result.score:
                    best = attempt
        return best

    def _repeat(self, replaced: tuple[str, ...]) -> Student:
        """The student asked afresh, these helpers replaced by right ones."""
        if replaced not in self.repeats:
            self.repeats[replaced] = self._student(tuple(map(self._stand_in, replaced)))
        return self.repeats[replaced]

    def _stand_in(self, helper: str) -> StandIn:
        file = self.submission.places.get(helper)
        loads = file is not None and self.base.loads(file)
        source = read_data("right_helpers")[helper]
        return StandIn(helper, source, file or f"{helper}.py", loads)

    def _attempt(self, exercise: Exercise, student: Student) -> Attempt:
        result = self._blank(exercise)
        fault = self._fault_of(exercise.function, student)
        if fault is not None:
            result.settle_all(fault.verdict, fault.words)
            return Attempt(result, [], lost_values=True)
        start = len(student.transcript)
        attempt = Attempt(result, [], lost_values=False)
        for test in result.tests:
            self._run(test, self.items[exercise.name][test.name], student, attempt)
        attempt.transcript = student.transcript[start:]
        return attempt

    def _fault_of(self, function: str | None, student: Student) -> StudentFault | None:
        """What stands in the way of a whole exercise: nothing to ask, or nothing looked at."""
        if function is None:
            return None
        if function in self.submission.faults:
            return self.submission.faults[function]
        if is_constant(function, student):
            return StudentFault("failed", CONSTANT.format(function))
        return None

    def _run(
        self, test: TestResult, items: list[pytest.Function], student: Student, attempt: Attempt
    ) -> None:
        """Runs every case of a test, since each tells diagnose() more; the first fault counts."""
        faults = [fault for item in items if (fault := self._run_case(item, student))]
        if not faults:
            test.settle("passed")
            return
        attempt.faults[test.name] = faults[0]
        test.settle(faults[0].verdict, faults[0].words, faults[0].share or None)
        form = points_of(items[0])[1]
        attempt.lost_values = attempt.lost_values or form is None
        if form and faults[0].misconception == form:
            test.hint = hint(form)
            attempt.form_faults[test.name] = form

    def _run_case(self, item: pytest.Function, student: Student) -> StudentFault | None:
        """What the student did wrong in one case; GraderError where the test itself is at fault."""
        item.config.stash[STUDENT] = student
        self.outcome = ("", None)
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        when, error = self.outcome
        if error is None or isinstance(error, StudentFault):
            return error
        if isinstance(error, AssertionError) and when == "call":
            # One line: whatever a rewritten assert would add stays out of the student's sight.
            return StudentFault("failed", str(error).partition("\n")[0], points_of(item)[1])
        trace = "".join(traceback.format_exception(error))
        raise GraderError(f"{item.name} is at fault itself:\n{trace}")

    # --- across exercises --------------------------------------------------------------------

    def _waive_repeated_forms(self, attempt: Attempt, earlier: dict[str, Attempt]) -> None:
        """A fault of form costs once: the first exercise that shows it has paid."""
        paid = {
            form
            for other in earlier.values()
            if other is not attempt
            for form in other.form_faults.values()
        }
        for test in attempt.result.tests:
            if attempt.form_faults.get(test.name) in paid:
                test.settle("passed")
                del attempt.form_faults[test.name]

    def _explain(self, exercise: Exercise, attempt: Attempt, attempts: dict[str, Attempt]) -> None:
        """Names the misconception behind lost points, and gives its hint to the failed tests."""
        found = attempts[exercise.function or exercise.name].misconception
        named = {
            *attempt.form_faults.values(),
            *(fault.misconception for fault in attempt.faults.values() if fault.misconception),
        }
        if found is not None:
            # It explains every value, so what single tests made of a value counts no more.
            named = {*attempt.form_faults.values(), found.name} - {found.form}
            for test in attempt.result.tests:
                fault = attempt.faults.get(test.name)
                if fault and test.verdict == "failed" and test.name not in attempt.form_faults:
                    test.hint = f"{test.hint} {found.hint}" if fault.raised else found.hint
        self.report.misconceptions += sorted(named - {*self.report.misconceptions})


def provenance() -> dict[str, str]:
    """Which tests gave the grade, in short."""
    drawn = read_data("provenance")
    return {
        "autograder": autograder.__version__,
        "tests": digest_of_tests()[:12],
        "draw": "public demonstration" if drawn["public_demonstration"] else "private",
        "torch": drawn["torch"],
    }


def title_of(item: pytest.Function) -> str:
    return " ".join((item.function.__doc__ or item.function.__name__).split())


def points_of(item: pytest.Function) -> tuple[float, str | None]:
    """A test's points, and the fault of form that it alone is about."""
    marker = item.get_closest_marker("points")
    if marker is None:
        return 0.0, None
    number, form = marker.args
    return float(number), form


def is_constant(function: str, student: Student) -> bool:
    """Whether two different inputs of one shape get an equal answer: then it looks at neither.

    One of a pair is enough: identity weights beside X @ W_v would pass whatever relates the two.
    NaN is no answer: who returns nothing else has lost the values, and may still be understood.
    """
    answers = []
    for probe in read_data("probes").get(function, ()):
        arguments = tuple(np.array(argument) for argument in probe)
        try:
            answers.append(read(function, student.reply(function, *arguments), arguments))
        except StudentFault:
            return False
    one, other = answers or ([], [])
    return any(map(np.array_equal, one, other))
