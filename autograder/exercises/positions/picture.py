"""The picture of the page: four columns of the table, over twenty positions."""

from autograder.kit import svg
from autograder.kit.drawing import load_solution

COLUMNS = ("clock 0, sin", "clock 0, cos", "clock 1, sin", "clock 1, cos")
WORDS, STEP, TALL = 20, 22, 20


def picture() -> str:
    table = load_solution("positions")(WORDS, len(COLUMNS))
    parts = []
    for column, name in enumerate(COLUMNS):
        middle = 45 + 60 * column
        right = 120 + STEP * (WORDS - 1)
        parts += [
            svg.text(10, middle + 5, name, anchor="start"),
            f'<line x1="120" y1="{middle}" x2="{right}" y2="{middle}" stroke="{svg.LINE}"/>',
        ]
        parts += [
            f'<circle cx="{120 + STEP * p}" cy="{middle - TALL * table[p, column]:.1f}" r="3" '
            f'fill="{svg.shade(1)}"/>'
            for p in range(WORDS)
        ]
    parts.append(svg.text(120, 275, "position 0", anchor="start"))
    parts.append(svg.text(120 + STEP * (WORDS - 1), 275, f"{WORDS - 1}"))
    return svg.picture(
        "sines and cosines of twenty positions",
        "Four rows of dots, one per column of the table. Sine and cosine of clock 0 swing through "
        "three full turns; clock 1 hardly moves: its sine rises a little, its cosine stays near 1.",
        560,
        290,
        parts,
    )
