"""attention(X, W_q, W_k, W_v, causal=False): the output and the weights of one head."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.kit.cases import Case
from autograder.kit.contract import Answer, Contract, Example, FloatArray, numbers
from autograder.report import StudentFault
from autograder.sandbox.protocol import Reply
from autograder.sandbox.student import Asking, Student

Matrices = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Head:
    """The student's two results; the answer in which they came."""

    answer: Answer

    @property
    def output(self) -> FloatArray:
        """The output, (T, d_v) where it is right; a StudentFault where it is missing."""
        if 0 in self.answer.missing:
            raise StudentFault(
                "failed",
                "attention returned the weights alone; it should return the pair output, weights.",
                "return_order",
            )
        return self.answer.arrays[0]

    @property
    def weights(self) -> FloatArray:
        """The weights, (T, T) where they are right; a StudentFault where they are missing."""
        if len(self.answer.arrays) == 1:
            raise StudentFault(
                "failed",
                "attention returned one result; it should return the pair output, weights.",
                "return_order",
            )
        return self.answer.arrays[1]


def attention(
    student: Student,
    X: NDArray[Any],
    W_q: NDArray[Any],
    W_k: NDArray[Any],
    W_v: NDArray[Any],
    **causal: bool,
) -> Head:
    """Asks for X (T, d_model), W_q and W_k (d_model, d_k), W_v (d_model, d_v).

    `causal` is passed on only where it is given.
    """
    return Head(student.call("attention", X, W_q, W_k, W_v, **causal))


def head(case: Case) -> Matrices:
    """The four arrays of a case, as attention() takes them."""
    return case.X, case.W_q, case.W_k, case.W_v


def read(reply: Reply, arguments: tuple[Any, ...]) -> Answer:
    """Output and weights, found by their shapes where they came in another order."""
    tokens, width = len(arguments[0]), arguments[3].shape[1]
    if not reply.results:
        raise StudentFault("failed", "attention returned an empty sequence.")
    # A third result that holds no numbers is one too many, and hides neither of the others.
    kept = [result for result in reply.results if result.values is not None] or reply.results[:1]
    arrays = [numbers(result, "attention") for result in kept]
    if not all(array.ndim for array in arrays):
        raise StudentFault("failed", "attention returned a single number in place of an array.")
    shapes = [array.shape for array in arrays]
    right = [(tokens, width), (tokens, tokens)]
    if shapes == right[1:] != right[:1]:
        output = arrays[0] @ (arguments[0] @ arguments[3])
        return Answer(reply, (output, arrays[0]), in_order=False, missing=frozenset({0}))
    if shapes == [(tokens, width + tokens)]:
        # Both side by side in one array.
        both = arrays[0][:, :width], arrays[0][:, width:]
        if not are_shares(both[1]) and are_shares(arrays[0][:, :tokens]):
            both = arrays[0][:, tokens:], arrays[0][:, :tokens]
        return Answer(reply, both, in_order=False)
    if len(arrays) == 1:
        return Answer(reply, (arrays[0],), in_order=False)
    if shapes != right and all(shape in shapes for shape in right):
        output = arrays[shapes.index((tokens, width))]
        square = [array for array in arrays if array.shape == (tokens, tokens)]
        # Beside the weights may lie the scores: the weights are those whose rows are shares.
        weights = next(filter(are_shares, square), square[0])
        return Answer(reply, (output, weights), in_order=False)
    if shapes[0] == right[1] != shapes[1] and shapes[1][:1] == (tokens,):
        # Weights first, beside an output of another width than it should have.
        return Answer(reply, (arrays[1], arrays[0]), in_order=False)
    return Answer(reply, (arrays[0], arrays[1]), in_order=len(reply.results) == 2)


def are_shares(array: FloatArray) -> bool:
    """Whether no value is negative and every row sums to 1."""
    return bool((array >= 0).all() and np.allclose(array.sum(axis=1), 1))


# --- parameters that are not the template's ------------------------------------------------------

MATRICES = ("X", "W_q", "W_k", "W_v")


def role(parameter: str) -> str:
    """Which of the template's parameters a name stands for; "" where it says nothing."""
    name = parameter.lower().replace("_", "")
    if re.search("causal|mask", name):
        return "causal"
    for letter, word in (("q", "quer"), ("k", "key"), ("v", "val")):
        if word in name or re.fullmatch(rf"(w|weights?|mat)?{letter}(w|weights?|mat)?", name):
            return f"W_{letter}"
    return "X" if re.fullmatch("xs?|inputs?|inp|emb.*|tokens?|words?", name) else ""


