"""Module 3: the mask and training, sizes, the rest of the block, and position."""

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
)


def masks(rng: random.Random) -> Question:
    count = rng.randint(4, 9)
    last = count - 1
    start = (
        f"A head is to be causal: no word may use a later one. It reads {count} words (rows count "
        "from 0), and all scores lie between -2 and 2. "
    )
    end = " What holds of the weights, rounding aside?"
    pool = {
        "sound": (
            "Every row sums to 1, and every weight for a later word is 0.",
            "any_zero_will_do",
        ),
        "lost": (
            f"Every weight for a later word is 0, but only row {last} sums to 1.",
            "softmax_before_loses_shares",
        ),
        "leaks": (
            f"Every row sums to 1, but each row before row {last} gives part of it to later words.",
            "low_scores_still_count",
        ),
        "turned": (
            f"Every row sums to 1, but each row before row {last} gives all of it to later words.",
            "mask_polarity",
        ),
        "nan": (
            "Row 0 is nan; the others sum to 1, and every weight for a later word is 0.",
            "first_row_has_nothing",
        ),
    }
    sound = rng.choice(
        (
            (
                "The scores for later words are set to -1e9, and then softmax is taken.",
                "The hidden scores lie so far below the visible ones that their exponentials are "
                "0, so softmax shares out 1 among the visible words alone.",
            ),
            (
                "Softmax is taken of all scores, the weights for later words are set to 0, and "
                "each row is divided by what it then sums to.",
                "What the later words held is taken away, and the division shares it out among the "
                "visible words, in the proportions they had. With moderate scores that is the same "
                "as hiding the scores.",
            ),
        )
    )
    stems = [
        Stem(f"{start}{sound[0]}{end}", "sound", sound[1], {"lost": "mask_after_softmax"}),
        Stem(
            f"{start}Softmax is taken of all scores, and then the weights for later words are set "
            f"to 0. Nothing else is done.{end}",
            "lost",
            "Softmax has shared out 1 among all words by then, and what the later words held is "
            f"lost. Only from row {last} nothing is taken, since no word is later.",
            {"sound": "mask_after_softmax"},
        ),
        Stem(
            f"{start}The scores for later words are set to 0, and then softmax is taken.{end}",
            "leaks",
            "e^0 = 1, so each later word still has an exponential, and gets its share of the row.",
            {"sound": "zero_score_is_not_hidden", "lost": "zero_hides_but_costs"},
        ),
        Stem(
            f"{start}The scores for later words are set to 1e9, and then softmax is taken, each "
            f"row's largest score subtracted first.{end}",
            "turned",
            "The later words now have by far the highest scores: next to them, the exponentials of "
            f"the others are 0. Row {last} has no later word and is as it should be.",
            {"sound": "wrong_sign_of_infinity", "nan": "overflow"},
        ),
        Stem(
            f"{start}The scores of each word for itself and for all later words are set to minus "
            f"infinity, and then softmax is taken.{end}",
            "nan",
            "Row 0 has nothing left: it divides 0 by 0. Every other row has the words before its "
            "own, and shares out 1 among them.",
            {"sound": "diagonal_hidden"},
        ),
    ]
    return family(rng, 3, "Ways to hide", "assignments/modules.md, Hiding the future", pool, stems)


def zero_scores(rng: random.Random) -> Question:
    def draw() -> tuple[list[int], int]:
        return rng.sample(range(2, 10), rng.randint(2, 3)), rng.randint(2, 4)

    def fits(candidate: tuple[list[int], int]) -> bool:
        """An exact decimal; neither the hidden words' share of the places nor the visible half."""
        powers, hidden = candidate
        total = sum(powers) + hidden
        share = Fraction(hidden, total)
        equal = Fraction(hidden, len(powers) + hidden)
        return total in (8, 10, 16, 20, 25) and share not in (equal, 1 - share)

    powers, hidden = drawn(draw, fits)
    seen = len(powers)
    total = sum(powers) + hidden
    share = Fraction(hidden, total)
    scores = " and ".join((", ".join(f"ln {n}" for n in powers[:-1]), f"ln {powers[-1]}"))
    return number(
        module=3,
        title="Zeros before softmax",
        section="assignments/modules.md, Hiding the future",
        wording=f"A sentence has {seen + hidden} words; words and rows count from 0. In row "
        f"{seen - 1}, the scores of the {seen} visible words are {scores} (natural logarithms). "
        f"Someone writes 0 over the *scores* of the words after word {seen - 1} and then takes "
        "softmax. What is the sum of the weights that these later words get in this row?",
        form=FRACTION,
        answer=share,
        near={
            "zero_hides": 0,
            "equal_shares": Fraction(hidden, seen + hidden),
            "one_of_the_hidden_alone": Fraction(1, total),
            "visible_for_hidden": 1 - share,
            "not_normalised": hidden,
        },
        explanation=f"Each of the {hidden} later words still has the exponential e^0 = 1, next to "
        f"{' + '.join(str(n) for n in powers)} of the visible ones. Together they get "
        f"{hidden}/{total}, so a score of 0 hides nothing: only e^(-inf) is 0.",
    )


