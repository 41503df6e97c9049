"""How often somebody passes the exam who knows a part of it and guesses the rest, with up to three
sheets:  python tests/benchmarks/exam_passing.py

Nothing is sampled: every way in which the guesses can fall is enumerated, with its probability.
After each sheet the guesser is told the score and one module. Three of them: one guesses anew each
time; one keeps the better sheet and guesses anew in the module that was named; and one computes
the best sheet from all that was told, as no person would by hand: the bound of what can be gained.
"""

import itertools
import random
from collections import defaultdict

import numpy as np

from autograder.exam.examining import most_missed
from autograder.exam.scoring import percent
from autograder.exercises.exam.bank import draw_exam
from autograder.kit.cases import read_key
from autograder.manifest import load_manifest

THRESHOLD, SHEETS = load_manifest().exam.threshold, load_manifest().exam.attempts
KEY = read_key()
MODULES = sorted({entry.module for entry in KEY})
# Three guesses at a question, one per sheet; 3 stands for all other options.
FIRST, SECOND, THIRD = range(3)


class Guesser:
    """Guesses at some questions, is right at others, and misses the rest: a number is no guess."""

    def __init__(self, known: set[str], guesser: str) -> None:
        self.guesser = guesser
        exam = {entry.id: question for entry, question in zip(KEY, EXAM, strict=True)}
        self.asked = [entry.module for entry in KEY]
        guessed = [e for e in KEY if e.id not in known and e.kind != "number"]
        lost = [e.module for e in KEY if e.id not in known and e.kind == "number"]
        needed = next(n for n in range(len(KEY) + 1) if percent(n, len(KEY)) >= THRESHOLD)
        self.needed = needed - len(known)
        self.modules = np.array([entry.module for entry in guessed])
        self.lost = {module: lost.count(module) for module in MODULES}
        # Every way the guesses can fall: which guess at each question would be right.
        self.falls = np.array([*itertools.product(range(4), repeat=len(guessed))], dtype=np.int8)
        sizes = [len(exam[e.id].options) or len(exam[e.id].words) for e in guessed]
        chances = [np.array([1 / n, 1 / n, 1 / n, 1 - 3 / n]) for n in sizes]
        self.weights = np.ones(len(self.falls))
        for place, chance in enumerate(chances):
            self.weights *= chance[self.falls[:, place]]

    def told(self, hits: np.ndarray) -> dict[object, np.ndarray]:
        """By what is said after a sheet, the ways in which the guesses can then have fallen."""
        missed = {m: self.lost[m] + (~hits[:, self.modules == m]).sum(axis=1) for m in MODULES}
        rows, which = np.unique(np.column_stack([*missed.values()]), axis=0, return_inverse=True)
        groups: dict[object, list[int]] = defaultdict(list)
        for number, row in enumerate(rows.tolist()):
            groups[self.words(row)].append(number)
        return {
            said: np.flatnonzero(np.isin(which.ravel(), numbers))
            for said, numbers in groups.items()
        }

    def words(self, misses: list[int]) -> tuple[int, int | None]:
        """The score and the one module that is named."""
        missed = {module: n for module, n in zip(MODULES, misses, strict=True) if n}
        return sum(misses), most_missed(missed)

    def best_sheet(self, falls: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The sheet that passes most often among what is still possible, one change at a time."""
        best, found = -1.0, falls[0]
        for start in (FIRST, SECOND, THIRD):
            sheet = np.full(falls.shape[1], start, dtype=np.int8)
            hits = (falls == sheet).sum(axis=1)
            value = weights[hits >= self.needed].sum()
            while True:
                changes = []
                for place, guess in itertools.product(range(len(sheet)), (FIRST, SECOND, THIRD)):
                    column = falls[:, place]
                    other = hits - (column == sheet[place]) + (column == guess)
                    changes.append((weights[other >= self.needed].sum(), place, guess))
                chance, place, guess = max(changes)
                if chance <= value + 1e-15:
                    break
                sheet[place], value = guess, chance
                hits = (falls == sheet).sum(axis=1)
            if value > best:
                best, found = value, sheet
        return found

    def next_sheet(self, falls: np.ndarray, weights: np.ndarray, past: list) -> np.ndarray:
        """What is handed in next, after the sheets of the past and what was said of each."""
        if not past:
            return np.full(falls.shape[1], FIRST, dtype=np.int8)
        if self.guesser == "best possible":
            return self.best_sheet(falls, weights)
        if self.guesser == "guesses anew":
            return np.full(falls.shape[1], len(past), dtype=np.int8)
        # Keeps the better sheet, and guesses anew in the module that was named for it.
        (_, module), sheet = min(past, key=lambda one: one[0][0])
        fresh = sheet.copy()
        fresh[self.modules == module] = len(past)
        return fresh

    def chance(self) -> list[float]:
        """The probability to have passed after each of the sheets."""
        nodes: list[tuple] = [(self.falls, self.weights, [])]
        passed, after = 0.0, []
        for _ in range(SHEETS):
            following = []
            for falls, weights, past in nodes:
                sheet = self.next_sheet(falls, weights, past)
                hits = falls == sheet
                done = hits.sum(axis=1) >= self.needed
                passed += weights[done].sum()
                falls, weights = falls[~done], weights[~done]
                for said, places in self.told(hits[~done]).items():
                    following.append((falls[places], weights[places], [*past, (said, sheet)]))
            nodes = following
            after.append(passed)
        return after


EXAM = draw_exam(random.Random("0/exam"))


def known(count: int) -> set[str]:
    """The first so many questions of the exam: those for a number or a word before the choices."""
    order = sorted(KEY, key=lambda entry: entry.kind == "choice")
    return {entry.id for entry in order[:count]}


def main() -> None:
    print("| known | who | 1 sheet | 2 sheets | 3 sheets |\n| --- | --- | --- | --- | --- |")
    for count in (7, 9, 10, 11):
        for guesser in ("guesses anew", "follows what is told", "best possible"):
            chances = Guesser(known(count), guesser).chance()
            told = " | ".join(f"{100 * chance:.1f}%" for chance in chances)
            print(f"| {count} of {len(KEY)} | {guesser} | {told} |", flush=True)


if __name__ == "__main__":
    main()
