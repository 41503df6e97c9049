"""What a file defines, seen without running it, and the file in which to ask a function.

The reading child imports this file: nothing here may be slow to import.
"""

import ast
import re
import sys
import warnings
from collections.abc import Iterator

from autograder.intake.naming import canonical, is_test, plain, stem_of

# Parsing takes about a kilobyte of memory for each of these; for one file, and for all together.
TOKENS = 100_000
TOKENS_TOGETHER = 300_000
TOKEN = re.compile(r"\w+|[^\s\w]")
# Imports remembered per file, for the words on one that fails.
IMPORTS = 100
PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"

# A verdict and its message: StudentFault is for those who raise it.
Fault = tuple[str, str]
# First line, last line, top-level modules named, leading dots.
Import = tuple[int, int, list[str], int]


class Contents:
    """What a file defines at its top level; syntax_fault where it cannot be parsed."""

    def __init__(self, syntax_fault: str = "", mentions: str = "") -> None:
        self.defined: set[str] = set()
        self.imported: dict[str, tuple[str, str]] = {}
        self.stubs: set[str] = set()
        # The parameters of plain functions, those that are passed by name alone with a star.
        self.parameters: dict[str, list[str]] = {}
        self.imports: list[Import] = []
        # The line of an import with a leading dot, which was read without it; 0 for none.
        self.relative = 0
        self.syntax_fault = syntax_fault
        self.mentions = mentions

    def note(self, node: ast.stmt, replaces: bool) -> None:
        """Takes a statement in; a later definition replaces an earlier one, but not in a branch."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.stubs.discard(node.name)
            if replaces:
                self.defined.discard(node.name)
            (self.stubs if is_stub(node) else self.defined).add(node.name)
            self.parameters.pop(node.name, None)
            if not node.decorator_list:
                self.parameters[node.name] = parameters_of(node.args)
        elif isinstance(node, ast.ClassDef):
            self.defined.add(node.name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                self.defined |= {name.id for name in names if isinstance(name, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self.defined.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self.imported[alias.asname or alias.name] = (node.module or "", alias.name)

    def holds(self, function: str, own: str) -> bool:
        """Whether the name is there: defined, or imported, if not as itself from its own file."""
        module, name = self.imported.get(function, (own, function))
        return function in self.defined or (module.rpartition(".")[2], name) != (own, function)


class UnparsableError(Exception):
    """Source that is no Python; `line` is 0 where no line is to blame."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line

    def sentence(self, place: str) -> str:
        where = f"Line {self.line} of {place}" if self.line else place
        return f"{where} {self}"


def parse(text: str) -> ast.Module:
    """The syntax tree; UnparsableError with words for the student."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        message = f"is not valid Python: {plain(str(error.msg))} (graded with {PYTHON})."
        raise UnparsableError(message, error.lineno or 0) from None
    except (ValueError, RecursionError, MemoryError):
        raise UnparsableError("is not valid Python: it cannot be parsed.") from None


def tokens(text: str) -> int:
    return sum(1 for _ in TOKEN.finditer(text))


def contents_of(tree: ast.Module) -> Contents:
    contents = Contents()
    for node, nested in top_level(tree):
        contents.note(node, replaces=not nested)
    for inner in ast.walk(tree):
        if isinstance(inner, (ast.Import, ast.ImportFrom)) and len(contents.imports) < IMPORTS:
            contents.imports.append(import_at(inner))
    return contents


def import_at(node: ast.Import | ast.ImportFrom) -> Import:
    """Where an import stands, and what it is of."""
    if isinstance(node, ast.ImportFrom):
        named, level = [(node.module or "").partition(".")[0]], node.level
    else:
        named, level = [alias.name.partition(".")[0] for alias in node.names], 0
    short = [name for name in named[:IMPORTS] if len(name) < IMPORTS]
    return node.lineno, node.end_lineno or node.lineno, short, level


class Mended:
    """A text with its imports as they can be run: lines keep their numbers.

    Those of what is not there are left out where nothing uses them that is asked; those with a
    leading dot, which would need a package, are made without it.
    """

    def __init__(self, tree: ast.Module, text: str, importable: set[str], asked: set[str]) -> None:
        self.left_out: list[str] = []
        self.relative = 0
        lines, used = text.split("\n"), names_needed(tree, asked)
        for node in tree.body:
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            modules = {name.partition(".")[0] for name in modules_of(node)}
            names = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            whole = lines[first:last]
            alone = whole and whole[0].startswith(("import", "from")) and ";" not in "".join(whole)
            if not alone:
                continue
            if modules and not modules & importable and not names & (used | {"*"}):
                lines[first:last] = ["pass", *[""] * (last - first - 1)]
                self.left_out += sorted(modules)
            elif isinstance(node, ast.ImportFrom) and node.level == 1:
                lines[first:last] = [without_dot(node), *[""] * (last - first - 1)]
                self.relative = self.relative or node.lineno
        self.text = "\n".join(lines)


def without_dot(node: ast.ImportFrom) -> str:
    if node.module:
        return ast.unparse(ast.ImportFrom(node.module, node.names, 0))
    return ast.unparse(ast.Import(node.names))


def names_needed(tree: ast.Module, asked: set[str]) -> set[str]:
    """The names that are read on import, or by the functions asked and those that they call.

    Where a file holds none of those, every function of it may be called.
    """
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    own = asked & {*functions} or {*functions}
    waiting: list[ast.stmt] = [functions[name] for name in own]
    waiting += [
        node for node in tree.body if not isinstance(node, ast.FunctionDef) and not is_main(node)
    ]
    needed: set[str] = set()
    while waiting:
        read = {node.id for node in ast.walk(waiting.pop()) if isinstance(node, ast.Name)}
        waiting += [functions[name] for name in (read - needed - own) & {*functions}]
        needed |= read
    return needed


def modules_of(node: ast.Import | ast.ImportFrom) -> list[str]:
    """What an import is of; nothing where it starts from the file's own package."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.module and not node.level else []


