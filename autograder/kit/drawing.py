"""Draws the hidden inputs and computes what they must give: a list of cases for every test.

Inputs lie on a coarse binary grid, so that they are exact in float32 too and every honest way to
compute gives the same values; a draw that is not sharp is drawn again, the bar never lowered.
random.Random and its randint, sample and choice give the same stream on every Python.
"""

import dataclasses
import importlib
import math
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from autograder.exercises import misconceptions
from autograder.exercises.captured_log import workshop
from autograder.exercises.fused_kernel.kernel import fused_attention
from autograder.report import GraderError

CHECKOUT = Path(__file__).parents[2]
SOLUTIONS = CHECKOUT / "solutions"
DECIMALS = 12
# Another NumPy, or another number of threads, may give a neighbouring float.
ROUNDING_MARGIN = 1e-14
DRAWS = 100_000

Array = NDArray[Any]
Drawn = TypeVar("Drawn")
Head = tuple[Array, Array, Array, Array]
JsonCase = dict[str, Any]
# T, d_model, d_k and d_v, pairwise different; one head has a single value column.
SIZES = ((5, 4, 3, 2), (3, 6, 2, 4), (4, 3, 5, 1))


def load_solution(function: str) -> Callable[..., Any]:
    """A function of solutions/, its siblings importable by name as they are for students."""
    require_checkout()
    solution: Callable[..., Any] = getattr(load_module(function), function)
    return solution


def require_checkout() -> None:
    if not SOLUTIONS.is_dir():
        raise GraderError("authoring works in a checkout only: there is no solutions/ here.")


