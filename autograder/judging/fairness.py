"""The rules of fairness, as CONTRACT states them: who is asked, and what costs how often.

1. One mistake costs once: a fault of form is paid for in the first exercise that shows it.
2. Errors carried forward: where a helper lost points, an exercise that needs it is asked again with
   a right one in its place, and the best total counts.
3. Who does not look at the input earns nothing in that exercise; where one of several results does
   not depend on it, the relations between a student's own answers earn nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np

from autograder.budget import Budget
from autograder.exercises.registry import contracts, readers
from autograder.intake.submission import Submission
from autograder.judging.diagnosis import Diagnosis, diagnose
from autograder.judging.public import Public, ask_publicly
from autograder.judging.suites import HiddenTest, Suites
from autograder.kit.cases import probes_of, right_source
from autograder.kit.comparing import Measurement, close
from autograder.kit.contract import FloatArray
from autograder.manifest import Exercise, Limits, load_manifest
from autograder.report import ExerciseResult, StudentFault, TestResult
from autograder.sandbox.process import Answering
from autograder.sandbox.student import UNFIT, Asking, Exchange, Replacement, Shown, Student

CONSTANT = "{} gives the same answer to two different inputs: it does not look at what it is given."

Start = Callable[[Submission, Limits], Answering]
# What a function answered to two inputs of one shape.
Answers = tuple[Sequence[FloatArray], Sequence[FloatArray]]


@dataclass
class Trial:
    """One exercise asked of one student, own helpers or right ones: the results and the answers.

    faults and form_faults are by test; replaced names the helpers that were right ones.
    """

    result: ExerciseResult
    replaced: tuple[str, ...] = ()
    lost_values: bool = False
    transcript: list[Exchange] = field(default_factory=list)
    faults: dict[str, StudentFault] = field(default_factory=dict)
    form_faults: dict[str, str] = field(default_factory=dict)
    measured: dict[str, list[Measurement]] = field(default_factory=dict)

    @property
    def faulty(self) -> bool:
        return self.lost_values or bool(self.form_faults)

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """What the wrong values are called; searched once, however many exercises tell it."""
        told = {fault.misconception for fault in self.faults.values() if fault.misconception}
        try:
            return diagnose(self.transcript, told) if self.lost_values else Diagnosis()
        except UNFIT:
            # Answers so strange that no wrong version can be held beside them have no name.
            return Diagnosis()


def core(exercises: Iterable[Exercise]) -> list[Exercise]:
    """Those that ask a function and count: a bonus takes no time from them."""
    return [one for one in exercises if one.function and not one.bonus]


class Sitting:
    """One submission before the suites: it is asked with its own helpers, or with right ones."""

    def __init__(
        self, submission: Submission, suites: Suites, limits: Limits, start: Start
    ) -> None:
        self.submission, self.suites = submission, suites
        self._limits, self._start = limits, start
        # What is left of it after the reading, for a submission that was read.
        self.budget = submission.budget or Budget(limits.submission_seconds)
        asked = core(load_manifest().exercises)
        # Of the public examples, and of each exercise: whatever one spends, the others are asked.
        self._share = self.budget.left / (1 + len(asked))
        self.keep_for(asked)
        self._students: dict[tuple[str, ...], Student] = {}
        self._shown = Shown()
        self._askings = askings_of(submission)
        self.own = self.student(())

    def student(self, replaced: tuple[str, ...]) -> Student:
        """The student in a guest of its own, these helpers replaced by right ones."""
        if replaced not in self._students:
            self._students[replaced] = Student(
                self.submission,
                self._limits,
                self.budget,
                readers(),
                tuple(map(self._replacement, replaced)),
                self._shown,
                start=self._start,
                askings=self._askings,
            )
        return self._students[replaced]

    def keep_for(self, later: Sequence[Exercise], shares: float = 0.0) -> None:
        """Keeps the share of the budget that exercises have which follow, and so many more."""
        asked = core(later)
        self.budget.kept = self._share * (len(asked) + shares)

    def ask_publicly(self) -> Public:
        """The public examples, in a guest that is asked nothing else; before any hidden input."""
        return ask_publicly(
            Student(
                self.submission,
                self._limits,
                self.budget,
                readers(),
                shown=self._shown,
                public=True,
                start=self._start,
                askings=self._askings,
            )
        )

    def _replacement(self, helper: str) -> Replacement:
        file = self.submission.places.get(helper)
        loads = file is not None and self.own.loads(file)
        return Replacement(helper, right_source(helper), file or f"{helper}.py", loads)

    def close(self) -> None:
        for student in self._students.values():
            student.close()


def askings_of(submission: Submission) -> dict[str, Asking]:
    """How to ask the functions whose parameters are not those of the template."""
    found = {
        function: contracts()[function].asking(parameters)
        for function, parameters in submission.parameters.items()
    }
    return {function: asking for function, asking in found.items() if asking}


# --- errors carried forward ----------------------------------------------------------------------


def best_trial(
    exercise: Exercise,
    sitting: Sitting,
    earlier: Mapping[str, Trial],
    later: Sequence[Exercise] = (),
) -> Trial:
    """With the student's own helpers; where those failed, also with right ones in their place.

    Right helpers for all that failed come first: what earns full points needs no other try.
    """
    failed = [name for name in exercise.needs if name in earlier and earlier[name].faulty]
    # A helper that eats the time shall leave some for the right one in its place.
    sitting.keep_for(later, shares=0.5 if failed else 0.0)
    best = try_out(exercise, sitting, ())
    sitting.keep_for(later)
    for replaced in helpers_to_replace(exercise, sitting, earlier):
        if not best.lost_values:
            break
        trial = try_out(exercise, sitting, replaced)
        if worth(trial) > worth(best):
            best = trial
    return best


def worth(trial: Trial) -> tuple[float, int]:
    """Points first; a bonus has none, so the tests that passed."""
    tests = trial.result.tests
    return trial.result.score, sum(test.verdict == "passed" for test in tests)


def helpers_to_replace(
    exercise: Exercise, sitting: Sitting, earlier: Mapping[str, Trial]
) -> Iterable[tuple[str, ...]]:
    """Every choice among the helpers that failed, all of them first."""
    function, places = exercise.function, sitting.submission.places
    if function is None or function in sitting.submission.faults:
        return
    # A fault of form counts too: whoever uses such a helper shall not pay for it twice.
    failed = [name for name in exercise.needs if earlier[name].faulty]
    own = places[function]
    if not sitting.own.loads(own) and {places.get(name) for name in failed} <= {own}:
        return
    for count in range(len(failed), 0, -1):
        yield from combinations(failed, count)


# --- one exercise --------------------------------------------------------------------------------


def try_out(exercise: Exercise, sitting: Sitting, replaced: tuple[str, ...]) -> Trial:
    """Every test of an exercise, asked of the student with these helpers replaced."""
    trial = Trial(sitting.suites.blank(exercise), replaced)
    student = sitting.student(replaced)
    start = len(student.transcript)
    answers = probed(exercise.function, student)
    fault = fault_of(exercise, student, answers)
    if fault is not None:
        trial.result.settle_all(fault.verdict, fault.words)
        trial.lost_values = True
        return trial
    function = exercise.function or ""
    unrelated = independent(function, answers) if function else None
    for result in trial.result.tests:
        test = sitting.suites.tests[exercise.name][result.name]
        run(test, result, student, sitting.suites, trial)
        slip = slip_of(function, student) if function else ""
        if slip and test.name == contracts()[function].signature_test:
            lose_for(slip, result, trial)
        if unrelated is not None and test.relates and result.verdict == "passed":
            result.settle(unrelated.verdict, unrelated.words)
            trial.faults[test.name], trial.lost_values = unrelated, True
    if trial.lost_values and len(student.transcript) > start:
        ask_again(student, student.transcript[start])
    trial.transcript = student.transcript[start:]
    return trial


def ask_again(student: Student, first: Exchange) -> None:
    """The first question once more, after all others: who keeps something gives another answer."""
    with suppress(StudentFault):
        student.call(first.function, *first.arguments, **first.keywords)


def slip_of(function: str, student: Student) -> str:
    """What was mended so that a function can be asked at all: its name as a fault of form."""
    if function in student.askings:
        return "signature"
    return "relative_import" if function in student.submission.relative else ""


def lose_for(slip: str, result: TestResult, trial: Trial) -> None:
    """One small test is lost for what was mended."""
    if result.verdict == "passed":
        result.settle("failed")
    trial.form_faults[result.name] = slip


def fault_of(exercise: Exercise, student: Student, answers: Answers) -> StudentFault | None:
    """What stands in the way of a whole exercise: nothing to ask, or nothing looked at."""
    function = exercise.function
    if function is None:
        return None
    if function in student.submission.faults:
        fault = student.submission.faults[function]
        if exercise.bonus and fault.verdict == "syntax_error" and exercise.name not in fault.words:
            # A file of something else is broken: nothing says that the bonus was begun.
            return StudentFault("missing", f"No file defines {function}.")
        return fault
    if looks_at_nothing(answers):
        return StudentFault("failed", CONSTANT.format(function))
    return None


def looks_at_nothing(answers: Answers) -> bool:
    """Whether two different inputs of one shape get equal answers, result by result.

    NaN is no answer: who returns nothing else may still be understood.
    """
    one, other = answers
    return bool(one) and all(map(np.array_equal, one, other))


def independent(function: str, answers: Answers) -> StudentFault | None:
    """What is told where a result that has to depend on the input does not."""
    one, other = answers
    for place, words in contracts()[function].depends.items():
        if len(one) > place < len(other) and close(one[place], other[place]):
            return StudentFault("failed", words)
    return None


def probed(function: str | None, student: Student) -> Answers:
    """The results for two inputs of one shape; none where one of them has no answer."""
    if function is None or function in student.submission.faults:
        return (), ()
    answers = []
    for arguments in probes_of(function):
        try:
            answers.append(student.call(function, *arguments).arrays)
        except StudentFault:
            return (), ()
    one, other = answers or ((), ())
    return one, other


def run(
    test: HiddenTest, result: TestResult, student: Student, suites: Suites, trial: Trial
) -> None:
    """Runs every case of a test, since each tells more of the mistake; the first fault counts."""
    outcomes = [suites.run(case, student) for case in test.cases]
    trial.measured[test.name] = [one for outcome in outcomes for one in outcome.measured]
    faults = [outcome.fault for outcome in outcomes if outcome.fault]
    if not faults:
        result.settle("passed")
        return
    trial.faults[test.name] = faults[0]
    result.settle(faults[0].verdict, faults[0].words, faults[0].share)
    trial.lost_values = trial.lost_values or test.form is None
    if test.form and faults[0].misconception == test.form:
        trial.form_faults[test.name] = test.form


# --- across exercises ----------------------------------------------------------------------------


def waive_repeated_forms(trial: Trial, earlier: Iterable[Trial]) -> None:
    """A fault of form costs once: the first exercise that shows it has paid."""
    paid = {form for other in earlier for form in other.form_faults.values()}
    for test in trial.result.tests:
        if trial.form_faults.get(test.name) in paid:
            test.settle("passed")
            del trial.form_faults[test.name]
