"""Module 0: embedding lookup and softmax."""

import random
from fractions import Fraction

from autograder.exam.question import FRACTION, WHOLE, Question, choice, drawn, listed, number

# Some words come twice.
REPEATING = (
    "the dog saw the other dog",
    "what you see is what you get",
    "she said that he said so",
    "day after day the rain fell",
    "the more the merrier the party",
)


def embedding_lookup(rng: random.Random) -> Question:
    sentence = rng.choice(REPEATING)
    vocabulary = 1000 * rng.randint(2, 40)
    width = rng.choice((6, 7, 8, 12, 15))
    words = len(sentence.split())
    return number(
        module=0,
        title="From a sentence to X",
        section="assignments/modules.md, Embedding lookup",
        wording=f"An embedding table has {vocabulary} rows, one per word of the vocabulary, and "
        f'd_model = {width}. Looking up the words of the sentence "{sentence}" in it gives X. '
        "How many numbers does X hold?",
        form=WHOLE,
        answer=words * width,
        explanation=f"The lookup copies one row of {width} numbers for each of the {words} words "
        "of the sentence, also for a word that was there before. The other words of the table do "
        f"not come into X, so it holds {words} x {width} = {words * width} numbers.",
    )


def two_way_softmax(rng: random.Random) -> Question:
    # 1 + odds divides a power of ten, so that decimals are exact.
    odds = rng.choice((3, 4, 7, 9, 15, 19))
    scores = ["0", f"ln {odds}"]
    rng.shuffle(scores)
    return number(
        module=0,
        title="A softmax of two scores",
        section="assignments/modules.md, Softmax",
        wording=f"A row of scores is {listed(scores)}, where ln is the natural logarithm. Which "
        f"weight does softmax give to the score ln {odds}?",
        form=FRACTION,
        answer=Fraction(odds, 1 + odds),
        explanation=f"e^0 = 1 and e^(ln {odds}) = {odds}, together {1 + odds}. A score of 0 is not "
        f"worth nothing: it is worth 1. So the weights are 1/{1 + odds} for the score 0 and "
        f"{odds}/{1 + odds} for the score ln {odds}.",
    )


def same_weights(rng: random.Random) -> Question:
    # A sum that divides a power of ten keeps the quotients short.
    row = drawn(lambda: rng.sample(range(1, 10), 3), lambda row: sum(row) in (8, 10, 20))
    shift = rng.choice((-7, -6, -4, -3, 3, 4, 6, 7))
    stretch = rng.randint(2, 4)
    factor = rng.randint(2, 3)
    total = sum(row)
    top = max(row)
    return choice(
        rng,
        module=0,
        title="Rows with the same weights",
        section="assignments/modules.md, Softmax",
        wording="On paper, rounding aside, which of these rows of scores gets exactly the same "
        f"softmax weights as {listed(row)}?",
        right=listed([score + shift for score in row]),
        wrong={
            "scaling_changes_nothing": listed([score * factor for score in row]),
            "softmax_is_division_by_sum": listed([f"{score / total:g}" for score in row]),
            "only_order_counts": listed(
                [score + stretch if score == top else score for score in row]
            ),
        },
        explanation=f"Adding {shift} to every score multiplies every exponential by e^{shift}, and "
        "their sum too, so the quotients stay as they are. Any change of the gaps between the "
        "scores changes the weights: scores that are multiplied, divided by their sum, or moved "
        "one at a time have other gaps.",
    )


def large_scores(rng: random.Random) -> Question:
    size = 100 * rng.randint(9, 30)
    gap = rng.randint(1, 3)
    high, low = listed([size, size + gap]), listed([-size - gap, -size])
    return choice(
        rng,
        module=0,
        title="A repair for large scores",
        section="assignments/modules.md, Large scores",
        wording="A softmax in float64 divides each e^score by the sum of its row, and gives nan "
        f"for the table with the rows {high} and {low}. Which change makes the weights of both "
        "rows right?",
        right="Before taking e^score, subtract from each score the largest one of its own row.",
        wrong={
            "global_max_underflow": "Before taking e^score, subtract from each score the largest "
            "one of all rows.",
            "max_outside_exp": "After taking e^score, subtract from each result the largest score "
            "of its row.",
            "clips_instead_of_shifting": "Before taking e^score, move scores beyond -700 or 700 to "
            "the nearer of the two.",
        },
        explanation="With its own largest score subtracted, a row has 0 as its largest score: no "
        "exponential overflows, the sum is at least 1, and the weights are the same as before. The "
        "largest score of the table leaves the low row so far down that all its exponentials are "
        "0, and 0/0 is nan. Cutting the scores off wipes out the gap between them, and "
        "afterwards it is too late: the overflow has happened.",
    )