def load_module(name: str) -> ModuleType:
    sys.path.insert(0, str(SOLUTIONS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(SOLUTIONS))


class NearBoundary(Exception):
    """A value so close to a rounding boundary that another machine might round it otherwise."""


def drawn(draw: Callable[[], Drawn], sharp: Callable[[Drawn], bool]) -> Drawn:
    """The first draw that is sharp."""
    for _ in range(DRAWS):
        candidate = draw()
        if sharp(candidate):
            return candidate
    raise GraderError(f"no sharp draw in {DRAWS}")


def settled(make: Callable[[], JsonCase]) -> JsonCase:
    """What `make` draws and computes, drawn again while a value lies near a boundary."""
    for _ in range(DRAWS):
        try:
            return make()
        except NearBoundary:
            continue
    raise GraderError(f"no draw clear of rounding boundaries in {DRAWS}")


def grid(rng: random.Random, *shape: int, bound: int = 12, step: float = 0.125) -> Array:
    """Numbers k * step with |k| <= bound."""
    flat = [rng.randint(-bound, bound) * step for _ in range(math.prod(shape))]
    # A step of 0.1 is no binary number: 3 x 0.1 shall read 0.3.
    return np.round(np.array(flat).reshape(shape), 6)


def case(id: str, **fields: Any) -> JsonCase:
    """A case as JSON: arrays as lists, what is computed to 12 decimals."""
    return {
        "id": id,
        **{
            key: value.tolist() if isinstance(value, np.ndarray) else value
            for key, value in fields.items()
        },
    }


def to_decimals(values: Array) -> Array:
    """Rounded for storage; NearBoundary where a neighbouring float would round otherwise."""
    rounded: Array = np.round(values, DECIMALS) + 0.0
    half = 0.5 * 10.0**-DECIMALS
    if (np.abs(np.abs(values - rounded) - half) < ROUNDING_MARGIN).any():
        raise NearBoundary
    return rounded


# --- softmax ---------------------------------------------------------------------------------


def softmax_cases(rng: random.Random) -> dict[str, list[JsonCase]]:
    softmax = load_solution("softmax")

    def with_weights(id: str, draw: Callable[[], Array]) -> JsonCase:
        def made() -> JsonCase:
            scores = draw()
            return case(id, scores=scores, weights=to_decimals(softmax(scores)))

        return settled(made)

    def spread(rows: int, columns: int) -> Array:
        """Scores whose every weight counts, in rows that differ from each other."""
        scores: Array = drawn(
            lambda: grid(rng, rows, columns, bound=20),
            lambda scores: (
                softmax(scores).min() > 0.004
                and np.ptp(scores, axis=1).min() > 1
                and (rows == 1 or np.ptp(scores.max(axis=1)) > 0.5)
                and abs(scores.max()) > 0.1
            ),
        )
        return scores

    def high() -> Array:
        scores = 10_000 - abs(grid(rng, 3, 4, bound=16))
        scores[0, 1] = 10_000
        return scores

    def low() -> Array:
        scores = -10_000 + abs(grid(rng, 2, 5, bound=16))
        scores[1, 2] = -10_000
        return scores

    def both() -> Array:
        """Rows that hold the highest score, the lowest and an everyday one."""
        rows = [[10_000.0, -10_000.0, grid(rng, 1)[0]] for _ in range(2)]
        return np.array([rng.sample(row, k=3) for row in rows])

    def apart() -> Array:
        return np.vstack([high()[0], low()[0, :4], grid(rng, 1, 4)[0]])

    def hidden() -> Array:
        scores = spread(4, 5)
        for row in range(4):
            scores[row, rng.sample(range(5), k=row + 1)] = -np.inf
        return scores

    def integers() -> Array:
        scores = np.array([[rng.randint(-2, 2) for _ in range(4)] for _ in range(3)])
        scores[:, 0] = [3, 1, 2]
        return scores

    plain = [
        with_weights("wide", lambda: spread(3, 5)),
        with_weights("tall", lambda: spread(5, 2)),
        with_weights("square", lambda: spread(4, 4)),
        with_weights("one_row", lambda: spread(1, 4)),
    ]
    one = [case("plain", scores=spread(3, 4))]
    return {
        "test_weights_follow_the_exponentials_of_the_row": plain,
        "test_every_row_sums_to_one": plain,
        "test_large_scores_do_not_overflow": [
            with_weights("high", high),
            with_weights("low", low),
            with_weights("both", both),
        ],
        "test_rows_far_apart_do_not_disturb_each_other": [with_weights("apart", apart)],
        "test_minus_infinity_gets_exactly_zero": [with_weights("hidden", hidden)],
        "test_integer_scores_are_fine": [with_weights("integers", integers)],
        "test_returns_a_float64_array": one,
        "test_leaves_its_argument_alone": one,
    }


# --- causal_mask -----------------------------------------------------------------------------


def causal_mask_cases(rng: random.Random) -> dict[str, list[JsonCase]]:
    sizes = [1, 2, 3, 8, rng.randint(4, 7)]
    lengths = [case(f"n{n}", n=n) for n in sizes]
    return {
        "test_hides_the_future_and_nothing_else": lengths,
        "test_the_border_lies_right_after_the_word_itself": lengths,
        "test_can_be_asked_again_for_another_length": [
            case("up", n=3, other=rng.randint(4, 9)),
            case("down", n=rng.randint(5, 9), other=2),
        ],
        "test_returns_an_array": [case("n4", n=4)],
        "test_returns_booleans": [case("n4", n=4)],
    }


# --- attention -------------------------------------------------------------------------------


def scores_of(head: Head) -> Array:
    X, W_q, W_k, _ = head
    scores: Array = (X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1])
    return scores


def draw_head(rng: random.Random, sizes: tuple[int, int, int, int], **grid_of: Any) -> Head:
    tokens, d_model, d_k, d_v = sizes
    return (
        grid(rng, tokens, d_model, **grid_of),
        grid(rng, d_model, d_k, **grid_of),
        grid(rng, d_model, d_k, **grid_of),
        grid(rng, d_model, d_v, **grid_of),
    )


def balanced(head: Head) -> bool:
    """Every weight counts, the mask takes away a good part, and the scale matters."""
    scores = scores_of(head)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    lost = np.triu(weights, k=1).sum(axis=1)[:-1]
    return bool(
        weights.min() > 2e-3
        and np.ptp(scores, axis=1).min() > 1
        and np.abs(scores - scores.T).max() > 1
        and lost.min() > 0.1
        and (scores != 0).all()
    )


