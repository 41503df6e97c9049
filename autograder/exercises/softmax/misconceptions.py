"""How softmax goes wrong: its choices, and the edits of them that are mistakes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from autograder.kit.misconception import (
    KEPT,
    Array,
    Configuration,
    Misconception,
    Observation,
    Observations,
    Stage,
    Way,
    decimals,
    is_right,
    nice,
)

Pick = Callable[[str, Any], Any]

# The tests that are there to see them.
ROWS = "test_weights_follow_the_exponentials_of_the_row"
SUMS = "test_every_row_sums_to_one"
LARGE = "test_large_scores_do_not_overflow"
APART = "test_rows_far_apart_do_not_disturb_each_other"
SILENT = "test_minus_infinity_gets_exactly_zero"
INTEGERS = "test_integer_scores_are_fine"

# --- the configuration ---------------------------------------------------------------------------


def shares(pick: Pick, x: Array) -> Array:
    """softmax of scores (T, N), each step as picked; right where nothing else is."""
    whole = pick("whole", None)
    if whole is not None:
        return whole(x)
    if pick("errors", None):
        with np.errstate(all="raise"):
            e = np.exp(by_row_maximum(x))
            return e / row_sum(e, x)
    x = pick("scores", itself)(x)
    e = pick("power", np.exp)(pick("shift", by_row_maximum)(x))
    e = pick("after", first)(e, x)
    weights = e / pick("total", row_sum)(e, x)
    return pick("swept", itself)(pick("given", first)(pick("buffer", first)(weights, x), x))


def compute(pick: Pick, asked: Observation) -> Iterator[tuple[int, Array]]:
    yield 0, shares(pick, np.asarray(asked.arguments[0]))


def itself(x: Array) -> Array:
    return x


def first(one: Array, other: Array) -> Array:
    return one


def row_max(x: Array) -> Array:
    return x.max(axis=-1, keepdims=True)


def by_row_maximum(x: Array) -> Array:
    return x - x.max(axis=-1, keepdims=True)


def row_sum(e: Array, x: Array) -> Array:
    return e.sum(axis=-1, keepdims=True)


def less(largest: Callable[[Array], Any]) -> Callable[[Array], Array]:
    """A shift: the scores less what is computed from them."""
    return lambda x: x - largest(x)


def divided(size: Callable[[Array], Any]) -> Callable[[Array], Array]:
    return lambda x: x / size(x)


def over(total: Callable[[Array], Any]) -> Callable[[Array, Array], Any]:
    """A total of the exponentials alone."""
    return lambda e, x: total(e)


def ways(choice: str, *options: Any) -> tuple[Way, ...]:
    return tuple({choice: option} for option in options)


UNSHIFTED: Way = {"shift": itself}
BY_COLUMN = less(lambda x: x.max(axis=0))
BY_TABLE = less(lambda x: x.max())
BY_LOST_AXIS = less(lambda x: x.max(axis=-1))

# --- several options of one choice ---------------------------------------------------------------


def column_sum(e: Array, x: Array) -> Array:
    return e.sum(axis=0)


def table_sum(e: Array, x: Array) -> Array:
    return e.sum()


def sum_of_lost_axis(e: Array, x: Array) -> Array:
    return e.sum(axis=-1)


def with_epsilon(epsilon: float) -> Callable[[Array, Array], Array]:
    return lambda e, x: row_sum(e, x) + epsilon


def log_sum(x: Array) -> Array:
    return np.exp(x - np.log(np.exp(x).sum(axis=-1, keepdims=True)))


def floored(start: float, largest: Callable[[Array], Any] = row_max) -> Callable[[Array], Array]:
    return lambda x: x - np.maximum(start, largest(x))


def truncated(weights: Array, x: Array) -> Array:
    return weights.astype(x.dtype) if x.dtype.kind in "iu" else weights


def in_place(weights: Array, x: Array) -> Array:
    if x.dtype.kind in "iu":
        raise TypeError("no fraction fits into an array of integers")
    return weights


def clipped(low: float, high: float) -> Callable[[Array], Array]:
    return lambda x: np.clip(x, low, high)


def clipped_after_shift(low: float, high: float) -> Callable[[Array], Array]:
    return lambda x: np.clip(by_row_maximum(x), low, high)


def silence_replaced(value: float) -> Callable[[Array], Array]:
    return lambda x: np.where(x == -np.inf, value, x)


def one_row(x: Array) -> Array:
    e = np.exp(x - max(x))
    return e / sum(e)


def one_row_of_floats(x: Array) -> Array:
    """Each entry through Python's own floats, as a list comprehension does it."""
    largest = max(x)
    if np.size(x[0] - largest) != 1:
        raise TypeError("only length-1 arrays can be converted to Python scalars")
    return by_row_maximum(x)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def of_largest(weights: Array, x: Array) -> Array:
    return (weights == row_max(weights)).astype(float)


