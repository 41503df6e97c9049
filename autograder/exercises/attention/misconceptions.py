"""How a head goes wrong: its choices, and the edits of them that are mistakes."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from autograder.exercises.attention.contract import LIKE_LINEAR, SIZES_DIFFER
from autograder.exercises.causal_mask import misconceptions as masks
from autograder.exercises.causal_mask.misconceptions import future
from autograder.exercises.softmax import misconceptions as softmax
from autograder.kit.misconception import (
    KEPT,
    Array,
    Choices,
    Configuration,
    Misconception,
    Observation,
    Observations,
    Stage,
    Way,
    decimals,
    difference,
    nice,
)

Pick = Callable[[str, Any], Any]

WEIGHTS = "test_weights_are_the_softmax_of_scaled_scores"
OUTPUT = "test_output_blends_the_values"
SUMS = "test_weights_of_every_word_sum_to_one"
DEFAULT = "test_default_is_not_causal"
HIDDEN = "test_hidden_words_get_exactly_zero_weight"
VISIBLE = "test_visible_words_share_what_the_hidden_ones_lose"
LATER = "test_changing_a_later_word_changes_no_earlier_row"
HUGE = "test_scores_of_ten_thousand_are_fine"
INTEGERS = "test_integer_inputs_are_fine"

# --- the configuration ---------------------------------------------------------------------------


class Given:
    """The four arrays as a version sees them, and what is projected from them."""

    def __init__(self, X: Array, W_q: Array, W_k: Array, W_v: Array) -> None:
        self.X, self.W_q, self.W_k, self.W_v = X, W_q, W_k, W_v
        self.Q, self.K, self.V = X @ W_q, X @ W_k, X @ W_v
        self.T: int = X.shape[0]
        self.d_model: int = X.shape[1]
        self.d_k: int = W_k.shape[1]
        self.d_v: int = W_v.shape[1]


def compute(pick: Pick, asked: Observation) -> Iterator[tuple[int, Array]]:
    """The weights (T, T) first, then the output (T, d_v), each step as picked."""
    given = embedded(pick("embed", None), asked)
    product, factor = pick("product", right_product), pick("factor", by_root_of_d_k)
    scores = scores_of(product, factor, given, asked)
    causal = pick("flag", as_asked)(asked.keywords.get("causal"))
    hidden = None
    low = scores
    if causal:
        hidden = hidden_by(pick("pattern", future), given, asked)
        early = pick("early", None)
        if early is not None:
            scores = factor(early(product(given), hidden), given)
        low = hidden_with(pick("hide", with_infinity), scores, hidden, asked)
    weights = softmax.shares(pick, low)
    shown = pick("finish", weights_alone)(weights, given)
    if causal:
        shown = pick("late", weights_alone)(shown, hidden)
    returned = pick("returned", None)
    if returned is None:
        yield 1, shown
        blended = shown
        if causal:
            blended = pick("seen", weights_alone)(shown, (hidden, scores, pick))
        output = pick("blend", right_blend)(blended, given)
        yield 0, pick("cut", itself)(output) if causal else output
    else:
        yield from returned(shown, low, pick("blend", right_blend)(shown, given))


def embedded(edit: Callable[[Array], Array] | None, asked: Observation) -> Given:
    if edit not in asked.memo:
        X, *matrices = asked.arguments
        asked.memo[edit] = Given(X if edit is None else edit(X), *matrices)
    found: Given = asked.memo[edit]
    return found


def scores_of(product: Any, factor: Any, given: Given, asked: Observation) -> Array:
    key = (product, factor, id(given))
    if key not in asked.memo:
        asked.memo[key] = factor(product(given), given)
    return asked.memo[key]


def hidden_by(pattern: Any, given: Given, asked: Observation) -> Array:
    key = (pattern, given.T)
    if key not in asked.memo:
        asked.memo[key] = pattern(given.T)
    return asked.memo[key]


def hidden_with(hide: Any, scores: Array, hidden: Array, asked: Observation) -> Array:
    key = (hide, id(scores), id(hidden))
    if key not in asked.memo:
        asked.memo[key] = hide(scores, hidden)
    return asked.memo[key]


def right_product(g: Given) -> Array:
    return g.Q @ g.K.T


def by_root_of_d_k(raw: Array, g: Given) -> Array:
    return raw / np.sqrt(g.d_k)


def as_asked(causal: bool | None) -> bool:
    return bool(causal)


def with_infinity(scores: Array, hidden: Array) -> Array:
    return np.where(hidden, -np.inf, scores)


def weights_alone(weights: Array, other: Any) -> Array:
    return weights


def itself(output: Array) -> Array:
    return output


def right_blend(weights: Array, g: Given) -> Array:
    return weights @ g.V


def last_share(weights: Array, g: Given) -> Array:
    """Of each row, the share of the last word that it sees: = in a loop, where += was meant."""
    masked = not np.triu(weights, k=1).any()
    last = np.arange(g.T) if masked else np.full(g.T, g.T - 1)
    return np.take_along_axis(weights, last[:, None], axis=1) * g.V[last]


def ways(choice: str, *options: Any) -> tuple[Way, ...]:
    return tuple({choice: option} for option in options)


# --- scores --------------------------------------------------------------------------------------


def unscaled(raw: Array, g: Given) -> Array:
    return raw


def times(power: float, *sizes: str) -> Callable[[Array, Given], Array]:
    """The products times a power of sizes, each named as in Given."""

    def factor(raw: Array, g: Given) -> Array:
        product = 1.0
        for size in sizes:
            product *= float(getattr(g, size))
        return raw * product**power

    return factor


def by_constant(number: float) -> Callable[[Array, Given], Array]:
    return lambda raw, g: raw * number


def unit(rows: Array) -> Array:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def sinusoids(X: Array, halves: bool = False, later: int = 0) -> Array:
    T, d = X.shape
    places, i = np.arange(later, T + later)[:, None], np.arange(d)[None]
    if halves:
        half = (d + 1) // 2
        angle = places / 10000 ** (2 * (i % half) / d)
        return np.where(i < half, np.sin(angle), np.cos(angle))
    angle = places / 10000 ** (2 * (i // 2) / d)
    return np.where(i % 2 == 0, np.sin(angle), np.cos(angle))


def normalised(X: Array, epsilon: float = 0.0) -> Array:
    spread = np.sqrt(X.var(axis=1, keepdims=True) + epsilon)
    return (X - X.mean(axis=1, keepdims=True)) / spread


# --- hiding --------------------------------------------------------------------------------------


def replaced(fill: float) -> Callable[[Array, Array], Array]:
    return lambda scores, hidden: np.where(hidden, fill, scores)


def added(fill: float) -> Callable[[Array, Array], Array]:
    return lambda scores, hidden: scores + np.where(hidden, fill, 0.0)


def multiplied(fill: float) -> Callable[[Array, Array], Array]:
    return lambda scores, hidden: scores + hidden * fill


def assigned(scores: Array, hidden: Array) -> Array:
    """In place, as it is often written: integer scores cannot hold the -inf."""
    low = scores.copy()
    low[hidden] = -np.inf
    return low


def zero_hidden(fill: float) -> Callable[[Array, Array], Array]:
    def hide(scores: Array, hidden: Array) -> Array:
        low = np.where(hidden, 0.0, scores)
        return np.where(low == 0, fill, low)

    return hide


def unhidden(scores: Array, hidden: Array) -> Array:
    return scores


# Where a pattern hides a whole row, it matters how: -inf gives NaN, finite fills give weights.
HIDES: tuple[Way, ...] = (
    {},
    {"hide": replaced(-1e9)},
    {"hide": added(-1e9)},
    {"hide": added(-1e12)},
)


def patterns(misconception: Misconception) -> Misconception:
    """A mask's mistake as a head of one's own carries it."""
    # All of it hidden with -inf is NaN throughout, as other mistakes make it too.
    hides = HIDES[1:] if misconception.name == "hides_everything" else HIDES
    return Misconception(
        misconception.name,
        VISIBLE if misconception.name in SEES_LESS else HIDDEN,
        misconception.hint,
        "mask",
        tuple({**way, **hide} for way in misconception.ways for hide in hides),
    )


# Patterns that hide the whole future and more.
SEES_LESS = {
    "diagonal_hidden",
    "starts_too_early",
    "hides_all_but_itself",
    "hides_past_too",
    "hides_everything",
    "mask_loop_hides_all_rows",
}
NOT_IN_A_HEAD = {"hides_nothing", "mask_polarity"}


def zeroed(weights: Array, hidden: Array) -> Array:
    return np.where(hidden, 0.0, weights)


def renormalised(epsilon: float = 0.0) -> Callable[[Array, Array], Array]:
    def late(weights: Array, hidden: Array) -> Array:
        kept = np.where(hidden, 0.0, weights)
        return kept / (kept.sum(axis=1, keepdims=True) + epsilon)

    return late


def filled_weights(fill: float) -> Callable[[Array, Array], Array]:
    return lambda weights, hidden: np.where(hidden, fill, weights)


def softmax_again(weights: Array, hidden: Array) -> Array:
    low = np.where(hidden, -np.inf, weights)
    e = np.exp(low - low.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# --- what is handed back -------------------------------------------------------------------------

Returned = Iterator[tuple[int, Array]]


def rounded(count: int) -> Callable[[Array, Array, Array], Returned]:
    def returned(weights: Array, scores: Array, output: Array) -> Returned:
        yield 1, np.round(weights, count)
        yield 0, np.round(output, count)

    return returned


def rounded_weights(count: int) -> Callable[[Array, Any], Array]:
    return lambda weights, g: np.round(weights, count)


def rounded_output(count: int) -> Callable[[Array, Array, Array], Returned]:
    def returned(weights: Array, scores: Array, output: Array) -> Returned:
        yield 1, weights
        yield 0, np.round(output, count)

    return returned


def scores_shown(weights: Array, scores: Array, output: Array) -> Returned:
    yield 1, scores
    yield 0, output


def beside(change: Any) -> Callable[[Array, Array, Array], Returned]:
    """The right output, something else in the weights' place."""

    def returned(weights: Array, scores: Array, output: Array) -> Returned:
        yield 1, change(weights)
        yield 0, output

    return returned