def plain_head(rng: random.Random, sizes: tuple[int, int, int, int]) -> Head:
    head: Head = drawn(lambda: draw_head(rng, sizes), balanced)
    return head


def head_with_zero_scores(rng: random.Random) -> Head:
    """Visible scores of exactly 0, none of them a word's own."""

    def sharp(head: Head) -> bool:
        scores = scores_of(head)
        zeros = (np.tril(scores, k=-1) == 0).sum() - scores.shape[0] * (scores.shape[0] + 1) // 2
        return bool(zeros >= 2 and (np.diagonal(scores) != 0).all() and np.abs(scores).max() < 4)

    head: Head = drawn(lambda: draw_head(rng, (4, 5, 2, 3), bound=1, step=1.0), sharp)
    return head


def head_with_large_hidden_score(rng: random.Random) -> Head:
    """In every row but the last, a hidden score is the largest by far."""

    def sharp(head: Head) -> bool:
        scores = scores_of(head)
        visible = np.tril(scores) + np.triu(np.full(scores.shape, -np.inf), k=1)
        gap = (scores.max(axis=1) - visible.max(axis=1))[:-1]
        return bool(gap.min() > 8 and np.abs(scores).max() < 40)

    head: Head = drawn(lambda: draw_head(rng, (3, 5, 4, 2), bound=12, step=0.25), sharp)
    return head


def head_at_ten_thousand(rng: random.Random) -> Head:
    """The first word sees itself at -10,000; it would see a later word at +10,000."""

    def sharp(head: Head) -> bool:
        scores = scores_of(head)
        gaps = np.diff(np.sort(scores, axis=1), axis=1)
        top = np.abs(scores).max()
        return bool(
            top > 0 and scores[0, 0] == -top and scores[0].max() == top and gaps.min() >= top / 16
        )

    return at_ten_thousand(rng, (3, 2, 4, 5), sharp)


def head_far_below_zero(rng: random.Random) -> Head:
    """Every score of the last word lies thousands below 0."""

    def sharp(head: Head) -> bool:
        scores = scores_of(head)
        top = np.abs(scores).max()
        gaps = np.diff(np.sort(scores, axis=1), axis=1)
        return bool(top > 0 and scores[-1].max() <= -top / 4 and gaps.min() >= top / 16)

    return at_ten_thousand(rng, (4, 3, 5, 2), sharp)


def at_ten_thousand(
    rng: random.Random, sizes: tuple[int, int, int, int], sharp: Callable[[Head], bool]
) -> Head:
    """A sharp head whose largest score is stretched to 10,000."""
    X, W_q, W_k, W_v = drawn(lambda: draw_head(rng, sizes, bound=3, step=1.0), sharp)
    top = np.abs(scores_of((X, W_q, W_k, W_v))).max()
    return X, W_q * 100.0, W_k * (100.0 / top), W_v


def fields(head: Iterable[Array]) -> dict[str, Array]:
    return dict(zip(("X", "W_q", "W_k", "W_v"), head, strict=True))


