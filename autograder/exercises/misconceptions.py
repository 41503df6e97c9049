"""What people really get wrong: wrong versions of the three functions, and the hint for each.

diagnose() names a misconception only where one wrong version explains every answer that a
function gave. The names are those of the catalogue of wild submissions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autograder.report import StudentFault
from autograder.sandbox.student import Exchange

# Wrong versions compute what they like; annotations would only say Any.
Array = Any
Version = Callable[..., Any]


@dataclass(frozen=True)
class Misconception:
    """A mistake with a name, wrong versions that make it, and the test that is there to see it.

    One that lies in a file and not in a function has no versions: a golden submission makes it.
    form is the fault of form that every version also shows, and that is not named beside it.
    """

    name: str
    function: str
    test: str
    hint: str
    versions: tuple[Version, ...] = ()
    form: str = ""


# --- softmax ---------------------------------------------------------------------------------


def softmax(x: Array) -> Array:
    """The right one, for the wrong heads below."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def shifted(x: Array, shift: Any, total: Callable[[Array], Any]) -> Array:
    """exp(x - shift) over a total: where both are taken over the row, this is right."""
    e = np.exp(x - shift)
    return e / total(e)


def row_sum(e: Array) -> Array:
    return e.sum(axis=-1, keepdims=True)


def row_max(x: Array) -> Array:
    return x.max(axis=-1, keepdims=True)


def over_columns(x: Array, shift: Callable[[Array], Any]) -> Array:
    return shifted(x, shift(x), lambda e: e.sum(axis=0))


def one_sum(x: Array, shift: Callable[[Array], Any]) -> Array:
    return shifted(x, shift(x), lambda e: e.sum())


def sum_without_keepdims(x: Array, shift: Callable[[Array], Any]) -> Array:
    return shifted(x, shift(x), lambda e: e.sum(axis=-1))


def nothing(x: Array) -> float:
    return 0.0


def max_outside(x: Array, largest: Callable[[Array], Any]) -> Array:
    e = np.exp(x) - largest(x)
    return e / row_sum(e)


def clipped(x: Array, bound: float, low_only: bool) -> Array:
    if low_only:
        return shifted(np.maximum(x - row_max(x), -bound), 0.0, row_sum)
    return shifted(np.clip(x, -bound, bound), 0.0, row_sum)


def truncating(x: Array) -> Array:
    out = np.zeros_like(x)
    for i, row in enumerate(x):
        out[i] = softmax(row)
    return out


def one_row(x: Array) -> Array:
    e = np.exp(x - max(x))
    return e / sum(e)


SOFTMAX = (
    Misconception(
        "softmax_over_columns",
        "softmax",
        "test_every_row_sums_to_one",
        "Your columns sum to 1, not your rows. Each row is one word's scores: which axis runs "
        "along a row?",
        tuple(
            partial(over_columns, shift=shift)
            for shift in (lambda x: x.max(axis=0), np.max, nothing, row_max)
        ),
    ),
    Misconception(
        "one_sum_for_whole_matrix",
        "softmax",
        "test_every_row_sums_to_one",
        "All your weights together sum to 1. Each row is a distribution of its own and needs its "
        "own sum.",
        tuple(partial(one_sum, shift=shift) for shift in (np.max, nothing, row_max)),
    ),
    Misconception(
        "missing_keepdims",
        "softmax",
        "test_weights_follow_the_exponentials_of_the_row",
        "A maximum or a sum per row has lost its axis, so it lines up with the columns when you "
        "combine it with the matrix. What shape would make it line up with the rows?",
        (
            partial(sum_without_keepdims, shift=row_max),
            partial(sum_without_keepdims, shift=np.max),
            partial(sum_without_keepdims, shift=nothing),
            partial(sum_without_keepdims, shift=lambda x: x.max(axis=-1)),
            lambda x: shifted(x, x.max(axis=-1), row_sum),
        ),
    ),
    Misconception(
        "overflow",
        "softmax",
        "test_large_scores_do_not_overflow",
        "The exponential of a large score is infinite. Which number can you subtract from a whole "
        "row without changing its softmax?",
        (lambda x: shifted(x, 0.0, row_sum),),
    ),
    Misconception(
        "global_max_underflow",
        "softmax",
        "test_rows_far_apart_do_not_disturb_each_other",
        "You subtract one maximum from the whole matrix, so a row far below it underflows to "
        "zeros. Whose maximum does a row need?",
        (lambda x: shifted(x, x.max(), row_sum),),
    ),
    Misconception(
        "max_outside_exp",
        "softmax",
        "test_weights_follow_the_exponentials_of_the_row",
        "You subtract the maximum from the exponentials. It belongs to the scores, before they are "
        "exponentiated: check where the bracket closes.",
        (partial(max_outside, largest=row_max), partial(max_outside, largest=np.max)),
    ),
    Misconception(
        "clips_instead_of_shifting",
        "softmax",
        "test_minus_infinity_gets_exactly_zero",
        "Clipping the scores avoids overflow but changes the weights: large gaps vanish, and -inf "
        "is no longer silent. Shifting a row changes nothing.",
        tuple(
            partial(clipped, bound=bound, low_only=low_only)
            for bound in (10.0, 50.0, 88.0, 100.0, 500.0, 700.0, 709.0)
            for low_only in (False, True)
        ),
    ),
    Misconception(
        "max_initialised_at_zero",
        "softmax",
        "test_large_scores_do_not_overflow",
        "Your maximum never falls below 0, so a row of very negative scores underflows. Where does "
        "the search for the maximum start?",
        (lambda x: shifted(x, np.maximum(0.0, row_max(x)), row_sum),),
    ),
    Misconception(
        "integer_truncation",
        "softmax",
        "test_integer_scores_are_fine",
        "Your result array takes its dtype from the scores: with integer scores the weights are "
        "cut down to 0 and 1. What dtype does a weight need?",
        (truncating,),
    ),
    Misconception(
        "one_row_only",
        "softmax",
        "test_weights_follow_the_exponentials_of_the_row",
        "This works for a single row of numbers, and fails when it gets a matrix: each row needs a "
        "maximum and a sum of its own.",
        (one_row,),
    ),
)

