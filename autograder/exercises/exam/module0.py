"""Module 0: softmax, and softmax of large scores."""

import random
from fractions import Fraction

from autograder.exam.question import (
    FRACTION,
    Question,
    Stem,
    drawn,
    family,
    listed,
    number,
)

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")


def three_way_softmax(rng: random.Random) -> Question:
    """The score asked about may be the highest, the middle one or the 0."""
    asked = rng.randint(0, 2)

    def draw() -> list[int]:
        return [1, *sorted(rng.sample(range(2, 16), 2))]

    powers = drawn(draw, lambda powers: sum(powers) in (8, 10, 16, 20, 25))
    total = sum(powers)
    scores = ["0" if power == 1 else f"ln {power}" for power in powers]
    shown = rng.sample(scores, 3)
    power = powers[asked]
    without_zero = Fraction(power, total - 1) if asked else Fraction(0)
    return number(
        module=0,
        title="A softmax of three scores",
        section="assignments/modules.md, Softmax",
        wording=f"A row of scores is {listed(shown)}, where ln is the natural logarithm. Which "
        f"weight does softmax give to the score {scores[asked]}?",
        form=FRACTION,
        answer=Fraction(power, total),
        near={
            "zero_hides": without_zero,
            "equal_shares": Fraction(1, 3),
            "largest_takes_all": Fraction(int(power == max(powers))),
            "not_normalised": Fraction(power),
            "divides_by_largest_exponential": Fraction(power, max(powers)),
        },
        explanation=f"e^0 = 1, e^(ln {powers[1]}) = {powers[1]} and e^(ln {powers[2]}) = "
        f"{powers[2]}, together {total}. A score of 0 is not worth nothing: it is worth 1. So the "
        f"weight of the score {scores[asked]} is {power}/{total}.",
    )


def changed_scores(rng: random.Random) -> Question:
    leader, second, third = rng.sample(NAMES, 3)
    high = rng.randint(6, 9)
    row = [high, rng.randint(3, high - 2), rng.randint(1, 2)]
    shift, factor, lift = rng.randint(3, 9), rng.randint(2, 4), rng.randint(2, 5)
    start = (
        f"In a row of weights, {leader} has the score {row[0]}, {second} the score {row[1]} and "
        f"{third} the score {row[2]}. Before softmax, "
    )
    end = " How do the three weights change, rounding aside?"
    pool = {
        "same": ("All three weights stay as they were.", "scaling_changes_nothing"),
        "sharper": (
            f"{leader} gets more, and {second} loses a smaller part of its weight than {third}.",
            "any_change_sharpens",
        ),
        "flatter": (
            f"{leader} gets less but still leads, and {third} gains more times over than {second}.",
            "any_change_flattens",
        ),
        "turned": (
            f"{leader} falls from the largest weight to the smallest.",
            "sign_of_scores_flipped",
        ),
        "lifted": (
            f"{leader} gets more, and {second} and {third} lose the same part of their weights.",
            "others_share_the_loss",
        ),
    }
    stems = [
        Stem(
            f"{start}{shift} is taken away from each of the three scores.{end}",
            "same",
            f"Each exponential is divided by e^{shift}, and so is their sum: the quotients stay as "
            "they were. Only the gaps between the scores of a row count.",
        ),
        Stem(
            f"{start}each of the three scores is multiplied by {factor}.{end}",
            "sharper",
            f"All gaps become {factor} times as wide. Each ratio of two weights is raised to the "
            f"power {factor}: {leader} gains on both, and {second} gains on {third}.",
        ),
        Stem(
            f"{start}each of the three scores is divided by {factor}.{end}",
            "flatter",
            f"All gaps become {factor} times as narrow, so all weights move towards 1/3, in the "
            f"same order as before: {third} catches up on {second}, and both on {leader}.",
        ),
        Stem(
            f"{start}each of the three scores is multiplied by -1.{end}",
            "turned",
            f"The highest score has become the lowest: -{row[0]} < -{row[1]} < -{row[2]}. The "
            "weights follow the order of the scores, so now it is turned round.",
        ),
        Stem(
            f"{start}{lift} is added to {leader}'s score alone.{end}",
            "lifted",
            f"{leader}'s exponential grows by the factor e^{lift}, the other two stay. Their sum "
            f"grows too, and both {second} and {third} are divided by it: they lose the same part.",
        ),
    ]
    return family(rng, 0, "Changed scores", "assignments/modules.md, Softmax", pool, stems)


def large_scores(rng: random.Random) -> Question:
    size = 100 * rng.randint(11, 30)
    gap = rng.randint(1, 3)
    high, low = listed([size, size + gap]), listed([-size - gap, -size])
    start = (
        f"A table of scores has the two rows {high} (the high row) and {low} (the low row). A "
        "softmax in float64 takes e^x of each number and divides it by the sum over its row. "
    )
    end = " What becomes of the weights?"
    pool = {
        "both": ("Both rows come out right.", "large_scores_are_harmless"),
        "high": ("The high row comes out right, and the low row is nan.", "only_low_rows_fail"),
        "low": ("The low row comes out right, and the high row is nan.", "only_high_rows_fail"),
        "none": ("Both rows are nan.", "shifting_does_not_help"),
        "wrong": ("Both rows are numbers that sum to 1, but not the right ones.", "shift_distorts"),
    }
    stems = [
        Stem(
            f"{start}Nothing is done to the scores before.{end}",
            "none",
            "e^x of the high scores is infinite, and inf/inf is nan; e^x of the low ones is 0, and "
            "0/0 is nan.",
        ),
        Stem(
            f"{start}Before e^x, each row's own largest score is subtracted from it.{end}",
            "both",
            "Each row then holds a 0 as its largest score: nothing overflows, the sum is at least "
            "1, and the gaps are what they were.",
        ),
        Stem(
            f"{start}Before e^x, the largest score of the whole table is subtracted from all of "
            f"it.{end}",
            "high",
            "The high row then holds a 0 as its largest score. The low one is pushed so far down "
            "that all its exponentials are 0, and 0/0 is nan.",
            {"both": "global_max_underflow"},
        ),
        Stem(
            f"{start}Before e^x, the smallest score of the whole table is subtracted from all of "
            f"it.{end}",
            "low",
            "The low row then starts at 0 and is right. The high one is pushed further up, its "
            "exponentials are infinite, and inf/inf is nan.",
            {"both": "any_shift_will_do"},
        ),
        Stem(
            f"{start}Before e^x, scores below -700 are set to -700, and those above 700 to "
            f"700.{end}",
            "wrong",
            f"e^700 and e^-700 are both numbers that float64 holds, so nothing is nan. But the gap "
            f"of {gap} is gone in both rows: each gives 1/2 to both of its scores.",
            {"both": "clips_instead_of_shifting"},
        ),
    ]
    return family(
        rng,
        0,
        "Repairs for large scores",
        "assignments/modules.md, Large scores",
        pool,
        stems,
        lookup=True,
    )