def twice(weights: Array, x: Array) -> Array:
    e = np.exp(by_row_maximum(weights))
    return e / row_sum(e, e)


def rounded(count: int) -> Callable[[Array, Array], Array]:
    return lambda weights, x: np.round(weights, count)


def in_float16(weights: Array, x: Array) -> Array:
    return weights.astype(np.float16).astype(float)


# Rows and columns that a loop may miss.
UNREACHED = (
    (slice(1, None), slice(None)),
    (slice(-1, None), slice(None)),
    (slice(0, 1), slice(None)),
    (slice(None), slice(-1, None)),
    (slice(None), slice(0, 1)),
    (slice(None, -1), slice(None)),
)


def left_out(rows: slice, columns: slice) -> Callable[[Array, Array], Array]:
    def given(weights: Array, x: Array) -> Array:
        kept = weights.copy()
        kept[rows, columns] = 0.0
        return kept

    return given


# --- numbers read off the answers ----------------------------------------------------------------


def plain(observations: Observations) -> Iterator[tuple[Array, Array]]:
    """Scores and the answer that has their shape, question by question."""
    for one in observations:
        if one.arrays and one.arrays[0].shape == one.arguments[0].shape:
            yield np.asarray(one.arguments[0], dtype=float), one.arrays[0]


def ordinary(observations: Observations) -> Iterator[tuple[Array, Array]]:
    for scores, weights in plain(observations):
        if np.abs(scores).max() < 100 and np.isfinite(weights).all():
            yield scores, weights


def bounds(observations: Observations, others: Way) -> Iterator[Way]:
    """Clip bounds: what a hidden or very low score must have become, and a very high one."""
    lows: set[float] = set()
    highs: set[float] = set()
    for scores, weights in plain(observations):
        if not ((np.abs(scores) > 100) & (weights > 0)).any():
            continue
        for row, shown in zip(scores, weights, strict=True):
            middle = (np.abs(row) < 100) & (shown > 0) & np.isfinite(shown)
            if not middle.any():
                continue
            known = row[middle][0] - np.log(shown[middle][0])
            for score, weight in zip(row, shown, strict=True):
                if weight > 0 and np.isfinite(weight) and abs(score) > 100:
                    (lows if score < 0 else highs).update(nice(known + np.log(weight), 4, 1e-9))
    for low in [*sorted(lows)[:3], -np.inf]:
        for high in [*sorted(highs)[:3], *([-low] if low > -np.inf else []), np.inf]:
            if low > -np.inf or high < np.inf:
                yield {"scores": clipped(low, high)}
                yield {"scores": clipped(low, high), **UNSHIFTED}
    for low in largest_gaps(observations):
        yield {"shift": clipped_after_shift(low, np.inf)}


def largest_gaps(observations: Observations) -> list[float]:
    """What a score far below the largest of its row must have been raised to, as a gap."""
    found: set[float] = set()
    for scores, weights in plain(observations):
        if not ((scores < scores.max() - 100) & (weights > 0)).any():
            continue
        for row, shown in zip(scores, weights, strict=True):
            far, top = (row < row.max() - 100) & (shown > 0), shown[row.argmax()]
            if far.any() and top > 0 and np.isfinite(shown).all():
                found.update(nice(np.log(shown[far][0] / top), 4, 1e-9))
    return sorted(found)[:3]


