"""Module 3: the mask, agreement, sizes, and the rest of the block."""

import random
from fractions import Fraction

from autograder.exam.question import (
    FRACTION,
    SENTENCES,
    WHOLE,
    Question,
    choice,
    drawn,
    listed,
    number,
)


def first_row(rng: random.Random) -> Question:
    words = rng.choice(SENTENCES).split()
    first, count = words[0], len(words)
    return choice(
        rng,
        module=3,
        title="The first row under the mask",
        section="assignments/modules.md, Hiding the future",
        wording=f'A head reads "{" ".join(words)}" with causal=True. All scores are finite '
        "before the mask; nothing else is known of X, W_q and W_k. What can be said of row 0 "
        "of the weights?",
        right=f'It is 1 on "{first}" and 0 on the others: a score alone in its row gets all.',
        wrong={
            "no_past_means_equal": f"It is 1/{count} on each of the words: without a past, none of "
            "them is preferred.",
            "score_taken_for_weight": f'It is 0 on the words after "{first}"; how much is on '
            f'"{first}" depends on its score.',
            "diagonal_hidden": f'It is 0 on all of the words: "{first}" has no past, and no word '
            "sees itself.",
        },
        explanation=f'The mask leaves "{first}" one visible score, its own. Softmax divides '
        "e^score by the sum of the row, which is the same e^score: 1, whatever the score is. The "
        "hidden words get e^(-inf) = 0.",
    )


def zeroed_afterwards(rng: random.Random) -> Question:
    count = rng.randint(4, 9)
    return choice(
        rng,
        module=3,
        title="Zeros after softmax",
        section="assignments/modules.md, Hiding the future",
        wording=f"For a sentence of {count} words, all scores lie between -2 and 2. Someone takes "
        "the softmax of the unmasked scores, then writes 0 over each *weight* that a word has for "
        "a later word, and does nothing more. Rows count from 0. Rounding aside, which rows of "
        "weights still sum to 1?",
        right=f"Row {count - 1} alone, since no word comes later than its own.",
        wrong={
            "first_row_is_always_one": "Row 0 alone, since only the word itself is left in it.",
            "mask_after_softmax": "All rows, since softmax had made each of them sum to 1.",
            "every_row_loses": "None of the rows, since each has lost a part to the mask.",
        },
        explanation="Softmax has shared out 1 among all words of a row, the later ones too. What "
        "they held is lost when it is set to 0, and the rest is not shared out again; between "
        "scores of -2 and 2 every share is above 0, so every row that hides a word falls short. "
        f"Row {count - 1} belongs to the last word, from which nothing is hidden: the mask never "
        "changes that row, before softmax or after.",
    )


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
    share = Fraction(hidden, sum(powers) + hidden)
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
        explanation=f"Each of the {hidden} later words still has the exponential e^0 = 1, next to "
        f"{' + '.join(str(n) for n in powers)} of the visible ones. Together they get "
        f"{hidden}/{sum(powers) + hidden}, so a score of 0 hides nothing: only e^(-inf) is 0.",
    )


def weak_fill(rng: random.Random) -> Question:
    count = rng.randint(4, 5)
    row = rng.randint(0, count - 2)
    fill = -100 * rng.randint(1, 9)
    # 1000 below the fill, e^x is 0 in float64 and no rounding can be argued about.
    score = fill - 1000 * rng.randint(1, 4)
    seen, hidden = row + 1, count - row - 1
    share = Fraction(1, seen)
    lost = Fraction(1, hidden)
    return choice(
        rng,
        module=3,
        title="A fill that is finite",
        section="assignments/modules.md, Hiding the future",
        wording=f"A sentence has {count} words, and rows count from 0. In row {row}, every "
        f"visible score is {score}. Someone hides the later words by writing {fill} over their "
        "scores, and then takes a softmax that first subtracts the row's largest score. Rounding "
        f"aside, what is row {row} of the weights?",
        right=listed([0] * seen + [lost] * hidden),
        wrong={
            "fill_value_not_negative_enough": listed([share] * seen + [0] * hidden),
            "low_scores_are_all_alike": listed([Fraction(1, count)] * count),
            "overflow": listed(["nan"] * count),
        },
        explanation="Softmax looks at the gaps between the scores, not at how low they are. Here "
        f"the fill lies {fill - score} above the visible scores, so the words that should be "
        "hidden take everything. Minus infinity lies below every score, so it needs "
        "no such comparison.",
    )


