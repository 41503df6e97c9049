"""Module 2: queries, keys, values, shapes, the scale, and a whole head by pencil."""

import random
from fractions import Fraction

from autograder.exam.question import (
    FRACTION,
    SENTENCES,
    WHOLE,
    Question,
    Stem,
    drawn,
    family,
    listed,
    number,
    short,
)

PLACES = ("top", "middle", "bottom")


def one_change(rng: random.Random) -> Question:
    words = rng.choice(SENTENCES).split()
    word = rng.choice([word for word in words if word != "that"])
    count = len(words)
    column = rng.randint(0, 2)
    start = (
        f'A head without a mask reads "{" ".join(words)}", {count} words; d_k and d_v are larger '
        "than 2. "
    )
    end = " Rounding aside, what may this change in the weights and in the output?"
    pool = {
        "row": (
            "One row of the weights and one row of the output, and nothing else.",
            "keys_act_on_their_own_row",
        ),
        "everything": (
            "Every row of the weights and every row of the output.",
            "everything_depends_on_everything",
        ),
        "output": (
            "None of the weights, but every row of the output.",
            "weights_depend_on_queries_alone",
        ),
        "column": (
            "None of the weights, and one column of the output.",
            "words_are_columns",
        ),
        "nothing": (
            "None of the weights, and nothing in the output.",
            "softmax_undoes_every_change",
        ),
    }
    stems = [
        Stem(
            f'{start}Someone changes the query of "{word}", and nothing else.{end}',
            "row",
            f'The query of "{word}" makes the scores of one row, the one in which "{word}" looks. '
            "Softmax takes each row by itself, and each row of weights makes one row of output.",
        ),
        Stem(
            f'{start}Someone changes the key of "{word}", and nothing else.{end}',
            "everything",
            f'Every word meets the key of "{word}" when it looks at "{word}": one column of scores '
            "changes. Each row shares out 1 anew, so all its weights may change, and its output.",
            {"row": "query_key_swapped"},
        ),
        Stem(
            f'{start}Someone changes the value of "{word}", and nothing else.{end}',
            "output",
            "Values have no part in the scores, so the weights stay. Every word mixes the value of "
            f'"{word}" by some weight, so every row of the output may change.',
            {"everything": "keys_and_values_are_one", "row": "values_act_on_their_own_row"},
        ),
        Stem(
            f"{start}Someone changes column {column} of W_v, and nothing else.{end}",
            "column",
            f"Column {column} of W_v makes column {column} of the values, and this one makes "
            f"column {column} of the output. W_v has no part in the scores.",
            {"row": "columns_are_words"},
        ),
        Stem(
            f"{start}Someone adds one and the same vector to the keys of all {count} words, and "
            f"changes nothing else.{end}",
            "nothing",
            "In each row, every score grows by the same number: the query's dot product with the "
            "vector that was added. Softmax does not see what is added to a whole row.",
            {"everything": "shifts_change_softmax"},
        ),
    ]
    return family(
        rng,
        2,
        "What one change reaches",
        "assignments/modules.md, Queries, keys, values",
        pool,
        stems,
    )


def directed_score(rng: random.Random) -> Question:
    """The score of one word looking at another, with the sizes that do not count beside it."""
    one, other = rng.sample(("cat", "tree", "roof", "bird"), 2)
    d_model, d_v = rng.choice(((9, 2), (9, 3), (16, 2), (16, 3), (16, 9)))

    def draw() -> list[list[int]]:
        return [[rng.randint(-4, 6) for _ in range(4)] for _ in range(4)]

    def dot(left: list[int], right: list[int]) -> int:
        return sum(a * b for a, b in zip(left, right, strict=True))

    def fits(rows: list[list[int]]) -> bool:
        """Each direction, and each word with itself, has a score of its own."""
        query, key, other_query, other_key = rows
        dots = [
            dot(query, other_key),
            dot(other_query, key),
            dot(query, key),
            dot(other_query, other_key),
            dot(query, other_query),
            dot(key, other_key),
        ]
        right = dots[0]
        return right % 4 == 0 and right != 0 and dots.count(right) == 1 and dots[1] % 2 == 0

    query, key, other_query, other_key = drawn(draw, fits)
    product = dot(query, other_key)
    root = {9: 3, 16: 4}[d_model]
    order = [(one, query, key), (other, other_query, other_key)]
    rng.shuffle(order)
    rows = "\n".join(f"| {name} | {listed(q)} | {listed(k)} |" for name, q, k in order)
    return number(
        module=2,
        title="The score of one word for another",
        section="assignments/modules.md, Queries, keys, values",
        wording=f"In a head with d_model = {d_model}, d_k = 4 and d_v = {d_v}, scaled as in "
        "exercise 3 and without a mask, two words have these queries and keys:\n\n"
        f"| word | query | key |\n| --- | --- | --- |\n{rows}\n\n"
        f'What is the score of "{one}" looking at "{other}", as it goes into softmax?',
        form=WHOLE,
        answer=Fraction(product, 2),
        near={
            "query_key_swapped": Fraction(dot(other_query, key), 2),
            "no_scaling": Fraction(product),
            "no_square_root": Fraction(product, 4),
            "scaled_by_d_model": Fraction(product, root),
            "keys_unused": Fraction(dot(query, other_query), 2),
            "queries_unused": Fraction(dot(key, other_key), 2),
            "looks_at_itself": Fraction(dot(query, key), 2),
        },
        explanation=f'The word that looks asks with its query, here "{one}"; the word looked at '
        f'answers with its key, here "{other}". Their dot product is {product}. The scale is one '
        f"over the root of d_k = 4, the length of both, so the score is {product}/2 = "
        f"{product // 2}. Turned round, it would be {Fraction(dot(other_query, key), 2)}.",
    )