def replaced_silence(observations: Observations, others: Way) -> Iterator[Way]:
    found: set[float] = set()
    for scores, weights in plain(observations):
        for row, shown in zip(scores, weights, strict=True):
            seen, silent = np.isfinite(row) & (shown > 0), (row == -np.inf) & (shown > 0)
            if seen.any() and silent.any():
                value = row[seen][0] + np.log(shown[silent][0] / shown[seen][0])
                found.update([0.0] if abs(value) < 1e-9 else nice(value, 4, 1e-9))
    for value in sorted(found)[:2]:
        yield {"scores": silence_replaced(value)}


def rates(observations: Observations) -> list[float]:
    """By how much the logarithm of a weight grows where its score grows by 1."""
    for scores, weights in ordinary(observations):
        for row, shown in zip(scores, weights, strict=True):
            if (shown > 0).all() and np.ptp(row) > 0.5 and len(row) > 1:
                low, high = row.argmin(), row.argmax()
                return [float(np.log(shown[high] / shown[low]) / (row[high] - row[low]))]
    return []


def bases(observations: Observations, others: Way) -> Iterator[Way]:
    for rate in rates(observations):
        for base in nice(np.exp(rate), 5):
            # Powers of 1 are no powers: that is for other names.
            if abs(base - np.e) > 1e-12 < abs(base - 1):
                yield {"power": partial(np.power, base)}


def temperatures(observations: Observations, others: Way) -> Iterator[Way]:
    for rate in rates(observations):
        for factor in (*nice(rate), *(1 / inverse for inverse in nice(1 / rate if rate else 0))):
            if factor > 1e-6 and abs(factor - 1) > 1e-12:
                yield {"scores": partial(np.multiply, factor)}


def epsilons(observations: Observations, others: Way) -> Iterator[Way]:
    for scores, weights in ordinary(observations):
        total, shown = np.exp(by_row_maximum(scores)).sum(axis=-1), weights.sum(axis=-1)
        for unshifted, sums in ((False, total), (True, np.exp(scores).sum(axis=-1))):
            if shown.min() > 0:
                for epsilon in nice(float((sums / shown - sums)[0]), 2, 1e-4):
                    if 1e-13 < epsilon < 0.5:
                        way: Way = {"total": with_epsilon(epsilon)}
                        yield {**way, **UNSHIFTED} if unshifted else way
        return


def digits(observations: Observations, others: Way) -> Iterator[Way]:
    count = decimals(array for one in observations for array in one.arrays)
    if count:
        yield {"given": rounded(count)}


# --- claims --------------------------------------------------------------------------------------


def raises_for_integers(observations: Observations) -> bool:
    """Only where integers came in, and there it raised."""
    return all(
        bool(one.raised) == (np.asarray(one.arguments[0]).dtype.kind in "iu")
        for one in observations
    )


# --- the misconceptions --------------------------------------------------------------------------

# After a shift by the row's maximum the largest exponential is 1, and dividing by it does nothing.
NOT_BY_THE_SUM = (
    "You return exponentials that were not divided by the sum of their row: its shares do not sum "
    "to 1."
)

ABSOLUTE = "You take absolute values, so a low score counts like a high one."

