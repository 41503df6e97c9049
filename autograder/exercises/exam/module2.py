"""Module 2: queries, keys, values, and the scale."""

import math
import random

from autograder.exam.question import SENTENCES, WHOLE, Question, choice, drawn, number

LARGEST_PRODUCT = 180


def three_roles(rng: random.Random) -> Question:
    words = rng.choice(SENTENCES).split()
    one, other = rng.sample(words, 2)
    return choice(
        rng,
        module=2,
        title="The roles of the vectors",
        section="assignments/modules.md, Queries, keys, values",
        wording=f'A head without a mask reads "{" ".join(words)}", and "{one}" looks at "{other}". '
        "Two vectors make the score of this pair, and one vector is then mixed into the output of "
        f'"{one}" by the weight that comes of it. Which are they?',
        right=f'Score: query of "{one}", key of "{other}". Mixed in: the value of "{other}".',
        wrong={
            "query_key_swapped": f'Score: key of "{one}", query of "{other}". Mixed in: the value '
            f'of "{other}".',
            "key_value_swapped": f'Score: query of "{one}", value of "{other}". Mixed in: the key '
            f'of "{other}".',
            "values_not_projected": f'Score: query of "{one}", key of "{other}". Mixed in: the '
            f'embedding of "{other}".',
        },
        explanation=f'The word that looks asks with its query, here "{one}"; the word looked at '
        f'answers with its key, here "{other}". How much is settled by these two; what is handed '
        f'over is the value of "{other}", its embedding projected by W_v.',
    )


def scaled_score(rng: random.Random) -> Question:
    def smallest(roots: list[int]) -> int:
        """The first dot product that d_k itself and the root of each size divide."""
        return math.lcm(*roots, roots[1] ** 2)

    def fits(roots: list[int]) -> bool:
        """d_model is the largest, as in real heads, and no size equals the root of d_k."""
        return (
            roots[3] == max(roots)
            and all(root**2 != roots[1] for root in roots)
            and smallest(roots) <= LARGEST_PRODUCT
        )

    roots = drawn(lambda: rng.sample((2, 3, 4, 5, 6, 7, 8, 9, 10), 4), fits)
    words, d_k, d_v, d_model = roots[0] ** 2, roots[1] ** 2, roots[2] ** 2, roots[3] ** 2
    # The wrong scales come out whole too.
    product = smallest(roots) * rng.randint(1, LARGEST_PRODUCT // smallest(roots))
    score = product // roots[1]
    return number(
        module=2,
        title="The scale",
        section="assignments/modules.md, The scale",
        wording="In a head without a mask, scaled as in exercise 3, X has the shape "
        f"({words}, {d_model}), W_q and W_k have the shape ({d_model}, {d_k}), and W_v has the "
        f"shape ({d_model}, {d_v}). The dot product of a query and a key is {product}. What is the "
        "score of this pair, as it goes into softmax?",
        form=WHOLE,
        answer=score,
        explanation=f"The scale is one over the root of d_k, the length of a query and of a key. "
        f"W_k has {d_k} columns, so d_k = {d_k}, its root is {roots[1]}, and the score is "
        f"{product}/{roots[1]} = {score}. The number of words, the width of X and the length of "
        "the values play no part in the sum that the dot product is.",
    )


def longer_queries(rng: random.Random) -> Question:
    short, root = rng.choice(((16, 2), (25, 2), (36, 2), (16, 3), (25, 3), (9, 4), (16, 4)))
    square = root**2
    return choice(
        rng,
        module=2,
        title="Longer queries without a scale",
        section="assignments/modules.md, The scale",
        wording=f"Head A has d_k = {short}, head B has d_k = {short * square}. In both, the "
        "numbers in the queries and keys are independent, with mean 0 and standard deviation 1, "
        "and the scores go into softmax without any scale. As a rule, and on sentences of the same "
        "length, how do the scores and the rows of weights of B compare with those of A?",
        right=f"The standard deviation of B's scores is {root} times A's, and B's rows lean "
        "more on a single word.",
        wrong={
            "no_square_root": f"The standard deviation of B's scores is {square} times A's, and "
            "B's rows lean more on a single word.",
            "large_scores_flatten": f"The standard deviation of B's scores is {root} times A's, "
            "and B's rows come closer to equal shares.",
            "spread_ignores_length": "The standard deviation of B's scores is that of A's, and B's "
            "rows are shared out much as A's are.",
        },
        explanation="A dot product adds d_k independent products, each with variance 1, so its "
        f"variance is d_k and its standard deviation the root of that: {square} times as many "
        f"terms make it {root} times as large. Wider gaps between the scores mean larger "
        "ratios between the exponentials, so one word takes nearly all. The scale of one over the "
        "root of d_k undoes exactly that.",
    )
