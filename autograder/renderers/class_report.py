"""Outcomes of a class -> one HTML page for the instructor; needs nothing but a browser.

What a student wrote or is named stands in it escaped, and the page forbids itself every request.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import correlation, mean, median, pstdev
from typing import Protocol

import jinja2

from autograder.files import write_whole
from autograder.renderers.gradebook import look_at
from autograder.renderers.gradebook import overrides as overrides_of
from autograder.renderers.gradebook import replaced as replaced_in
from autograder.renderers.wording import VERDICTS, exam_line, hints, points
from autograder.report import ExerciseResult, Outcome, Report

TEMPLATE = Path(__file__).with_name("class_report.html")
BINS = 10
FEWEST = 5  # answer sheets below which a correlation says nothing


class Similar(Protocol):
    """Names whose code nearly coincides, and how much of it, of 1."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def share(self) -> float: ...


@dataclass
class Bar:
    """One bar of the distribution: where it stands in the picture, of 100 by 100."""

    label: str
    count: int
    x: float
    height: float


@dataclass
class TestRate:
    """How many of those who were graded did not pass a test."""

    __test__ = False

    title: str
    points: str
    failed: int
    percent: int
    verdicts: str


@dataclass
class ExerciseRate:
    name: str
    percent: int  # of its points, on average
    tests: list[TestRate] = field(default_factory=list)
    bonus: bool = False


@dataclass
class Misconception:
    name: str
    count: int
    percent: int
    hint: str


@dataclass
class Question:
    """A question of the exam: the share that has it right, and how its being right goes along
    with the rest of the sheet, from -1 to 1; None where too few answered."""

    id: str
    title: str
    right: int
    discrimination: float | None
    instead: str