# --- causal_mask -----------------------------------------------------------------------------


def triangle(n: int, k: int) -> Array:
    return np.triu(np.ones((n, n), dtype=bool), k=k)


def additive(n: int, fill: float) -> Array:
    return np.where(triangle(n, 1), fill, 0.0)


CAUSAL_MASK = (
    Misconception(
        "diagonal_hidden",
        "causal_mask",
        "test_the_border_lies_right_after_the_word_itself",
        "Your mask hides a word from itself, so the first word is left with nothing to attend to. "
        "Does the diagonal belong to the future?",
        (partial(triangle, k=0),),
    ),
    Misconception(
        "triangle_flipped",
        "causal_mask",
        "test_the_border_lies_right_after_the_word_itself",
        "Your mask hides the words before, and shows those after. Rows are the words that look, "
        "columns the words looked at: on which side of the diagonal is the future?",
        (lambda n: triangle(n, 1).T,),
    ),
    Misconception(
        "off_by_one_ahead",
        "causal_mask",
        "test_the_border_lies_right_after_the_word_itself",
        "Your mask starts one column late: every word still sees the next one.",
        (partial(triangle, k=2),),
    ),
    Misconception(
        "mask_polarity",
        "causal_mask",
        "test_the_border_lies_right_after_the_word_itself",
        "Your mask is True where a word may look. In this exercise True means hidden.",
        (lambda n: ~triangle(n, 1),),
    ),
    Misconception(
        "mask_is_additive_float",
        "causal_mask",
        "test_hides_the_future_and_nothing_else",
        "Your mask holds numbers to add to the scores. The exercise asks for booleans: True where "
        "the word is hidden.",
        tuple(
            partial(additive, fill=fill)
            for fill in (-np.inf, -1e9, -1e10, -1e4, -1e5, -1e6, float(np.finfo(float).min))
        ),
        form="mask_dtype",
    ),
)

# --- attention -------------------------------------------------------------------------------


def by_keys(X: Array, W_q: Array, W_k: Array) -> Array:
    """The right scores."""
    scores: Array = (X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1])
    return scores


def scaled(X: Array, W_q: Array, W_k: Array, factor: Callable[[Array, Array], float]) -> Array:
    scores: Array = (X @ W_q) @ (X @ W_k).T * factor(X, W_k)
    return scores


def swapped(X: Array, W_q: Array, W_k: Array) -> Array:
    return by_keys(X, W_q, W_k).T


def filled(scores: Array, mask: Array, fill: float) -> Array:
    return np.where(mask, fill, scores)