def training(rng: random.Random) -> Question:
    count = rng.randint(5, 12)
    start = (
        f"A model with one attention head learns from a text of {count} words, all read in one "
        "pass; rows count from 0. "
    )
    end = " What holds of the predictions that this pass trains?"
    pool = {
        "sound": (
            f"There are {count - 1} of them, and none can use the word that it must predict.",
            "learning_needs_no_mask",
        ),
        "ahead": (
            f"There are {count - 1} of them, and each can look its answer up in a later row.",
            "training_sees_the_future",
        ),
        "own": (
            f"There are {count} of them, and each can look its answer up in its own row.",
            "own_word_is_no_answer",
        ),
        "single": (
            "There is 1 of them, and it cannot use the word that it must predict.",
            "one_prediction_per_pass",
        ),
        "nan": (
            f"There are {count - 1} of them, and the one of row 0 is nan.",
            "first_word_sees_nothing",
        ),
    }
    stems = [
        Stem(
            f"{start}The head has a causal mask, and each row but the last predicts the word after "
            f"its own.{end}",
            "sound",
            f"Row i sees the words 0 to i and must find word i + 1, which the mask hides: as when "
            f"the model writes. One pass trains {count - 1} predictions at once.",
        ),
        Stem(
            f"{start}The head has no mask, and each row but the last predicts the word after its "
            f"own.{end}",
            "ahead",
            "Row i sees word i + 1, its answer. The model learns to copy it, does well in training "
            "and is helpless when it writes, as the next word is not there yet.",
        ),
        Stem(
            f"{start}The head has no mask, and the last word of the text is kept out of what it "
            f"reads: only the last row of what is left predicts something, namely that word.{end}",
            "single",
            "Nothing later than the rows that are read exists, so nothing gives the answer away. "
            f"But the pass trains one prediction, where a mask would allow {count - 1}.",
        ),
        Stem(
            f"{start}The head has a causal mask, but by mistake each row predicts the word in its "
            f"own row.{end}",
            "own",
            "The mask hides what comes after a row, and each word sees itself. So the answer lies "
            "open, and copying it is all that is learnt.",
            {"sound": "mask_hides_every_answer"},
        ),
        Stem(
            f"{start}The mask hides from each row the later words and its own word too, with minus "
            f"infinity before softmax, and each row but the last predicts the word after its "
            f"own.{end}",
            "nan",
            "Row 0 has nothing left to look at: softmax divides 0 by 0, and nan spoils the "
            "training. A causal mask leaves each word to itself.",
            {"sound": "diagonal_hidden"},
        ),
    ]
    return family(
        rng,
        3,
        "What a pass of training shows",
        "assignments/modules.md, Training with the mask",
        pool,
        stems,
    )