def output_twice(weights: Array, scores: Array, output: Array) -> Returned:
    yield 1, output
    yield 0, output


def in_float16(weights: Array, scores: Array, output: Array) -> Returned:
    yield 1, weights.astype(np.float16).astype(float)
    yield 0, output.astype(np.float16).astype(float)


def instead(change: Callable[[Array], Array]) -> Callable[[Array, Array, Array], Returned]:
    """The right weights, something else made of the output."""

    def returned(weights: Array, scores: Array, output: Array) -> Returned:
        yield 1, weights
        yield 0, change(output)

    return returned


def unmasked_blend(weights: Array, state: Any) -> Array:
    """The weights as they are without the mask."""
    _, scores, pick = state
    return softmax.shares(pick, scores)


def masked_blend(weights: Array, state: Any) -> Array:
    return np.where(state[0], 0.0, weights)


def masked_blend_renormalised(weights: Array, state: Any) -> Array:
    kept = np.where(state[0], 0.0, weights)
    return kept / kept.sum(axis=1, keepdims=True)


# --- numbers read off the answers ----------------------------------------------------------------


def squares(
    observations: Observations, others: Way, causal: bool
) -> Iterator[tuple[Array, Array, Given, Observation]]:
    """Scores under the other edits and the student's weights, where both are (T, T)."""
    pick = Choices({**others}, {})
    for one in observations:
        if len(one.arrays) < 2 or bool(one.keywords.get("causal")) != causal:
            continue
        try:
            given = embedded(pick("embed", None), one)
            product, factor = pick("product", right_product), pick("factor", by_root_of_d_k)
            scores = scores_of(product, factor, given, one)
        except (ValueError, TypeError):
            # Sizes that do not fit, or an array that cannot hold the quotient.
            continue
        if one.arrays[1].shape == scores.shape == (given.T, given.T):
            yield scores, one.arrays[1], given, one


# A fill above it favours the hidden words, which is another mistake.
HIGH = 5.0


def high_fills(observations: Observations, others: Way) -> Iterator[Way]:
    """Fills that favour the hidden words."""
    found: dict[str, set[float]] = {"replaced": set(), "added": set()}
    for scores, weights, given, _ in squares(observations, others, causal=True):
        for row, shown, dark in zip(scores, weights, future(given.T), strict=True):
            lit, seen = dark & (shown > 0), ~dark & (shown > 0)
            if lit.any() and seen.any() and np.isfinite(shown).all():
                fill = row[seen][0] + np.log(shown[lit][0] / shown[seen][0])
                found["replaced"].update(nice(fill, 4, 1e-7))
                found["added"].update(nice(fill - row[lit][0], 4, 1e-7))
    for way, make in (("replaced", replaced), ("added", added)):
        for fill in sorted(found[way])[:4]:
            if fill >= HIGH:
                yield {"hide": make(fill)}