def added(scores: Array, mask: Array, fill: float) -> Array:
    return scores + mask * fill


def added_where(scores: Array, mask: Array, fill: float) -> Array:
    return scores + np.where(mask, fill, 0.0)


def assigned(scores: Array, mask: Array) -> Array:
    """In place, as it is often written: integer scores cannot hold the -inf."""
    scores = scores.copy()
    scores[mask] = -np.inf
    return scores


def zero_hidden(scores: Array, mask: Array, fill: float) -> Array:
    low = np.where(mask, 0.0, scores)
    return np.where(low == 0, fill, low)


future = partial(triangle, k=1)
hide = partial(filled, fill=-np.inf)


def attend(
    X: Array,
    W_q: Array,
    W_k: Array,
    W_v: Array,
    causal: bool = False,
    *,
    scores: Callable[[Array, Array, Array], Array] = by_keys,
    mask: Callable[[int], Array] = future,
    hide: Callable[[Array, Array], Array] = hide,
    softmax: Callable[[Array], Array] = softmax,
    finish: Callable[[Array, Array, bool], Array] = lambda weights, W_k, causal: weights,
    blend: Callable[[Array, Array, Array], Array] = lambda weights, X, W_v: weights @ (X @ W_v),
) -> tuple[Array, Array]:
    """A head; right where every part is left as it is."""
    s = scores(X, W_q, W_k)
    if causal:
        s = hide(s, mask(len(s)))
    weights = finish(softmax(s), W_k, causal)
    return blend(weights, X, W_v), weights


def causal_by_default(
    X: Array, W_q: Array, W_k: Array, W_v: Array, causal: bool = True
) -> tuple[Array, Array]:
    return attend(X, W_q, W_k, W_v, causal)


def masked_afterwards(
    X: Array, W_q: Array, W_k: Array, W_v: Array, causal: bool = False, *, renormalise: bool
) -> tuple[Array, Array]:
    _, weights = attend(X, W_q, W_k, W_v)
    if causal:
        weights = np.tril(weights)
        if renormalise:
            weights = weights / row_sum(weights)
    return weights @ (X @ W_v), weights


def rounded(
    X: Array, W_q: Array, W_k: Array, W_v: Array, causal: bool = False, *, decimals: int
) -> tuple[Array, Array]:
    output, weights = attend(X, W_q, W_k, W_v, causal)
    return np.round(output, decimals), np.round(weights, decimals)


def head(**parts: Any) -> Version:
    return partial(attend, **parts)


def scale(factor: Callable[[Array, Array], float]) -> Version:
    return head(scores=partial(scaled, factor=factor))


HARMLESS_FILLS = (-np.inf, -1e9)
WEAK_FILLS = (-1e-10, -1e-9, -1e-8, -1.0, -10.0, -50.0, -99.0, -100.0, -999.0, -1e3, -9999.0, -1e4)

