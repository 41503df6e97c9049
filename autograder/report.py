"""The words that every part speaks: verdicts, faults, and the Report of one submission."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Verdict = Literal[
    "passed",
    "failed",
    "not_attempted",
    "missing",
    "syntax_error",
    "import_error",
    "crashed",
    "timeout",
    "out_of_memory",
    "not_run",
]


class StudentFault(Exception):
    """What a student's code did instead of answering; never a fault of the grader.

    words are fixed text for the student; share is the part of the points earned all the same,
    where it is not all or nothing.
    misconception is its id where the fault itself names it;
    raised is the built-in class of an exception that got out of a function.
    """

    def __init__(
        self,
        verdict: Verdict,
        words: str,
        misconception: str | None = None,
        raised: str = "",
        share: float | None = None,
    ) -> None:
        super().__init__(words)
        self.verdict: Verdict = verdict
        self.words = words
        self.misconception = misconception
        self.raised = raised
        self.share = share

    def again(self) -> "StudentFault":
        """The same fault to raise once more: a raised one keeps the traceback of every raise."""
        return StudentFault(self.verdict, self.words, self.misconception, self.raised, self.share)


class GraderError(Exception):
    """The grader itself is at fault: no score may be read from this run."""


@dataclass
class TestResult:
    """One test function of a hidden suite, whatever number of cases it has."""

    __test__ = False  # pytest would collect it for its name

    name: str
    title: str
    max_points: float
    points: float = 0.0
    verdict: Verdict = "not_run"
    hint: str = ""

    def settle(self, verdict: Verdict, hint: str = "", share: float | None = None) -> None:
        """Sets the verdict, and the points: all for passed and none otherwise, or a share."""
        self.verdict = verdict
        earned = float(verdict == "passed") if share is None else share
        self.points = round(self.max_points * earned, 2)
        self.hint = hint


@dataclass(frozen=True)
class Override:
    """What a member of staff set the points of an exercise to, and why; `why` is for staff."""

    points: float
    why: str


@dataclass
class ExerciseResult:
    name: str
    tests: list[TestResult]
    override: Override | None = None

    @property
    def score(self) -> float:
        if self.override:
            return self.override.points
        return sum(test.points for test in self.tests)

    @property
    def max_score(self) -> float:
        return sum(test.max_points for test in self.tests)

    def settle_all(self, verdict: Verdict, hint: str) -> None:
        """Gives every test of the exercise one verdict."""
        for test in self.tests:
            test.settle(verdict, hint)

    @property
    def passed(self) -> int:
        """How many tests pass."""
        return sum(test.verdict == "passed" for test in self.tests)

    @property
    def begun(self) -> bool:
        """Whether there is a function to judge, more than a stub."""
        return any(test.verdict not in ("missing", "not_attempted") for test in self.tests)


@dataclass(frozen=True)
class MissedQuestion:
    """For staff: a question missed, and what the wrong option that was chosen stands for."""

    id: str
    title: str
    misconception: str | None
    chosen: str = ""  # what was answered instead; empty for a blank


@dataclass(frozen=True)
class ExamReport:
    """The exam's own score out of 100; by_module counts the missed questions per module."""

    score: int
    right: int
    questions: int
    passed: bool
    by_module: dict[str, int]
    missed: list[MissedQuestion]


@dataclass
class Report:
    """The grade of one submission. Scores are in points, to two decimals.

    replaced: by exercise, the helpers of which a right version stood in for the student's.
    remarks: what was left out or read otherwise. examples: by exercise, the first public example
    that it answers wrongly, beside what it should give. shape: see intake/shape.py; nobody is
    shown it.
    """

    submission: str
    exercises: list[ExerciseResult]
    exam: ExamReport | None = None
    misconceptions: list[str] = field(default_factory=list)
    isolation: list[str] = field(default_factory=list)
    provenance: dict[str, str] = field(default_factory=dict)
    bonus: list[ExerciseResult] = field(default_factory=list)
    replaced: dict[str, list[str]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    examples: dict[str, str] = field(default_factory=dict)
    shape: list[str] = field(default_factory=list)

    @property
    def score(self) -> float:
        return round(sum(exercise.score for exercise in self.exercises), 2)

    @property
    def max_score(self) -> float:
        return round(sum(exercise.max_score for exercise in self.exercises), 2)

    def as_json(self) -> dict[str, Any]:
        """What --json prints: programs rely on these names."""
        return {
            "submission": self.submission,
            "score": self.score,
            "max_score": self.max_score,
            "exam": asdict(self.exam) if self.exam else None,
            "exercises": [exercise_as_json(exercise) for exercise in self.exercises],
            "bonus": [exercise_as_json(exercise) for exercise in self.bonus],
            "replaced": self.replaced,
            "remarks": self.remarks,
            "examples": self.examples,
            "misconceptions": self.misconceptions,
            "isolation": self.isolation,
            "provenance": self.provenance,
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "Report":
        """The report that as_json made, now or in an earlier version; KeyError and TypeError where
        it is none."""
        exam = found["exam"]
        if exam is not None:
            exam = ExamReport(
                **{**exam, "missed": [MissedQuestion(**missed) for missed in exam["missed"]]}
            )
        return cls(
            submission=found["submission"],
            exercises=[exercise_from_json(exercise) for exercise in found["exercises"]],
            exam=exam,
            bonus=[exercise_from_json(exercise) for exercise in found.get("bonus", ())],
            **{
                name: found[name]
                for name in (
                    "replaced",
                    "remarks",
                    "examples",
                    "misconceptions",
                    "isolation",
                    "provenance",
                )
                if name in found  # an earlier version may have known less
            },
        )


def exercise_as_json(exercise: ExerciseResult) -> dict[str, Any]:
    found = {
        "name": exercise.name,
        "score": round(exercise.score, 2),
        "max_score": exercise.max_score,
        "tests": [asdict(test) for test in exercise.tests],
    }
    return {**found, "override": asdict(exercise.override)} if exercise.override else found


def exercise_from_json(found: dict[str, Any]) -> ExerciseResult:
    override = found.get("override")
    return ExerciseResult(
        found["name"],
        [TestResult(**test) for test in found["tests"]],
        Override(**override) if override else None,
    )


# --- a class ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Student:
    """Who handed in, as far as an LMS or a roster tells. sid is the institution's number, lms_id
    the platform's own."""

    name: str = ""
    sid: str = ""
    email: str = ""
    login: str = ""
    lms_id: str = ""
    section: str = ""


Status = Literal["graded", "grader_error", "no submission", "not finished"]


@dataclass
class Outcome:
    """What became of one member of a class: a report, or in words why there is none.

    kept: graded by an earlier run into the same folder. key is the digest of all that decided the
    grade, origin where the submission came from.
    """

    name: str
    students: tuple[Student, ...] = ()
    report: Report | None = None
    status: Status = "graded"
    fault: str = ""
    kept: bool = False
    key: str = ""
    origin: str = ""