def fills(observations: Observations, others: Way) -> Iterator[Way]:
    """The score that hidden words must have been given, or what must have been added to theirs.

    Where weights are 0 or 1 only, no more can be told than which scores it lies between.
    """
    found: dict[str, set[float]] = {"replaced": set(), "added": set(), "early": set()}
    borders: dict[str, set[float]] = {"replaced": set(), "added": set()}
    for scores, weights, given, _ in squares(observations, others, causal=True):
        hidden, root = future(given.T), np.sqrt(given.d_k)
        for row, shown, dark in zip(scores, weights, hidden, strict=True):
            if not dark.any():
                continue
            top = row[~dark].max()
            borders["replaced"].add(top)
            borders["added"].add(top - row[dark].max())
            lit, seen = dark & (shown > 0), ~dark & (shown > 0)
            if not (lit.any() and seen.any()) or not np.isfinite(shown).all():
                continue
            fill = row[seen][0] + np.log(shown[lit][0] / shown[seen][0])
            found["replaced"].add(fill)
            found["added"].add(fill - row[lit][0])
            found["early"].update((fill * root, (fill - row[lit][0]) * root))
    for way, make in (("replaced", replaced), ("added", added)):
        exact = {short for fill in found[way] for short in nice(fill, 4, 1e-7) if fill < HIGH}
        tiny = {fill for fill in found[way] if -1e-7 < fill < -1e-11}
        edges = sorted({round(edge, 6) for edge in borders[way]})
        between = [(low + high) / 2 for low, high in pairwise(edges) if high - low > 40]
        below = [edges[0] - 50] if edges else []
        for fill in [*sorted(exact)[:4], *sorted(tiny)[:2], *below, *between]:
            if fill < -1e-11 or 1e-6 < fill < HIGH:
                yield {"hide": make(fill)}
    for fill in sorted({short for one in found["early"] for short in nice(one, 4, 1e-7)})[:4]:
        if fill < HIGH:
            yield {"hide": unhidden, "early": replaced(fill)}
            yield {"hide": unhidden, "early": added(fill)}


def constants(observations: Observations, others: Way) -> Iterator[Way]:
    """A factor that is the same number for every head, if the weights are those of one."""
    found: set[float] = set()
    unscaled_others = {**others, "factor": unscaled}
    for scores, weights, _, _ in squares(observations, unscaled_others, causal=False):
        if np.abs(scores).max() > 100 or not (weights > 0).all():
            continue
        row = int(np.ptp(scores, axis=1).argmax())
        low, high = scores[row].argmin(), scores[row].argmax()
        spread = scores[row, high] - scores[row, low]
        rate = float(np.log(weights[row, high] / weights[row, low]) / spread) if spread else 0.0
        # A slope of next to nothing is no scale: the weights are even.
        if abs(rate) > 1e-6:
            found.update(nice(rate, 4))
            found.update(1 / one for one in nice(1 / rate if rate else 0, 4))
            found.update(
                -1 / np.sqrt(-one) for one in nice(-1 / rate**2 if rate else 0, 4) if rate < 0
            )
            if rate > 0:
                found.update(1 / np.sqrt(one) for one in nice(1 / rate**2, 4))
        break
    for number in sorted(found - {1.0, -1.0}):
        yield {"factor": by_constant(number)}


def multiplied_by(number: float, weights: Array, g: Given) -> Array:
    return weights * number


def totals(observations: Observations, others: Way) -> Iterator[Way]:
    """What every row of weights sums to, where that is one number and not 1."""
    sums = [
        weights.sum(axis=1)
        for causal in (False, True)
        for _, weights, _, _ in squares(observations, others, causal)
    ]
    if sums and np.ptp(np.concatenate(sums)) < 1e-9:
        for total in (*nice(sums[0][0]), *(1 / one for one in nice(1 / sums[0][0]))):
            if abs(total - 1) > 1e-9:
                yield {"finish": partial(multiplied_by, total)}
                return


def digits(observations: Observations, others: Way) -> Iterator[Way]:
    pairs = [one.arrays for one in observations if len(one.arrays) > 1]
    both = decimals(array for pair in pairs for array in pair)
    if pairs and both:
        yield {"returned": rounded(both)}
        return
    weights, output = (decimals(pair[place] for pair in pairs) for place in (1, 0))
    if pairs and weights:
        yield {"returned": beside(partial(np.round, decimals=weights))}
        yield {"finish": rounded_weights(weights)}
    if pairs and output:
        yield {"returned": rounded_output(output)}


def rows_of(observations: Observations, others: Way) -> list[Observation]:
    """What a softmax inside was asked and gave, as far as the weights tell it; computed once."""
    key = ("rows", *sorted((choice, id(option)) for choice, option in others.items()))
    memo = observations[0].memo
    if key not in memo:
        memo[key] = [
            Observation((low,), {}, (weights,))
            for causal in (False, True)
            for scores, weights, given, _ in squares(observations, others, causal)
            for low in [np.where(future(given.T), -np.inf, scores) if causal else scores]
        ]
    found: list[Observation] = memo[key]
    return found


def inlined(misconception: Misconception) -> Misconception:
    """A softmax's mistake as a head of one's own carries it."""
    estimate = misconception.estimate

    def in_a_head(observations: Observations, others: Way) -> Iterator[Way]:
        assert estimate is not None
        yield from estimate(rows_of(observations, others), others)

    return Misconception(
        misconception.name,
        INLINED.get(misconception.name, WEIGHTS),
        misconception.hint,
        misconception.stage,
        tuple(way for way in misconception.ways if "given" not in way or way["given"] != "none"),
        in_a_head if estimate else None,
    )


# The test that sees a softmax's mistake inside a head, where it is not that of the weights.
INLINED = {
    **dict.fromkeys(
        (
            "overflow",
            "global_max_underflow",
            "max_initialised_at_zero",
            "subtracts_mean",
            "subtracts_minimum",
            "shift_by_absolute_maximum",
            "shifts_by_one_score",
        ),
        HUGE,
    ),
    "clips_instead_of_shifting": HIDDEN,
}
# A head hides these: its scores are no integers, and never a single row.
NOT_INLINED = {
    "integer_truncation",
    "integer_cast_error",
    "one_row_only",
    # Beside a head's own numbers these have no name that is sure.
    "not_normalised",
    "divides_by_largest_exponential",
    "floating_point_errors_raised",
    "rounds_result",
    "scores_scaled_in_softmax",
    "returns_something_made_of_weights",
    "minus_infinity_replaced",
    # Cut to 0, any scores share out evenly.
    "scores_rounded",
}

