"""What moved between two gradings of a class: the rows whose score or verdict changed, and why."""

from collections.abc import Iterator, Sequence

from autograder.renderers.wording import VERDICTS, points
from autograder.report import ExerciseResult, Outcome, Report, TestResult


def moved(old: Sequence[Outcome], new: Sequence[Outcome]) -> list[str]:
    """One line per member that changed, one per cause below it, and what is counted at the end."""
    before = {outcome.name: outcome for outcome in old}
    after = {outcome.name: outcome for outcome in new}
    names = sorted({*before, *after})
    lines = list(other_grader(old, new))
    rows = 0
    for name in names:
        found = causes(before.get(name), after.get(name))
        if found:
            rows += 1
            lines.append(f"{name}: {score(before.get(name))} -> {score(after.get(name))}")
            lines += [f"  {cause}" for cause in found]
    lines.append(f"{rows} of {len(names)} moved")
    return lines


def score(outcome: Outcome | None) -> str:
    if outcome is None:
        return "not there"
    return points(outcome.report.score) if outcome.report else outcome.status


def other_grader(old: Sequence[Outcome], new: Sequence[Outcome]) -> Iterator[str]:
    """What of the graders' own differs: the tests, the draw, a version."""
    first, second = provenance(old), provenance(new)
    for key in sorted({*first, *second}):
        was, now = first.get(key, set()), second.get(key, set())
        if was != now:
            yield f"{key}: {', '.join(sorted(was)) or '-'} -> {', '.join(sorted(now)) or '-'}"


def provenance(outcomes: Sequence[Outcome]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for outcome in outcomes:
        for key, value in (outcome.report.provenance if outcome.report else {}).items():
            found.setdefault(key, set()).add(str(value))
    return found


def causes(old: Outcome | None, new: Outcome | None) -> list[str]:
    """Why a row changed; empty where neither its score nor a verdict did."""
    if old is None or new is None:
        return ["not in the old folder" if old is None else "not in the new folder"]
    if old.report is None or new.report is None:
        if (old.report, old.status) == (new.report, new.status):
            return []
        return [f"{old.status} -> {new.status}{f': {new.fault}' if new.fault else ''}"]
    return list(causes_of(old.report, new.report))


def causes_of(old: Report, new: Report) -> Iterator[str]:
    before = {exercise.name: exercise for exercise in (*old.exercises, *old.bonus)}
    after = {exercise.name: exercise for exercise in (*new.exercises, *new.bonus)}
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was is None or now is None:
            yield f"{name}: {'a new exercise' if was is None else 'an exercise no more'}"
        else:
            yield from causes_in(was, now)
    if old.exam and new.exam and old.exam.right != new.exam.right:
        missed = {miss.id for miss in old.exam.missed}, {miss.id for miss in new.exam.missed}
        for words, ids in (("right now", missed[0] - missed[1]), ("missed", missed[1] - missed[0])):
            if ids:
                yield f"exam, {words}: {', '.join(sorted(ids))}"


def causes_in(old: ExerciseResult, new: ExerciseResult) -> Iterator[str]:
    """The tests of one exercise that changed, and what staff set by hand."""
    before = {test.name: test for test in old.tests}
    after = {test.name: test for test in new.tests}
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was is None and now is not None:
            yield f"{new.name}: a new test, {told(now)}: {now.title}"
        elif now is None and was is not None:
            yield f"{new.name}: a test no more, {told(was)}: {was.title}"
        elif was and now and (was.verdict, was.points) != (now.verdict, now.points):
            hint = f" ({now.hint})" if now.hint and now.hint != was.hint else ""
            yield f"{new.name}: {told(was)} -> {told(now)}: {now.title}{hint}"
    if old.override != new.override:
        was_set = points(old.override.points) if old.override else "as graded"
        now_set = (
            f"{points(new.override.points)} by hand: {new.override.why}"
            if new.override
            else "as graded"
        )
        yield f"{new.name}: override {was_set} -> {now_set}"


def told(test: TestResult) -> str:
    return f"{VERDICTS[test.verdict]} {points(test.points)}/{points(test.max_points)}"
