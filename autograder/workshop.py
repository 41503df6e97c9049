"""The workshop's example: its sentence, embedding table and wired head, and what its log printed.

The log prints no embedding table. The constants here are this project's own reconstruction, which
gives the printed weights to their last digit; the four axes are water, money, place and grammar.
"""

import numpy as np
from numpy.typing import NDArray

SENTENCE = ("the", "river", "bank")
EMBEDDINGS = {
    "the": (0.0, 0.0, 0.0, 1.0),
    "river": (1.0, 0.0, 0.4, 0.0),
    "bank": (0.6, 0.3, 0.6, 0.0),
}
W_Q_WIRED = np.array([[0.0, 0.5], [3.0, 0.0], [1.0, 0.5], [0.0, 0.0]])
W_K_WIRED = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.5], [0.0, 0.0]])

# The log's lines 89 to 94: causal weights to three decimals, row sums to six.
PRINTED_WEIGHTS = np.array([[1.000, 0.000, 0.000], [0.406, 0.594, 0.000], [0.159, 0.500, 0.341]])
PRINTED_SUMS = np.array([1.000000, 1.000000, 1.000000])


def embed(words: tuple[str, ...]) -> NDArray[np.float64]:
    """The embedding rows of the words, shape (len(words), 4)."""
    return np.array([EMBEDDINGS[word] for word in words])
