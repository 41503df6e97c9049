"""The picture of the page: one row of scores as weights, at spread 1 and at spread 10."""

import numpy as np

from autograder.kit import svg
from autograder.kit.drawing import load_solution

SCORES = (0.0, 0.5, 1.0)  # spread 1, from the lowest to the highest


def picture() -> str:
    softmax = load_solution("softmax")
    narrow, wide = softmax(np.array([SCORES, [10 * score for score in SCORES]]))
    return svg.picture(
        "softmax at two spreads",
        "Bars: the scores 0, 0.5, 1 give weights "
        f"{', '.join(f'{weight:.3f}' for weight in narrow)}; ten times these scores give "
        f"{', '.join(f'{weight:.3f}' for weight in wide)}.",
        460,
        190,
        [
            *svg.bars(20, 30, "scores 0, 0.5, 1", narrow),
            *svg.bars(260, 30, "scores 0, 5, 10", wide),
            svg.text(230, 183, "the same gaps, ten times as large: almost all goes to one"),
        ],
    )
