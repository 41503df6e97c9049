"""The picture of the weights of the workshop's sentence, without and with the mask."""

import numpy as np

from autograder.exercises.captured_log.workshop import LOG
from autograder.kit import svg
from autograder.kit.drawing import load_solution


def picture() -> str:
    attention = load_solution("attention")
    parts, told = [], []
    for x, causal in ((10, False), (330, True)):
        head = (LOG.embeddings, LOG.W_q, LOG.W_k, np.eye(4))
        _, weights = attention(*head, causal=causal)
        cells = [[f"{weight:.3f}" for weight in row] for row in weights]
        heading = "with the mask" if causal else "without the mask"
        parts += svg.grid(x, 25, heading, LOG.sentence, weights, cells)
        told.append(f"{heading}: " + "; ".join(", ".join(row) for row in cells))
    return svg.picture(
        'the weights of "the river bank"', f"Two grids. {'. '.join(told)}.", 640, 190, parts
    )
