"""The picture of the page: the shapes that flow through one head."""

from autograder.kit import svg

STEPS = (
    ("X", "(T, d_model)", 20, 90),
    ("Q = X W_q", "(T, d_k)", 150, 20),
    ("K = X W_k", "(T, d_k)", 150, 90),
    ("V = X W_v", "(T, d_v)", 150, 160),
    ("scores", "(T, T)", 290, 55),
    ("weights", "(T, T)", 430, 55),
    ("output", "(T, d_v)", 570, 110),
)
FLOW = ((0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (4, 5), (5, 6), (3, 6))
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
    named = {name: shape for name, shape, _, _ in STEPS}
    return svg.picture(
        "the shapes in one head",
        "; ".join(f"{name} has shape {shape}" for name, shape in named.items())
        + ". Queries and keys make the scores, softmax makes the weights, and the weights mix V.",
        700,
        230,
        parts,
    )
