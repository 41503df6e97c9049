"""One submission -> Report: the only judge, whoever asks for a grade."""

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import autograder
from autograder.exam.examining import examine
from autograder.exercises.registry import form_hint
from autograder.intake.submission import Submission, open_submission
from autograder.judging.diagnosis import Diagnosis
from autograder.judging.fairness import Sitting, Start, Trial, best_trial, waive_repeated_forms
from autograder.judging.suites import Suites, with_suites
from autograder.kit.cases import digest_of_tests, read_data, read_key
from autograder.manifest import Exercise, load_manifest
from autograder.report import ExerciseResult, GraderError, Report
from autograder.sandbox.process import Guest
from autograder.sandbox.zygote import Zygotes, can_fork

Progress = Callable[[Report], None]


@dataclass(frozen=True)
class Grading:
    """A report, and what each exercise was asked and answered on the way, by its name."""

    report: Report
    trials: dict[str, Trial]


def ignore(report: Report) -> None:
    """For whoever reads no report before it is complete."""


def grade(path: Path, progress: Progress = ignore, live_kernel: bool = False) -> Report:
    """Grades one submission; `progress` gets the report before any student code and after each
    exercise, valid every time.

    Raises GraderError where the grader itself is at fault.
    """
    submission = open_submission(path, load_manifest())
    with warm_start() as start:
        return judge(submission, start, progress, live_kernel).report


@contextmanager
def warm_start() -> Iterator[Start]:
    """How guests are started: forked from a zygote that lives as long, where that is safe."""
    if not can_fork():
        yield Guest
        return
    zygotes = Zygotes()
    try:
        yield partial(Guest, zygotes=zygotes)
    finally:
        zygotes.close()


def judge(
    submission: Submission, start: Start, progress: Progress = ignore, live_kernel: bool = False
) -> Grading:
    """Runs the hidden suites against a submission whose code `start` knows how to ask."""
    return with_suites(lambda suites: judge_with(suites, submission, start, progress), live_kernel)


def judge_with(
    suites: Suites, submission: Submission, start: Start, progress: Progress = ignore
) -> Grading:
    """The same with suites that are collected already."""
    manifest = load_manifest()
    report = Report(
        submission=submission.name,
        exercises=[suites.blank(one) for one in manifest.exercises if not one.bonus],
        bonus=[suites.blank(one) for one in manifest.exercises if one.bonus],
        provenance=provenance(),
        remarks=submission.remarks,
        shape=submission.shape,
    )
    trials: dict[str, Trial] = {}
    sitting = Sitting(submission, suites, manifest.limits, start)
    try:
        progress(report)
        report.examples = sitting.ask_publicly().wrong
        for position, exercise in enumerate(manifest.exercises, start=1):
            trial = best_trial(exercise, sitting, trials, manifest.exercises[position:])
            waive_repeated_forms(trial, trials.values())
            trials[exercise.name] = trial
            explain(exercise, trials, report, in_time=sitting.budget.altogether > 0)
            put_in_place(trial, report.bonus if exercise.bonus else report.exercises)
            if trial.replaced:
                report.replaced[exercise.name] = [*trial.replaced]
            report.isolation = sitting.own.isolation
            if exercise.name == "exam":
                report.exam = examine(submission, read_key()).report
            progress(report)
    except OSError as error:
        raise GraderError(f"no guest can be made: {error}") from error
    finally:
        sitting.close()
    return Grading(report, trials)


def put_in_place(trial: Trial, results: list[ExerciseResult]) -> None:
    """The results of an exercise in place of its blank ones."""
    names = [result.name for result in results]
    results[names.index(trial.result.name)] = trial.result


def explain(
    exercise: Exercise, trials: dict[str, Trial], report: Report, in_time: bool = True
) -> None:
    """Names the misconceptions behind lost points, and gives their hints to the failed tests.

    Those of the values are not searched for a submission that has used up its time.
    """
    rooms = load_manifest().files
    trial = trials[exercise.name]
    asked = trials[rooms[exercise.function]] if exercise.function else trial
    found = asked.diagnosis if in_time else Diagnosis()
    named = {
        *trial.form_faults.values(),
        *(fault.misconception for fault in trial.faults.values() if fault.misconception),
    }
    for test in trial.result.tests:
        if test.name in trial.form_faults:
            test.hint = form_hint(trial.form_faults[test.name])
    if found.explains:
        # It explains every value, so what single tests made of a value counts no more.
        named = {*trial.form_faults.values(), *found.names} - found.forms
    elif asked.lost_values:
        # Where values are wrong, agreement to six digits only is not what is amiss.
        named -= {"tolerance"}
    for test in trial.result.tests:
        fault = trial.faults.get(test.name)
        if fault and test.verdict == "failed" and test.name not in trial.form_faults:
            own = [] if found.explains and found.hints and not fault.raised else [test.hint]
            test.hint = " ".join([*own, *found.hints])
    report.misconceptions += sorted(named - {*report.misconceptions})


def provenance() -> dict[str, str]:
    """Which tests gave the grade, in short."""
    drawn = read_data("provenance")
    return {
        "autograder": autograder.__version__,
        "tests": digest_of_tests()[:12],
        "draw": "public demonstration" if drawn["public_demonstration"] else "private",
        "torch": drawn["torch"],
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