# --- claims --------------------------------------------------------------------------------------


def masks_by_default(observations: Observations) -> bool:
    """Whether an answer without `causal` has nothing above the diagonal."""
    return any(
        len(one.arrays) > 1 and not np.triu(one.arrays[1], k=1).any()
        for one in observations
        if "causal" not in one.keywords
    )


def raises_for_integers(observations: Observations) -> bool:
    return all(
        not one.raised or all(array.dtype.kind in "iu" for array in one.arguments)
        for one in observations
    )


# --- the misconceptions --------------------------------------------------------------------------

SCALES = (
    Misconception(
        "no_scaling",
        WEIGHTS,
        "Your weights are those of attention without the 1/sqrt(d_k) scale.",
        "factor",
        ({"factor": unscaled}, {"factor": unscaled, "hide": assigned}),
    ),
    Misconception(
        "no_square_root",
        WEIGHTS,
        "In effect you divide the scores by d_k itself. Which power of d_k brings their spread "
        "back to 1?",
        "factor",
        ways("factor", times(-1, "d_k")),
    ),
    Misconception(
        "scale_inverted",
        WEIGHTS,
        "You multiply the scores by sqrt(d_k), or by d_k, which makes them larger still. The scale "
        "is there to shrink them.",
        "factor",
        ways("factor", times(0.5, "d_k"), times(1, "d_k")),
    ),
    Misconception(
        "scaled_by_d_model",
        WEIGHTS,
        "Your scale is made of the embedding width. The dot product runs over another dimension: "
        "how long are a query and a key?",
        "factor",
        ways("factor", *(times(power, "d_model") for power in (-0.5, -1, 0.5, 1))),
    ),
    Misconception(
        "scaled_by_sequence_length",
        WEIGHTS,
        "Your scale is made of the number of words. It belongs to the length of a query and a key, "
        "whatever the length of the sentence.",
        "factor",
        ways("factor", *(times(power, "T") for power in (-0.5, -1, 0.5, 1, -2))),
    ),
    Misconception(
        "scaled_by_d_v",
        WEIGHTS,
        "Your scale is made of the width of the values. The dot product is one of queries and "
        "keys: how long are they?",
        "factor",
        ways("factor", *(times(power, "d_v") for power in (-0.5, -1, 0.5, 1))),
    ),
    Misconception(
        "wrong_scale",
        WEIGHTS,
        "Your scores are scaled, but not by 1/sqrt(d_k).",
        "factor",
        (
            *ways(
                "factor",
                *(times(power, "d_k") for power in (-2, -0.25, -1 / 3, -1.5, 2)),
                *(
                    times(power, "d_k", other)
                    for power in (-0.5, -1)
                    for other in ("T", "d_model", "d_v")
                ),
                times(-0.5, "T", "d_model"),
                lambda raw, g: raw / np.log(g.d_k),
                lambda raw, g: raw / np.log2(g.d_k),
                lambda raw, g: raw / np.sqrt(2 * g.d_k),
                lambda raw, g: raw / (2 * np.sqrt(g.d_k)),
                lambda raw, g: raw * 2 / np.sqrt(g.d_k),
                lambda raw, g: raw / np.sqrt(g.d_k + 1),
                lambda raw, g: raw / np.sqrt(g.d_k - 1),
                lambda raw, g: raw / (np.sqrt(g.d_k) + 1),
                lambda raw, g: raw / np.sqrt(g.d_k / 2),
                lambda raw, g: raw / np.floor(np.sqrt(g.d_k)),
                lambda raw, g: raw // np.sqrt(g.d_k),
                lambda raw, g: raw / np.exp(g.d_k),
                lambda raw, g: raw / np.sqrt(g.d_k + g.d_model),
                lambda raw, g: raw / raw.std(),
                lambda raw, g: raw / raw.max(),
                lambda raw, g: raw / np.abs(raw).max(),
                lambda raw, g: raw / np.linalg.norm(raw),
                by_constant(0.125),
            ),
        ),
        constants,
    ),
)

UNIFORM = "Without the mask, your rows share out evenly: queries and keys count for nothing."