@dataclass
class Page:
    """What is told of one member; `anchor` is its place in the document."""

    anchor: str
    outcome: Outcome
    look_at: list[str]
    alike: list[str]
    exercises: list[tuple[ExerciseResult, list[tuple[str, int]]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def write_report(outcomes: Sequence[Outcome], groups: Sequence[Similar], path: Path) -> None:
    write_whole(path, page_of(outcomes, groups).encode("utf-8", "replace"))


def page_of(outcomes: Sequence[Outcome], groups: Sequence[Similar]) -> str:
    """The whole page as HTML."""
    reports = [outcome.report for outcome in outcomes if outcome.report]
    pages = [page(number, outcome, groups) for number, outcome in enumerate(outcomes, start=1)]
    sheets = [report for report in reports if report.exam and answered(report)]
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["points"] = points
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    scores = [report.score for report in reports]
    return template.render(
        outcomes=outcomes,
        reports=reports,
        statuses=Counter(outcome.status for outcome in outcomes),
        mean=mean(scores) if scores else 0.0,
        median=median(scores) if scores else 0.0,
        full=reports[0].max_score if reports else 0.0,
        passed=sum(1 for report in sheets if report.exam and report.exam.passed),
        sheets=len(sheets),
        bars=distribution(reports),
        exercises=rates(reports),
        misconceptions=ranked(reports),
        questions=questions(sheets),
        never_missed=never_missed(sheets),
        groups=groups,
        by_hand=[page for page in pages if page.look_at],
        pages=pages,
        anchors={page.outcome.name: page.anchor for page in pages},
        provenance=sorted({item for report in reports for item in report.provenance.items()}),
        verdicts=VERDICTS,
        exam_line=exam_line,
    )


def percent(part: float, whole: float) -> int:
    return round(100 * part / whole) if whole else 0


def distribution(reports: Sequence[Report]) -> list[Bar]:
    """How many have how many points, in tenths; full marks are a bar of their own."""
    counts = [0] * (BINS + 1)
    for report in reports:
        share = report.score / report.max_score if report.max_score else 0.0
        counts[min(int(share * BINS + 1e-9), BINS)] += 1
    most = max(counts, default=0) or 1
    step = 100 // BINS
    labels = [f"{n * step}-{n * step + step - 1}" for n in range(BINS)] + ["100"]
    width = 100 / len(counts)
    return [
        Bar(label, count, round(number * width, 2), round(100 * count / most, 2))
        for number, (label, count) in enumerate(zip(labels, counts, strict=True))
    ]


def rates(reports: Sequence[Report]) -> list[ExerciseRate]:
    """Per exercise and test in the order of the reports, which is the manifest's."""
    found: list[ExerciseRate] = []
    for bonus in (False, True):
        results: dict[str, list[ExerciseResult]] = {}
        for report in reports:
            for exercise in report.bonus if bonus else report.exercises:
                results.setdefault(exercise.name, []).append(exercise)
        for name, every in results.items():
            share = percent(sum(one.score for one in every), sum(one.max_score for one in every))
            rate = ExerciseRate(name, share, bonus=bonus)
            for number, test in enumerate(every[0].tests):
                tests = [one.tests[number] for one in every if number < len(one.tests)]
                verdicts = Counter(
                    VERDICTS[one.verdict] for one in tests if one.verdict != "passed"
                )
                failed = sum(verdicts.values())
                told = ", ".join(f"{count} {words}" for words, count in verdicts.most_common())
                share = percent(failed, len(tests))
                rate.tests.append(
                    TestRate(test.title, points(test.max_points), failed, share, told)
                )
            found.append(rate)
    return found


def ranked(reports: Sequence[Report]) -> list[Misconception]:
    """The misconceptions, the most frequent first, each with the hint that came with it."""
    told = [
        {hint for exercise in report.exercises for hint, _ in hints(exercise)}
        | {hint for exercise in report.bonus for hint, _ in hints(exercise)}
        for report in reports
    ]
    counts = Counter(name for report in reports for name in report.misconceptions)
    found = []
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        lift: Counter[str] = Counter()
        for report, seen in zip(reports, told, strict=True):
            for hint in seen:
                lift[hint] += 1 if name in report.misconceptions else -1
        # The hint that comes with this name, and seldom without it.
        hint = max(lift, key=lambda hint: (lift[hint], hint), default="")
        found.append(Misconception(name, count, percent(count, len(reports)), hint))
    return found


def answered(report: Report) -> bool:
    """Whether there was an answer sheet that is not blank."""
    tests = [test for one in report.exercises if one.name == "exam" for test in one.tests]
    return not any(test.verdict in ("missing", "not_attempted") for test in tests)


def questions(sheets: Sequence[Report]) -> list[Question]:
    """The questions that anybody missed, the hardest first."""
    titles: dict[str, str] = {}
    instead: dict[str, Counter[str]] = {}
    missed: list[set[str]] = []
    for report in sheets:
        exam = report.exam
        missed.append({miss.id for miss in exam.missed} if exam else set())
        for miss in exam.missed if exam else ():
            titles[miss.id] = miss.title
            chosen = miss.chosen or "(blank)"
            named = f"{chosen}: {miss.misconception}" if miss.misconception else chosen
            instead.setdefault(miss.id, Counter())[named] += 1
    found = []
    for id_, title in titles.items():
        right = [float(id_ not in one) for one in missed]
        rest = [-float(len(one - {id_})) for one in missed]
        tells = len(right) >= FEWEST and pstdev(right) > 0 and pstdev(rest) > 0
        answer, count = sorted(instead[id_].items(), key=lambda item: (-item[1], item[0]))[0]
        found.append(
            Question(
                id_,
                title,
                percent(sum(right), len(right)),
                round(correlation(right, rest), 2) if tells else None,
                f"{answer} ({count})",
            )
        )
    return sorted(found, key=lambda question: (question.right, question.id))


def never_missed(sheets: Sequence[Report]) -> int:
    ids = {miss.id for report in sheets if report.exam for miss in report.exam.missed}
    return max((report.exam.questions for report in sheets if report.exam), default=0) - len(ids)


def page(number: int, outcome: Outcome, groups: Sequence[Similar]) -> Page:
    """Everything on one member."""
    report = outcome.report
    alike = [
        name
        for group in groups
        if outcome.name in group.names
        for name in group.names
        if name != outcome.name
    ]
    if report is None:
        seen = [] if outcome.status == "no submission" else [outcome.fault or outcome.status]
        return Page(f"s{number}", outcome, seen, alike)
    return Page(
        f"s{number}",
        outcome,
        look_at(report),
        alike,
        [
            (exercise, [(hint, len(titles)) for hint, titles in hints(exercise)])
            for exercise in (*report.exercises, *report.bonus)
        ],
        [*overrides_of(report), *report.remarks, *replaced_in(report)],
    )