def asking(parameters: tuple[str, ...]) -> Asking | None:
    """How to ask a head whose parameters have another order, or another name for `causal`."""
    placed = [name for name in parameters if name[0] not in "*/"]
    by_name = [name[1:] for name in parameters if name.startswith("*") and name.strip("*")]
    if len(placed) < len(MATRICES):
        return None
    order = order_of([role(name) for name in placed])
    later = [*placed[len(order) :], *by_name]
    flag = next((name for name in later if role(name) == "causal"), next(iter(later), ""))
    if flag in parameters and "/" in parameters[parameters.index(flag) :]:
        order = [*order, "causal"]
    elif order == [*MATRICES] and (flag == "causal" or {"*", "**"} & {*parameters}):
        return None

    def ask(
        arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        given = {"causal": False, **keywords, **dict(zip(MATRICES, arguments, strict=True))}
        named = {flag: given["causal"]} if flag and "causal" in keywords else {}
        return tuple(given[each] for each in order), {} if "causal" in order else named

    return ask


def order_of(roles: list[str]) -> list[str]:
    """The order in which parameters with these roles take the matrices, up to the last of them.

    The template's, where the roles do not tell another one.
    """
    if all(roles.count(each) == 1 for each in MATRICES[1:]):
        if "X" not in roles and "" in roles:
            roles[roles.index("")] = "X"
        if roles.count("X") == 1:
            found = roles[: 1 + max(map(roles.index, MATRICES))]
            if sorted(found) in (sorted(MATRICES), sorted([*MATRICES, "causal"])):
                return found
    return [*MATRICES]


# --- an exception that every example raises ------------------------------------------------------

LIKE_LINEAR = (
    "matrices_transposed",
    "You transpose the matrices, as nn.Linear keeps them. Here they come so that X @ W fits.",
)
SIZES_DIFFER = (
    "missing_transpose",
    "The inner sizes of a product do not meet: is a transpose missing, or do the two factors stand "
    "the wrong way round?",
)
# Of the first example: T, d_model, d_k and d_v are 3, 4, 2 and 5.
DIFFERENT = re.compile(
    r"\(size (?P<rows>\d+) is different from (?P<columns>\d+)\)"
    r"|not aligned: (?P<wide>\d+) \(dim \d\) != (?P<high>\d+) \(dim \d\)"
)


def raised(words: str) -> tuple[str, str]:
    """Its name and hint where a product of two matrices fails, as matmul and dot say it."""
    found = DIFFERENT.search(words)
    if not found:
        return "", ""
    high, wide = found["rows"] or found["high"], found["columns"] or found["wide"]
    return LIKE_LINEAR if (high, wide) in (("2", "4"), ("5", "4")) else SIZES_DIFFER


# --- what is asked in public ---------------------------------------------------------------------

X = np.array([[1.0, 0.0, 2.0, 1.0], [0.0, 1.0, 1.0, 0.0], [2.0, 1.0, 0.0, 1.0]])
W_Q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, -1.0]])
W_K = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, -1.0], [1.0, 0.0]])
W_V = np.array([[1.0, 0.0, 0.0, 2.0, 1.0], [0.0, 1.0, 0.0, 0.0, 1.0]] * 2)
SMALL = (X, W_Q, W_K, W_V)
LARGE = (X, W_Q * 50.0, W_K * 50.0, W_V)
INTEGERS = (X.astype(int), W_Q.astype(int), W_K.astype(int), W_V.astype(int))
ONE_WORD = (X[:1], W_Q, W_K, W_V)

CONTRACT = Contract(
    "attention",
    read,
    (
        Example(SMALL, {"causal": False}),
        Example(SMALL, {"causal": True}),
        Example(SMALL),
        Example(LARGE, {"causal": False}),
        Example(LARGE, {"causal": True}),
        Example(INTEGERS, {"causal": True}),
        Example(ONE_WORD, {"causal": True}),
    ),
    ("output", "weights"),
    {1: "Your weights are the same for two different inputs: queries and keys count for nothing."},
    asking,
    "test_default_is_not_causal",
    raised,
)