def sizes(rng: random.Random) -> Question:
    words, d_model, d_k, d_v = drawn(
        lambda: (rng.randint(4, 9), rng.randint(10, 20), rng.randint(2, 8), rng.randint(2, 9)),
        lambda sizes: len({*sizes}) == 4,
    )
    asked = rng.choice(
        (
            (("scores", "weights", "output"), "The scores, the weights and the output"),
            (("weights", "output"), "The weights and the output"),
            (("queries", "scores"), "The queries and the scores"),
            (("keys", "values", "weights"), "The keys, the values and the weights"),
            (("values", "scores", "weights"), "The values, the scores and the weights"),
        )
    )
    parts, named = asked
    shapes = {
        "queries": (words, d_k),
        "keys": (words, d_k),
        "values": (words, d_v),
        "scores": (words, words),
        "weights": (words, words),
        "output": (words, d_v),
    }

    def total(**other: tuple[int, int]) -> int:
        return sum(rows * columns for rows, columns in ({**shapes, **other}[p] for p in parts))

    told = ", ".join(f"{part} {shapes[part]}" for part in parts)
    return number(
        module=2,
        title="Shapes in a head",
        section="assignments/modules.md, Shapes",
        wording=f"A head reads {words} words at once. X has d_model = {d_model} columns, W_q and "
        f"W_k have {d_k} columns each, and W_v has {d_v}. {named} of this head are written down "
        "in full. How many numbers are that together?",
        form=WHOLE,
        answer=total(),
        near={
            "one_row_only": sum(shapes[part][1] for part in parts),
            "scores_are_one_per_word": total(scores=(words, 1), weights=(words, 1)),
            "scores_have_d_k_columns": total(scores=(words, d_k), weights=(words, d_k)),
            "output_has_d_model_columns": total(output=(words, d_model), values=(words, d_model)),
            "output_has_d_k_columns": total(output=(words, d_k), values=(words, d_k)),
        },
        explanation=f"Every word looks at every word, so scores and weights are square. The "
        f"shapes are {told}: {total()} numbers.",
        lookup=True,
    )


def other_spread(rng: random.Random) -> Question:
    small, root = rng.choice(((16, 2), (25, 2), (36, 2), (16, 3), (25, 3), (9, 4), (16, 4)))
    square = root**2
    large = small * square
    start = (
        "In two heads, A and B, the numbers in the queries and keys are independent, with mean 0 "
        "and standard deviation 1 if nothing else is said. "
    )
    end = (
        " As a rule, and on sentences of the same length, how do B's scores and rows of weights "
        "compare with A's?"
    )
    pool = {
        "square": (
            f"The scores stray {square} times as far, and the rows lean more on single words.",
            "no_square_root",
        ),
        "root": (
            f"The scores stray {root} times as far, and the rows lean more on single words.",
            "longer_means_wider",
        ),
        "same": (
            "The scores stray about as far as A's, and the rows lean as much on single words.",
            "spread_ignores_length",
        ),
        "root below": (
            f"The scores stray 1/{root} times as far, and the rows are closer to equal shares.",
            "longer_means_narrower",
        ),
        "square below": (
            f"The scores stray 1/{square} times as far, and the rows are closer to equal shares.",
            "scale_inverted",
        ),
    }
    stems = [
        Stem(
            f"{start}A has d_k = {small}, B has d_k = {large}, and neither divides its scores by "
            f"anything.{end}",
            "root",
            f"A dot product adds up d_k products of variance 1, so its variance is d_k and its "
            f"standard deviation the root of that: {square} times as many terms make it {root} "
            "times as large. Wider gaps give more to the highest score.",
        ),
        Stem(
            f"{start}A has d_k = {small}, B has d_k = {large}, and both divide their scores by the "
            f"root of their own d_k.{end}",
            "same",
            "Unscaled, the standard deviation is the root of d_k. Divided by just that, it is 1 in "
            "both heads.",
            {"root": "scale_does_not_help"},
        ),
        Stem(
            f"{start}A has d_k = {small}, B has d_k = {large}, and both divide their scores by "
            f"their own d_k, not by its root.{end}",
            "root below",
            "The root of d_k, divided by d_k, is one over the root of d_k: this falls as d_k "
            f"grows, and at {square} times the d_k it is 1/{root} of what it was.",
            {"same": "any_scale_levels"},
        ),
        Stem(
            f"{start}Both have d_k = {small} and divide by its root, but in B the standard "
            f"deviation of the numbers is {root}, in the queries and in the keys.{end}",
            "square",
            f"Each product of a query's number and a key's number is {root} x {root} = {square} "
            "times as large, and so is their sum. The scale is the same in both heads.",
            {"root": "only_queries_count", "same": "scale_levels_everything"},
        ),
        Stem(
            f"{start}Both have d_k = {small} and divide by its root, but in B the standard "
            f"deviation of the numbers is 1/{root}, in the queries and in the keys.{end}",
            "square below",
            f"Each product of a query's number and a key's number is 1/{root} x 1/{root} = "
            f"1/{square} times as large, and so is their sum. Narrower gaps come closer to equal "
            "shares.",
            {"root below": "only_queries_count", "same": "scale_levels_everything"},
        ),
    ]
    return family(rng, 2, "How far scores stray", "assignments/modules.md, The scale", pool, stems)


