"""Pictures of the handouts as SVG text: the same bytes on every machine, readable in the dark."""

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

# Colours that hold on a white page and on a black one; text takes the page's through the panel.
PANEL, INK, LINE = "#ffffff", "#1a1a1a", "#767676"
FULL = (20, 80, 160)  # of a weight of 1; 0 is white


def picture(title: str, words: str, width: int, height: int, parts: Sequence[str]) -> str:
    """A whole SVG file. Screen readers read the title, and the words for what is seen."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="title words" '
        f'font-family="sans-serif" font-size="14">\n'
        f'<title id="title">{escape(title)}</title>\n<desc id="words">{escape(words)}</desc>\n'
        f'<rect width="{width}" height="{height}" fill="{PANEL}"/>\n{body}\n</svg>\n'
    )


def text(x: float, y: float, words: str, anchor: str = "middle", fill: str = INK) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{fill}">{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, fill: str = "none") -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" '
        f'stroke="{LINE}"/>'
    )


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line with a head at its end; it runs to the right or downwards."""
    back = (
        f"{x2 - 7:g},{y2 - 4:g} {x2 - 7:g},{y2 + 4:g}"
        if x2 > x1
        else f"{x2 - 4:g},{y2 - 7:g} {x2 + 4:g},{y2 - 7:g}"
    )
    return (
        f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{INK}"/>'
        f'<polygon points="{x2:g},{y2:g} {back}" fill="{INK}"/>'
    )


def shade(weight: float) -> str:
    """The colour of a weight from 0 to 1."""
    return "#" + "".join(f"{round(255 + (full - 255) * weight):02x}" for full in FULL)


def bars(x: float, y: float, heading: str, weights: Sequence[float]) -> list[str]:
    """One bar per weight, 100 high for a weight of 1, with its number to three decimals."""
    parts = [text(x + 90, y, heading)]
    for place, weight in enumerate(weights):
        left, height = x + 60 * place, 100 * weight
        parts += [
            box(left, y + 130 - height, 50, height, shade(0.6)),
            text(left + 25, y + 124 - height, f"{weight:.3f}"),
        ]
    return parts


def grid(
    x: float,
    y: float,
    heading: str,
    labels: Sequence[str],
    weights: NDArray[np.float64],
    cells: Sequence[Sequence[str]],
) -> list[str]:
    """A table of shaded cells, 70 x 40 each, a label on each row and column."""
    parts = [text(x + 60 + 35 * len(labels), y, heading)]
    for column, label in enumerate(labels):
        parts.append(text(x + 95 + 70 * column, y + 24, label))
    for row, label in enumerate(labels):
        parts.append(text(x + 54, y + 58 + 40 * row, label, anchor="end"))
        for column, words in enumerate(cells[row]):
            weight = float(weights[row, column])
            left, top = x + 60 + 70 * column, y + 33 + 40 * row
            ink = PANEL if weight > 0.5 else INK
            parts += [
                box(left, top, 70, 40, shade(weight)),
                text(left + 35, top + 25, words, fill=ink),
            ]
    return parts
