"""The text of a source file, from the encodings that a student's editor writes.

The reading child imports this file: nothing here may be slow to import.
"""

import codecs
import re

# PEP 263, as Python's own tokenizer looks for it in the first two lines.
COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
COMMENT = re.compile(rb"[ \t\f]*(?:#.*)?\r?$")
# Other codecs are quadratic (punycode), or mean another program than the one that is seen.
ENCODINGS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "utf-8-sig": "utf-8",
    "ascii": "ascii",
    "us-ascii": "ascii",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "iso-8859-1": "latin-1",
    "cp1252": "cp1252",
    "windows-1252": "cp1252",
}
SAVE = "save it as UTF-8"


class UnreadableTextError(Exception):
    """A file that is no text, or in an encoding that is not read; its message follows the name."""


def decode(source: bytes) -> tuple[str, str]:
    """The text, and how it was read where that is not as Python reads it ("" otherwise)."""
    if source.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return text_of(source, "utf-16"), f"is saved as UTF-16 and was read so: {SAVE}"
    named = cookie(source)
    if named and named not in ENCODINGS:
        raise UnreadableTextError(f"says that it is written in {named[:30]}: {SAVE}")
    encoding = ENCODINGS.get(named, "utf-8")
    try:
        text = source.removeprefix(codecs.BOM_UTF8).decode(encoding)
    except UnicodeDecodeError:
        note = f"is not valid UTF-8 and was read as Windows-1252: {SAVE}"
        return text_of(source, "cp1252"), note
    if "\0" in text:
        raise UnreadableTextError("is no text file: hand in the source code")
    return text, ""


def text_of(source: bytes, encoding: str) -> str:
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UnreadableTextError("is no text file: hand in the source code")
    return text


def cookie(source: bytes) -> str:
    """The encoding that the first two lines name, as ENCODINGS spells it; "" for none."""
    start = 0
    for _ in range(2):
        end = source.find(b"\n", start)
        line = source[start : end if end >= 0 else len(source)]
        found = COOKIE.match(line)
        if found:
            return found[1].decode("ascii").lower().replace("_", "-")
        if end < 0 or not COMMENT.match(line):
            break
        start = end + 1
    return ""


def as_utf8(text: str) -> bytes:
    """Text as Python reads it without further word, in the same lines."""
    first, mark, rest = text.partition("\n")
    second, more, rest = rest.partition("\n")
    head = re.sub("coding(?=[:=])", "encoded", first + mark + second, count=2)
    return (head + more + rest).encode("utf-8", "surrogatepass")
