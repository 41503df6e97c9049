"""Module 1: blending by similarity."""

import random
from collections.abc import Sequence
from fractions import Fraction

from autograder.exam.question import FRACTION, SENTENCES, Question, choice, drawn, listed, number


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))


def blend(rng: random.Random) -> Question:
    words = rng.sample(("lamp", "table", "window", "chair", "door"), 3)
    place = rng.randint(0, 1)
    missing = rng.randint(0, 2)

    def draw() -> tuple[list[Fraction], list[list[int]]]:
        parts = rng.choice((4, 5, 8, 10))
        first, second = sorted(rng.sample(range(1, parts), 2))
        weights = [Fraction(n, parts) for n in (first, second - first, parts - second)]
        return weights, [[rng.randint(1, 12) for _ in range(2)] for _ in range(3)]

    def value(weights: Sequence[Fraction], vectors: list[list[int]], place: int) -> Fraction:
        pairs = zip(weights, vectors, strict=True)
        return sum((weight * vector[place] for weight, vector in pairs), Fraction(0))

    def fits(candidate: tuple[list[Fraction], list[list[int]]]) -> bool:
        """Equal shares, or the other place of the vector, would give another number."""
        weights, vectors = candidate
        right = value(weights, vectors, place)
        return right not in (
            value([Fraction(1, 3)] * 3, vectors, place),
            value(weights, vectors, 1 - place),
        )

    weights, vectors = drawn(draw, fits)
    shown = ["?" if i == missing else str(weight) for i, weight in enumerate(weights)]
    rows = "\n".join(
        f"| {word} | {weight} | {listed(vector)} |"
        for word, weight, vector in zip(words, shown, vectors, strict=True)
    )
    products = " + ".join(
        f"{weight} x {vector[place]}" for weight, vector in zip(weights, vectors, strict=True)
    )
    return number(
        module=1,
        title="A blend of three vectors",
        section="assignments/modules.md, Blending by similarity",
        wording="In simple attention, a word has these weights for the three words of its "
        "sentence. One of the weights cannot be read any more.\n\n"
        f"| word | weight | vector |\n| --- | --- | --- |\n{rows}\n\n"
        "The output vector of this word has two numbers. What is the "
        f"{('first number (on the left)', 'second number (on the right)')[place]}?",
        form=FRACTION,
        answer=value(weights, vectors, place),
        explanation="The weights of a row sum to 1, so the one that is missing is "
        f"{weights[missing]}. The output adds up the vectors by their weights: "
        f"{products} = {value(weights, vectors, place)}.",
    )


def largest_weight(rng: random.Random) -> Question:
    words = rng.sample(("river", "boat", "money", "stone", "cloud", "bridge"), 4)

    def fits(vectors: list[tuple[int, ...]]) -> bool:
        """The winner is neither the word itself, nor the nearest, nor the longest vector."""
        me = vectors[0]
        scores = [dot(me, vector) for vector in vectors]
        lengths = [dot(vector, vector) for vector in vectors]
        gaps = [dot(me, me) - 2 * dot(me, vector) + dot(vector, vector) for vector in vectors[1:]]
        winner = scores.index(max(scores))
        return (
            winner != 0
            and scores.count(max(scores)) == 1
            and min(lengths) > 1
            and lengths[winner] < max(lengths)
            and gaps[winner - 1] > min(gaps) > 0
        )

    vectors = drawn(lambda: [tuple(rng.randint(0, 6) for _ in range(2)) for _ in range(4)], fits)
    scores = [dot(vectors[0], vector) for vector in vectors]
    answer = words[scores.index(max(scores))]
    # The word that looks is not always at the top of the table.
    order = rng.sample(range(4), 4)
    rows = "\n".join(f"| {words[i]} | {listed(vectors[i])} |" for i in order)
    found = ", ".join(f"{scores[i]} for {words[i]}" for i in order)
    return Question(
        module=1,
        title="Who gets the largest weight",
        section="assignments/modules.md, Blending by similarity",
        kind="text",
        wording="Simple attention (no projections, no scale, no mask) reads four words with "
        f"these embeddings:\n\n| word | embedding |\n| --- | --- |\n{rows}\n\n"
        f"The word that looks is {words[0]}, and it may look at itself too. In the row of "
        f"{words[0]}, which of the four words has the largest weight?\n\nAnswer: one word.",
        options=(),
        answer=answer,
        accepted=(answer, f"the {answer}", f'"{answer}"', f"'{answer}'", f"{answer}."),
        explanation=f"The scores are the dot products with the embedding of {words[0]}: {found}. "
        f"Softmax keeps their order, so {answer} gets the largest weight. A dot product asks for "
        "the same direction and for length: the nearest vector does not always win, nor does the "
        "word itself.",
    )


def word_order(rng: random.Random) -> Question:
    words = rng.choice(SENTENCES).split()
    place = rng.randint(0, len(words) - 1)
    word = words[place]
    moved = drawn(lambda: rng.sample(words, len(words)), lambda moved: moved[place] != word)
    return choice(
        rng,
        module=1,
        title="The order of the words",
        section="assignments/modules.md, Order",
        wording="Simple attention, without a mask and without position information, reads "
        f'"{" ".join(words)}" and then "{" ".join(moved)}". Rounding aside, how does the output '
        f'vector of "{word}" in the second sentence compare with the one in the first?',
        right="It is the same vector as before, and only stands in another row of the output.",
        wrong={
            "attention_sees_distance": "It is another vector, since words that stand close by "
            "count for more.",
            "weights_stay_in_place": "It is another vector, since the old weights now fall on "
            "other words.",
            "vector_is_permuted": "It has the same numbers, but within the vector they stand in "
            "another order.",
        },
        explanation="A score depends on two vectors and not on where they stand. So "
        f'"{word}" has the same weight for each word as before, and a sum does not depend on the '
        "order of its terms. The row moves with the word, and nothing else happens.",
    )
