"""How a step beside a KV cache goes wrong: its choices, and the edits of them that are mistakes.

That two texts share an array shows in no single answer: its test names it.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.kit.misconception import Array, Configuration, Misconception, Observation

Pick = Callable[[str, Any], Any]

# The tests that are there to see them.
ROWS = "test_outputs_are_the_rows_of_the_causal_head"
KEYS = "test_cache_holds_the_keys_of_all_words_in_order"
VALUES = "test_cache_holds_the_values_of_all_words_in_order"
FIRST = "test_first_word_hands_over_its_own_value"

# What two ways to leave the newest word out have in common.
NOT_ITSELF = (
    "Your newest word does not see itself. Its own key and value take part too: the causal mask "
    "hides later words, and the word itself is none."
)


def compute(pick: Pick, asked: Observation) -> Iterator[tuple[int, Array]]:
    """Output (d_v,), keys (t + 1, d_k) and values (t + 1, d_v), each step as picked."""
    x, keys, values, W_q, W_k, W_v = (np.asarray(one, dtype=float) for one in asked.arguments)
    key = pick("key", projected)(x, W_k, W_q)
    value = pick("value", projected)(x, W_v, W_q)
    keys = pick("keys joined", last)(keys, key)
    values = pick("values joined", last)(values, value)
    scores = keys @ (x @ W_q) / pick("scale", root_of_d_k)(keys)
    weights = pick("weights", itself)(softmax(pick("scores", itself)(scores)))
    yield 0, weights @ values
    yield 1, pick("kept", itself)(pick("keys kept", unchanged)(keys, x))
    yield 2, pick("kept", itself)(values)


def itself(x: Array) -> Array:
    return x


def projected(x: Array, W: Array, W_q: Array) -> Array:
    return x @ W


def last(cache: Array, row: Array) -> Array:
    return np.vstack([cache, row])


def root_of_d_k(keys: Array) -> Any:
    return np.sqrt(keys.shape[1])


def softmax(scores: Array) -> Array:
    shares = np.exp(scores - scores.max())
    return shares / shares.sum()


def unchanged(keys: Array, x: Array) -> Array:
    return keys


def before_the_newest(scores: Array) -> Array:
    """The newest score hidden, unless it is the only one."""
    hidden = (np.arange(len(scores)) == len(scores) - 1) & (len(scores) > 1)
    return np.where(hidden, -np.inf, scores)


def newest_struck_out(weights: Array) -> Array:
    """The newest weight set to 0 after softmax, unless it is the only one."""
    return np.where(np.isneginf(before_the_newest(weights)), 0.0, weights)


def window(size: int) -> Callable[[Array], Array]:
    return lambda scores: np.where(np.arange(len(scores)) < len(scores) - size, -np.inf, scores)


def newest_kept(size: int) -> Callable[[Array], Array]:
    return lambda cache: cache[-size:]


def cut(x: Array, W: Array, W_q: Array) -> Array:
    """The embedding itself, cut to the length that is asked for."""
    return np.resize(x, W.shape[1])


def embedding_kept(keys: Array, x: Array) -> Array:
    return np.vstack([keys[:-1], np.resize(x, keys.shape[1])])


def first(cache: Array, row: Array) -> Array:
    return np.vstack([row, cache])


MISCONCEPTIONS = (
    Misconception(
        "attends_before_appending", ROWS, NOT_ITSELF, "seen", ({"scores": before_the_newest},)
    ),
    Misconception(
        "no_scaling",
        ROWS,
        "Your scores are not divided by sqrt(d_k). A cache changes nothing about them: they are "
        "those of exercise 3.",
        "scale",
        ({"scale": lambda keys: 1.0},),
    ),
    Misconception(
        "scale_by_length",
        ROWS,
        "You divide by the root of the number of words. Under the root stands d_k, how many "
        "products each score adds up, however long the text is.",
        "scale",
        ({"scale": lambda keys: np.sqrt(len(keys))},),
    ),
    Misconception(
        "newest_value_only",
        ROWS,
        "Your output is the newest word's own value. It should be a mix of the values of all words "
        "so far: what are the weights for?",
        "seen",
        ({"scores": window(1)},),
    ),
    Misconception(
        "window_of_three",
        ROWS,
        "Your newest word sees only the last few words. Some models save that way; here it sees "
        "all that came before.",
        "seen",
        tuple({"scores": window(size)} for size in (3, 2, 4, 5)),
    ),
    Misconception(
        "masks_the_newest",
        ROWS,
        NOT_ITSELF,
        "seen",
        ({"weights": newest_struck_out}, {"scores": before_the_newest}),
    ),
    Misconception(
        "caches_queries",
        KEYS,
        "Your cache of keys holds queries. A query is asked once and never needed again; the key "
        "is what later words will look at: x W_k.",
        "key",
        ({"key": lambda x, W_k, W_q: x @ W_q},),
    ),
    Misconception(
        "prepends",
        KEYS,
        "You put the new row on top. The newest word comes last, in the keys and in the values "
        "alike, so that row j belongs to word j.",
        "joined",
        (
            {"keys joined": first},
            {"values joined": first},
            {"keys joined": first, "values joined": first},
        ),
    ),
    Misconception(
        "cache_scaled_again",
        KEYS,
        "The keys that you hand on are already divided by sqrt(d_k), and the next step divides "
        "them again. Keep the keys as they are, and scale the scores.",
        "kept",
        ({"keys kept": lambda keys, x: keys / root_of_d_k(keys)},),
    ),
    Misconception(
        "caches_embeddings",
        KEYS,
        "Your step is right, but the row that you hand on is not the word's key: it is its "
        "embedding. Keep x W_k, or the next step compares its query with something else.",
        "kept",
        ({"keys kept": embedding_kept},),
    ),
    Misconception(
        "drops_the_oldest",
        VALUES,
        "Your cache loses its oldest words. Every word that comes must be able to see all before "
        "it again: nothing is dropped here.",
        "kept",
        (
            *({"kept": newest_kept(size)} for size in (3, 2, 1, 4)),
            {"kept": lambda cache: cache[1:] if len(cache) > 1 else cache},
        ),
    ),
    Misconception(
        "values_not_projected",
        FIRST,
        "Your cache of values holds the word itself. What a word hands over is its value: x W_v.",
        "value",
        ({"value": cut},),
    ),
)

SHARED = (
    "Two continuations of one text disturb each other: the second wrote its word into the arrays "
    "that the first still uses. Return new arrays, and leave the old ones as they are."
)


class SharedArrays:
    """Writes every text into the same arrays, and hands out the part that is in use."""

    def __init__(self) -> None:
        self.arrays: dict[tuple[int, int], Array] = {}

    def __call__(
        self, x: Array, keys: Array, values: Array, W_q: Array, W_k: Array, W_v: Array
    ) -> tuple[Array, ...]:
        found = CONFIGURATION.version({})(x, keys, values, W_q, W_k, W_v)
        return found[0], self.written(1, found[1]), self.written(2, found[2])

    def written(self, place: int, cache: Array) -> Array:
        shared = self.arrays.setdefault((place, cache.shape[1]), np.zeros((64, cache.shape[1])))
        shared[: len(cache)] = cache
        return shared[: len(cache)]


FORMS = (
    Misconception(
        "in_place",
        "test_two_continuations_do_not_disturb_each_other",
        SHARED,
        versions=(SharedArrays(),),
    ),
)

CONFIGURATION = Configuration("attend_next", compute, MISCONCEPTIONS, results=3, forms=FORMS)