PRODUCTS = (
    Misconception(
        "query_key_swapped",
        WEIGHTS,
        "Your scores are transposed: row i should hold what query i finds at every key, not what "
        "key i offers to every query.",
        "product",
        ways("product", lambda g: g.K @ g.Q.T),
    ),
    Misconception(
        "queries_only",
        WEIGHTS,
        "Your scores compare queries with queries: the keys never enter.",
        "product",
        ways("product", lambda g: g.Q @ g.Q.T),
    ),
    Misconception(
        "keys_only",
        WEIGHTS,
        "Your scores compare keys with keys: the queries never enter.",
        "product",
        ways("product", lambda g: g.K @ g.K.T),
    ),
    Misconception(
        "scores_not_projected",
        WEIGHTS,
        "Your scores compare the rows of X as they are. Queries and keys are X projected by W_q "
        "and W_k.",
        "product",
        ways("product", lambda g: g.X @ g.X.T),
    ),
    Misconception(
        "values_in_scores",
        WEIGHTS,
        "Your scores are made of the values. They compare queries with keys.",
        "product",
        ways("product", lambda g: g.V @ g.V.T),
    ),
    Misconception(
        "uniform_weights",
        WEIGHTS,
        UNIFORM,
        "product",
        ways("product", lambda g: np.zeros((g.T, g.T))),
    ),
    Misconception(
        "reshape_instead_of_transpose",
        WEIGHTS,
        "Your keys are reshaped where they should be transposed: the sizes fit, and the numbers "
        "stand in other places.",
        "product",
        ways(
            "product",
            lambda g: g.Q @ g.K.reshape(g.d_k, g.T),
            lambda g: g.Q.reshape(g.d_k, g.T).T @ g.K.T,
            lambda g: g.Q @ g.K.T.reshape(g.T, g.d_k).T,
            lambda g: g.Q @ g.K[::-1].T,
        ),
    ),
    Misconception(
        "sign_of_products_flipped",
        WEIGHTS,
        "Your scores have the wrong sign: the worst match gets the most weight.",
        "product",
        ways("product", lambda g: -(g.Q @ g.K.T)),
    ),
    Misconception(
        "not_a_dot_product",
        WEIGHTS,
        "Your scores are no dot products of queries and keys, but something else made of both.",
        "product",
        ways(
            "product",
            lambda g: unit(g.Q) @ unit(g.K).T,
            lambda g: -((g.Q[:, None] - g.K[None]) ** 2).sum(-1),
            lambda g: -np.sqrt(((g.Q[:, None] - g.K[None]) ** 2).sum(-1)),
            lambda g: ((g.Q[:, None] - g.K[None]) ** 2).sum(-1),
            lambda g: np.sqrt(((g.Q[:, None] - g.K[None]) ** 2).sum(-1)),
            lambda g: -np.abs(g.Q[:, None] - g.K[None]).sum(-1),
            lambda g: np.maximum(g.Q @ g.K.T, 0),
            lambda g: (g.Q @ g.K.T) ** 2,
            lambda g: np.exp(g.Q @ g.K.T),
            lambda g: np.tanh(g.Q @ g.K.T),
            lambda g: (g.Q[:, None] + g.K[None]).sum(-1),
            lambda g: g.Q @ g.K.T + g.K @ g.Q.T,
            lambda g: (g.Q @ g.K.T + g.K @ g.Q.T) / 2,
            lambda g: g.Q[:, :1] @ g.K[:, :1].T,
            lambda g: g.Q[:, :-1] @ g.K[:, :-1].T,
            lambda g: g.Q[:, 1:] @ g.K[:, 1:].T,
            lambda g: unit(g.Q) @ g.K.T,
            lambda g: g.Q @ unit(g.K).T,
        ),
    ),
    Misconception(
        "takes_absolute_values",
        WEIGHTS,
        softmax.ABSOLUTE,
        "product",
        ways("product", lambda g: np.abs(g.Q @ g.K.T)),
    ),
    Misconception(
        "adds_positional_encoding",
        WEIGHTS,
        "You add positions to X first. This head works on X as it is handed in.",
        "embed",
        ways(
            "embed",
            lambda X: X + sinusoids(X),
            lambda X: X + sinusoids(X, halves=True),
            lambda X: X + sinusoids(X, later=1),
            lambda X: X * np.sqrt(X.shape[1]) + sinusoids(X),
            lambda X: X + np.arange(len(X))[:, None],
            lambda X: X + np.arange(len(X))[:, None] / len(X),
            lambda X: X + np.arange(1, len(X) + 1)[:, None],
            lambda X: X + 0.1 * np.arange(len(X))[:, None],
            lambda X: X + 0.01 * np.arange(len(X))[:, None],
        ),
    ),
    Misconception(
        "changes_embeddings",
        WEIGHTS,
        "You change X first, by a scale or a normalisation. This head works on X as it is handed "
        "in.",
        "embed",
        ways(
            "embed",
            normalised,
            partial(normalised, epsilon=1e-5),
            partial(normalised, epsilon=1e-6),
            lambda X: (X - X.mean(axis=1, keepdims=True)) / (X.std(axis=1, keepdims=True) + 1e-5),
            lambda X: (X - X.mean(axis=1, keepdims=True)) / (X.std(axis=1, keepdims=True) + 1e-6),
            lambda X: normalised(X.T).T,
            lambda X: (X - X.mean()) / X.std(),
            lambda X: X - X.mean(axis=1, keepdims=True),
            lambda X: X - X.mean(axis=0),
            unit,
            lambda X: X / (np.linalg.norm(X, axis=1, keepdims=True) + 1e-9),
            lambda X: X / X.max(),
            lambda X: X / np.abs(X).max(),
            lambda X: X * np.sqrt(X.shape[1]),
            lambda X: X / np.sqrt(X.shape[1]),
            lambda X: X / 2,
            lambda X: X * 2,
            lambda X: X[::-1],
        ),
    ),
    Misconception(
        "integers_truncated",
        INTEGERS,
        "With integer inputs, fractions are cut off: an array of yours takes its dtype from "
        "theirs.",
        "product",
        ways(
            "factor",
            lambda raw, g: by_root_of_d_k(raw, g).astype(raw.dtype),
        ),
    ),
    Misconception(
        "integer_cast_error",
        INTEGERS,
        "With integer inputs your function raises: an operation in place cannot put fractions into "
        "an array of integers. What does a new array cost you?",
        "cast",
        ({"cast": True, "factor": lambda raw, g: np.divide(raw, np.sqrt(g.d_k), out=raw.copy())},),
        claims=raises_for_integers,
    ),
)

SIGN_OR_SIDE = (
    "Under the mask you favour the hidden words over the visible ones: is it the sign of the "
    "value, or the side that it goes to?"
)

NAN_ROWS = (
    "Under the mask, rows that hide a word turn to NaN: the score of a hidden word becomes -inf, "
    "not +inf and not NaN."
)

