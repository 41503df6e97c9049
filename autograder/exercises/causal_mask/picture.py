"""The picture of the page: who is hidden from whom in a sentence of three words."""

from autograder.kit import svg
from autograder.kit.drawing import load_solution

WORDS = ("the", "river", "bank")


def picture() -> str:
    mask = load_solution("causal_mask")(len(WORDS))
    cells = [["hidden" if hidden else "seen" for hidden in row] for row in mask]
    return svg.picture(
        "the causal mask for three words",
        "A grid, row by row: " + "; ".join(", ".join(row) for row in cells) + ".",
        340,
        190,
        svg.grid(20, 25, "row: who looks; column: at whom", WORDS, mask * 0.8, cells),
    )
