"""Report -> Gradescope's results.json, written so that it is valid at every moment."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autograder.files import write_whole
from autograder.renderers.wording import (
    VERDICTS,
    begun_bonus,
    bonus_line,
    draw_line,
    exam_line,
    holds_line,
    points,
    replaced_line,
)
from autograder.report import ExerciseResult, Report, TestResult, Verdict

UNFINISHED = "Not finished: what is marked as not run has not been graded. Submit again."
FAULT = "The grader itself failed, not your code: this is no grade. Please tell your course staff."


def results(report: Report, note: str = "", staff: dict[str, Any] | None = None) -> dict[str, Any]:
    """The dictionary that Gradescope reads; extra_data, with what `staff` adds, is for staff only.

    `note` stands above the score, for all to read.
    """
    tests = cards(report)
    return {
        "score": report.score,
        "output": f"{note}\n{summary(report)}" if note else summary(report),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {
            "misconceptions": report.misconceptions,
            "exam": asdict(report.exam) if report.exam else None,
            "isolation": report.isolation,
            "provenance": report.provenance,
            **({"draw": draw_line(report)} if draw_line(report) else {}),
            **(staff or {}),
        },
    }


def no_results(words: str, staff: dict[str, Any] | None = None) -> dict[str, Any]:
    """What stands in place of a report, before there is one or where there can be none."""
    return {
        "score": 0,
        "output": words,
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [],
        "extra_data": staff or {},
    }


def summary(report: Report) -> str:
    total = f"{points(report.score)} of {points(report.max_score)} points"
    lines = [f"{total}; {exam_line(report.exam)}." if report.exam else f"{total}."]
    holds = holds_line([*report.exercises, *report.bonus])
    if holds:
        lines.append(f"What holds: {holds}.")
    if report.bonus:
        lines.append(f"{bonus_line(report)} (no part of the score).")
    told = ((exercise.name, replaced_line(report, exercise.name)) for exercise in report.exercises)
    lines += [f"{name}: {line}" for name, line in told if line]
    return "\n".join(lines)


def cards(report: Report) -> list[dict[str, Any]]:
    """Per exercise, one card without text for what passed, and one for each cause of what did not.

    A hint stands once in the whole page: a student reads a mistake, not a list of its symptoms.
    """
    found = []
    told: dict[str, str] = {}
    for i, exercise in enumerate([*report.exercises, *begun_bonus(report)], start=1):
        # An exam that is passed still has something to say.
        passed = [test for test in exercise.tests if test.verdict == "passed" and not test.hint]
        parts = [(passed, "")] if passed else []
        rest: dict[tuple[Verdict, str], list[TestResult]] = {}
        for test in exercise.tests:
            if test not in passed:
                rest.setdefault((test.verdict, test.hint), []).append(test)
        for (verdict, hint), tests in rest.items():
            seen = told.setdefault(f"{verdict} {hint}", exercise.name) if hint else exercise.name
            text = hint if seen == exercise.name else f"The same cause as in {seen}."
            said = f"{VERDICTS[verdict]}: {text}" if text else VERDICTS[verdict]
            several = 1 < len(tests) < len(exercise.tests)
            titles = [test.title for test in tests] if several else []
            parts.append((tests, "\n".join([said, *titles])))
        example = report.examples.get(exercise.name)
        if example and rest:
            tests, output = parts[-1]
            parts[-1] = (tests, f"{output}\n\nOn an example that is no secret:\n{example}")
        for j, (tests, output) in enumerate(parts, start=1):
            found.append(card(exercise, tests, output, f"{i}.{j}"))
    return found


def card(
    exercise: ExerciseResult, tests: list[TestResult], output: str, number: str
) -> dict[str, Any]:
    """One card: a single test by its title, several by their number."""
    earned = round(sum(test.points for test in tests), 2)
    worth = round(sum(test.max_points for test in tests), 2)
    what = tests[0].title if len(tests) == 1 else f"{len(tests)} of {len(exercise.tests)} tests"
    status = "passed" if all(test.verdict == "passed" for test in tests) else "failed"
    return {
        "name": f"{exercise.name}: {what}",
        "number": number,
        "score": earned,
        "max_score": worth,
        "status": status,
        "output": output,
        "output_format": "text",
        "visibility": "visible",
    }


def write_results(report: Report, path: Path) -> None:
    write_json(results(report), path)


def write_json(content: dict[str, Any], path: Path) -> None:
    write_whole(path, (json.dumps(content, indent=1) + "\n").encode())