HIDING = (
    Misconception(
        "mask_polarity",
        HIDDEN,
        SIGN_OR_SIDE,
        "mask",
        tuple({"pattern": pattern, **hide} for pattern in (masks.lower(0),) for hide in HIDES),
    ),
    Misconception(
        "wrong_sign_of_infinity",
        HIDDEN,
        SIGN_OR_SIDE,
        "mask",
        ways(
            "hide",
            replaced(1e9),
            replaced(1e4),
            added(1e9),
            added(1e4),
            replaced(100.0),
            added(100.0),
            added(10.0),
        ),
        high_fills,
        apart=True,
    ),
    Misconception(
        "wrong_sign_of_infinity",
        HIDDEN,
        NAN_ROWS,
        "mask",
        ways("hide", replaced(np.inf), added(np.inf)),
    ),
    Misconception(
        "zero_times_inf",
        VISIBLE,
        "Your mask multiplies infinity by 0, which is NaN and not 0, so the visible scores are "
        "lost. Choose between two values instead of multiplying.",
        "mask",
        ways(
            "hide",
            multiplied(-np.inf),
            multiplied(np.inf),
            lambda scores, hidden: scores * np.where(hidden, -np.inf, 1.0),
            lambda scores, hidden: scores * ~hidden + hidden * -np.inf,
        ),
        claims=lambda observations: any(
            bool(one.raised) or np.isnan(array).any()
            for one in observations
            for array in one.arrays or (np.zeros(1),)
        ),
    ),
    Misconception(
        "zero_score_is_not_hidden",
        HIDDEN,
        "You set hidden scores to 0, and softmax gives e^0 = 1 to a score of 0. Which score has an "
        "exponential of 0?",
        "mask",
        ways("hide", replaced(0.0)),
    ),
    Misconception(
        "genuine_zero_hidden",
        VISIBLE,
        "You hide every score that is 0. A visible word may have a score of exactly 0: its place "
        "says whether it is hidden, not its value.",
        "mask",
        ways("hide", zero_hidden(-np.inf), zero_hidden(-1e9)),
    ),
    Misconception(
        "mask_after_softmax",
        HUGE,
        "You remove the future from the weights, after softmax has already shared it out. Hide the "
        "scores before softmax, and the rows come out right even where a hidden score is huge.",
        "mask",
        (
            *(
                {"hide": unhidden, "late": late}
                for late in (
                    zeroed,
                    renormalised(),
                    renormalised(1e-9),
                    renormalised(1e-12),
                    softmax_again,
                    lambda weights, hidden: np.nan_to_num(renormalised()(weights, hidden)),
                )
            ),
        ),
    ),
    Misconception(
        "minus_infinity_in_weights",
        HIDDEN,
        "You put the fill for hidden scores into the weights, after softmax. It belongs to the "
        "scores, before.",
        "mask",
        tuple(
            {"hide": unhidden, "late": filled_weights(fill)}
            for fill in (-np.inf, -1e9, -1e10, np.nan)
        ),
    ),
    Misconception(
        "fill_value_not_negative_enough",
        HUGE,
        "The score you give to hidden words is not low enough: next to other scores they still get "
        "weight. Which value is below every score?",
        "mask",
        ways(
            "hide",
            *map(replaced, (-10.0, -100.0, -1000.0, -9999.0)),
            *map(added, (-10.0, -100.0, -1000.0, -1e4, -2e4)),
            lambda scores, hidden: np.where(hidden, scores.min(), scores),
            lambda scores, hidden: np.where(hidden, -np.abs(scores).max(), scores),
            lambda scores, hidden: np.where(hidden, scores.min() - 1, scores),
            lambda scores, hidden: np.where(hidden, -scores, scores),
        ),
        fills,
        claims=lambda observations: any(
            len(one.arrays) > 1 and bool((np.triu(one.arrays[1], k=1) > 0).any())
            for one in observations
            if one.keywords.get("causal")
        ),
    ),
    Misconception(
        "fills_with_nan",
        VISIBLE,
        NAN_ROWS,
        "mask",
        ways("hide", replaced(np.nan)),
    ),
    Misconception(
        "scores_multiplied_by_mask",
        HIDDEN,
        "You combine scores and mask by a product, which hides nothing: a score that is hidden has "
        "to become the lowest.",
        "mask",
        ways(
            "hide",
            lambda scores, hidden: scores * hidden,
            lambda scores, hidden: scores * np.where(hidden, -1e9, 1.0),
            lambda scores, hidden: scores * np.where(hidden, 1e9, 1.0),
            lambda scores, hidden: scores * np.where(hidden, -1.0, 1.0),
        ),
    ),
    Misconception(
        "causal_ignored",
        HIDDEN,
        "With causal=True you return what causal=False gives: the mask never reaches the scores.",
        "mask",
        ways("flag", lambda causal: False),
        claims=lambda observations: True,
    ),
    Misconception(
        "mask_on_values_only",
        HIDDEN,
        "Only the output is masked: the weights that you return still look into the future. Hide "
        "the scores, and both follow.",
        "mask",
        (
            *(
                {"hide": unhidden, "seen": seen}
                for seen in (masked_blend, masked_blend_renormalised)
            ),
            *({"hide": unhidden, "cut": cut} for cut in (np.tril, np.triu)),
        ),
    ),
    Misconception(
        "output_not_masked",
        LATER,
        "Your weights are masked, and the output is blended with others that are not.",
        "mask",
        ways("seen", unmasked_blend),
    ),
    Misconception(
        "causal_default_true",
        DEFAULT,
        "Called without `causal`, your function masks. The default should be causal=False.",
        "flag",
        ways("flag", lambda causal: causal is None or causal),
        claims=masks_by_default,
    ),
    Misconception(
        "always_causal",
        WEIGHTS,
        "You mask whether or not it is asked for. With causal=False every word sees every word.",
        "flag",
        ways("flag", lambda causal: True),
    ),
    Misconception(
        "flag_inverted",
        HIDDEN,
        "You mask with causal=False, and do not with causal=True.",
        "flag",
        ways("flag", lambda causal: not causal),
    ),
)