ATTENTION = (
    Misconception(
        "mask_polarity",
        "attention",
        "test_hidden_words_get_exactly_zero_weight",
        "Under the mask you keep the hidden scores and hide the visible ones. True in the mask "
        "means hidden: which branch gets the -inf?",
        tuple(
            head(hide=lambda s, mask, fill=fill: filled(s, ~mask, fill)) for fill in HARMLESS_FILLS
        ),
    ),
    Misconception(
        "zero_times_inf",
        "attention",
        "test_visible_words_share_what_the_hidden_ones_lose",
        "Your mask multiplies -inf by 0, which is NaN and not 0, so the visible scores are lost. "
        "Choose between two values instead of multiplying.",
        (head(hide=partial(added, fill=-np.inf)),),
    ),
    Misconception(
        "zero_score_is_not_hidden",
        "attention",
        "test_hidden_words_get_exactly_zero_weight",
        "You set hidden scores to 0, and softmax gives e^0 = 1 to a score of 0. Which score has an "
        "exponential of 0?",
        (head(hide=partial(filled, fill=0.0)),),
    ),
    Misconception(
        "genuine_zero_hidden",
        "attention",
        "test_visible_words_share_what_the_hidden_ones_lose",
        "You hide every score that is 0. A visible word may have a score of exactly 0: its place "
        "says whether it is hidden, not its value.",
        tuple(head(hide=partial(zero_hidden, fill=fill)) for fill in HARMLESS_FILLS),
    ),
    Misconception(
        "mask_after_softmax",
        "attention",
        "test_scores_of_ten_thousand_are_fine",
        "You remove the future from the weights, after softmax has already shared it out. Hide the "
        "scores before softmax, and the rows come out right even where a hidden score is huge.",
        (
            partial(masked_afterwards, renormalise=False),
            partial(masked_afterwards, renormalise=True),
        ),
    ),
    Misconception(
        "fill_value_not_negative_enough",
        "attention",
        "test_scores_of_ten_thousand_are_fine",
        "The score you give to hidden words is not low enough: next to large scores they still get "
        "weight. Which value is below every score?",
        (
            *(head(hide=partial(way, fill=fill)) for fill in WEAK_FILLS for way in (filled, added)),
            # Low enough as a score, not as a number to add to a score of 10,000.
            head(hide=partial(added, fill=-2e4)),
        ),
    ),
    Misconception(
        "wrong_sign_of_infinity",
        "attention",
        "test_hidden_words_get_exactly_zero_weight",
        "You give hidden words a score of plus infinity, the largest there is. Which sign makes "
        "the exponential vanish?",
        tuple(
            head(hide=partial(way, fill=fill))
            for fill in (np.inf, 1e9, 1e10)
            for way in (filled, added_where)
        ),
    ),
    Misconception(
        "causal_ignored",
        "attention",
        "test_hidden_words_get_exactly_zero_weight",
        "With causal=True you return what causal=False gives: the mask never reaches the scores.",
        (head(hide=lambda s, mask: s),),
    ),
    Misconception(
        "causal_default_true",
        "attention",
        "test_default_is_not_causal",
        "Called without `causal`, your function masks. The default should be causal=False.",
        (causal_by_default,),
    ),
    Misconception(
        "no_scaling",
        "attention",
        "test_weights_are_the_softmax_of_scaled_scores",
        "Your weights are those of attention without the 1/sqrt(d_k) scale.",
        (
            scale(lambda X, W_k: 1.0),
            head(scores=partial(scaled, factor=lambda X, W_k: 1), hide=assigned),
        ),
    ),
    Misconception(
        "scaled_by_d_model",
        "attention",
        "test_weights_are_the_softmax_of_scaled_scores",
        "You divide by the square root of the embedding width. The dot product runs over another "
        "dimension: how long are a query and a key?",
        (scale(lambda X, W_k: W_k.shape[0] ** -0.5),),
    ),
    Misconception(
        "scaled_by_sequence_length",
        "attention",
        "test_weights_are_the_softmax_of_scaled_scores",
        "You divide by the square root of the number of words. The scale belongs to the length of "
        "a query and a key, whatever the length of the sentence.",
        (scale(lambda X, W_k: len(X) ** -0.5),),
    ),
    Misconception(
        "no_square_root",
        "attention",
        "test_weights_are_the_softmax_of_scaled_scores",
        "You divide the scores by d_k itself. Which power of d_k brings their spread back to 1?",
        (scale(lambda X, W_k: 1 / W_k.shape[1]),),
    ),
    Misconception(
        "scale_inverted",
        "attention",
        "test_weights_are_the_softmax_of_scaled_scores",
        "You multiply the scores by sqrt(d_k), which makes them larger still. The scale is there "
        "to shrink them.",
        (scale(lambda X, W_k: W_k.shape[1] ** 0.5),),
    ),
    Misconception(
        "scale_after_softmax",
        "attention",
        "test_weights_of_every_word_sum_to_one",
        "You scale the weights, after softmax, so the rows no longer sum to 1. It is the scores "
        "that are scaled.",
        (
            head(
                scores=partial(scaled, factor=lambda X, W_k: 1.0),
                finish=lambda weights, W_k, causal: weights / np.sqrt(W_k.shape[1]),
            ),
        ),
    ),
    Misconception(
        "query_key_swapped",
        "attention",
        "test_weights_are_the_softmax_of_scaled_scores",
        "Your scores are transposed: row i should hold what query i finds at every key, not what "
        "key i offers to every query.",
        (head(scores=swapped),),
    ),
    Misconception(
        "values_not_projected",
        "attention",
        "test_output_blends_the_values",
        "You blend the rows of X. Words hand over their values, X projected by W_v.",
        (head(blend=lambda weights, X, W_v: weights @ X),),
    ),
    Misconception(
        "elementwise_product",
        "attention",
        "test_output_blends_the_values",
        "You multiply weights and values entry by entry. A blend of rows is a matrix product.",
        (head(blend=lambda weights, X, W_v: weights * (X @ W_v)),),
    ),
    Misconception(
        "rounds_result",
        "attention",
        "test_weights_are_the_softmax_of_scaled_scores",
        "Your results are rounded. Return them in full; round only what you print.",
        tuple(partial(rounded, decimals=decimals) for decimals in (1, 2, 3, 4)),
    ),
)

