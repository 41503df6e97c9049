"""Files that are whole at every moment, and the tables that people keep in spreadsheets."""

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path

TABLE_BYTES = 64 * 1024 * 1024
DELIMITERS = ",;\t"


def write_whole(path: Path, content: bytes) -> None:
    """Replaces a file in one step: a reader sees the old one or the new one; OSError leaves it."""
    # Beside the target and not in /tmp: a rename is atomic within one file system only.
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


class UnreadableError(OSError):
    """A file is there and cannot be read: its words say which, and why."""


@dataclass
class Table:
    """A CSV file: every row has as many cells as the header."""

    header: list[str]
    rows: list[list[str]]
    delimiter: str = ","

    def dicts(self) -> list[dict[str, str]]:
        return [dict(zip(self.header, row, strict=True)) for row in self.rows]


def read_table(path: Path) -> Table:
    """A CSV file as spreadsheets write it, whatever its delimiter and encoding.

    Raises ValueError, in words, where it is none, and UnreadableError where it cannot be read.
    """
    try:
        with path.open("rb") as file:
            source = file.read(TABLE_BYTES + 1)
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror}.") from error
    if len(source) > TABLE_BYTES:
        raise ValueError(f"{path.name} is larger than {TABLE_BYTES // 2**20} MiB.")
    text = text_of_table(source)
    if "\0" in text:
        raise ValueError(f"{path.name} is no text file: save it as CSV.")
    first = text.lstrip().partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ValueError(f"{path.name} is no CSV file: {error}.") from None
    # Excel names the delimiter in a line of its own.
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    rows = rows[1:] if rows and rows[0][0].lower().startswith("sep=") else rows
    if not rows:
        raise ValueError(f"{path.name} is empty.")
    header = [cell.strip() for cell in rows[0]]
    width = len(header)
    return Table(header, [(row + [""] * width)[:width] for row in rows[1:]], delimiter)


def text_of_table(source: bytes) -> str:
    """The text of a file that a spreadsheet may have saved in one of three encodings."""
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.decode("utf-16", "replace")
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError:
        return source.decode("cp1252", "replace")


def table_bytes(header: list[str], rows: list[list[str]], delimiter: str = ",") -> bytes:
    """A table as CSV; with the mark that Excel needs to read other letters than English ones."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows([header, *rows])
    text = out.getvalue()
    # A lone surrogate stands for a byte of a file's name that is no text.
    return text.encode("utf-8" if text.isascii() else "utf-8-sig", "replace")
