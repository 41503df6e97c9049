"""Report -> Gradescope's results.json, written so that it is valid at every moment."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from autograder.files import write_whole
from autograder.renderers.wording import VERDICTS, exam_line, points
from autograder.report import ExerciseResult, Report, TestResult

UNFINISHED = "Not finished: what is marked as not run has not been graded. Submit again."
FAULT = "The grader itself failed, not your code: this is no grade. Please tell your course staff."


def results(report: Report, note: str = "", staff: dict[str, Any] | None = None) -> dict[str, Any]:
    """The dictionary that Gradescope reads; extra_data, with what `staff` adds, is for staff only.

    `note` stands above the score, for all to read.
    """
    tests = [
        entry(exercise, test, f"{i}.{j}")
        for i, exercise in enumerate(report.exercises, start=1)
        for j, test in enumerate(exercise.tests, start=1)
    ]
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
    return f"{total}; {exam_line(report.exam)}." if report.exam else f"{total}."


def entry(exercise: ExerciseResult, test: TestResult, number: str) -> dict[str, Any]:
    words = VERDICTS[test.verdict]
    return {
        "name": f"{exercise.name}: {test.title}",
        "number": number,
        "score": test.points,
        "max_score": test.max_points,
        "status": "passed" if test.verdict == "passed" else "failed",
        "output": f"{words}: {test.hint}" if test.hint else words,
        "output_format": "text",
        "visibility": "visible",
    }


def write_results(report: Report, path: Path) -> None:
    write_json(results(report), path)


def write_json(content: dict[str, Any], path: Path) -> None:
    write_whole(path, (json.dumps(content, indent=1) + "\n").encode())