def attention_cases(rng: random.Random) -> dict[str, list[JsonCase]]:
    attention = load_solution("attention")

    def with_weights(id: str, draw: Callable[[], Head]) -> JsonCase:
        def made() -> JsonCase:
            head = draw()
            weights, causal_weights = attention(*head)[1], attention(*head, causal=True)[1]
            return case(
                id,
                **fields(head),
                weights=to_decimals(weights),
                causal_weights=to_decimals(causal_weights),
            )

        return settled(made)

    def with_change(head: JsonCase) -> JsonCase:
        """The last word is another one."""
        X = np.array(head["X"])
        last = drawn(lambda: grid(rng, X.shape[1]), lambda row: abs(row - X[-1]).min() > 0.3)
        return {**head, "X_changed": [*head["X"][:-1], last.tolist()]}

    def integers() -> Iterable[Array]:
        head = drawn(
            lambda: draw_head(rng, (4, 3, 2, 5), bound=2, step=1.0),
            lambda head: bool((scores_of(head) != 0).all()),
        )
        return (array.astype(int) for array in head)

    plain = [
        with_weights(f"head_{i}", partial(plain_head, rng, sizes))
        for i, sizes in enumerate(SIZES, start=1)
    ]
    zero = case("zero_scores", **fields(head_with_zero_scores(rng)))
    large_hidden = case("hidden_score_largest", **fields(head_with_large_hidden_score(rng)))
    form = [case("plain", **fields(plain_head(rng, (4, 5, 2, 3))))]
    huge = [
        with_weights("ten_thousand", lambda: head_at_ten_thousand(rng)),
        with_weights("far_below_zero", lambda: head_far_below_zero(rng)),
    ]
    return {
        "test_weights_are_the_softmax_of_scaled_scores": plain,
        "test_output_blends_the_values": plain,
        "test_weights_of_every_word_sum_to_one": plain,
        "test_default_is_not_causal": plain[:2],
        "test_hidden_words_get_exactly_zero_weight": [plain[0], zero, large_hidden],
        "test_visible_words_share_what_the_hidden_ones_lose": [plain[1], zero],
        "test_changing_a_later_word_changes_no_earlier_row": list(map(with_change, plain[:2])),
        "test_last_row_is_the_unmasked_one": plain[:2],
        "test_scores_of_ten_thousand_are_fine": huge,
        "test_integer_inputs_are_fine": [case("integers", **fields(integers()))],
        "test_returns_output_then_weights": form,
        "test_returns_arrays_of_floats": form,
        "test_leaves_its_arguments_alone": form,
    }


# --- the kernel and the log ------------------------------------------------------------------


def fused_kernel_cases(rng: random.Random) -> dict[str, list[JsonCase]]:
    """Inputs here are exact in no binary format: whoever rounds them to float32 shows it."""
    attention = load_solution("attention")

    def tells_precision(head: Head, causal: bool) -> bool:
        """Each way to lose precision is off by 1e-10 to 5e-7 of the largest value."""
        if not balanced(head):
            return False
        right = attention(*head, causal=causal)[0]
        # What storing 12 decimals takes of 1e-11 depends on the largest value.
        if np.abs(right).max() < 1:
            return False
        errors = [
            np.abs(right - version(*head, causal=causal)[0]).max() / np.abs(right).max()
            for version in misconceptions.IMPRECISE
        ]
        return bool(min(errors) > 1e-10 and max(errors) < 5e-7)

    def draw(id: str, sizes: tuple[int, int, int, int], causal: bool) -> JsonCase:
        def made() -> JsonCase:
            head = drawn(
                lambda: draw_head(rng, sizes, bound=30, step=0.05),
                lambda head: tells_precision(head, causal),
            )
            output = to_decimals(fused_attention(*head, causal=causal))
            return case(id, **fields(head), causal=causal, output=output)

        return settled(made)

    def three(causal: bool) -> Iterator[JsonCase]:
        for i, sizes in enumerate(((5, 4, 3, 2), (6, 3, 2, 4), (4, 6, 5, 3)), start=1):
            yield draw(f"head_{i}", sizes, causal)

    return {
        "test_agrees_with_the_kernel": list(three(False)),
        "test_agrees_with_the_kernel_under_the_mask": list(three(True)),
    }


def captured_log_cases(rng: random.Random, seed: str) -> dict[str, list[JsonCase]]:
    """The workshop's own log for the public seed, another of the same shape for every other."""
    log = workshop.LOG if seed == workshop.SEED else draw_log(rng)
    X = log.embeddings
    identity = np.eye(X.shape[1])
    wired = case(
        "wired_head",
        sentence=" ".join(log.sentence),
        X=X,
        W_q=log.W_q,
        W_k=log.W_k,
        W_v=identity,
        printed_weights=log.printed_weights,
        printed_sums=log.printed_sums,
    )
    # W_q = sqrt(d_k) I cancels the scale: what is left is softmax(X X^T) X.
    simple = case("simple", X=X, W_q=np.sqrt(len(identity)) * identity, W_k=identity, W_v=identity)
    return {
        "test_causal_table_is_the_printed_one": [wired],
        "test_rows_of_the_table_sum_as_printed": [wired],
        "test_last_row_is_printed_without_the_mask_too": [wired],
        "test_attention_is_blind_to_order": [simple],
    }