MISCONCEPTIONS = (
    Misconception(
        "softmax_over_columns",
        SUMS,
        "You share out over the columns. Each row is one word's scores and gets shares of its own: "
        "which axis runs along a row?",
        "total",
        (
            {"shift": BY_COLUMN, "total": column_sum},
            {"shift": BY_TABLE, "total": column_sum},
            {"shift": itself, "total": column_sum},
            {"total": column_sum},
        ),
    ),
    Misconception(
        "one_sum_for_whole_matrix",
        SUMS,
        "You divide by one sum for the whole matrix. Each row is a distribution of its own and "
        "needs its own sum.",
        "total",
        (
            {"shift": BY_TABLE, "total": table_sum},
            {"shift": itself, "total": table_sum},
            {"total": table_sum},
        ),
    ),
    Misconception(
        "missing_keepdims",
        ROWS,
        "A maximum or a sum per row has lost its axis, so it lines up with the columns when you "
        "combine it with the matrix. What shape would make it line up with the rows?",
        "total",
        (
            {"total": sum_of_lost_axis},
            {"shift": BY_TABLE, "total": sum_of_lost_axis},
            {"shift": itself, "total": sum_of_lost_axis},
            {"shift": BY_LOST_AXIS, "total": sum_of_lost_axis},
            {"shift": BY_LOST_AXIS},
        ),
    ),
    Misconception(
        "overflow",
        LARGE,
        "The exponential of a large score is infinite. Which number can you subtract from a whole "
        "row without changing its softmax?",
        "shift",
        (
            UNSHIFTED,
            {"shift": itself, "after": lambda e, x: e / row_max(e)},
            {"whole": log_sum},
            {"shift": lambda x: x + row_max(x)},
        ),
    ),
    Misconception(
        "global_max_underflow",
        APART,
        "You subtract a maximum that is not the row's own, so a row far below it underflows to "
        "zeros. Whose maximum does a row need?",
        "shift",
        ways("shift", BY_TABLE),
    ),
    Misconception(
        "max_along_wrong_axis",
        APART,
        "You subtract the maximum of each column. It is subtracted from a whole row, so it should "
        "be the largest of that row.",
        "shift",
        ways("shift", BY_COLUMN),
    ),
    Misconception(
        "max_initialised_at_zero",
        LARGE,
        "Your maximum is too high for rows of very low scores, which underflow. With which value "
        "does the search for the maximum start?",
        "shift",
        ways("shift", *map(floored, (0.0, 1000.0, 9999.0, -9990.0, -9999.0))),
    ),
    Misconception(
        "subtracts_mean",
        LARGE,
        "You shift each row by an average. That cancels too, but it leaves scores above 0, whose "
        "exponentials overflow: which shift leaves none?",
        "shift",
        ways(
            "shift",
            less(lambda x: x.mean(axis=-1, keepdims=True)),
            less(lambda x: x.mean()),
            less(lambda x: np.median(x, axis=-1, keepdims=True)),
            less(lambda x: x.mean(axis=0)),
        ),
    ),
    Misconception(
        "subtracts_minimum",
        LARGE,
        "You subtract the smallest score, so that all are positive and their exponentials large. "
        "Which score has to end up at 0?",
        "shift",
        ways("shift", less(lambda x: x.min(axis=-1, keepdims=True)), less(lambda x: x.min())),
    ),
    Misconception(
        "shift_by_absolute_maximum",
        LARGE,
        "You shift by the largest absolute value, which need not be a score of that row: very low "
        "rows underflow. Which number is the largest as it stands?",
        "shift",
        ways(
            "shift",
            less(lambda x: np.abs(x).max(axis=-1, keepdims=True)),
            less(lambda x: np.abs(x).max()),
        ),
    ),
    Misconception(
        "shifts_by_one_score",
        LARGE,
        "You shift each row by the score at a fixed place, or by a total. Only the largest of the "
        "row is sure to leave nothing above 0.",
        "shift",
        ways(
            "shift",
            less(lambda x: x[:, :1]),
            less(lambda x: x[:, -1:]),
            less(lambda x: x[0]),
            less(lambda x: x[0, 0]),
            less(lambda x: x.sum(axis=-1, keepdims=True)),
            less(lambda x: np.linalg.norm(x, axis=-1, keepdims=True)),
        ),
    ),
    Misconception(
        "divides_scores",
        ROWS,
        "You divide the scores, which changes their differences and with them every weight. Which "
        "operation leaves differences as they are?",
        "shift",
        ways(
            "shift",
            divided(row_max),
            divided(lambda x: x.max()),
            divided(lambda x: x.sum(axis=-1, keepdims=True)),
            divided(lambda x: np.abs(x).max(axis=-1, keepdims=True)),
            divided(lambda x: np.abs(x).max()),
            divided(lambda x: np.linalg.norm(x, axis=-1, keepdims=True)),
            lambda x: by_row_maximum(x) / row_max(x),
            lambda x: by_row_maximum(x) / x.std(axis=-1, keepdims=True),
            lambda x: (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True),
            lambda x: (x - x.mean()) / x.std(),
            lambda x: (x - x.min(axis=-1, keepdims=True)) / np.ptp(x, axis=-1, keepdims=True),
            lambda x: (x - x.min()) / np.ptp(x),
        ),
    ),
    Misconception(
        "sign_of_scores_flipped",
        ROWS,
        "With your sign the lowest score gets the most weight. Which way round is the difference "
        "between a score and the maximum?",
        "scores",
        (
            {"shift": lambda x: row_max(x) - x},
            {"shift": lambda x: x.max() - x},
            {"shift": np.negative},
            {"scores": np.negative},
            {"shift": lambda x: x.min(axis=-1, keepdims=True) - x},
        ),
    ),
    Misconception(
        "takes_absolute_values",
        ROWS,
        ABSOLUTE,
        "scores",
        (
            {"scores": np.abs},
            {"scores": np.abs, "shift": itself},
        ),
    ),
    Misconception(
        "clips_instead_of_shifting",
        SILENT,
        "Clipping avoids infinite exponentials but changes the weights: large gaps are cut short. "
        "Shifting a row changes nothing.",
        "scores",
        (
            *(
                {"scores": clipped(-bound, bound), **more}
                for bound in (10.0, 50.0, 700.0, 709.0)
                for more in ({}, UNSHIFTED)
            ),
            *(
                {"scores": clipped(-np.inf, high), **UNSHIFTED}
                for high in (20.0, 50.0, 88.0, 100.0, 500.0, 700.0)
            ),
            *({"shift": clipped_after_shift(low, np.inf)} for low in (-10.0, -50.0, -700.0)),
            {"scores": clipped(0.0, np.inf)},
            {"scores": clipped(0.0, np.inf), **UNSHIFTED},
        ),
        bounds,
    ),
    Misconception(
        "minus_infinity_replaced",
        SILENT,
        "A score of -inf becomes an ordinary number before the exponential, so it gets weight. "
        "What is the exponential of -inf, if you leave it as it is?",
        "scores",
        (
            {"scores": silence_replaced(0.0)},
            {"scores": silence_replaced(0.0), **UNSHIFTED},
            {"scores": silence_replaced(-10.0)},
        ),
        replaced_silence,
    ),
    Misconception(
        "scores_scaled_in_softmax",
        ROWS,
        "Your softmax multiplies or divides the scores by a number. Here it takes them as they "
        "come; the scale belongs to attention.",
        "scores",
        ways(
            "scores",
            lambda x: x / np.sqrt(x.shape[-1]),
            lambda x: x / x.shape[-1],
            lambda x: x / np.sqrt(x.shape[0]),
            lambda x: x * 2.0,
            lambda x: x * 0.5,
        ),
        temperatures,
    ),
    Misconception(
        "wrong_base",
        ROWS,
        "Your weights grow as powers of another number than e. Which function is its own slope?",
        "power",
        ways("power", np.exp2, partial(np.power, 10.0), partial(np.power, 2.718)),
        bases,
    ),
    Misconception(
        "no_exponential",
        ROWS,
        "Your weights are not made of exponentials. Shares come from e^score, which is positive "
        "for every score.",
        "power",
        (
            {"power": itself, "shift": itself},
            {"power": itself},
            {"power": np.square, "shift": itself},
            {"power": np.square},
            {"power": np.abs, "shift": itself},
            {"power": lambda x: np.maximum(x, 0), "shift": itself},
            {"power": sigmoid, "shift": itself},
            {"power": sigmoid},
            {"power": np.expm1, "shift": itself},
            {"power": np.expm1},
            {"power": np.log1p, "shift": itself},
            {"power": lambda x: 1 + x, "shift": itself},
            {"power": np.cosh, "shift": itself},
            {"power": np.tanh, "shift": itself},
            {"power": lambda x: np.log1p(np.exp(x)), "shift": itself},
            {"power": lambda x: np.exp(-np.square(x)), "shift": itself},
            {"whole": itself},
            {"whole": sigmoid},
            {"whole": np.tanh},
            {"whole": lambda x: np.maximum(x, 0)},
        ),
    ),
    Misconception(
        "max_outside_exp",
        ROWS,
        "You subtract a maximum from the exponentials. It belongs to the scores, before they are "
        "exponentiated: check where the bracket closes.",
        "after",
        tuple(
            {"after": after, **shift}
            for after in (
                lambda e, x: e - row_max(x),
                lambda e, x: e - x.max(),
                lambda e, x: e - row_max(e),
                lambda e, x: e - e.max(),
                lambda e, x: e - x.max(axis=0),
            )
            for shift in (UNSHIFTED, {})
        ),
    ),
    Misconception(
        "not_normalised",
        SUMS,
        NOT_BY_THE_SUM,
        "total",
        (
            {"total": over(lambda e: 1.0)},
            {"total": over(lambda e: 1.0), "shift": itself},
            {"total": over(lambda e: 1.0), "shift": BY_TABLE},
        ),
    ),
    Misconception(
        "divides_by_largest_exponential",
        SUMS,
        NOT_BY_THE_SUM,
        "total",
        (
            {"total": over(row_max)},
            {"total": over(lambda e: e.max())},
            {"total": over(row_max), "shift": itself},
            {"total": over(lambda e: e.max()), "shift": BY_TABLE},
            {"total": over(lambda e: e.max()), "shift": itself},
        ),
    ),
    Misconception(
        "divides_by_wrong_total",
        SUMS,
        "You divide the exponentials by something else than their own sum over the row.",
        "total",
        (
            *(
                {"total": total, **shift}
                for total in (
                    over(lambda e: e.shape[-1]),
                    over(lambda e: e.shape[0]),
                    over(lambda e: e.mean(axis=-1, keepdims=True)),
                    over(lambda e: np.linalg.norm(e, axis=-1, keepdims=True)),
                    over(lambda e: e.sum(axis=-1, keepdims=True) - e),
                    over(lambda e: e.cumsum(axis=-1)),
                    over(lambda e: 1 + e),
                    over(lambda e: 1 + e.sum(axis=-1, keepdims=True)),
                    over(lambda e: e.sum(axis=-1, keepdims=True) ** 2),
                    over(lambda e: e[0].sum()),
                    over(lambda e: e[-1].sum()),
                    over(lambda e: e.sum(axis=-1, keepdims=True).cumsum(axis=0)),
                    over(lambda e: e.mean()),
                    over(lambda e: e.max(axis=0)),
                    lambda e, x: x.sum(axis=-1, keepdims=True),
                    lambda e, x: np.abs(x).sum(axis=-1, keepdims=True),
                    lambda e, x: np.exp(x.sum(axis=-1, keepdims=True)),
                )
                for shift in ({}, UNSHIFTED)
            ),
            {"total": lambda e, x: np.exp(x).sum(axis=-1, keepdims=True)},
            {
                "after": lambda e, x: np.square(e),
                "total": over(lambda e: np.sqrt(e).sum(axis=-1, keepdims=True)),
            },
        ),
    ),
    Misconception(
        "epsilon_added",
        ROWS,
        "A small constant added to a sum keeps the rows from summing to 1. After a shift by the "
        "maximum no sum is below 1, so there is nothing to protect.",
        "total",
        ways("total", with_epsilon(1e-3), with_epsilon(1e-5)),
        epsilons,
    ),
    Misconception(
        "integer_truncation",
        INTEGERS,
        "An array of yours takes its dtype from the scores: with integer scores, fractions are cut "
        "off. What dtype does a weight need?",
        "buffer",
        (
            {"buffer": truncated},
            {"after": lambda e, x: truncated(e, x)},
            {"buffer": lambda weights, x: np.round(weights) if x.dtype.kind in "iu" else weights},
        ),
    ),
    Misconception(
        "integer_cast_error",
        INTEGERS,
        "With integers your function raises: an operation in place cannot put fractions into an "
        "array of integers. What does a new array cost you?",
        "buffer",
        ways("buffer", in_place),
        claims=raises_for_integers,
    ),
    Misconception(
        "one_row_only",
        ROWS,
        "This works for a single row of numbers, and fails when it gets a matrix: each row needs a "
        "maximum and a sum of its own.",
        "whole",
        ways("whole", one_row, one_row_of_floats),
    ),
    Misconception(
        "floating_point_errors_raised",
        LARGE,
        "Your settings make NumPy raise FloatingPointError, even where a tiny exponential may "
        "safely become 0. Leave np.seterr as it is.",
        "errors",
        ways("errors", "raise"),
        claims=lambda observations: any(one.raised == "FloatingPointError" for one in observations),
    ),
    Misconception(
        "softmax_twice",
        ROWS,
        "Softmax is taken twice: its result is already what you should return.",
        "given",
        ways("given", twice),
    ),
    Misconception(
        "returns_logarithm",
        SUMS,
        "You return the logarithms of the weights, not the weights.",
        "given",
        (
            {"given": lambda weights, x: np.log(weights)},
            {
                "given": lambda weights, x: (
                    by_row_maximum(x)
                    - np.log(np.exp(by_row_maximum(x)).sum(axis=-1, keepdims=True))
                )
            },
            {"given": lambda weights, x: -np.log(weights)},
        ),
    ),
    Misconception(
        "picks_only_the_largest",
        ROWS,
        "All weight goes to the largest score of a row. Softmax gives every visible score a share.",
        "given",
        ways("given", of_largest, lambda weights, x: np.eye(x.shape[-1])[x.argmax(axis=-1)]),
    ),
    Misconception(
        "returns_something_made_of_weights",
        ROWS,
        "Weights are computed, but what comes back is something else made of them. Return them as "
        "they are.",
        "given",
        ways(
            "given",
            lambda weights, x: weights.T,
            lambda weights, x: 1 - weights,
            lambda weights, x: weights**2,
            lambda weights, x: np.sqrt(weights),
            lambda weights, x: weights[:, ::-1],
            lambda weights, x: weights[::-1],
            lambda weights, x: np.sort(weights, axis=-1),
            lambda weights, x: -np.sort(-weights, axis=-1),
            lambda weights, x: np.cumsum(weights, axis=-1),
            lambda weights, x: weights.mean(axis=0),
            lambda weights, x: weights[0],
            lambda weights, x: weights[:1],
            lambda weights, x: weights[-1],
            lambda weights, x: weights.ravel(),
            lambda weights, x: weights.sum(axis=-1),
            lambda weights, x: weights.argmax(axis=-1),
            lambda weights, x: weights.max(axis=-1),
            lambda weights, x: weights * x,
            lambda weights, x: weights * 100,
        ),
    ),
    Misconception(
        "rounds_result",
        ROWS,
        "Your results are rounded. Return them in full; round only what you print.",
        "given",
        ways("given", *map(rounded, (1, 2, 3, 4)), in_float16),
        digits,
        apart=True,
    ),
    Misconception(
        "scores_rounded",
        ROWS,
        "You round the scores, or cut off their fractions, before the exponential. Softmax takes "
        "them in full.",
        "scores",
        ways("scores", np.trunc, np.round, np.floor),
    ),
    Misconception(
        "some_places_left_out",
        SUMS,
        "Some places of your result are never filled: does every loop reach its end?",
        "given",
        ways("given", *(left_out(*places) for places in UNREACHED)),
    ),
)

