"""The picture of the page: what is kept, what the newest word adds, and what it asks."""

from autograder.kit import svg

LEFT, TOP, WIDE, HIGH = 130, 40, 90, 34
KEPT = ("word 0", "word 1", "word 2", "newest")


def picture() -> str:
    parts = [
        svg.text(LEFT + WIDE / 2, 28, "keys"),
        svg.text(LEFT + 330 + WIDE / 2, 28, "values"),
        svg.text(LEFT + 165 + WIDE / 2, 28, "weights"),
    ]
    for row, word in enumerate(KEPT):
        y = TOP + HIGH * row
        new = row == len(KEPT) - 1
        parts.append(svg.text(LEFT - 12, y + 22, word, anchor="end"))
        for column, told in enumerate(("k", "w", "v")):
            fill = svg.PANEL if column == 1 else svg.shade(0.5 if new else 0.15)
            x = LEFT + 165 * column
            parts.append(svg.box(x, y, WIDE, HIGH, fill))
            parts.append(svg.text(x + WIDE / 2, y + 22, f"{told}{row}"))
        parts.append(svg.arrow(LEFT + WIDE, y + HIGH / 2, LEFT + 165, y + HIGH / 2))
        parts.append(svg.arrow(LEFT + 165 + WIDE, y + HIGH / 2, LEFT + 330, y + HIGH / 2))
    bottom = TOP + HIGH * len(KEPT)
    parts += [
        svg.text(LEFT + 165 + WIDE / 2, bottom + 24, "one query meets all keys"),
        svg.text(LEFT + 330 + WIDE / 2, bottom + 24, "output: their mix"),
        svg.text(LEFT + WIDE / 2, bottom + 44, "pale: kept; dark: new"),
    ]
    return svg.picture(
        "one step beside a KV cache",
        "Keys and values of words 0 to 2 are kept, those of the newest word are added. Its query "
        "meets all four keys; the four weights mix the four values into one output.",
        620,
        210,
        parts,
    )