def is_main(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":`, whose statements are for the student's own runs."""
    if not isinstance(node, ast.If) or node.orelse:
        return False
    return any(isinstance(one, ast.Name) and one.id == "__name__" for one in ast.walk(node.test))


def top_level(tree: ast.Module) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of a module in order, with those inside if, for, try and the like (True)."""
    waiting = [(node, False) for node in reversed(tree.body)]
    while waiting:
        node, nested = waiting.pop()
        yield node, nested
        waiting += [(inner, True) for inner in reversed(inside(node))]


def inside(node: ast.stmt) -> list[ast.stmt]:
    """The statements in a block that is run where it stands."""
    if not isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
        return []
    inner = [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
    for handler in getattr(node, "handlers", []):
        inner += handler.body
    return inner


def parameters_of(arguments: ast.arguments) -> list[str]:
    """The names of a function's parameters, with Python's marks for how they are passed.

    "/" follows those passed by position alone; "*" stands for any others, and before the names of
    those passed by name alone; "**" for any others by name.
    """
    names = [each.arg for each in arguments.posonlyargs]
    names += ["/"] if names else []
    names += [each.arg for each in arguments.args]
    names += ["*"] if arguments.vararg else []
    names += [f"*{each.arg}" for each in arguments.kwonlyargs]
    return [*names, "**"] if arguments.kwarg else names


def is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A body of docstring, pass, `...` or `raise NotImplementedError`."""
    return all(is_nothing(statement) for statement in node.body)


def is_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return isinstance(node, ast.Pass)


def locate(
    function: str, own: str, contents: dict[str, Contents], refused: dict[str, str], left_out: str
) -> str | Fault:
    """The file to ask a function of, or the fault.

    Its own file by its name, unless that is missing, does not parse or is still the stub; then the
    others in alphabetical order, tests apart. `left_out` says that not all files were read.
    """
    order = sorted(contents, key=lambda file: (file.count("/"), file.lower()))
    named = [file for file in order if stem_of(file) == own]
    others = [file for file in order if file not in named and not is_test(file)]
    for file in [*named, *others]:
        if contents[file].holds(function, own):
            return file
    unparsed = {file: fault for file in [*named, *others] if (fault := contents[file].syntax_fault)}
    for file, fault in unparsed.items():
        if file in named or f"def {function}" in contents[file].mentions:
            return "syntax_error", fault
    for file in [*named, *others]:
        if function in contents[file].stubs:
            return "not_attempted", f"{function} in {file} is not written yet."
    if unparsed:
        return "syntax_error", next(iter(unparsed.values()))
    for name, reason in refused.items():
        if canonical(stem_of(name), (own,)) or not contents:
            return "missing", reason
    if left_out:
        return "missing", left_out
    if named:
        message = f"{named[0]} does not define {function}: is the name spelled as in the template?"
        return "missing", message
    return "missing", f"No file defines {function}: hand in {own}.py."


SHIM = """

def {function}(*arguments, **named):
    from {module} import {function}

    return {function}(*arguments, **named)
"""


def add_shim(
    files: dict[str, bytes], contents: dict[str, Contents], function: str, own: str, place: str
) -> None:
    """Who imports from a function's own file gets what was found elsewhere, not a leftover stub.

    It looks only when it is called: the place may import from this file in turn.
    """
    module, file = stem_of(place), f"{own}.py"
    if module != own:
        kept = file in files and not contents[file].syntax_fault
        source = files[file] if kept else b""
        files[file] = source + SHIM.format(function=function, module=module).encode()
