"""The reading child: collects, decodes and parses one submission, and answers in frames.

Started by bounded.py with `-I -S` for every submission, so nothing here may be slow to import. It
runs none of the student's code. A frame is a length and JSON; the last is followed by raw bytes.
"""

import ast
import json
import re
import struct
import sys
from collections.abc import Callable

from autograder.intake import contents, naming
from autograder.intake.collecting import (
    TOO_DEAR,
    Collected,
    ForbiddenError,
    UnreadableError,
    collect,
)
from autograder.intake.contents import Contents, UnparsableError
from autograder.intake.decoding import UnreadableTextError, as_utf8, decode
from autograder.intake.shape import shape_of

LENGTH = struct.Struct(">I")
REMARKS, REMARK_CHARACTERS = 20, 300
# A question's id and its answer on a line of their own, as far as a sheet is read.
ANSWER = re.compile(r"""[ \t"']*q[0-9]{1,3}[ \t"']*[=:]+([^#\r\n]*)""", re.IGNORECASE)
SHEET_LINES = 5_000
Header = dict[str, object]
Body = list[bytes]


def main() -> None:
    asked = json.load(sys.stdin)
    limit_resources(asked.pop("memory_bytes"), asked.pop("cpu_seconds"))
    send({"at": ""})
    body: Body = []
    try:
        header, body = read(lambda name: send({"at": name}), **asked)
    except UnreadableError as error:
        header = {"unreadable": str(error)}
    except ForbiddenError as error:
        header = {"forbidden": str(error)}
    send(header)
    for part in body:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


def send(header: Header) -> None:
    encoded = json.dumps(header).encode()
    sys.stdout.buffer.write(LENGTH.pack(len(encoded)) + encoded)
    sys.stdout.buffer.flush()


def limit_resources(memory_bytes: int, cpu_seconds: int) -> None:
    """As far as the system lets us: the parent holds the clock in any case."""
    import resource

    limits = {"RLIMIT_AS": memory_bytes, "RLIMIT_CPU": cpu_seconds, "RLIMIT_CORE": 0}
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (ValueError, OSError):
            continue


def read(
    begin: Callable[[str], None],
    path: str,
    functions: dict[str, str],
    added: list[str],
    skipped: list[str],
    file_kibibytes: int,
    submission_kibibytes: int,
    files: int,
) -> tuple[Header, Body]:
    """What bounded.py makes a Submission of; `begin` is told of each file that is read next.

    functions are those asked for, each with the name of the file in which it should be.
    """

    def begins(name: str) -> bool:
        begin(name)
        return name not in skipped

    found = Collected(tuple(functions.values()), file_kibibytes, submission_kibibytes, files)
    found.begin = begins
    collect(path, found, frozenset(added))
    return Reading(found, functions).answer()