# No mistakes by themselves: NaN swept away afterwards, a tiny number added to every sum.
STYLES: tuple[Way, ...] = (
    {"swept": np.nan_to_num},
    {"total": with_epsilon(1e-12)},
    {"swept": lambda weights: np.nan_to_num(weights, posinf=0.0)},
)

# --- where nothing is named ----------------------------------------------------------------------


def sizes(configuration: Configuration, observations: Observations) -> tuple[list[bool], ...]:
    """Whether each answer is right: for ordinary float scores, integers, -inf, the thousands."""
    found: tuple[list[bool], ...] = ([], [], [], [])
    for asked in observations:
        scores = np.asarray(asked.arguments[0])
        finite = scores[np.isfinite(scores)]
        place = 1 if scores.dtype.kind in "iu" else 2 if finite.size < scores.size else 0
        place = 3 if np.abs(finite).max(initial=0.0) > 1000 else place
        found[place].append(is_right(configuration, asked))
    return found


def wrong_only(place: int) -> Callable[[Configuration, Observations], bool]:
    """Right for ordinary scores, every time; wrong somewhere else, and only in this place."""

    def holds(configuration: Configuration, observations: Observations) -> bool:
        found = sizes(configuration, observations)
        return bool(found[0]) and all(
            (not all(answers)) == (number == place) for number, answers in enumerate(found)
        )

    return holds


