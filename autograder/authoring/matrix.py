"""What the gate found: on the terminal, and as a page."""

from collections import Counter
from pathlib import Path

import jinja2
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.authoring.verify import Verification


def show_verification(found: Verification, console: Console) -> None:
    """The matrix, then every check with its figure or its faults."""
    if found.matrix:
        console.print(matrix_table(found))
        for number, test in enumerate(found.tests, start=1):
            console.print(Text(f"{number:4} {test}"))
        console.print()
    for check in found.checks:
        style = "green" if check.holds else "red"
        figure = f" ({check.figure})" if check.figure else ""
        words = f"{'holds' if check.holds else 'FAILS'}  {check.name}{figure}"
        console.print(Text(words, style=style))
        for fault, times in Counter(check.faults).items():
            console.print(Text(f"       {fault}" + (f" ({times} times)" if times > 1 else "")))


def matrix_table(found: Verification) -> Table:
    """Misconceptions against tests: how many of a misconception's versions fail the test."""
    table = Table(box=None, padding=(0, 0, 0, 1))
    table.add_column("misconception", no_wrap=True)
    table.add_column("in", no_wrap=True)
    table.add_column("of", justify="right")
    for number in range(1, len(found.tests) + 1):
        table.add_column(str(number), justify="right")
    for row in found.matrix:
        cells = (str(row.fails.get(test) or ".") for test in found.tests)
        table.add_row(row.misconception, row.function, str(row.versions), *cells)
    return table


def write_page(found: Verification, path: Path) -> None:
    """The same as one HTML file that needs nothing else."""
    source = Path(__file__).with_name("matrix.html").read_text(encoding="utf-8")
    page = jinja2.Environment(autoescape=True, trim_blocks=True).from_string(source)
    path.write_text(page.render(found=found), encoding="utf-8")