# --- faults of form, which name themselves ----------------------------------------------------


def right_head(arguments: tuple[Array, ...], causal: bool) -> tuple[Array, Array]:
    X, W_q, W_k, W_v = arguments
    return attend(X, W_q, W_k, W_v, causal)


def changed_in_place(x: Array) -> Array:
    x -= row_max(x)
    e = np.exp(x)
    return e / row_sum(e)


def in_float32(
    X: Array, W_q: Array, W_k: Array, W_v: Array, causal: bool = False, *, throughout: bool
) -> tuple[Array, Array]:
    """The inputs cast, and with `throughout` the scores too (sqrt(d_k) makes them float64)."""
    X, W_q, W_k, W_v = (np.asarray(array, dtype=np.float32) for array in (X, W_q, W_k, W_v))
    precision = np.float32 if throughout else np.float64
    output, weights = attend(
        X, W_q, W_k, W_v, causal, softmax=lambda scores: softmax(scores.astype(precision))
    )
    return output.astype(np.float64), weights.astype(np.float64)


def added_epsilon(x: Array) -> Array:
    return shifted(x, row_max(x), lambda e: row_sum(e) + 1e-9)


def never_set(
    X: Array, W_q: Array, W_k: Array, W_v: Array, causal: bool = False
) -> tuple[Array, Array]:
    raise NameError


IMPRECISE = (
    partial(in_float32, throughout=True),
    partial(in_float32, throughout=False),
    head(softmax=added_epsilon),
)
RETURN_TYPE = "Return a plain NumPy array: lists and matrices behave differently in later products."
MUTATES = (
    "Your function changes the array it was given, and the caller still needs it. Work on a new "
    "array."
)
TOLERANCE = (
    "Your output is right to about six digits, and float64 carries sixteen: something in it is "
    "computed in float32 or shifted by a small constant."
)

FORM = (
    Misconception(
        "return_order",
        "attention",
        "test_returns_output_then_weights",
        "attention returns a pair: the output first, then the weights.",
        (
            lambda *head, causal=False: right_head(head, causal)[::-1],
            lambda *head, causal=False: right_head(head, causal)[0],
            lambda *head, causal=False: (*right_head(head, causal), by_keys(*head[:3])),
        ),
    ),
    Misconception(
        "return_type",
        "softmax",
        "test_returns_a_float64_array",
        RETURN_TYPE,
        (lambda x: softmax(x).tolist(), lambda x: np.ma.masked_array(softmax(x))),
    ),
    Misconception(
        "return_type",
        "causal_mask",
        "test_returns_an_array",
        RETURN_TYPE,
        (lambda n: future(n).tolist(),),
    ),
    Misconception(
        "return_type",
        "attention",
        "test_returns_arrays_of_floats",
        RETURN_TYPE,
        (lambda *head, causal=False: tuple(a.tolist() for a in right_head(head, causal)),),
    ),
    Misconception(
        "mask_dtype",
        "causal_mask",
        "test_returns_booleans",
        "Return an array of booleans, True where the word is hidden, not of zeros and ones.",
        (lambda n: future(n).astype(float), lambda n: future(n).astype(int)),
    ),
    Misconception(
        "mutates_argument",
        "softmax",
        "test_leaves_its_argument_alone",
        MUTATES,
        (lambda x: changed_in_place(x) if x.dtype == float else softmax(x),),
    ),
    Misconception(
        "mutates_argument",
        "attention",
        "test_leaves_its_arguments_alone",
        MUTATES,
        (lambda X, *matrices, causal=False: (right_head((X, *matrices), causal), X.fill(0))[0],),
    ),
    Misconception(
        "undefined_name",
        "attention",
        "test_weights_are_the_softmax_of_scaled_scores",
        "A name is used that has no value at that point: is it spelled as where it was set?",
        (never_set,),
    ),
    Misconception(
        "tolerance",
        "attention",
        "test_agrees_with_the_kernel",
        TOLERANCE,
        IMPRECISE,
    ),
    Misconception(
        "needs_scipy",
        "softmax",
        "test_weights_follow_the_exponentials_of_the_row",
        "This exercise allows NumPy only: SciPy is not there when it is graded.",
    ),
)

