"""What submissions are held against each other by: their statements, without names.

The reading child imports this file: nothing here may be slow to import.
"""

import ast
import builtins
import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping

SOURCE_BYTES = 64 * 1024
STATEMENTS = 400
NAME_CHARACTERS = 100
# What a node of the tree says beside its structure: nothing that renaming or typing changes.
LEFT_OUT = {"annotation", "returns", "type_comment", "ctx", "kind", "type_params"}
BODIES = {"body", "orelse", "finalbody", "handlers"}
KEPT = frozenset(dir(builtins))


def shape_of(sources: Iterable[bytes]) -> list[str]:
    """The statements of all functions, each as its length and a digest, without any names.

    They are in no order, so that moving a line or a function changes nothing.
    """
    found: set[str] = set()
    for source in sources:
        if len(source) > SOURCE_BYTES:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
            for text in statements(tree):
                digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
                found.add(f"{text.count('(')}.{digest}")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return sorted(found)[:STATEMENTS]


def statements(tree: ast.Module) -> Iterator[str]:
    """Every statement inside a function, a compound one without its body."""
    modules = {
        alias.asname or alias.name: alias.name[:NAME_CHARACTERS]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    # Each node once, however many functions lie around it.
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        says_nothing = isinstance(node, (ast.Pass, ast.Import, ast.ImportFrom)) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        if inside and isinstance(node, ast.stmt) and not says_nothing:
            yield written(node, modules, {})
        inside = inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def written(node: object, modules: Mapping[str, str], names: dict[str, str]) -> str:
    """A node as text: names by the order in which they come, so that renaming changes nothing."""
    if isinstance(node, list):
        return ",".join(written(part, modules, names) for part in node)
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Name):
        if node.id in modules:
            return f"({modules[node.id]})"
        return f"({node.id if node.id in KEPT else names.setdefault(node.id, f'v{len(names)}')})"
    parts = [type(node).__name__]
    for field, value in ast.iter_fields(node):
        if field in LEFT_OUT or (field in BODIES and isinstance(node, ast.stmt)):
            continue
        if field == "arg" and isinstance(node, ast.arg):
            parts.append(names.setdefault(node.arg, f"v{len(names)}"))
        elif field == "name" and isinstance(node, ast.stmt):
            continue
        else:
            parts.append(written(value, modules, names))
    return f"({' '.join(parts)})"
