"""All conditions that a rule over a domain may be made of, and how much of the choice each of them takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from paclearn.encoding.comparisons import Comparison, comparisons, holds, looked_up, shared_levels
from paclearn.encoding.conditions import condition
from paclearn.encoding.domain import BinColumn, Bit, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from paclearn.encoding.comparisons import Condition
    from paclearn.encoding.domain import Column, Domain

__all__ = ["ConditionPool", "PoolLimits", "condition_pool"]


@dataclass(frozen=True)
class PoolLimits:
    """How many conditions there may be.

    Parameters
    ----------
    intervals : int, default=21
        Intervals of a column that are open on neither side: all of those of eight bins. Where a column has more, the
        longest of them stay, for they have most rows.
    all_groups : int, default=5
        A column of up to so many levels has ``in {...}`` for every group of them. With more, levels are sorted by the
        mean of the target, and those up to and from a place make a group.
    comparisons : int, default=64
        Pairs of columns that are compared, those of the most levels first.
    """

    intervals: int = 21
    all_groups: int = 5
    comparisons: int = 64

    @classmethod
    def within(cls, domain: Domain, n_questions: int, columns: Sequence[int] | None = None) -> PoolLimits:
        """With so many intervals of each ordered column that there are not many more questions than asked for.

        Parameters
        ----------
        domain : Domain
            What the codes mean.
        n_questions : int
            How many questions there may be, about; one and its opposite are the same.
        columns : sequence of int, default=None
            Which columns; all of them if not given.
        """
        some = domain.columns if columns is None else [domain.columns[place] for place in columns]
        ordered = sum(bool(_ordered_codes(column)) for column in some)
        room = n_questions - sum(column.n_codes for column in some)
        return cls(intervals=int(np.clip(room // max(ordered, 1), 0, cls.intervals)))


class _Conditions(Sequence["Condition"]):
    """Conditions that are put into words when somebody asks for them: of a hundred thousand, few ever are."""

    def __init__(self, asked: Sequence[Comparison | _Codes]) -> None:
        self._asked: list[Condition | _Codes] = list(asked)

    def __len__(self) -> int:
        return len(self._asked)

    @overload
    def __getitem__(self, place: int) -> Condition: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Condition, ...]: ...
    def __getitem__(self, place: int | slice) -> Condition | tuple[Condition, ...]:
        if isinstance(place, slice):
            return tuple(self[i] for i in range(*place.indices(len(self))))
        found = self._asked[place]
        if isinstance(found, _Codes):
            found = self._asked[place] = condition(found.column, found.place, found.codes)
        return found

    def holds(
        self, codes: Sequence[NDArray[np.unsignedinteger[Any]]], sizes: Sequence[int]
    ) -> Iterator[NDArray[np.bool_]]:
        """Whether each holds, for every row, without a word."""
        for one in self._asked:
            if isinstance(one, Comparison):
                yield holds(one, codes, sizes)
            else:
                column = one.column if isinstance(one, Bit) else one.place
                answers = np.zeros(sizes[column] + 1, dtype=bool)
                answers[[*one.codes]] = True
                yield looked_up(answers, codes[column])


@dataclass(frozen=True, eq=False)
class _Codes:
    """A set of codes of a column, number ``place`` of its domain."""

    column: Column
    place: int
    codes: frozenset[int]


@dataclass(frozen=True, eq=False)
class ConditionPool:
    r"""Conditions of a domain.

    Parameters
    ----------
    sizes : tuple of int
        Codes of every column of the domain.
    conditions : sequence of Bit or Comparison
        The conditions.
    groups : ndarray of int
        Two conditions of one group, which is a column or a pair of compared ones, do not go together in a rule.
    shares : ndarray of float
        How much of the choice each condition takes: they add up to at most one, whatever the target was that groups of
        levels were found from, since all groups that could have been found share in it. Among rules of k conditions
        one has the share :math:`k! \prod_i s_i`, which is a probability, and its inverse the number of rules that it
        competes with.
    left_out : tuple of str
        What was not taken up because of the limits, in words.
    """

    sizes: tuple[int, ...]
    conditions: _Conditions
    groups: NDArray[np.int64]
    shares: NDArray[np.float64]
    left_out: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.conditions)

    @property
    def names(self) -> tuple[str, ...]:
        """The conditions in words."""
        return tuple(c.name for c in self.conditions)

    def columns(self, codes: Sequence[NDArray[np.unsignedinteger[Any]]]) -> Iterator[NDArray[np.bool_]]:
        """Whether each condition holds, for every row; one condition after another, never all of them.

        Parameters
        ----------
        codes : sequence of ndarray
            The codes of all columns of the domain.
        """
        return self.conditions.holds(codes, self.sizes)

    def answers(self, codes: Sequence[NDArray[np.unsignedinteger[Any]]]) -> NDArray[np.bool_]:
        """The same as one matrix, rows x conditions.

        Parameters
        ----------
        codes : sequence of ndarray
            The codes of all columns of the domain.
        """
        every = np.empty((len(self), len(codes[0])), dtype=bool)
        for place, column in zip(every, self.columns(codes), strict=True):
            place[:] = column
        return every.T


def condition_pool(
    domain: Domain,
    codes: Sequence[NDArray[np.unsignedinteger[Any]]],
    target: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
    limits: PoolLimits | None = None,
    columns: Sequence[int] | None = None,
) -> ConditionPool:
    """All conditions of a domain, or of some of its columns.

    A level has ``=`` and ``!=``, an ordered column ``<=`` and ``>`` at every cut and intervals, a column of four
    or more levels groups of them, a missing value ``is missing`` and ``is not missing``, and two columns of the same
    three or more levels ``first = second`` and ``first != second``.

    Parameters
    ----------
    domain : Domain
        What the codes mean.
    codes : sequence of ndarray
        The codes of all columns.
    target : ndarray of shape (n_rows,)
        Numbers, or 1 for the class at hand and 0 for the others: levels that act alike are found from it.
    weights : ndarray of shape (n_rows,), default=None
        How many times each row counts.
    limits : PoolLimits, default=None
        How many conditions there may be.
    columns : sequence of int, default=None
        Which columns; all of them if not given.
    """
    limits, among = limits or PoolLimits(), range(len(domain.columns)) if columns is None else columns
    pool = _Pool(limits)
    compared, n_alike = shared_levels(domain, limits.comparisons, among)
    of_columns = 0.5 if compared else 1.0  # of the choice; the other half is that of the comparisons
    for place in among:
        column = domain.columns[place]
        order = _by_target(column, codes[place], target, weights) if _has_groups(column) else np.empty(0, dtype=np.intp)
        pool.add_column(column, place, order, of_columns / len(domain.columns))
    for number, (first, second) in enumerate(compared):
        every = comparisons(domain, first, second)
        pool.add(every, len(domain.columns) + number, 0.5 / len(compared) / len(every))
    if n_alike > len(compared):
        pool.left_out.append(f"{n_alike - len(compared):,} comparisons of two columns")
    return pool.frozen(domain.sizes)


@dataclass
class _Pool:
    """A pool that is being filled. Of thousands of columns most are of a few shapes, and their sets the same."""

    limits: PoolLimits
    simple_sets: Callable[..., tuple[frozenset[int], ...]] = field(default_factory=lambda: cache(_simple_sets))
    runs: Callable[..., tuple[tuple[frozenset[int], ...], int]] = field(default_factory=lambda: cache(_runs))
    conditions: list[Comparison | _Codes] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    fewer: dict[str, int] = field(default_factory=dict)  # intervals of a column that were left out

    def add(self, conditions: Sequence[Comparison | _Codes], group: int, share: float) -> None:
        self.conditions += conditions
        self.groups += [group] * len(conditions)
        self.shares += [share] * len(conditions)

    def add_column(self, column: Column, place: int, order: NDArray[np.intp], share: float) -> None:
        order_of_codes, levels = _ordered_codes(column), isinstance(column, LevelColumn)
        simple = self.simple_sets(_n_present(column), order_of_codes, levels, column.missing)
        simple += self._intervals(column, order_of_codes)
        taken = set(simple)
        groups = [codes for codes in self._groups(order) if codes not in taken]
        part = 0.5 if groups else 1.0  # simple conditions have half of the choice, groups the other
        self.add([_Codes(column, place, codes) for codes in simple], place, share * part / len(simple))
        if groups:
            possible = 2.0 ** min(_n_present(column), 1000) - 2
            self.add([_Codes(column, place, codes) for codes in groups], place, share * part / possible)

    def _intervals(self, column: Column, order: tuple[int, ...]) -> tuple[frozenset[int], ...]:
        found, left_out = self.runs(order, 2 if isinstance(column, LevelColumn) else 1, self.limits.intervals)
        if left_out:
            self.fewer[column.name] = left_out
        return found

    def _groups(self, order: NDArray[np.intp]) -> Iterable[frozenset[int]]:
        n = len(order)
        if not n:
            return []
        if n <= self.limits.all_groups:
            return [frozenset(group) for size in range(2, n - 1) for group in combinations(range(n), size)]
        halves = ((order[:cut], order[cut:]) for cut in range(2, n - 1))
        return [frozenset(half.tolist()) for both in halves for half in both]

    def frozen(self, sizes: tuple[int, ...]) -> ConditionPool:
        whose = next(iter(self.fewer)) if len(self.fewer) == 1 else f"{len(self.fewer):,} columns"
        intervals = [f"{sum(self.fewer.values()):,} intervals of {whose}"] if self.fewer else []
        left_out = (*intervals, *self.left_out)
        every = _Conditions(self.conditions)
        return ConditionPool(sizes, every, np.array(self.groups), np.array(self.shares), left_out)


def _n_present(column: Column) -> int:
    return column.n_codes - column.missing


def _has_groups(column: Column) -> bool:
    """Whether levels are put together that act alike: four or more, without an order of their own."""
    return _n_present(column) >= 4 and not _ordered_codes(column)


def _ordered_codes(column: Column) -> tuple[int, ...]:
    """Codes from small numbers to large ones; none where the levels have no order."""
    if isinstance(column, BinColumn):
        return tuple(range(_n_present(column)))
    if isinstance(column, LevelColumn) and column.numeric and not column.other:
        return tuple(np.argsort([float(level) for level in column.levels], kind="stable").tolist())
    return ()


def _simple_sets(n_present: int, order: tuple[int, ...], levels: bool, missing: bool) -> tuple[frozenset[int], ...]:
    """Codes of ``=`` and ``!=``, of ``<=`` and ``>``, and of what is missing; each set once."""
    present = frozenset(range(n_present))
    one = [frozenset([code]) for code in sorted(present)] if levels else []
    cuts = [frozenset(order[:cut]) for cut in range(1, len(order))]
    absent = [frozenset([n_present])] if missing else []
    whole = present if missing else frozenset()
    both_ways = [side for yes in (*one, *cuts) for side in (yes, present - yes)]
    found = dict.fromkeys((*both_ways, *absent, whole))
    return tuple(codes for codes in found if codes and (codes != present or missing))


def _runs(order: tuple[int, ...], shortest: int, most: int) -> tuple[tuple[frozenset[int], ...], int]:
    """Runs of codes that reach neither end, the longest first, and how many are left out; runs of one level of a
    column of levels have been named before.
    """
    n = len(order)
    lengths = ((last - first, first, last) for first in range(1, n) for last in range(first + shortest, n))
    found = sorted(lengths, key=lambda run: -run[0])
    return tuple(frozenset(order[first:last]) for _, first, last in found[:most]), max(len(found) - most, 0)


def _by_target(
    column: Column, codes: NDArray[Any], target: NDArray[Any], weights: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    """Codes that are present, from small means of the target to large ones; codes without rows come last."""
    n = column.n_codes + 1
    rows = np.bincount(codes, weights=weights, minlength=n)
    sums = np.bincount(codes, weights=target if weights is None else target * weights, minlength=n)
    means = np.divide(sums, rows, out=np.full(n, inf), where=rows > 0)
    return np.argsort(means[: _n_present(column)], kind="stable")
