"""Times the search for a mistake's name: the first way of every misconception, and random pairs.

    python tests/benchmarks/diagnosis.py

Prints the median and the longest in milliseconds of processor time.
"""

import random
import statistics
import time

from autograder.authoring.dry_run import dry_grading
from autograder.authoring.mistaken import Questions, drawn_pairs
from autograder.exercises.registry import configurations
from autograder.kit.misconception import explain
from autograder.manifest import load_manifest

PAIRS = 10


def main() -> None:
    trials, rooms = dry_grading({}).trials, load_manifest().files
    taken: dict[str, list[float]] = {"one mistake": [], "two mistakes": []}
    for function, known in configurations():
        questions = Questions.of(known, trials[rooms[function]].transcript)
        versions = [("one mistake", one.ways[0]) for one in known.misconceptions]
        versions += [
            ("two mistakes", {**way, **beside})
            for _, way, _, beside in drawn_pairs(known, random.Random(function), PAIRS)
        ]
        for kind, way in versions:
            answers = questions.answered(way)
            started = time.process_time()
            explain(known, answers)
            taken[kind].append(1000 * (time.process_time() - started))
    for kind, times in taken.items():
        print(
            f"diagnosis of {kind}: median {statistics.median(times):.0f} ms, "
            f"longest {max(times):.0f} ms, of {len(times)}"
        )


if __name__ == "__main__":
    main()
