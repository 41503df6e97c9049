"""Mechanical mutants of the reference, beyond the named misconceptions: one small edit each."""

import ast
import copy
import difflib
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from autograder.authoring.dry_run import right
from autograder.exercises import registry
from autograder.kit.drawing import SOLUTIONS
from autograder.manifest import load_manifest

SAME = 1e-12
INPUTS = 500
OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add, ast.Mult),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.Sub),
    ast.MatMult: (ast.Mult, ast.Add),
}
# Names that a student might take for one another.
LOOKALIKES = {
    "max": ("min", "mean", "sum"),
    "sum": ("max", "mean"),
    "exp": ("exp2", "expm1", "abs"),
    "sqrt": ("square", "abs", "cbrt"),
    "less": ("less_equal", "greater", "greater_equal", "not_equal"),
    "float64": ("float32", "int64"),
    "inf": ("pi", "nan"),
}


Lookalikes = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Mutant:
    """A wrong version of one function, and the lines in which it differs from the reference."""

    function: str
    diff: str
    version: Callable[..., Any]


def mutants(function: str) -> Iterator[Mutant]:
    """Every mutant that computes something else than the reference somewhere in the contract."""
    name = load_manifest().files[function]
    source = (SOLUTIONS / f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    reference = ast.unparse(tree)
    seen = {reference}
    lookalikes = {**LOOKALIKES, **getattr(registry.part(name, "draws"), "LOOKALIKES", {})}
    for mutated in edits(tree, lookalikes):
        text = ast.unparse(mutated)
        if text in seen:
            continue
        seen.add(text)
        version = compiled(mutated, function)
        if version is not None and differs(function, version):
            lines = difflib.unified_diff(
                reference.splitlines(), text.splitlines(), lineterm="", n=0
            )
            changed = [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]
            yield Mutant(function, "\n".join(changed), version)


def edits(tree: ast.Module, lookalikes: Lookalikes) -> Iterator[ast.Module]:
    """The tree with one node changed, for every node and every change that it allows."""
    count = sum(1 for _ in ast.walk(tree))
    for position in range(count):
        original = node_at(tree, position)
        for change in range(len(changes(original, lookalikes))):
            mutated = copy.deepcopy(tree)
            changes(node_at(mutated, position), lookalikes)[change]()
            yield ast.fix_missing_locations(mutated)


def node_at(tree: ast.Module, position: int) -> ast.AST:
    return next(node for i, node in enumerate(ast.walk(tree)) if i == position)


def changes(node: ast.AST, lookalikes: Lookalikes) -> list[Callable[[], None]]:
    """What can be changed in a node, each as a function that does it in place."""

    def put(field: str, value: Any) -> Callable[[], None]:
        return lambda: setattr(node, field, value)

    found: list[Callable[[], None]] = []
    if isinstance(node, ast.BinOp):
        found += [put("op", other()) for other in OPERATORS.get(type(node.op), ())]
        swapped = copy.copy(node)
        found.append(lambda: node.__dict__.update(left=swapped.right, right=swapped.left))
    elif isinstance(node, ast.UnaryOp):
        found.append(put("op", ast.UAdd()))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        value: Any = node.value
        others = [not value] if isinstance(value, bool) else [value + 1, value - 1]
        found += [put("value", other) for other in others]
    elif isinstance(node, ast.Attribute):
        found += [put("attr", other) for other in lookalikes.get(node.attr, ())]
        if node.attr == "T":
            found.append(put("attr", "real"))
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        found += [put("id", other) for other in lookalikes.get(node.id, ())]
    elif isinstance(node, ast.If):
        found += [put("test", ast.Constant(True)), put("test", ast.Constant(False))]
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        pair = node.value
        found += [lambda: pair.elts.reverse(), put("value", pair.elts[0])]
    elif isinstance(node, ast.Call):
        if len(node.args) > 1:
            found.append(lambda: node.args.reverse())
        found += [partial(without_keyword, node, i) for i in range(len(node.keywords))]
    return found


def without_keyword(call: ast.Call, position: int) -> None:
    del call.keywords[position]


def compiled(tree: ast.Module, function: str) -> Callable[..., Any] | None:
    """The mutant's function beside right helpers; None where it cannot even be defined."""
    space: dict[str, Any] = {}
    imports = [
        node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module in right()
    ]
    body = [node for node in tree.body if node not in imports]
    space.update(right())
    try:
        exec(compile(ast.Module(body, []), f"<mutant of {function}>", "exec"), space)
    except Exception:
        return None
    version: Callable[..., Any] = space[function]
    return version


@cache
def random_arguments(function: str) -> list[tuple[Any, ...]]:
    """Arguments from the whole domain of the contract, the same at every run."""
    rng = random.Random(function)
    draw = registry.made(load_manifest().files[function], "draws", "random_arguments")
    return [draw(rng) for _ in range(INPUTS)]


def differs(function: str, version: Callable[..., Any]) -> bool:
    """Whether it departs from the reference on one of many inputs from the whole contract."""
    return any(
        not same(outcome(version, arguments), outcome(right()[function], arguments))
        for arguments in random_arguments(function)
    )


def outcome(version: Callable[..., Any], arguments: tuple[Any, ...]) -> list[Any] | None:
    """Arrays with their type, and None for an exception."""
    given = [np.array(item) if isinstance(item, np.ndarray) else item for item in arguments]
    with np.errstate(all="ignore"):
        try:
            result = version(*given)
        except Exception:
            return None
    results = result if isinstance(result, tuple) else (result,)
    return [*map(np.asarray, results), *(np.asarray(item) for item in given)]


def same(a: list[Any] | None, b: list[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    return len(a) == len(b) and all(
        x.shape == y.shape
        and x.dtype == y.dtype
        and bool(np.allclose(x, y, rtol=SAME, atol=SAME, equal_nan=True))
        for x, y in zip(a, b, strict=True)
    )
