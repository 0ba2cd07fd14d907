"""Which columns bits are about, and what a structure of columns means for their bits."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from paclearn._parameters import is_whole
from paclearn.exceptions import InputError
from paclearn.measures.factored_law import topological_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["BitLayout", "BitRows", "layout_of", "names_of", "parents_by_column", "parents_by_edges"]

_MOST_PARENTS = 6  # so that a pair of bits depends on few enough to be written in parities
_SHOWN = 5


@dataclass(frozen=True)
class BitLayout:
    """Bits, the column that each is about, and all columns of the table: some may have no bit, others several."""

    names: tuple[str, ...]  # of the bits
    columns: tuple[str, ...]  # of every bit
    places: tuple[int, ...]  # of that column in the table; of what is made from dates, numbers beyond it
    table: tuple[str, ...]  # all its columns
    sources: tuple[tuple[int, ...], ...] = ()  # of every bit, where it was made from dates: the places of those

    @classmethod
    def of_bits(cls, names: Sequence[str]) -> BitLayout:
        """Every bit is a column of its own."""
        return cls(tuple(names), tuple(names), tuple(range(len(names))), tuple(names))

    @cached_property
    def bits_at(self) -> dict[int, tuple[int, ...]]:
        """The bits of every column that has some, by its place."""
        found: dict[int, tuple[int, ...]] = {}
        for bit, place in enumerate(self.places):
            found[place] = (*found.get(place, ()), bit)
        return found

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset((*self.columns, *self.names, *self.table))

    def bits_of(self, called: Any, where: str) -> tuple[int, ...]:
        """The bits of a column by its name or place, or a bit by its name; none for a column that never varies.

        Those of a date are those of its month, its weekday and so on, and not of days from one date to another.
        """
        name = self.name_of(called, where)
        made = self._made_of(name)
        if made:
            return made
        if name in self.columns:
            return tuple(bit for bit, column in enumerate(self.columns) if column == name)
        if name in self.names:
            return (self.names.index(name),)
        return self.bits_at.get(self.table.index(name), ())

    def _made_of(self, name: str) -> tuple[int, ...]:
        """The bits made of one column of the table: of a date all, the date itself and what else it says."""
        place = self.table.index(name) if name in self.table else -1
        return tuple(bit for bit, source in enumerate(self.sources) if source == (place,))

    def name_of(self, called: Any, where: str) -> str:
        """The name of a column by that or its place, or of a bit by its name."""
        if str(called) in self._known:
            return str(called)
        if is_whole(called) and 0 <= called < len(self.table):
            return self.table[called]
        shown = ", ".join(self.table[:_SHOWN]) + ", ..." * (len(self.table) > _SHOWN)
        raise InputError(
            f"{where} names {called!r}, which is no column; the columns are 0 to {len(self.table) - 1}, or {shown}"
        )


@dataclass(frozen=True, eq=False)
class BitRows:
    """Rows of bits of a table's columns."""

    bits: NDArray[Any]
    layout: BitLayout

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and bits."""
        return self.bits.shape

    def __len__(self) -> int:
        return len(self.bits)

    def __getitem__(self, rows: Any) -> BitRows:
        """Some rows."""
        return BitRows(self.bits[rows], self.layout)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The bits."""
        return self.bits.astype(self.bits.dtype if dtype is None else dtype, copy=bool(copy))


def layout_of(X: Any, d: int) -> tuple[BitLayout, bool]:
    """The layout of a table of bits, and whether its columns have names of their own."""
    if isinstance(X, BitRows):
        return X.layout, True
    names = names_of(X)
    return BitLayout.of_bits([f"x{i}" for i in range(d)] if names is None else names), names is not None


def names_of(X: Any) -> tuple[str, ...] | None:
    """The names of the bits of a table, if it has any."""
    if isinstance(X, BitRows):
        return X.layout.names
    names = getattr(X, "column_names", None) or getattr(X, "columns", None)
    return None if names is None else tuple(map(str, names))


def parents_by_column(layout: BitLayout, above: Mapping[int, Sequence[int]]) -> list[tuple[int, ...]]:
    """Parents of every bit, where columns (by place) depend on others; the bits of every column are a chain."""
    given = {
        bit: [layout.bits_at[p] for p in above.get(place, ()) if p in layout.bits_at]
        for bit, place in enumerate(layout.places)
    }
    return _wired(layout, given, layout.bits_at)


def parents_by_edges(layout: BitLayout, edges: Iterable[tuple[Any, Any]], where: str) -> list[tuple[int, ...]]:
    """Parents of every bit, from edges between columns, by name or place, or between bits, by name.

    The bits of a column with several of them are a chain, if an edge names it.
    """
    edges, given = list(edges), defaultdict[int, list[tuple[int, ...]]](list)
    _check_no_cycle([(layout.name_of(a, where), layout.name_of(b, where)) for a, b in edges])
    chained: set[int] = set()
    for parent, child in edges:
        above, mine = layout.bits_of(parent, where), layout.bits_of(child, where)
        chained.update(layout.places[bit] for bits in (above, mine) if len(bits) > 1 for bit in bits)
        for bit in mine:
            given[bit].append(above)
    return _wired(layout, given, chained)


def _check_no_cycle(edges: Sequence[tuple[str, str]]) -> None:
    """Refuse a cycle in the words in which the edges were given."""
    number = {name: i for i, name in enumerate(dict.fromkeys(chain.from_iterable(edges)))}
    parents: list[list[int]] = [[] for _ in number]
    for above, below in edges:
        parents[number[below]].append(number[above])
    topological_order(parents, tuple(number), "columns")


def _wired(
    layout: BitLayout, given: Mapping[int, Sequence[tuple[int, ...]]], chained: Collection[int]
) -> list[tuple[int, ...]]:
    """Every bit depends on all bits of the columns given or, where those are many, on one of its own rank in each."""
    parents: list[tuple[int, ...]] = []
    for bit, place in enumerate(layout.places):
        mine, others = layout.bits_at[place], given.get(bit, ())
        rank = mine.index(bit)
        few = sum(map(len, others)) < _MOST_PARENTS
        seen = [other if few else other[min(rank, len(other) - 1) :][:1] for other in others]
        before = mine[rank - 1 : rank] if rank and place in chained else ()
        parents.append(tuple(dict.fromkeys((*chain.from_iterable(seen), *before))))
    return parents
