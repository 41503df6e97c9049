"""The picture of the page: two heads side by side, and the matrix that merges them."""

from autograder.kit import svg

STEPS = (
    ("X", "(T, d_model)", 20, 90),
    ("head 0", "(T, d_v)", 170, 40),
    ("head 1", "(T, d_v)", 170, 140),
    ("side by side", "(T, h d_v)", 330, 90),
    ("output", "(T, d_model)", 510, 90),
)
FLOW = ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4))
WIDTH, HEIGHT = 110, 50


def picture() -> str:
    parts = []
    for start, end in FLOW:
        (_, _, x1, y1), (_, _, x2, y2) = STEPS[start], STEPS[end]
        parts.append(svg.arrow(x1 + WIDTH, y1 + HEIGHT / 2, x2, y2 + HEIGHT / 2))
    for name, shape, x, y in STEPS:
        parts += [
            svg.box(x, y, WIDTH, HEIGHT, svg.PANEL),
            svg.text(x + WIDTH / 2, y + 21, name),
            svg.text(x + WIDTH / 2, y + 40, shape),
        ]
    parts.append(svg.text(475, 105, "x W_o"))
    return svg.picture(
        "several heads",
        "; ".join(f"{name} has shape {shape}" for name, shape, _, _ in STEPS)
        + ". Every head sees X; what they give stands side by side and is multiplied by W_o.",
        640,
        230,
        parts,
    )
