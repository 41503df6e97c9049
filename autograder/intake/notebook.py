"""Notebooks, and scripts that a notebook was exported to, as Python that can be imported.

The reading child imports this file: nothing here may be slow to import.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from autograder.intake.contents import UnparsableError, inside, parse, tokens, top_level

CELLS = 1000
MAGIC = re.compile(r"[ \t]*(?:[%!]|\w+[ \t]*=[ \t]*[%!]|\?{1,2}\w|[\w.]+\?{1,2}[ \t]*$)")
# Cell magics whose body is Python all the same; every other one's is another language.
PYTHON_CELLS = {"%%time", "%%timeit", "%%capture", "%%prun", "%%writefile", "%%file", "%%python3"}
SHELL = "get_ipython"


class Remnants:
    """A text that can be imported, how many lines were left out of it, and what did not parse."""

    def __init__(self, text: str, left_out: int = 0, fault: str = "", broken: str = "") -> None:
        self.text = text
        self.left_out = left_out
        self.fault = fault
        self.broken = broken


# --- magics --------------------------------------------------------------------------------------


def without_magics(text: str) -> Remnants:
    """The text without `!` and `%` lines, if it does not parse with them, and get_ipython() calls.

    Every line keeps its number. UnparsableError where it does not parse all the same.
    """
    left_out = 0
    try:
        tree = parse(text)
    except UnparsableError:
        # At the left margin first: an indented % may go on with an expression.
        for indented in (False, True):
            stripped, left_out = strip_magics(text, indented)
            try:
                tree = parse(stripped)
            except UnparsableError:
                continue
            text = stripped
            break
        else:
            raise
    if SHELL in text:
        calls = [node for node, _ in top_level(tree) if not inside(node) and calls_shell(node)]
        text = blank(text, calls, "pass")
        left_out += len(calls)
    return Remnants(text, left_out)


def strip_magics(text: str, indented: bool) -> tuple[str, int]:
    """Puts `pass` in place of each line that is IPython's, and how many these were."""
    lines, count, goes_on = text.split("\n"), 0, False
    for number, line in enumerate(lines):
        magic = MAGIC.match(line[:500]) and (indented or not line[:1].isspace())
        if goes_on or magic:
            room = "" if goes_on else line[: len(line) - len(line.lstrip())]
            # What goes on from the line before may stand deeper than a statement can.
            lines[number] = "" if goes_on else f"{room}pass"
            goes_on = line.rstrip().endswith("\\")
            count += 1
    return "\n".join(lines), count


def calls_shell(node: ast.stmt) -> bool:
    """Whether a plain statement asks IPython for something."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    return any(isinstance(inner, ast.Name) and inner.id == SHELL for inner in ast.walk(node))


def blank(text: str, nodes: list[ast.stmt], instead: str) -> str:
    """The text without these statements, in the same lines."""
    lines = text.split("\n")
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        first, last = first_line(node) - 1, (node.end_lineno or node.lineno) - 1
        start = len(lines[first].encode()[: node.col_offset].decode(errors="replace"))
        end = len(lines[last].encode()[: node.end_col_offset].decode(errors="replace"))
        before, after = lines[first][:start], lines[last][end:]
        if first_line(node) != node.lineno:
            before = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
        # Whatever stands behind a semicolon or a comment mark stays.
        kept = f"{before}{instead or 'pass'}{after}" if (before + after).strip() or instead else ""
        lines[first : last + 1] = [kept, *[""] * (last - first)]
    return "\n".join(lines)


def first_line(node: ast.stmt) -> int:
    """Where a statement starts, its decorators included."""
    decorators = getattr(node, "decorator_list", [])
    return min([int(node.lineno), *(int(decorator.lineno) for decorator in decorators)])


# --- notebooks -----------------------------------------------------------------------------------


def read_notebook(source: bytes, modules: set[str], most_tokens: int) -> Remnants:
    """The code cells of an .ipynb one after another: definitions, imports, and what these read.

    `modules` are those that can be imported: imports of others are left out. UnparsableError where
    it is no notebook.
    """
    parts: list[str] = []
    left_out, fault, broken = 0, "", ""
    for number, cell in code_cells(source):
        most_tokens -= tokens(cell)
        if most_tokens < 0:
            raise UnparsableError("holds far more code than any solution needs.")
        try:
            remnants = without_magics(python_of(cell))
        except UnparsableError as error:
            # The first to be told of; the cells that do parse count all the same.
            fault = fault or error.sentence(f"code cell {number}")
            broken += cell
            continue
        left_out += remnants.left_out
        parts.append(remnants.text)
    kept, experiments = without_experiments("\n".join(parts), modules)
    return Remnants(kept, left_out + experiments, fault, broken)


def sheet_of(source: bytes) -> bytes:
    """The answers of the last cell that says `answers = {"q01": "b", ...}`, as lines of TOML.

    Nothing is run: a value that is no constant counts as it is written. Empty where there are none.
    """
    found: dict[str, str] = {}
    for _, cell in code_cells(source):
        try:
            tree = parse(without_magics(python_of(cell)).text)
        except UnparsableError:
            continue
        for node in tree.body:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict):
                continue
            if any(isinstance(name, ast.Name) and name.id == "answers" for name in node.targets):
                found = dict(answers_in(node.value))
    lines = [f"{question} = {json.dumps(answer)}" for question, answer in found.items()]
    return "\n".join(lines).encode("utf-8", "replace")


def answers_in(node: ast.Dict) -> Iterator[tuple[str, str]]:
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and re.fullmatch(r"\w{1,20}", str(key.value)):
            text = str(value.value) if isinstance(value, ast.Constant) else ast.unparse(value)
            yield str(key.value), text


def code_cells(source: bytes) -> list[tuple[int, str]]:
    """The code cells with their numbers, of any version of the format."""
    try:
        # As text: a number of a million digits is nobody's code.
        notebook = json.loads(source, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        raise UnparsableError("is no notebook: save it again, or hand in .py files.") from None
    if not isinstance(notebook, dict):
        raise UnparsableError("is no notebook: save it again, or hand in .py files.")
    sheets = [notebook, *list_of(notebook.get("worksheets"))]
    cells = [cell for sheet in sheets for cell in list_of(sheet.get("cells"))]
    code = [cell for cell in cells if cell.get("cell_type") == "code"][:CELLS]
    return [(number, text_of(cell)) for number, cell in enumerate(code, start=1)]


def list_of(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    text = source if isinstance(source, str) else ""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def python_of(cell: str) -> str:
    """A cell's Python: without its %% line, or nothing where that says it is another language."""
    first, _, rest = cell.lstrip().partition("\n")
    if not first.startswith("%%"):
        return cell
    words = first.split()
    if words[0] not in PYTHON_CELLS:
        return ""
    if words[0] in ("%%writefile", "%%file") and not words[-1].endswith(".py"):
        return ""
    return f"\n{rest}"