def a_constant_times(configuration: Configuration, observations: Observations) -> bool:
    """Whether ordinary answers are the right weights times one number."""
    factors = []
    for scores, weights in ordinary(observations):
        right = configuration.version({})(scores)
        factors += list((weights / right).ravel())
    return bool(factors) and np.ptp(factors) < 1e-6 and abs(factors[0] - 1) > 1e-5


def rows_sum_to_one(configuration: Configuration, observations: Observations) -> bool:
    answers = [weights for _, weights in ordinary(observations)]
    return (
        bool(answers)
        and all(
            np.abs(weights.sum(axis=-1) - 1).max() < 1e-6 and (weights >= 0).all()
            for weights in answers
        )
        and not sizes(configuration, observations)[0].count(True)
    )


SENTENCES = (
    KEPT,
    Stage(
        "Right for ordinary scores, wrong in the thousands: what do exponentials do there?",
        wrong_only(3),
    ),
    Stage("Right for ordinary scores, wrong beside a score of -inf.", wrong_only(2)),
    Stage("Right for floats, wrong for integers: which dtype do your arrays have?", wrong_only(1)),
    Stage("Your weights are one constant times the right ones.", a_constant_times),
    Stage("Your rows are shares that sum to 1, but not those that e^score gives.", rows_sum_to_one),
)

