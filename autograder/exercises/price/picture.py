"""The picture of the page: what grows with T, and what grows with its square."""

from autograder.exercises.price.draws import GPT_2
from autograder.kit import svg
from autograder.kit.drawing import load_solution

LEFT, BOTTOM, WIDE, HIGH = 70, 220, 480, 190
LONGEST, STEP = 3072, 128


def picture() -> str:
    price = load_solution("price")
    d_model = GPT_2["d_model"]
    lengths = range(0, LONGEST + 1, STEP)
    line, curve = [], []
    for T in lengths:
        whole = price(T, d_model, GPT_2["heads"], 1)[1]
        square = 2 * T**2 * d_model
        line.append(whole - square)
        curve.append(square)
    top = max(*line, *curve)

    def drawn(values: list[int], ink: str) -> str:
        points = " ".join(
            f"{LEFT + WIDE * T / LONGEST:.1f},{BOTTOM - HIGH * value / top:.1f}"
            for T, value in zip(lengths, values, strict=True)
        )
        return f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="2"/>'

    meet = LEFT + WIDE * 2 * d_model / LONGEST
    parts = [
        svg.arrow(LEFT, BOTTOM, LEFT + WIDE + 20, BOTTOM),
        drawn(line, svg.LINE),
        drawn(curve, svg.shade(1)),
        f'<line x1="{meet}" y1="{BOTTOM}" x2="{meet}" y2="{BOTTOM - HIGH / 2}" '
        f'stroke="{svg.LINE}" stroke-dasharray="4"/>',
        svg.text(meet, BOTTOM + 20, f"{2 * d_model:,} words"),
        svg.text(LEFT + WIDE - 30, BOTTOM + 20, f"{LONGEST:,}"),
        svg.text(LEFT + WIDE, 150, "projections and W_o", anchor="end"),
        svg.text(LEFT + 420, 60, "scores and outputs", anchor="end"),
    ]
    return svg.picture(
        "multiplications of one layer of GPT-2 over the length of the text",
        "A straight line for the projections and a curve for scores and outputs. The curve starts "
        f"below the line, meets it at {2 * d_model:,} words and is twice as high at {LONGEST:,}.",
        620,
        250,
        parts,
    )