BLENDS = (
    Misconception(
        "scale_after_softmax",
        SUMS,
        "You scale the weights, after softmax, so the rows no longer sum to 1. It is the scores "
        "that are scaled.",
        "factor",
        (
            {"factor": unscaled, "finish": lambda weights, g: weights / np.sqrt(g.d_k)},
            {"finish": lambda weights, g: weights / np.sqrt(g.d_k)},
            {"factor": unscaled, "finish": lambda weights, g: weights * np.sqrt(g.d_k)},
            {"factor": unscaled, "finish": lambda weights, g: weights / g.d_k},
        ),
    ),
    Misconception(
        "values_not_projected",
        OUTPUT,
        "You blend the rows of X. Words hand over their values, X projected by W_v.",
        "blend",
        ways("blend", lambda w, g: w @ g.X),
    ),
    Misconception(
        "keys_instead_of_values",
        OUTPUT,
        "You blend the keys. Words hand over their values, X projected by W_v.",
        "blend",
        ways("blend", lambda w, g: w @ g.K),
    ),
    Misconception(
        "queries_instead_of_values",
        OUTPUT,
        "You blend the queries. Words hand over their values, X projected by W_v.",
        "blend",
        ways("blend", lambda w, g: w @ g.Q),
    ),
    Misconception(
        "elementwise_product",
        OUTPUT,
        "You multiply weights and values entry by entry. A blend of rows is a matrix product.",
        "blend",
        ways(
            "blend",
            lambda w, g: w * g.V,
            lambda w, g: np.diagonal(w)[:, None] * g.V,
            lambda w, g: w.mean(axis=1, keepdims=True) * g.V,
        ),
    ),
    Misconception(
        "weights_transposed_in_blend",
        OUTPUT,
        "You blend with the columns of the weights. Row i of the weights says how word i blends.",
        "blend",
        ways("blend", lambda w, g: w.T @ g.V),
    ),
    Misconception(
        "values_alone",
        OUTPUT,
        "Your output is the values as they are: the weights never blend them.",
        "blend",
        ways("blend", lambda w, g: g.V, lambda w, g: g.V[::-1]),
    ),
    Misconception(
        "blend_of_something_else",
        OUTPUT,
        "Your output is not weights times values: something else is made of the two.",
        "blend",
        ways(
            "blend",
            lambda w, g: w @ g.V / np.sqrt(g.d_k),
            lambda w, g: w @ g.V / np.sqrt(g.d_v),
            lambda w, g: w @ g.V / g.d_k,
            lambda w, g: w @ g.V / g.d_v,
            lambda w, g: w @ g.V / g.T,
            lambda w, g: w @ g.V * g.T,
            lambda w, g: w @ w @ g.V,
            lambda w, g: w @ g.V + g.V,
            lambda w, g: (w @ g.V).sum(axis=0),
            lambda w, g: (w @ g.V).sum(axis=0, keepdims=True),
            lambda w, g: (w @ g.V).mean(axis=0),
            lambda w, g: (w @ g.V).mean(axis=0, keepdims=True),
            lambda w, g: (w @ g.V)[-1],
            lambda w, g: (w @ g.V)[-1:],
            lambda w, g: (w @ g.V)[0],
            lambda w, g: (w @ g.V)[:1],
            lambda w, g: (w @ g.V).T,
            lambda w, g: (w @ g.V).ravel(),
            lambda w, g: (w @ g.V)[None],
            lambda w, g: (w @ g.V)[::-1],
            lambda w, g: w @ g.V[::-1],
            lambda w, g: g.V[w.argmax(axis=1)],
            lambda w, g: w @ np.abs(g.V),
            lambda w, g: w @ np.maximum(g.V, 0),
            lambda w, g: np.maximum(w @ g.V, 0),
            lambda w, g: np.cumsum(w @ g.V, axis=0),
            lambda w, g: w,
            lambda w, g: w @ g.X @ g.W_v + g.X[:, : g.d_v],
            lambda w, g: np.broadcast_to(g.V.mean(axis=0), g.V.shape),
            lambda w, g: np.broadcast_to(g.V.sum(axis=0), g.V.shape),
            lambda w, g: softmax.shares(Choices({}, {}), w @ g.V),
            lambda w, g: softmax.sigmoid(w @ g.V),
            lambda w, g: np.tanh(w @ g.V),
            lambda w, g: normalised(w @ g.V),
            lambda w, g: normalised(w @ g.V, 1e-5),
            lambda w, g: unit(w @ g.V),
            lambda w, g: w @ softmax.shares(Choices({}, {}), g.V),
        ),
    ),
    Misconception(
        "last_share_only",
        OUTPUT,
        "Of each output row only the share of one word is left: the shares of all words that it "
        "sees are added up.",
        "blend",
        ways(
            "blend",
            last_share,
            lambda w, g: w[:, -1:] * g.V[-1:],
            lambda w, g: w[:, :1] * g.V[:1],
        ),
    ),
    Misconception(
        "scores_instead_of_weights",
        WEIGHTS,
        "You hand back the scores in the place of the weights: the shares come after softmax.",
        "returned",
        ways("returned", scores_shown),
    ),
    Misconception(
        "returns_other_weights",
        WEIGHTS,
        "Your output is blended with the right weights, and other ones are handed back beside it.",
        "returned",
        ways(
            "returned",
            *map(
                beside,
                (
                    np.transpose,
                    np.log,
                    lambda w: w[-1],
                    lambda w: w[-1:],
                    lambda w: w[0],
                    lambda w: w.mean(axis=0),
                    lambda w: w.sum(axis=0),
                    lambda w: w.sum(axis=1),
                    lambda w: w.argmax(axis=1),
                    lambda w: w[None],
                    lambda w: w.ravel(),
                    lambda w: w[::-1],
                    lambda w: 1 - w,
                    lambda w: w * 100,
                ),
            ),
            output_twice,
        ),
    ),
    Misconception(
        "rounds_result",
        WEIGHTS,
        "Your results are rounded. Return them in full; round only what you print.",
        "returned",
        (
            *ways("returned", *map(rounded, (1, 2, 3, 4)), in_float16),
            {"finish": rounded_weights(4)},
        ),
        digits,
        apart=True,
    ),
    Misconception(
        "weights_changed_after_softmax",
        WEIGHTS,
        "You change the weights after softmax. They are shares that sum to 1 as they come.",
        "blend",
        ways(
            "finish",
            lambda w, g: w / w.sum(axis=0),
            lambda w, g: w.T,
            lambda w, g: w**2,
            lambda w, g: w - w.mean(axis=1, keepdims=True),
            lambda w, g: np.where(w < 0.1, 0.0, w),
            lambda w, g: w / w.max(axis=1, keepdims=True),
            lambda w, g: w / np.sqrt(g.d_v),
            lambda w, g: w / np.sqrt(g.d_model),
            lambda w, g: (w + w.T) / 2,
            lambda w, g: w / g.T,
            lambda w, g: w / np.sqrt(g.T),
            lambda w, g: w / g.d_model,
            lambda w, g: w / g.d_v,
            lambda w, g: w * g.T,
            lambda w, g: w * g.d_k,
            lambda w, g: w.astype(np.float16).astype(float),
        ),
        totals,
        apart=True,
    ),
)

MISCONCEPTIONS = (
    *SCALES,
    *PRODUCTS,
    *HIDING,
    *(patterns(one) for one in masks.PATTERNS if one.name not in NOT_IN_A_HEAD),
    *BLENDS,
    *(inlined(one) for one in softmax.MISCONCEPTIONS if one.name not in NOT_INLINED),
)

# No mistakes by themselves.
STYLES: tuple[Way, ...] = (
    *softmax.STYLES,
    {"hide": assigned},
    {"hide": replaced(-1e9)},
)

# --- where nothing is named ----------------------------------------------------------------------


def right_of(configuration: Configuration, asked: Observation) -> tuple[Array, Array]:
    """The right output and weights."""
    output, weights = configuration.version({})(*asked.arguments, **asked.keywords)
    return output, weights


def right_places(configuration: Configuration, asked: Observation) -> tuple[bool, ...]:
    """Whether the output and the weights are right; an exception is neither."""
    both = right_of(configuration, asked)
    return tuple(
        difference(array, right) is not None
        for array, right in zip(asked.arrays, both, strict=False)
    ) or (False,)


def kind_of(configuration: Configuration, asked: Observation) -> str:
    if all(array.dtype.kind in "iu" for array in asked.arguments):
        return "integers"
    X, W_q, W_k, _ = asked.arguments
    return "thousands" if np.abs((X @ W_q) @ (X @ W_k).T).max() > 2000 else "ordinary"