# --- faults of form, which name themselves -------------------------------------------------------

RETURN_TYPE = "Return a plain NumPy array: lists and matrices behave differently in later products."
MUTATES = (
    "Your function changes the array it was given, and the caller still needs it. Work on a new "
    "array."
)


def right(x: Array) -> Array:
    return CONFIGURATION.version({})(x)


def changed_in_place(x: Array) -> Array:
    if x.dtype.kind != "f":
        return right(x)
    x -= row_max(x)
    e = np.exp(x)
    return e / row_sum(e, x)


FORMS = (
    Misconception(
        "return_type",
        "test_returns_a_float64_array",
        RETURN_TYPE,
        versions=(lambda x: right(x).tolist(), lambda x: np.ma.masked_array(right(x))),
    ),
    Misconception(
        "mutates_argument",
        "test_leaves_its_argument_alone",
        MUTATES,
        versions=(changed_in_place,),
    ),
    *(
        Misconception(
            f"needs_{module.lower()}",
            ROWS,
            f"This exercise allows NumPy only: {module} is not there when it is graded.",
        )
        for module in ("SciPy", "torch", "Matplotlib")
    ),
)

CONFIGURATION = Configuration("softmax", compute, MISCONCEPTIONS, STYLES, 1, SENTENCES, FORMS)