def without_experiments(text: str, modules: set[str]) -> tuple[str, int]:
    """The text without the top-level statements that no definition needs, in the same lines."""
    import symtable

    tree = parse(text)
    table = symtable.symtable(text, "notebook", "exec")
    scopes = {(scope.get_name(), scope.get_lineno()): scope for scope in table.get_children()}
    imported = {name for node, _ in top_level(tree) if is_import(node) for name in bound_by(node)}
    # What reads one of these where it stands would end the whole file.
    missing = imported - {
        name
        for node, nested in top_level(tree)
        if is_import(node) and (nested or is_definition(node, modules))
        for name in bound_by(node)
    }
    binders: dict[str, list[int]] = {}
    kept: set[int] = set()
    waiting: list[str] = []
    for position, node in enumerate(tree.body):
        if missing & read_at_once(node):
            continue
        if is_definition(node, modules):
            kept.add(position)
            waiting += names_read(node, scopes)
        elif not is_import(node):
            for name in names_bound(node) - imported:
                binders.setdefault(name, []).append(position)
    while waiting:
        for position in binders.pop(waiting.pop(), []):
            if position not in kept:
                kept.add(position)
                waiting += names_read(tree.body[position], scopes)
    dropped = [node for position, node in enumerate(tree.body) if position not in kept]
    return blank(text, dropped, ""), len(dropped)


def bound_by(node: ast.stmt) -> list[str]:
    """The names that an import gives."""
    names = node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else []
    return [alias.asname or alias.name.partition(".")[0] for alias in names]


def read_at_once(node: ast.stmt) -> set[str]:
    """The names that a statement reads when it is run, and not only when a function is called."""
    return {
        inner.id
        for inner in walk_outside_functions(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    }


def is_import(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


def is_definition(node: ast.stmt, modules: set[str]) -> bool:
    """A function, a class, an import of what is there, or a block such as try that guards these."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in modules for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return not node.level and (node.module or "").partition(".")[0] in modules
    if isinstance(node, (ast.If, ast.Try)):
        inner = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
        guarded = isinstance(node, ast.Try)
        return any((guarded and is_import(part)) or is_definition(part, modules) for part in inner)
    return False


def names_read(node: ast.stmt, scopes: dict[tuple[str, int], Any]) -> set[str]:
    """The module's names that a statement reads, at once or inside the functions it defines."""
    found = read_at_once(node)
    for inner in ast.walk(node):
        name = getattr(inner, "name", "lambda" if isinstance(inner, ast.Lambda) else None)
        scope = scopes.get((str(name), getattr(inner, "lineno", 0)))
        if scope is not None:
            found |= globals_of(scope)
    return found


def walk_outside_functions(node: ast.AST) -> list[ast.AST]:
    """The nodes that are evaluated where the statement stands: decorators and defaults too."""
    waiting: list[ast.AST] = [node]
    found: list[ast.AST] = []
    while waiting:
        current = waiting.pop()
        found.append(current)
        if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
            annotation = [current.returns] if current.returns else []
            waiting += [*current.decorator_list, current.args, *annotation]
        elif not isinstance(current, ast.Lambda):
            waiting += ast.iter_child_nodes(current)
    return found


def globals_of(scope: Any) -> set[str]:
    """The global names that a scope or one within it refers to."""
    waiting, found = [scope], set()
    while waiting:
        current = waiting.pop()
        found |= {symbol.get_name() for symbol in current.get_symbols() if symbol.is_global()}
        waiting += current.get_children()
    return found


def names_bound(node: ast.stmt) -> set[str]:
    """The module's names that a statement sets or changes: x = 1, x[0] = 1, x.append(1)."""
    found = set()
    for inner in walk_outside_functions(node):
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            found.add(inner.name)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            found.add(inner.id)
        elif isinstance(inner, (ast.Attribute, ast.Subscript)) and isinstance(inner.ctx, ast.Store):
            found |= {part.id for part in ast.walk(inner.value) if isinstance(part, ast.Name)}
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            found.add(called.value.id)
    return found


def importable_modules(own: set[str]) -> set[str]:
    """What a notebook's import can be of while grading."""
    return {*sys.stdlib_module_names, "numpy", *own} - {"IPython"}