def draw_log(rng: random.Random) -> workshop.Log:
    """Another sentence, embedding table and wired head, and the table that its log prints."""
    attention = load_solution("attention")

    def draw() -> workshop.Log:
        return workshop.Log(
            sentence=tuple(rng.sample(workshop.WORDS, k=3)),
            embeddings=abs(grid(rng, 3, 4, bound=10, step=0.1)),
            W_q=grid(rng, 4, 2, bound=4, step=0.5),
            W_k=grid(rng, 4, 2, bound=4, step=0.5),
        )

    def printed(log: workshop.Log) -> Array:
        weights: Array = attention(log.embeddings, log.W_q, log.W_k, np.eye(4), causal=True)[1]
        return weights

    def sharp(log: workshop.Log) -> bool:
        """No digit in doubt, every visible weight counts, and each wrong scale prints another."""
        X, weights = log.embeddings, printed(log)
        in_doubt = np.abs((weights * 1000) % 1 - 0.5).min() < 0.02
        head = (X, log.W_q, log.W_k, np.eye(4))
        return not in_doubt and balanced(head) and weights[np.tril_indices(3)].min() > 0.05

    log: workshop.Log = drawn(draw, sharp)
    weights: Array = np.round(printed(log), 3)
    return dataclasses.replace(log, printed_weights=weights, printed_sums=np.ones(3))


# --- what the grader itself needs ------------------------------------------------------------


def probes(rng: random.Random) -> dict[str, Any]:
    """Two float inputs of one shape: a function that answers both alike looks at neither."""
    heads = [plain_head(rng, (4, 5, 3, 2)) for _ in range(2)]
    return {
        "softmax": [[grid(rng, 3, 4).tolist()] for _ in range(2)],
        "attention": [[array.tolist() for array in head] for head in heads],
    }


def random_arguments(function: str, count: int) -> list[tuple[Any, ...]]:
    """Arguments from the whole domain of the contract, the same for every call."""
    rng = random.Random(function)
    return [RANDOM[function](rng) for _ in range(count)]


def random_scores(rng: random.Random) -> tuple[Array]:
    rows, columns = rng.randint(1, 5), rng.randint(1, 5)
    size = rng.choice((1.0, 30.0, 1e4))
    scores = np.array([[rng.uniform(-size, size) for _ in range(columns)] for _ in range(rows)])
    if rng.random() < 0.2:
        return (scores.astype(int),)
    for row in range(rows):
        for column in rng.sample(range(columns), k=rng.randint(0, columns - 1)):
            scores[row, column] = -np.inf
    return (scores,)


def random_head(rng: random.Random) -> tuple[Any, ...]:
    tokens, d_model, d_k, d_v = (rng.randint(1, 5) for _ in range(4))
    head = draw_head(rng, (tokens, d_model, d_k, d_v), bound=12, step=0.125)
    causal = rng.random() < 0.7
    if rng.random() < 0.2:
        return (*(np.trunc(array).astype(int) for array in head), causal)
    top = np.abs(scores_of(head)).max()
    stretch = 1e4 / top if top and rng.random() < 0.3 else 1.0
    X, W_q, W_k, W_v = head
    return X, W_q * stretch, W_k, W_v, causal


RANDOM: dict[str, Callable[[random.Random], tuple[Any, ...]]] = {
    "softmax": random_scores,
    "causal_mask": lambda rng: (rng.randint(1, 30),),
    "attention": random_head,
}


def right_helpers() -> dict[str, str]:
    """The sources that stand in for a failed helper."""
    return {
        function: (SOLUTIONS / f"{function}.py").read_text(encoding="utf-8")
        for function in ("softmax", "causal_mask")
    }
