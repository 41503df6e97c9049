"""Gradescope's history of submissions, laid out as its documentation says, in the real zip."""

import itertools
import json
import shutil
from pathlib import Path

import pytest

from autograder.exam.attempts import KEPT
from autograder.kit.cases import read_key
from tests.platform_runs import ROOT, bundled, gradescope_layout, run, start_run

KEY = read_key()
SOLUTIONS = ROOT / "solutions"
CODE = 80.0


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    return bundled(tmp_path_factory.mktemp("zip"))


def sheet(right: int) -> str:
    """A sheet of its own for each number of right answers."""
    lines = []
    for position, entry in enumerate(KEY):
        wrong = next((letter for letter in entry.options if letter != entry.answer), "-12345")
        lines.append(f'{entry.id} = "{entry.answer if position < right else wrong}"')
    return "\n".join(lines)


class Course:
    """One student's submissions on Gradescope: `results` stand on the latest earlier one only."""

    def __init__(self, archive: Path, folder: Path) -> None:
        self.archive, self.folder = archive, folder
        self.earlier: list[dict] = []
        self.numbers = itertools.count()

    def metadata(self) -> dict:
        shown = [dict(one) for one in self.earlier]
        for one in shown[:-1]:
            one.pop("results", None)
        return {
            "id": 123456,
            "created_at": "2026-03-01T12:00:00.000000-08:00",
            "assignment": {"due_date": "2026-03-05T23:00:00.000000-08:00"},
            "users": [{"id": 1, "email": "a@b.c"}, {"id": 2, "email": "b@b.c"}],
            "previous_submissions": shown,
        }

    def laid_out(self, right: int | None, code: bool = True) -> Path:
        root = self.folder / f"run{next(self.numbers)}"
        work = self.folder / f"work{root.name}"
        if code:
            shutil.copytree(SOLUTIONS, work)
        else:
            work.mkdir()
            shutil.copy(SOLUTIONS / "softmax.py", work)
        (work / "exam.toml").unlink(missing_ok=True)
        if right is not None:
            (work / "exam.toml").write_text(sheet(right))
        root.mkdir()
        gradescope_layout(root, self.archive, work)
        (root / "submission_metadata.json").write_text(json.dumps(self.metadata()))
        return root

    def hand_in(self, right: int | None, code: bool = True) -> dict:
        results, status, said = run(self.laid_out(right, code))
        assert status == 0, said
        self.add(score=results["score"], results=results)
        return results

    def add(self, score=0.0, error=False, **more) -> None:
        time = f"2026-03-01T10:{len(self.earlier):02}:00.000000-08:00"
        self.earlier.append(
            {"submission_time": time, "score": score, "autograder_error": error, **more}
        )

    def happens(self, event: str) -> None:
        """Something that is no finished grade."""
        if event == "killed":
            self.add()
        elif event == "pending":
            self.add(score=None, results=None)
        elif event == "null results":
            self.add(results=None)
        else:
            assert event == "autograder_error"
            self.add(error=True)


def exam_points(results: dict) -> float:
    return round(sum(t["score"] for t in results["tests"] if t["name"].startswith("exam")), 2)


def told(results: dict) -> str:
    return json.dumps([t["output"] for t in results["tests"] if t["name"].startswith("exam")])


pytestmark = pytest.mark.slow

EVENTS = ["killed", "pending", "null results", "autograder_error"]


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("place", [1, 2, 3])
def test_five_sheets_and_something_lost_between_two(archive, tmp_path, event, place):
    """Never a fourth attempt told; the best that is on record or proved by a total stays."""
    course = Course(archive, tmp_path)
    scored, best = 0, 0
    for number, right in enumerate((5, 9, 14, 17, 18)):
        if number == place:
            course.happens(event)
        results = course.hand_in(right)
        if "neither scored nor" not in told(results):
            scored, best = scored + 1, max(best, right)
        assert exam_points(results) == round(20 * best / 18, 2)
    assert scored <= 3
    assert best <= 14


def test_nothing_lost_and_nothing_told_after_three(archive, tmp_path):
    course = Course(archive, tmp_path)
    points = [exam_points(course.hand_in(right)) for right in (5, 14, 9, 18, None)]
    assert points == [5.56, 15.56, 15.56, 15.56, 15.56]
    late = course.hand_in(18)
    assert "neither scored nor counted" in told(late)
    assert "100 of 100" not in json.dumps(late["tests"])
    assert late["extra_data"]["exam"]["missed"] == []


def test_an_honest_78_survives_a_killed_run_and_code_without_a_sheet(archive, tmp_path):
    course = Course(archive, tmp_path)
    course.hand_in(14)
    course.happens("killed")
    results = course.hand_in(None)
    assert exam_points(results) == 15.56
    # The reconstruction is the new record, and staff read how to mend it.
    assert results["extra_data"][KEPT] == {
        "sheets": [],
        "unknown": 2,
        "proved": 14,
        "reconstructed": True,
    }
    assert "rerun the submission that was stopped" in results["extra_data"]["exam_attempts_note"]
    assert exam_points(course.hand_in(15)) == 16.67
    assert exam_points(course.hand_in(18)) == 16.67


def test_a_rerun_of_the_stopped_submission_mends_the_record(archive, tmp_path):
    course = Course(archive, tmp_path)
    course.hand_in(14)
    course.happens("killed")
    course.hand_in(9)
    # Staff rerun the second, which had 5 right, and then the third.
    course.earlier = course.earlier[:1]
    course.hand_in(5)
    results = course.hand_in(9)
    record = results["extra_data"][KEPT]
    assert [one["right"] for one in record["sheets"]] == [14, 5, 9]
    assert (record["unknown"], record["reconstructed"]) == (0, False)


def test_the_record_stands_in_the_results_from_the_first_moment(archive, tmp_path):
    """A run that is stopped as soon as there are results has kept it, with its own sheet."""
    course = Course(archive, tmp_path)
    course.hand_in(14)
    root = course.laid_out(5)
    process = start_run(root)
    seen = []
    while process.poll() is None:
        path = root / "results" / "results.json"
        if path.exists():
            seen.append(json.loads(path.read_text())["extra_data"].get(KEPT))
    process.communicate()
    assert seen
    assert all(record and record["sheets"][0]["right"] == 14 for record in seen)
    assert [one["right"] for one in seen[-1]["sheets"]] == [14, 5]


def test_a_fault_of_the_grader_costs_no_attempt_and_no_score(archive, tmp_path):
    course = Course(archive, tmp_path)
    course.hand_in(14)
    root = course.laid_out(18)
    (next(root.glob("source/files*/autograder/exercises/softmax/cases.json"))).write_text("{")
    process = start_run(root)
    said, _ = process.communicate(timeout=120)
    assert "grader_error" in said
    # It leaves none, so Gradescope shows an error of its own.
    assert not (root / "results" / "results.json").exists()
    course.happens("autograder_error")
    assert exam_points(course.hand_in(None)) == 15.56


def test_an_extension_counts_for_late(archive, tmp_path):
    course = Course(archive, tmp_path)
    root = course.laid_out(5, code=False)
    path = root / "submission_metadata.json"
    metadata = json.loads(path.read_text())
    metadata["created_at"] = "2026-03-07T12:00:00.000000-08:00"
    own = {"due_date": "2026-03-08T23:00:00.000000-08:00"}
    for users, late in ((metadata["users"], True), ([{"id": 1, "assignment": own}], False)):
        path.write_text(json.dumps({**metadata, "users": users}))
        assert run(root)[0]["extra_data"]["late"] is late
