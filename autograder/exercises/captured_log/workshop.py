"""The workshop's example: its sentence, embedding table and wired head, and what its log printed.

The log prints no embedding table. The constants here are this project's own reconstruction, which
gives the printed weights to their last digit; the four axes are water, money, place and grammar.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# The sentences of other draws; a word's embedding is drawn with it.
WORDS = ("the", "old", "river", "bank", "boat", "light", "under", "stone", "runs", "cold", "by")


@dataclass(frozen=True)
class Log:
    """A sentence of three words, their embeddings (3, 4), a wired head, and what was printed.

    W_q and W_k are (4, 2). printed_weights are causal, to three decimals; printed_sums to six.
    """

    sentence: tuple[str, ...]
    embeddings: FloatArray
    W_q: FloatArray
    W_k: FloatArray
    printed_weights: FloatArray = field(default_factory=lambda: np.zeros((3, 3)))
    printed_sums: FloatArray = field(default_factory=lambda: np.zeros(3))


LOG = Log(
    sentence=("the", "river", "bank"),
    embeddings=np.array([[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.4, 0.0], [0.6, 0.3, 0.6, 0.0]]),
    W_q=np.array([[0.0, 0.5], [3.0, 0.0], [1.0, 0.5], [0.0, 0.0]]),
    W_k=np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.5], [0.0, 0.0]]),
    # The log's lines 89 to 94.
    printed_weights=np.array([[1.000, 0.000, 0.000], [0.406, 0.594, 0.000], [0.159, 0.500, 0.341]]),
    printed_sums=np.array([1.000000, 1.000000, 1.000000]),
)