def agreement(rng: random.Random) -> Question:
    largest = rng.choice(("2.22e-16", "4.44e-16", "8.88e-16"))
    return choice(
        rng,
        module=3,
        title="What agreement means",
        section="assignments/modules.md, Agreement to rounding",
        wording="Your attention and PyTorch's fused kernel get the same float64 inputs, many and "
        "drawn at random. The numbers in the outputs are of about the size of 1, and the largest "
        f"difference between the two is {largest}. As far as these inputs show, which explanation "
        "fits best?",
        right="Both compute the same function, with the arithmetic in another order.",
        wrong={
            "difference_must_be_zero": "One of them has a small bug, as the same function would "
            "leave a difference of 0.",
            "rounding_of_float32": "Both work in float32 inside, which leaves differences of this "
            "size.",
            "close_means_approximate": "One of them computes a wrong formula that comes near to "
            "attention.",
        },
        explanation="In float64 the next number after 1 is 2^-52 = 2.22e-16 away. A difference of "
        "about that size is what remains when two programs do the same sums in another order. "
        "Exactly 0 is not to be expected then; float32 would leave about 1e-7, and a wrong formula "
        "would hardly stay this close on many random inputs. It is no proof for other inputs.",
    )


def attention_parameters(rng: random.Random) -> Question:
    heads, width = drawn(
        lambda: (rng.randint(3, 5), rng.randint(2, 6)), lambda pair: pair[0] != pair[1]
    )
    layers = drawn(lambda: rng.randint(2, 6), lambda layers: layers != heads)
    d_model = heads * width
    of_heads, projection = heads * 3 * d_model * width, d_model * d_model
    return number(
        module=3,
        title="Counting parameters",
        section="assignments/modules.md, Counting parameters",
        wording=f"A model has d_model = {d_model} and {layers} layers. Every head has d_k = d_v = "
        f"{width}. Each layer has one output projection, and just enough heads that their joined "
        "outputs are d_model wide. How many numbers do the W_q, W_k, W_v of all heads and the "
        "output projections of all layers hold together?",
        form=WHOLE,
        answer=layers * (of_heads + projection),
        explanation=f"A head has three matrices of {d_model} x {width}: {3 * d_model * width} "
        f"numbers. {heads} heads of {width} make {d_model}, so a layer has {heads} heads with "
        f"{of_heads} numbers, and an output projection of {d_model} x {d_model} = {projection}. "
        f"{layers} layers have {layers} x {of_heads + projection} = "
        f"{layers * (of_heads + projection)}.",
    )


def other_half(rng: random.Random) -> Question:
    words = rng.choice(SENTENCES).split()
    # 'That of "that"' would read badly.
    word = rng.choice([word for word in words[1:-1] if word != "that"])
    return choice(
        rng,
        module=3,
        title="The other half of a block",
        section="assignments/modules.md, The other half of a block",
        wording=f'A causal model reads "{" ".join(words)}". In one of its blocks, the attention '
        "half is done, and one vector per word goes into the MLP half, an ordinary MLP. Someone "
        f'changes the vector of "{word}" at this point, and no other. Which of the vectors that '
        "leave this MLP half may differ?",
        right=f'That of "{word}" alone: this half takes each of the vectors by itself.',
        wrong={
            "mlp_mixes_words": "Those of all words: this half takes the sentence as a whole.",
            "mlp_is_masked": f'Those of "{word}" and the words after it: the mask shields the '
            "rest.",
            "mlp_uses_the_weights": f'Those of the words that give "{word}" some weight: they '
            "mix it in.",
        },
        explanation="The MLP half sends each vector through the same small network, one by one, "
        "and no vector sees another. Words tell each other things in the attention half only, so "
        f'here a change to "{word}" stays with "{word}" until the next block.',
    )


def kv_cache(rng: random.Random) -> Question:
    prompt, more = rng.randint(4, 8), rng.randint(3, 6)
    without = sum(range(prompt, prompt + more + 1))
    cached = prompt + more
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
        answer=without - cached,
        explanation=f"Without a cache, each run computes the keys of all words so far: "
        f"{' + '.join(str(n) for n in range(prompt, cached + 1))} = {without}. With one, each of "
        f"the {cached} words gets its key once, in the run in which it first appears, and keeps "
        f"it: {cached}. That saves {without - cached}, and as many for the values.",
    )
