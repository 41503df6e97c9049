"""One submission -> Report: the only judge, whoever asks for a grade."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import autograder
from autograder.exam.examining import exam_report
from autograder.exercises.registry import form_hint
from autograder.intake.submission import Submission, open_submission
from autograder.judging.diagnosis import Diagnosis, diagnose
from autograder.judging.fairness import Sitting, Start, Trial, best_trial, waive_repeated_forms
from autograder.judging.suites import Suites, with_suites
from autograder.kit.cases import digest_of_tests, read_data, read_key
from autograder.manifest import Exercise, load_manifest
from autograder.report import GraderError, Report
from autograder.sandbox.process import Guest

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
    return judge(submission, Guest, progress, live_kernel).report


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
        exercises=[suites.blank(exercise) for exercise in manifest.exercises],
        provenance=provenance(),
    )
    trials: dict[str, Trial] = {}
    sitting = Sitting(submission, suites, manifest.limits, start)
    try:
        progress(report)
        for position, exercise in enumerate(manifest.exercises):
            trial = best_trial(exercise, sitting, trials)
            waive_repeated_forms(trial, trials.values())
            trials[exercise.name] = trial
            explain(exercise, trials, report)
            report.exercises[position] = trial.result
            report.isolation = sitting.own.isolation
            if exercise.name == "exam":
                report.exam = exam_report(submission, read_key())
            progress(report)
    except OSError as error:
        raise GraderError(f"no file can be written for the guest: {error}") from error
    finally:
        sitting.close()
    return Grading(report, trials)


def explain(exercise: Exercise, trials: dict[str, Trial], report: Report) -> None:
    """Names the misconceptions behind lost points, and gives their hints to the failed tests."""
    trial, asked = trials[exercise.name], trials[exercise.function or exercise.name]
    found = diagnose(asked.transcript) if asked.lost_values else Diagnosis()
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
    }