MISCONCEPTIONS = (*SOFTMAX, *CAUSAL_MASK, *ATTENTION, *FORM)


def hint(name: str) -> str:
    """The hint of a misconception that a fault of form names."""
    return next(entry.hint for entry in FORM if entry.name == name)


# The test that sees a helper's mistake inside a head, where it is not that of the weights.
INLINED = {
    **dict.fromkeys(
        ("overflow", "global_max_underflow", "max_initialised_at_zero"),
        "test_scores_of_ten_thousand_are_fine",
    ),
    **dict.fromkeys(
        ("clips_instead_of_shifting", "diagonal_hidden", "triangle_flipped", "off_by_one_ahead"),
        "test_hidden_words_get_exactly_zero_weight",
    ),
}


def inlined() -> list[Misconception]:
    """Heads that carry a wrong softmax or mask of their own, under the helper's name and hint.

    Not those that a head hides: its scores are no integers, and never a single row.
    """
    return [
        Misconception(
            entry.name,
            "attention",
            INLINED.get(entry.name, "test_weights_are_the_softmax_of_scaled_scores"),
            entry.hint,
            tuple(head(**{part: version}) for version in entry.versions),
        )
        for part, entries in (("softmax", SOFTMAX), ("mask", CAUSAL_MASK))
        for entry in entries
        if entry.name not in ("integer_truncation", "one_row_only", "mask_is_additive_float")
        and (part, entry.name) != ("mask", "mask_polarity")
    ]


CANDIDATES = {
    "softmax": (*SOFTMAX,),
    "causal_mask": (*CAUSAL_MASK,),
    "attention": (*ATTENTION, *inlined()),
}
RIGHT: dict[str, Version] = {
    "softmax": softmax,
    "causal_mask": future,
    "attention": attend,
}

# --- diagnosis -------------------------------------------------------------------------------


def diagnose(function: str, transcript: Sequence[Exchange]) -> Misconception | None:
    """The misconception that explains every answer of a function in its own exercise, or None.

    Of several, the one whose numbers come closest: a fill of -1e-10 is nearly no mask at all.
    """
    with np.errstate(all="ignore"):
        explained = [
            (distance, position)
            for position, entry in enumerate(CANDIDATES[function])
            for version in entry.versions
            if (distance := distance_to(version, function, transcript)) is not None
        ]
    return CANDIDATES[function][min(explained)[1]] if explained else None


def distance_to(version: Version, function: str, transcript: Sequence[Exchange]) -> float | None:
    """How far a wrong version is from the student's answers; None where it does not explain them.

    To explain, it does all that the student's did, and at least one answer of wrong values.
    """
    telling, distance = False, 0.0
    for exchange in transcript:
        wrong = run(version, exchange)
        if isinstance(exchange.outcome, StudentFault) or isinstance(wrong, str):
            if not (
                isinstance(exchange.outcome, StudentFault) and exchange.outcome.raised == wrong
            ):
                return None
            continue
        answers = exchange.outcome.arrays
        # An answer without its second result is held against the first alone.
        if not all(map(alike, answers, wrong)):
            return None
        distance = max(distance, *map(gap, answers, wrong))
        right = run(RIGHT[function], exchange)
        telling = telling or isinstance(right, str) or not all(map(alike, answers, right))
    return distance if telling else None


def run(version: Version, exchange: Exchange) -> list[Array] | str:
    """What a version returns on an exchange's arguments, or the name of what it raises."""
    try:
        result = version(*exchange.arguments, **exchange.keywords)
    except Exception as error:
        return type(error).__name__
    return [
        np.asarray(item, dtype=float)
        for item in (result if isinstance(result, tuple) else [result])
    ]


def alike(a: Array, b: Array) -> bool:
    """Equal to a few digits, with NaN and exact zeros in the same places."""
    return (
        a.shape == b.shape
        and bool(np.allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=True))
        and bool(((a == 0) == (b == 0)).all())
    )


def gap(a: Array, b: Array) -> float:
    """The largest difference of finite values, above what rounding makes."""
    largest = float(np.nanmax(np.abs(np.where(np.isfinite(a), a - b, 0.0)), initial=0.0))
    return largest if largest > 1e-12 else 0.0
