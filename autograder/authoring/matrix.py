"""What the gate found: on the terminal, and as a page."""

import datetime
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jinja2
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.authoring.verify import Column, Row, Verification
from autograder.files import write_whole
from autograder.kit.cases import read_data


@dataclass(frozen=True)
class Part:
    """The matrix of one function: its mistakes, and by suite the tests that see one of them.

    Tests are numbered through the whole matrix.
    """

    function: str
    rows: list[Row]
    suites: dict[str, list[tuple[int, Column]]]

    @property
    def tests(self) -> list[tuple[int, Column]]:
        return [test for suite in self.suites.values() for test in suite]


def parts(found: Verification) -> Iterator[Part]:
    """The matrix, function by function."""
    for function in dict.fromkeys(row.function for row in found.matrix):
        rows = [row for row in found.matrix if row.function == function]
        failing = {name for row in rows for name in row.fails}
        suites: dict[str, list[tuple[int, Column]]] = {}
        for number, test in enumerate(found.tests, start=1):
            if test.function == function or test.name in failing:
                suites.setdefault(test.exercise, []).append((number, test))
        yield Part(function, rows, suites)


def show_verification(found: Verification, console: Console) -> None:
    """The matrix, then every check with its figure or its faults; 80 columns are enough."""
    for part in parts(found):
        console.print(matrix_table(part))
        console.print()
    for exercise in dict.fromkeys(test.exercise for test in found.tests):
        console.print(Text(f"The tests of {exercise}", style="bold"))
        for number, test in enumerate(found.tests, start=1):
            if test.exercise == exercise:
                console.print(Text(f"{number:4} {test.name}"))
        console.print()
    for check in found.checks:
        style = "green" if check.holds else "red"
        figure = f" ({check.figure})" if check.figure else ""
        words = f"{'holds' if check.holds else 'FAILS'}  {check.name}{figure}"
        console.print(Text(words, style=style), soft_wrap=True)
        for fault, times in Counter(check.faults).items():
            told = f"       {fault}" + (f" ({times} times)" if times > 1 else "")
            console.print(Text(told), soft_wrap=True)


def matrix_table(part: Part) -> Table:
    """The mistakes of a function, and by number the tests that each fails."""
    table = Table(box=None, padding=(0, 2, 0, 0), title_justify="left")
    table.add_column(f"mistakes in {part.function}", no_wrap=True)
    table.add_column("versions", justify="right")
    table.add_column("fails the tests; (n): n versions only")
    for row in part.rows:
        failed = (
            str(number) if row.fails[test.name] == row.versions else f"{number} ({some})"
            for number, test in part.tests
            if (some := row.fails.get(test.name))
        )
        table.add_row(row.misconception, str(row.versions), ", ".join(failed))
    return table


def write_page(found: Verification, path: Path) -> None:
    """The same as one HTML file that needs nothing else; OSError where it cannot be written."""
    source = Path(__file__).with_name("matrix.html").read_text(encoding="utf-8")
    page = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    text = page.from_string(source).render(
        found=found,
        parts=list(parts(found)),
        draw=read_data("provenance"),
        date=datetime.date.today().isoformat(),
    )
    write_whole(path, text.encode())
