"""A joint law along a directed acyclic graph: what bits and columns of several levels have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Self

import numpy as np

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["FactoredLaw", "topological_order"]


@dataclass(frozen=True, eq=False)
class FactoredLaw:
    r""":math:`p(x) = \prod_i p(x_i \mid x_{\mathrm{parents}(i)})`, Zhang (2019), equation 3.4."""

    parents: tuple[tuple[int, ...], ...]
    tables: tuple[NDArray[np.float64], ...]
    order: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tuple(np.asarray(table, dtype=np.float64) for table in self.tables))
        if len(self.tables) != self.d or sorted(self.order) != list(range(self.d)):
            raise InputError(f"{self.d} {self._what}s need as many tables and an order of all; found {self.order}")
        seen: set[int] = set()
        for i in self.order:
            if len(set(self.parents[i])) < len(self.parents[i]) or not set(self.parents[i]) <= seen:
                raise InputError(
                    f"the parents {list(self.parents[i])} of {self._what} {i} must differ and stand before it in order"
                )
            seen.add(i)

    @property
    def _what(self) -> str:
        return "bit"

    @property
    def d(self) -> int:
        """How many bits or columns there are."""
        return len(self.parents)

    def equals(self, other: Self) -> bool:
        """Whether it is the same law with the same basis.

        Parameters
        ----------
        other : same type
            Another one.
        """
        return self is other or (
            (self.parents, self.order) == (other.parents, other.order)
            and all(np.array_equal(a, b) for a, b in zip(self.tables, other.tables, strict=True))
        )

    @cached_property
    def closures(self) -> tuple[frozenset[int], ...]:
        """Every member with all its ancestors."""
        known: dict[int, frozenset[int]] = {}
        for i in self.order:
            known[i] = frozenset([i]).union(*(known[p] for p in self.parents[i]))
        return tuple(known[i] for i in range(self.d))

    def reach(self, subset: Iterable[int]) -> int:
        """On how many a subset depends: its members and all their ancestors.

        Parameters
        ----------
        subset : iterable of int
            Numbers of its members.
        """
        return len(frozenset().union(*(self.closures[i] for i in subset)))

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """Parent and child."""
        return [(p, i) for i in self.order for p in self.parents[i]]


def topological_order(
    parents: Sequence[Sequence[int]], names: Sequence[str] | None = None, what: str = "bits"
) -> tuple[int, ...]:
    """Members so that parents come first, in the order of their numbers where that is free."""
    children: list[list[int]] = [[] for _ in parents]
    missing = [len(set(p)) for p in parents]
    for i, mine in enumerate(parents):
        for p in set(mine):
            children[p].append(i)
    ready = [i for i, m in enumerate(missing) if not m]
    placed: list[int] = []
    while ready:
        placed.append(heappop(ready))
        for child in children[placed[-1]]:
            missing[child] -= 1
            if not missing[child]:
                heappush(ready, child)
    if len(placed) < len(parents):
        around = _cycle(parents, {i for i, m in enumerate(missing) if m})
        shown = " -> ".join(str(i if names is None else names[i]) for i in around)
        raise InputError(f"the graph has a cycle of {what}, {shown}; a measure needs one without")
    return tuple(placed)


def _cycle(parents: Sequence[Sequence[int]], waiting: set[int]) -> list[int]:
    """One cycle, from parent to child, among members of which each has a parent that is one of them."""
    path: list[int] = [min(waiting)]
    while path[-1] not in path[:-1]:
        path.append(next(p for p in parents[path[-1]] if p in waiting))
    return path[path.index(path[-1]) :][::-1]