def pencil_head(rng: random.Random) -> Question:
    """A head with d_k = d_v = 1 on three words: from X to one number of the output."""

    def draw() -> tuple[list[list[int]], list[int], int, list[int], int]:
        X = [[rng.randint(0, 2), rng.randint(0, 2)] for _ in range(3)]
        W_q = [rng.randint(0, 2), rng.randint(0, 2)]
        base = rng.choice((2, 3))
        W_v = rng.sample(range(1, 10), 2)
        return X, W_q, base, W_v, rng.randint(0, 2)

    def parts(
        found: tuple[list[list[int]], list[int], int, list[int], int],
    ) -> tuple[list[int], list[int], list[int]]:
        """Queries, keys in units of ln base, values. W_k is [0, ln base]."""
        X, W_q, _, W_v, _ = found
        return (
            [x * W_q[0] + y * W_q[1] for x, y in X],
            [y for _, y in X],
            [x * W_v[0] + y * W_v[1] for x, y in X],
        )

    def blended(powers: list[int], values: list[int]) -> Fraction:
        total = sum(powers)
        products = zip(powers, values, strict=True)
        return sum((Fraction(power * value, total) for power, value in products), Fraction(0))

    def answers(
        found: tuple[list[list[int]], list[int], int, list[int], int],
    ) -> dict[str, Fraction]:
        X, _, base, _, row = found
        queries, keys, values = parts(found)
        powers = [base ** (queries[row] * key) for key in keys]
        return {
            "": blended(powers, values),
            "values_not_projected": blended(powers, [x for x, _ in X]),
            "query_key_swapped": blended([base ** (keys[row] * q) for q in queries], values),
            "queries_unused": blended([base ** (keys[row] * key) for key in keys], values),
            "equal_shares": Fraction(sum(values), 3),
            "value_of_the_word_itself": Fraction(values[row]),
            "softmax_is_division_by_sum": blended([queries[row] * key for key in keys], values)
            if queries[row] * sum(keys)
            else Fraction(0),
            "not_normalised": Fraction(
                sum(power * value for power, value in zip(powers, values, strict=True))
            ),
        }

    def fits(found: tuple[list[list[int]], list[int], int, list[int], int]) -> bool:
        X, W_q, base, _, row = found
        queries, keys, values = parts(found)
        right, *wrong = answers(found).values()
        return (
            len({*map(tuple, X)}) == 3
            and [0, 0] not in X
            and W_q != [0, 0]
            and 1 <= queries[row] <= 2
            and len({*queries}) > 1
            and len({*keys}) > 1
            and base ** (queries[row] * max(keys)) <= 16
            and right not in wrong
            and short(right)
            and len({*values}) == 3
        )

    found = drawn(draw, fits)
    X, W_q, base, W_v, row = found
    queries, keys, values = parts(found)
    right, near = answers(found).pop(""), answers(found)
    del near[""]
    powers = [base ** (queries[row] * key) for key in keys]
    rows = ", ".join(listed(x) for x in X)
    terms = " + ".join(f"{p} x {v}" for p, v in zip(powers, values, strict=True))
    log = f"ln {base}"
    return number(
        module=2,
        title="A head by pencil",
        section="assignments/modules.md, A head by pencil",
        wording=f"A head without a mask has d_model = 2 and d_k = d_v = 1. X is [{rows}], one row "
        f"per word. Each projection is one column: W_q is [[{W_q[0]}], [{W_q[1]}]], W_k is "
        f"[[0], [{log}]] with the natural logarithm, and W_v is [[{W_v[0]}], [{W_v[1]}]]. What is "
        f"the output of row {row}, counted from 0?",
        form=FRACTION,
        answer=right,
        near=near,
        explanation=f"The query of row {row} is {queries[row]}. The keys are {listed(keys)} times "
        f"{log}, and the root of d_k is 1, so the scores are "
        f"{listed([queries[row] * key for key in keys])} times {log}, and their exponentials "
        f"{listed(powers)}. The values are {listed(values)}. ({terms})/{sum(powers)} = {right}.",
    )