def holds_for(
    right: Callable[[str, bool], bool],
) -> Callable[[Configuration, Observations], bool]:
    """A claim that every answer is right just where this says so, by its kind and mask."""

    def claim(configuration: Configuration, observations: Observations) -> bool:
        found: dict[tuple[str, bool], list[bool]] = {}
        for one in observations:
            kind = kind_of(configuration, one), bool(one.keywords.get("causal"))
            found.setdefault(kind, []).append(all(right_places(configuration, one)))
        return ("ordinary", False) in found and all(
            all(answers) == right(*kind) for kind, answers in found.items()
        )

    return claim


def output_alone(configuration: Configuration, observations: Observations) -> bool:
    """Whether all weights are right, and outputs are not."""
    found = [right_places(configuration, one) for one in observations]
    return all(len(places) == 2 and places[1] for places in found) and any(
        not places[0] for places in found
    )


def slopes(configuration: Configuration, observations: Observations) -> list[float]:
    """Per ordinary unmasked head, the number that its scores are of the right ones; NaN if none."""
    found = []
    for scores, weights, _, one in squares(observations, {}, causal=False):
        if kind_of(configuration, one) != "ordinary":
            continue
        if not (weights > 0).all() or not np.isfinite(weights).all():
            return [np.nan]
        logs = np.log(weights) - np.log(weights).mean(axis=1, keepdims=True)
        centred = scores - scores.mean(axis=1, keepdims=True)
        slope = float((logs * centred).sum() / (centred**2).sum())
        found.append(slope if np.abs(logs - slope * centred).max() < 1e-6 else np.nan)
    return found


def one_factor(configuration: Configuration, observations: Observations) -> bool:
    found = slopes(configuration, observations)
    return bool(found) and np.ptp(found) < 1e-6 and abs(found[0] - 1) > 1e-5 < abs(found[0])


def a_factor_each(configuration: Configuration, observations: Observations) -> bool:
    found = slopes(configuration, observations)
    return bool(found) and not np.isnan(found).any() and np.ptp(found) >= 1e-6


def uniform(configuration: Configuration, observations: Observations) -> bool:
    """Whether every unmasked row shares out evenly."""
    shown = [weights for _, weights, _, _ in squares(observations, {}, causal=False)]
    return bool(shown) and all(
        np.abs(weights - 1 / weights.shape[1]).max() < 1e-6 for weights in shown
    )


SENTENCES = (
    KEPT,
    Stage(UNIFORM, uniform, "uniform_weights"),
    Stage(
        "Right without the mask, wrong with it.",
        holds_for(lambda kind, causal: not causal),
    ),
    Stage(
        "Right for ordinary scores, wrong in the thousands: what do exponentials do there?",
        holds_for(lambda kind, causal: kind != "thousands"),
    ),
    Stage(
        "Right for ordinary scores without the mask; wrong in the thousands, and with the mask.",
        holds_for(lambda kind, causal: kind != "thousands" and not causal),
    ),
    Stage(
        "Right for floats, wrong for integers: which dtype do your arrays have?",
        holds_for(lambda kind, causal: kind != "integers"),
    ),
    Stage("Your weights are right, and your output is not.", output_alone),
    Stage("Your scores are a constant times the right ones.", one_factor),
    Stage(
        "Your scores are the right ones times a number that differs from head to head.",
        a_factor_each,
    ),
)

# --- faults of form, which name themselves -------------------------------------------------------

Version = Callable[..., Any]


def head(**parts: Any) -> Version:
    """The head of this configuration with these options, as a function."""
    return CONFIGURATION.version(parts)


def right_head(*arguments: Any, causal: bool = False) -> Any:
    return head()(*arguments, causal=causal)


def in_float32(*arguments: Any, causal: bool = False, throughout: bool) -> Any:
    """The inputs cast, and with `throughout` the scores too (sqrt(d_k) makes them float64)."""
    X, W_q, W_k, W_v = (np.asarray(array, dtype=np.float32) for array in arguments)
    precision = np.float32 if throughout else np.float64
    scores = (X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1])
    if causal:
        scores = np.where(future(len(X)), -np.inf, scores)
    weights = softmax.shares(Choices({}, {}), scores.astype(precision))
    return (weights @ (X @ W_v)).astype(np.float64), weights.astype(np.float64)


def with_tiny_epsilon(*arguments: Any, causal: bool = False) -> Any:
    return head(total=softmax.with_epsilon(1e-9))(*arguments, causal=causal)


def never_set(*arguments: Any, causal: bool = False) -> Any:
    raise NameError


IMPRECISE = (
    partial(in_float32, throughout=True),
    partial(in_float32, throughout=False),
    with_tiny_epsilon,
)

FORMS = (
    Misconception(
        "signature",
        DEFAULT,
        "Your parameters are not those of the template: def attention(X, W_q, W_k, W_v, "
        "causal=False). They were passed in the way that fits yours.",
    ),
    Misconception(
        "relative_import",
        DEFAULT,
        "Your file imports with a leading dot, which works in a package only. The files lie side "
        "by side: import without it.",
    ),
    Misconception(
        "return_order",
        "test_returns_output_then_weights",
        "attention returns a pair: the output first, then the weights.",
        versions=(
            lambda *given, causal=False: right_head(*given, causal=causal)[::-1],
            lambda *given, causal=False: right_head(*given, causal=causal)[0],
            lambda *given, causal=False: (*right_head(*given, causal=causal), given[0]),
        ),
    ),
    Misconception(
        "return_type",
        "test_returns_arrays_of_floats",
        softmax.RETURN_TYPE,
        versions=(
            lambda *given, causal=False: tuple(
                array.tolist() for array in right_head(*given, causal=causal)
            ),
        ),
    ),
    Misconception(
        "mutates_argument",
        "test_leaves_its_arguments_alone",
        softmax.MUTATES,
        versions=(
            lambda X, *matrices, causal=False: (
                right_head(X, *matrices, causal=causal),
                X.fill(0),
            )[0],
        ),
    ),
    *(Misconception(name, WEIGHTS, hint) for name, hint in (LIKE_LINEAR, SIZES_DIFFER)),
    Misconception(
        "undefined_name",
        WEIGHTS,
        "A name is used that has no value at that point: is it spelled as where it was set?",
        versions=(never_set,),
    ),
    Misconception(
        "tolerance",
        "test_agrees_with_the_kernel",
        "Your output is right to about six digits, and float64 carries sixteen: something in it is "
        "computed in float32 or shifted by a small constant.",
        versions=IMPRECISE,
    ),
)

CONFIGURATION = Configuration("attention", compute, MISCONCEPTIONS, STYLES, 2, SENTENCES, FORMS)
