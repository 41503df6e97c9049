"""Submissions whose code nearly coincides after renaming: a hint to look, never a verdict.

Functions as short as these coincide by themselves: everybody writes the textbook's lines. So a line
that two share tells the more the fewer others have it, and a pair is named only if fewer than one
such pair in a hundred classes would come about by chance, taking this class's own lines for chance.
"""

import ast
import builtins
import hashlib
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

SOURCE_BYTES = 64 * 1024
STATEMENTS = 400
# Of all that two wrote, weighed by length, so much must be the same.
ALIKE = 0.75
EXPECTED = 0.01
# A line that more than these have is no lead: it would make every pair a candidate.
LEAD = 30
# What a node of the tree says beside its structure: nothing that renaming or typing changes.
LEFT_OUT = {"annotation", "returns", "type_comment", "ctx", "kind", "type_params"}
BODIES = {"body", "orelse", "finalbody", "handlers"}
KEPT = frozenset(dir(builtins))


@dataclass(frozen=True)
class Group:
    """Submissions of which each nearly coincides with another one; share is that of the pair that
    is most alike."""

    names: tuple[str, ...]
    share: float


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
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in ast.walk(function):
            says_nothing = isinstance(node, (ast.Pass, ast.Import, ast.ImportFrom)) or (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            )
            if isinstance(node, ast.stmt) and node is not function and not says_nothing:
                yield written(node, modules, {})


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


def alike(shapes: Mapping[str, list[str]]) -> list[Group]:
    """The groups of a class, the largest first; shapes are those of its submissions by name."""
    sets = {name: frozenset(shape) for name, shape in shapes.items() if shape}
    total = len(sets)
    counts = Counter(statement for shape in sets.values() for statement in shape)
    holders: dict[str, list[str]] = {}
    for name, shape in sets.items():
        for statement in shape:
            if 2 <= counts[statement] <= LEAD:
                holders.setdefault(statement, []).append(name)
    candidates = {pair for names in holders.values() for pair in combinations(sorted(names), 2)}
    pairs = total * (total - 1) / 2
    found: dict[tuple[str, str], float] = {}
    for one, other in candidates:
        shared = sets[one] & sets[other]
        share = weight(shared) / weight(sets[one] | sets[other])
        # Among the others, how many have the line; one more, since none is not never.
        bits = sum(-math.log2((counts[statement] - 1) / (total - 1)) for statement in shared)
        if share >= ALIKE and math.log2(pairs) - bits < math.log2(EXPECTED):
            found[one, other] = share
    return grouped(found)


def weight(statements_of: Iterable[str]) -> int:
    return sum(int(statement.partition(".")[0]) for statement in statements_of)


def grouped(found: Mapping[tuple[str, str], float]) -> list[Group]:
    """Pairs that have a member in common, as one group."""
    groups: list[tuple[set[str], float]] = []
    for pair, share in sorted(found.items()):
        names, best = {*pair}, share
        for group in [group for group in groups if group[0] & names]:
            groups.remove(group)
            names, best = names | group[0], max(best, group[1])
        groups.append((names, best))
    made = [Group(tuple(sorted(names)), share) for names, share in groups]
    return sorted(made, key=lambda group: (-len(group.names), -group.share, group.names))