class Reading:
    """The files of a submission as they will be imported, and what each of them holds."""

    def __init__(self, found: Collected, functions: dict[str, str]) -> None:
        self.found, self.functions = found, functions
        self.remarks: list[str] = []
        # By the name under which a file was handed in.
        self.sources: dict[str, bytes] = {}
        self.contents: dict[str, Contents] = {}
        self.unread: dict[str, str] = {}
        self.tokens = contents.TOKENS_TOGETHER

    def answer(self) -> tuple[Header, Body]:
        found, functions = self.found, self.functions
        package, handed_in = naming.without_shared_folders({**found.files, **found.notebooks})
        tidied = naming.tidy(handed_in, found.functions)
        # handed_in leaves out the folders that all files share.
        originals = dict(zip(handed_in, [*found.files, *found.notebooks], strict=True))
        modules = {part for path in tidied for part in path.removesuffix(".py").split("/")}
        shown: dict[str, str] = {}
        for path, name in tidied.items():
            shown.setdefault(name, path)
        for name, path in shown.items():
            self.understand(originals[name], name, path, handed_in[name], modules)
        files = {path: self.sources[name] for path, name in tidied.items() if name in self.sources}
        known = {path: self.contents[name] for path, name in tidied.items()}
        places: dict[str, str] = {}
        faults: dict[str, contents.Fault] = {}
        for function, own in functions.items():
            place = contents.locate(function, own, known, found.refused, found.left_out)
            if isinstance(place, str):
                places[function] = place
                contents.add_shim(files, known, function, own, place)
            else:
                faults[function] = place
        sheet = self.sheet()
        self.remark_on_names(known)
        header: Header = {
            "files": [[name, len(source)] for name, source in files.items()],
            "places": places,
            "relative": [function for function, place in places.items() if known[place].relative],
            "parameters": {
                function: known[place].parameters[function]
                for function, place in places.items()
                if function in known[place].parameters
            },
            "faults": faults,
            "package": package,
            "exam": None if sheet is None else len(found.sheets[sheet]),
            "exam_fault": next((why for name, why in self.refused(naming.is_exam)), ""),
            "imports": {path: known[path].imports for path in known if known[path].imports},
            "unread": {naming.stem_of(shown[name]): why for name, why in self.unread.items()},
            "defines": sorted(
                {
                    function
                    for path, held in known.items()
                    if not naming.is_test(path)
                    for function in held.defined & {*functions}
                }
            ),
            "remarks": self.all_remarks(),
            "shape": shape_of(files[path] for path in {*places.values()}),
        }
        return header, [*files.values(), *([] if sheet is None else [found.sheets[sheet]])]

    # --- one file ------------------------------------------------------------------------------

    def understand(
        self, original: str, name: str, path: str, source: bytes, modules: set[str]
    ) -> None:
        """Decodes and parses a file, once; the guest gets it under `path`."""
        self.found.begin(original)
        try:
            if naming.kind_of(name) == "notebook":
                self.take_notebook(name, path, source, modules)
            else:
                self.take_python(name, path, source, modules)
        except UnreadableTextError as error:
            self.leave_unread(name, path, f"{error}.")
        except MemoryError:
            self.leave_unread(name, path, TOO_DEAR)

    def leave_unread(self, name: str, path: str, reason: str) -> None:
        message = f"{naming.plain(path)} {reason}"
        self.unread[name] = message
        self.contents[name] = Contents(syntax_fault=message)
        self.remarks.append(f"{naming.plain(name)} {reason}")

    def take_python(self, name: str, path: str, source: bytes, modules: set[str]) -> None:
        text, note = decode(source)
        if note:
            self.remarks.append(f"{naming.plain(name)} {note}.")
        if not name.lower().endswith(".py") or name.lower().endswith(".py.py"):
            self.remarks.append(f"{naming.plain(name)} was read as {path}: name it so.")
        self.sources[name] = as_utf8(text) if note else source
        self.tokens -= (count := contents.tokens(text))
        if count > contents.TOKENS or self.tokens < 0:
            message = f"{naming.plain(path)} holds far more code than any solution needs."
            self.contents[name] = Contents(syntax_fault=message)
            return
        try:
            tree = contents.parse(text)
            if "get_ipython" not in text:
                self.contents[name] = contents.contents_of(tree)
                self.mend_imports(name, path, tree, text, modules)
                return
            error = None
        except UnparsableError as unparsable:
            error = unparsable
        self.take_exported(name, path, text, error)

    def mend_imports(
        self, name: str, path: str, tree: ast.Module, text: str, modules: set[str]
    ) -> None:
        """Leaves out imports of what is neither there nor needed, and the dots before others."""
        importable = {*sys.stdlib_module_names, "numpy", *modules}
        if all(
            level == 0 and importable.issuperset(names)
            for _, _, names, level in self.contents[name].imports
        ):
            return
        mended = contents.Mended(tree, text, importable, {*self.functions})
        if mended.text == text:
            return
        self.sources[name] = as_utf8(mended.text)
        self.contents[name].relative = mended.relative
        file = naming.plain(path)
        if mended.left_out:
            self.remarks.append(
                f"{file} imports {', '.join(mended.left_out)} and does not need it: left out, "
                "since this exercise allows NumPy only."
            )
        if mended.relative:
            self.remarks.append(
                f"Line {mended.relative} of {file} imports with a leading dot; the files lie side "
                "by side, so it was read without."
            )

    def take_exported(self, name: str, path: str, text: str, error: UnparsableError | None) -> None:
        """A script with what only a notebook can run, which is left out of it."""
        from autograder.intake.notebook import without_magics

        try:
            remnants = without_magics(text.replace("\r\n", "\n").replace("\r", "\n"))
            self.contents[name] = contents.contents_of(contents.parse(remnants.text))
        except UnparsableError as other:
            fault = (error or other).sentence(naming.plain(path))
            self.contents[name] = Contents(fault, mentions=text)
            return
        if remnants.left_out:
            self.sources[name] = as_utf8(remnants.text)
            self.remarks.append(
                f"{naming.plain(name)}: lines that only a notebook can run (!, %, get_ipython) "
                f"were left out: {remnants.left_out}."
            )

    def take_notebook(self, name: str, path: str, source: bytes, modules: set[str]) -> None:
        from autograder.intake.notebook import importable_modules, read_notebook, sheet_of

        own = importable_modules(modules - {naming.stem_of(path)})
        try:
            remnants = read_notebook(source, own, min(self.tokens, contents.TOKENS))
            known = contents.contents_of(contents.parse(remnants.text))
            sheet = sheet_of(source)
        except UnparsableError as error:
            self.leave_unread(name, path, error.sentence(naming.plain(name)).partition(" ")[2])
            return
        if sheet:
            # Below the notebook: a filled exam.toml beside it comes first.
            self.found.sheets[f"{name}/exam.toml"] = sheet
        self.tokens -= contents.tokens(remnants.text)
        if remnants.fault:
            known.syntax_fault = f"{naming.plain(name)}: {remnants.fault}"
            known.mentions = remnants.broken
        self.contents[name] = known
        self.sources[name] = as_utf8(remnants.text)
        self.remarks.append(
            f"{naming.plain(name)} was read as {path}: its definitions, imports and what they "
            f"need; other statements and lines left out: {remnants.left_out}. Line numbers count "
            "the lines of its code cells, one after another."
        )

    # --- the exam, and remarks -----------------------------------------------------------------

    def sheet(self) -> str | None:
        """The exam sheet: a filled one before a blank one, of its own name before another's."""
        sheets = self.found.sheets
        filled = {name for name, source in sheets.items() if holds_answers(source)}
        likely = [name for name in sheets if name in filled or naming.is_exam(name)]
        likely.sort(
            key=lambda name: (
                name not in filled,
                not naming.is_exam(name),
                name.count("/"),
                naming.is_copy_of_exam(name),
                name,
            )
        )
        if not likely:
            return None
        chosen = likely[0]
        if not naming.is_exam(chosen) or not chosen.lower().endswith(".toml"):
            self.remarks.append(f"{naming.plain(chosen)} was read as the exam sheet exam.toml.")
        for other in likely[1:]:
            if other in filled:
                self.remarks.append(
                    f"{naming.plain(other)} was not read: {naming.plain(chosen)} is the exam sheet."
                )
        return chosen

    def remark_on_names(self, known: dict[str, Contents]) -> None:
        imported = {
            name for held in known.values() for _, _, names, _ in held.imports for name in names
        }
        for path in known:
            stem = naming.stem_of(path)
            if naming.hides_standard_module(path) and stem in imported:
                self.remarks.append(
                    f"Python has a module named {stem}: yours was taken; give it another name."
                )

    def refused(self, wanted: Callable[[str], bool]) -> list[tuple[str, str]]:
        return [(name, why) for name, why in self.found.refused.items() if wanted(name)]

    def all_remarks(self) -> list[str]:
        """Every remark once, or the first of very many."""
        every = [*self.remarks, *self.found.refused.values(), self.found.left_out]
        different = [remark[:REMARK_CHARACTERS] for remark in dict.fromkeys(every) if remark]
        if len(different) > REMARKS:
            more = len(different) - REMARKS
            different = [*different[:REMARKS], f"Of other files the like may be said: {more}."]
        return different


def holds_answers(source: bytes) -> bool:
    """Whether a line of a sheet answers a question by its id."""
    encoding = "utf-16" if source.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = source.decode(encoding, "replace")
    for line in text.split("\n", SHEET_LINES)[:SHEET_LINES]:
        found = ANSWER.match(line)
        if found and found[1].strip(" \t\r\"'\u201c\u201d\u201e\u2018\u2019"):
            return True
    return False
