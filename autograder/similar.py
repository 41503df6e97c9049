"""Submissions whose code nearly coincides after renaming: a hint to look, never a verdict.

Functions as short as these coincide by themselves: everybody writes the textbook's lines. So a line
that two share tells the more the fewer others have it, and a pair is named only if fewer than one
such pair in a hundred classes would come about by chance, taking this class's own lines for chance.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

# Of all that two wrote, weighed by length, so much must be the same.
ALIKE = 0.75
EXPECTED = 0.01
# A line that more than these have is no lead: it would make every pair a candidate.
LEAD = 30


@dataclass(frozen=True)
class Group:
    """Submissions of which each nearly coincides with another one; share is that of the pair that
    is most alike."""

    names: tuple[str, ...]
    share: float


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
