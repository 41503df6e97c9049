"""Module 1: blending by similarity, and what order has to do with it."""

import math
import random
from collections.abc import Sequence
from fractions import Fraction

from autograder.exam.question import (
    FRACTION,
    SENTENCES,
    Question,
    Stem,
    drawn,
    family,
    listed,
    number,
)


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
    right = value(weights, vectors, place)
    top = weights.index(max(weights))
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
        answer=right,
        near={
            "weights_need_not_sum_to_1": right - weights[missing] * vectors[missing][place],
            "unknown_weight_is_1": right + (1 - weights[missing]) * vectors[missing][place],
            "reads_the_other_place": value(weights, vectors, 1 - place),
            "equal_shares": value([Fraction(1, 3)] * 3, vectors, place),
            "largest_takes_all": Fraction(vectors[top][place]),
        },
        explanation="The weights of a row sum to 1, so the one that is missing is "
        f"{weights[missing]}. The output adds up the vectors by their weights: "
        f"{products} = {right}.",
    )


def largest_weight(rng: random.Random) -> Question:
    """No rule of thumb wins: every rank of length wins equally often, and the nearest vector and
    the one with the best direction as often as any other."""
    looks, *words = rng.sample(("river", "boat", "money", "stone", "cloud", "bridge"), 5)
    rank = rng.randint(0, 3)

    def draw() -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
        vectors = [tuple(rng.randint(-3, 9) for _ in range(2)) for _ in range(5)]
        return vectors[0], vectors[1:]

    def measures(
        candidate: tuple[tuple[int, ...], list[tuple[int, ...]]],
    ) -> tuple[list[int], list[int], list[int], list[float]]:
        """The four scores, squared lengths, squared distances, and directions as cosines."""
        me, others = candidate
        scores = [dot(me, vector) for vector in others]
        lengths = [dot(vector, vector) for vector in others]
        pairs = [*zip(scores, lengths, strict=True)]
        gaps = [dot(me, me) - 2 * score + length for score, length in pairs]
        return scores, lengths, gaps, [score / math.sqrt(length + 1e-9) for score, length in pairs]

    def fits(candidate: tuple[tuple[int, ...], list[tuple[int, ...]]]) -> bool:
        scores, lengths, gaps, cosines = measures(candidate)
        winner = scores.index(max(scores))
        # A winner that is the shortest of all is the nearest too, and has the best direction.
        return (
            sorted(lengths).index(lengths[winner]) == rank
            and (cosines.index(max(cosines)) == winner) == (rank == 0)
            and (gaps.index(min(gaps)) == winner) == (rank == 0)
            and all(len({*values}) == 4 for values in (scores, lengths, gaps))
            and min(*lengths, dot(candidate[0], candidate[0])) > 1
            and min(gaps) > 0
        )

    found = drawn(draw, fits)
    me, vectors = found
    scores, lengths, gaps, cosines = measures(found)
    answer = words[scores.index(max(scores))]
    near = {
        "length_alone_counts": words[lengths.index(max(lengths))],
        "nearest_vector_wins": words[gaps.index(min(gaps))],
        "direction_alone_counts": words[cosines.index(max(cosines))],
        "sign_of_scores_flipped": words[scores.index(min(scores))],
    }
    named = {word: "dot_product_miscalculated" for word in words if word != answer}
    for misconception, word in reversed(near.items()):
        if word != answer:
            named[word] = misconception
    rows = "\n".join(
        f"| {word} | {listed(vector)} |" for word, vector in zip(words, vectors, strict=True)
    )
    told = ", ".join(f"{score} for {word}" for score, word in zip(scores, words, strict=True))
    return Question(
        module=1,
        title="Who gets the largest weight",
        section="assignments/modules.md, Blending by similarity",
        kind="text",
        wording=f'In simple attention (no projections, no scale, no mask), "{looks}" has the '
        f"embedding {listed(me)}. It looks at four other words of its sentence:\n\n"
        f"| word | embedding |\n| --- | --- |\n{rows}\n\n"
        f'Which of these four gets the largest weight in the row of "{looks}"?\n\n'
        f"Answer: one of the four words {', '.join(sorted(words))}.",
        options=(),
        answer=answer,
        accepted=(answer, f"the {answer}", f'"{answer}"', f"'{answer}'", f"{answer}."),
        explanation=f"The scores are the dot products with the embedding of {looks}: {told}. "
        f"Softmax keeps their order, so {answer} gets the largest weight. A dot product asks for "
        "the same direction and for length at once: neither the nearest vector nor the longest one "
        "has to win.",
        words=tuple(words),
        near=named,
    )


def word_order(rng: random.Random) -> Question:
    words = rng.choice(SENTENCES).split()
    # 'That of "that"' would read badly.
    place = rng.choice([i for i, word in enumerate(words[:-1]) if word != "that"])
    word = words[place]
    other = rng.randint(place + 1, len(words) - 1)
    moved = drawn(lambda: rng.sample(words, len(words)), lambda moved: moved[place] != word)
    replaced = [
        *words[:other],
        rng.choice(("tomorrow", "seldom", "elsewhere")),
        *words[other + 1 :],
    ]
    twice = [*words[: other + 1], *words[other:]]
    sentence = " ".join(words)
    start = (
        "Simple attention, without a mask and without position information, reads "
        f'"{sentence}". No two of these words have equal embeddings. '
    )
    end = (
        f'Rounding aside, and in general, how does the output vector of "{word}" in the second run '
        "compare with the first?"
    )
    pool = {
        "moved": ("It is the same vector, in another row of the output.", "order_does_not_matter"),
        "copied": ("It is the same vector, in two rows of the output.", "copies_change_nothing"),
        "permuted": (
            "It has the same numbers as before, but in another order within the vector.",
            "vector_is_permuted",
        ),
        "mixed": (
            "It is another vector: the same words are mixed, but in other shares.",
            "attention_sees_order",
        ),
        "joined": (
            "It is another vector: it mixes a word that was not there before.",
            "every_row_is_new",
        ),
    }
    stems = [
        Stem(
            f'{start}In a second run, it reads "{" ".join(moved)}". {end}',
            "moved",
            f'A score depends on two vectors and not on where they stand. So "{word}" has the same '
            "weight for each word as before, and a sum does not depend on the order of its terms. "
            "The row moves with the word, and nothing else happens.",
        ),
        Stem(
            f'{start}In a second run, it reads the whole sentence twice over: "{sentence} '
            f'{sentence}". {end}',
            "copied",
            "Each word now stands there twice, and each of the two gets half of the weight that "
            "the one had. The mix is the same, in the row of either copy.",
        ),
        Stem(
            f"{start}In a second run, it reads the same sentence, but each embedding is read "
            f"backwards: its last number first. {end}",
            "permuted",
            "A dot product adds the same products in another order, so all scores and weights stay "
            "as they were. The mix then has its numbers in the order of the new embeddings.",
        ),
        Stem(
            f'{start}In a second run, it reads "{" ".join(twice)}". {end}',
            "mixed",
            f'"{words[other]}" now stands there twice, and both get their share: together more '
            "than before, so the others get less.",
        ),
        Stem(
            f'{start}In a second run, it reads "{" ".join(replaced)}". {end}',
            "joined",
            f'"{words[other]}" is gone and "{replaced[other]}" has come, with an embedding of its '
            "own: another score, other weights, and another vector in the mix.",
        ),
    ]
    return family(rng, 1, "The order of the words", "assignments/modules.md, Order", pool, stems)