def reach(rng: random.Random) -> Question:
    words = rng.choice(SENTENCES).split()
    # 'That of "that"' would read badly.
    word = rng.choice([word for word in words[1:-1] if word != "that"])
    start = (
        f'A model reads "{" ".join(words)}". One vector per word comes to one half of a block, and '
        "one per word leaves it. Someone changes one thing, and nothing else: "
    )
    end = " Of which words may the vectors that leave this half change?"
    pool = {
        "own": (f'Of "{word}" alone.', "attention_stays_in_its_row"),
        "after": (f'Of "{word}" and of all words after it.', "mlp_is_masked"),
        "before": (f'Of "{word}" and of all words before it.', "mask_polarity"),
        "all": ("Of all the words.", "mlp_mixes_words"),
        "none": ("Of none of the words.", "nothing_passes_the_mask"),
    }
    stems = [
        Stem(
            f'{start}the vector of "{word}" as it goes into the MLP half of a causal model.{end}',
            "own",
            "The MLP half sends each vector through the same small network, one by one, and none "
            "of them sees another. Words tell each other things in the attention half only.",
        ),
        Stem(
            f'{start}the vector of "{word}" as it goes into an attention half with a causal '
            f"mask.{end}",
            "after",
            f'The later words look at "{word}" and mix its value in, and "{word}" looks at itself. '
            "The earlier words cannot see it.",
            {"all": "causal_ignored", "before": "triangle_flipped"},
        ),
        Stem(
            f'{start}the vector of "{word}" as it goes into an attention half whose mask is turned '
            f"round, so that each word sees itself and the words after it.{end}",
            "before",
            f'With the mask turned round, it is the earlier words that look at "{word}"; it also '
            "looks at itself. The later ones cannot see it.",
            {"after": "triangle_flipped", "all": "causal_ignored"},
        ),
        Stem(
            f'{start}the vector of "{word}" as it goes into an attention half without a mask.{end}',
            "all",
            f'Without a mask, every word looks at "{word}" and mixes its value in by some weight.',
            {"after": "every_head_is_causal", "before": "every_head_is_causal_the_other_way"},
        ),
        Stem(
            f'{start}the scores that "{word}" has for the words after it, before a causal mask is '
            f"laid on them.{end}",
            "none",
            "The mask overwrites just these scores with minus infinity before softmax, whatever "
            "they were. Nothing of them is left.",
            {"own": "mask_after_softmax", "after": "scores_change_the_words_looked_at"},
        ),
    ]
    return family(
        rng,
        3,
        "How far a change reaches",
        "assignments/modules.md, The other half of a block",
        pool,
        stems,
    )


def attention_parameters(rng: random.Random) -> Question:
    heads, d_k, d_v, layers, d_model = drawn(
        lambda: (
            rng.randint(2, 5),
            rng.randint(2, 6),
            rng.randint(2, 6),
            rng.randint(2, 6),
            rng.choice((8, 10, 12, 15)),
        ),
        # No size can be taken for another, and 4 d_model^2 per layer is not what comes out.
        lambda sizes: (
            len({*sizes}) == 5
            and sizes[0] * sizes[2] != sizes[4]
            and sizes[0] * (2 * sizes[1] + 2 * sizes[2]) != 4 * sizes[4]
        ),
    )
    one = 2 * d_model * d_k + d_model * d_v
    projection = heads * d_v * d_model
    right = layers * (heads * one + projection)
    return number(
        module=3,
        title="Counting parameters",
        section="assignments/modules.md, Counting parameters",
        wording=f"A model has d_model = {d_model} and {layers} layers of {heads} heads each. Every "
        f"head has d_k = {d_k} and d_v = {d_v}. In each layer, one output projection leads from "
        "the joined outputs of the heads back to d_model. How many numbers do the W_q, W_k, W_v of "
        "all heads and the output projections of all layers hold together, without biases?",
        form=WHOLE,
        answer=right,
        near={
            "one_head": layers * (one + projection),
            "one_layer": heads * one + projection,
            "projection_forgotten": layers * heads * one,
            "projection_per_head": layers * heads * (one + projection),
            "projection_once": layers * heads * one + projection,
            "projection_is_square": layers * (heads * one + d_model**2),
            "d_v_is_d_k": layers * (heads * 3 * d_model * d_k + heads * d_k * d_model),
            "fits_d_model": layers * 4 * d_model**2,
        },
        explanation=f"A head has W_q and W_k of {d_model} x {d_k} and W_v of {d_model} x {d_v}: "
        f"{one} numbers. The joined outputs of {heads} heads are {heads * d_v} wide, so the "
        f"projection is {heads * d_v} x {d_model} = {projection}. {layers} layers have {layers} x "
        f"({heads} x {one} + {projection}) = {right}.",
        lookup=True,
    )


def kv_cache(rng: random.Random) -> Question:
    prompt, more = rng.randint(4, 8), rng.randint(3, 6)
    without = sum(range(prompt, prompt + more + 1))
    cached = prompt + more
    saved = without - cached
    return number(
        module=3,
        title="What a KV cache saves",
        section="assignments/modules.md, The KV cache",
        wording=f"A causal head runs once on a text of {prompt} words (the prompt). Then {more} "
        "words are appended one at a time, and the head runs again after each of them, to give the "
        "output of the newest word. Each computation of the key of one word counts as one. Over "
        f"all {more + 1} runs, the first included, how many key computations does a KV cache save, "
        "compared with a head that keeps nothing between the runs?",
        form=WHOLE,
        answer=saved,
        near={
            "cost_for_saving": without,
            "cached_cost_for_saving": cached,
            "prompt_is_free": without - more,
            "first_run_forgotten": without - prompt - cached,
            "only_the_prompt_is_kept": prompt * more,
            "values_counted_too": 2 * saved,
        },
        explanation=f"Without a cache, each run computes the keys of all words so far: "
        f"{' + '.join(str(n) for n in range(prompt, cached + 1))} = {without}. With one, each of "
        f"the {cached} words gets its key once, in the run in which it first appears, and keeps "
        f"it: {cached}. That saves {saved}, and as many for the values.",
        lookup=True,
    )


def position(rng: random.Random) -> Question:
    """The score of one of two equal words for the other, positions added."""
    first, second = rng.sample(("knock", "step", "drop", "wave"), 2)
    words = [first, second, first] if rng.random() < 0.5 else [first, first, second]
    here, there = [i for i, word in enumerate(words) if word == first]
    if rng.random() < 0.5:
        here, there = there, here

    def draw() -> tuple[list[list[int]], list[list[int]]]:
        embeddings = [[rng.randint(0, 4) for _ in range(2)] for _ in range(2)]
        return embeddings, [[rng.randint(-2, 3) for _ in range(2)] for _ in range(4)]

    def add(left: list[int], right: list[int]) -> list[int]:
        return [a + b for a, b in zip(left, right, strict=True)]

    def dot(left: list[int], right: list[int]) -> int:
        return sum(a * b for a, b in zip(left, right, strict=True))

    def answers(found: tuple[list[list[int]], list[list[int]]]) -> dict[str, int]:
        (own, _), table = found
        rows = [add(own, table[i]) for i in (here, there)]
        later = [add(own, table[i + 1]) for i in (here, there)]
        times = [[a * b for a, b in zip(own, table[i], strict=True)] for i in (here, there)]
        return {
            "": dot(*rows),
            "position_forgotten": dot(own, own),
            "counts_from_one": dot(*later),
            "position_of_one_word_alone": dot(rows[0], own),
            "positions_multiplied": dot(*times),
            "looks_at_itself": dot(rows[0], rows[0]),
            "position_per_different_word": dot(add(own, table[0]), add(own, table[0])),
        }

    def fits(found: tuple[list[list[int]], list[list[int]]]) -> bool:
        right, *wrong = answers(found).values()
        embeddings, table = found
        return (
            right not in wrong
            and embeddings[0] != embeddings[1]
            and [0, 0] not in embeddings
            and len({*map(tuple, table)}) == 4
        )

    found = drawn(draw, fits)
    embeddings, table = found
    near = answers(found)
    right = near.pop("")
    rows = [add(embeddings[0], table[i]) for i in (here, there)]
    return number(
        module=3,
        title="The same word in two places",
        section="assignments/modules.md, Position information",
        wording=f'Simple attention reads "{" ".join(words)}". The embedding of "{first}" is '
        f'{listed(embeddings[0])}, that of "{second}" is {listed(embeddings[1])}. Before anything '
        "else, position vectors are added to the embeddings; for the positions 0, 1, 2 and 3 they "
        f"are {', '.join(map(listed, table[:3]))} and {listed(table[3])}. What is the score of row "
        f"{here} for row {there}, counted from 0?",
        form=WHOLE,
        answer=right,
        near=near,
        explanation=f'Both rows are the word "{first}", but in two places: row {here} is '
        f"{listed(rows[0])} and row {there} is {listed(rows[1])}, each the embedding plus its own "
        f"position vector. Their dot product is {right}.",
    )
