"""Codes, targets and weights of very many rows, a block at a time, wherever they lie: in memory, on disk, on workers.

Something is done with every block, and what comes of it is added up. Whoever adds whole numbers, or multiples of one
step (`exact_step`), gets the same bytes however the rows are cut into blocks and in whatever order these come.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial, reduce
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from paclearn.encoding.distinct import DistinctRows
from paclearn.encoding.folds import Draws
from paclearn.encoding.remote_columns import RemoteClasses, RemoteColumns, codes_of_units, targets_of_part
from paclearn.exceptions import TooLargeError
from paclearn.tables.lazy_columns import Remembered
from paclearn.tables.memory import in_words
from paclearn.tables.remote import active_client, delayed_by_dask, part_rows, unlike
from paclearn.tables.remote_numbers import RemoteArrays
from paclearn.tables.scratch import CodeStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.remote_columns import Unit
    from paclearn.tables.remote_numbers import RemoteNumbers

    TargetView = Callable[[NDArray[Any]], NDArray[Any]]

__all__ = ["EncodedBlock", "EncodedRows", "Kinds", "RowsElsewhere", "RowsHere", "exact_step", "first_kinds"]

_ROWS_AT_ONCE = 2**16
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class EncodedBlock:
    """Some rows: codes of all columns, targets, and how often each counts; the group of each, if there are any."""

    codes: Sequence[NDArray[Any]]
    targets: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None

    @property
    def n(self) -> int:
        """How many."""
        return len(self.targets)

    @property
    def counts(self) -> NDArray[np.float64]:
        """How often each counts."""
        return np.ones(self.n) if self.weights is None else self.weights


class EncodedRows(ABC):
    """All rows of a table, of which there are ``n``."""

    n: int

    @abstractmethod
    def summed(self, work: Callable[[EncodedBlock], _T], add: Callable[[_T, _T], _T]) -> _T:
        """What comes of all blocks, added up."""


class RowsHere(EncodedRows):
    """Rows in memory, or whose codes lie in a scratch file.

    Parameters
    ----------
    codes : sequence of ndarray, one a column
        Codes of all rows.
    targets, weights, groups : ndarray
        As of `EncodedBlock`.
    """

    def __init__(
        self,
        codes: Sequence[NDArray[Any]] | NDArray[Any],
        targets: NDArray[Any],
        weights: NDArray[np.float64] | None = None,
        groups: NDArray[np.intp] | None = None,
    ) -> None:
        self.n, self._codes, self._targets, self._weights, self._groups = len(targets), codes, targets, weights, groups

    def summed(self, work: Callable[[EncodedBlock], _T], add: Callable[[_T, _T], _T]) -> _T:
        return reduce(add, map(work, self._blocks()))

    def _blocks(self) -> Iterator[EncodedBlock]:
        for begin in range(0, max(self.n, 1), _ROWS_AT_ONCE):
            some = slice(begin, min(begin + _ROWS_AT_ONCE, self.n))
            weights = None if self._weights is None else self._weights[some]
            groups = None if self._groups is None else self._groups[some]
            yield EncodedBlock(self._codes_of(some), self._targets[some], weights, groups)

    def _codes_of(self, some: slice) -> Sequence[NDArray[Any]]:
        codes = self._codes
        if isinstance(codes, CodeStore):
            return Remembered(len(codes), partial(codes.part, some))
        return [codes[i][some] for i in range(len(codes))]


class RowsElsewhere(EncodedRows):
    """Rows on the workers of a cluster, which encode them once and keep the codes: a byte or two a cell.

    Parameters
    ----------
    columns : RemoteColumns
        The columns of a table there.
    targets : RemoteClasses or RemoteNumbers
        Of its rows.
    stacked : bool, default=False
        Codes, a byte each, as one matrix.
    """

    def __init__(
        self, columns: RemoteColumns, targets: RemoteClasses | RemoteNumbers, *, stacked: bool = False
    ) -> None:
        self.n, table = len(targets), columns.table
        classes = targets.classes if isinstance(targets, RemoteClasses) else None
        parts = targets.parts if isinstance(targets, RemoteClasses) else targets.arrays.parts
        beside = () if table.weights is None else (table.weights.arrays.parts,)
        encode = partial(_encoded, columns.units, classes, stacked)
        self._parts = RemoteArrays.made(encode, table.parts, parts, *beside)

    def summed(self, work: Callable[[EncodedBlock], _T], add: Callable[[_T, _T], _T]) -> _T:
        found: _T = self._parts.summed(partial(_done, pickle.dumps(work)), add=add)
        return found

    def joined(self, work: Callable[[EncodedBlock], _T], n_bytes: float, what: str) -> _T:
        """What comes of all rows together, on one worker; refused where none has so much memory.

        Parameters
        ----------
        work : callable
            What is done with the rows, in the order of their parts.
        n_bytes : float
            What that takes.
        what : str
            Who asks, for error texts.
        """
        client = active_client()
        known = client.scheduler_info(n_workers=-1)["workers"].values()
        room = max((worker["memory_limit"] or inf for worker in known), default=0.0)
        if n_bytes > room:
            raise TooLargeError(
                f"{what} joins the codes of all rows on one worker, which takes about {in_words(n_bytes)}, and the "
                f"largest has {in_words(room)}; take larger workers, or some of the rows"
            )
        task = delayed_by_dask()(_done_together, pure=False)(pickle.dumps(work), list(self._parts.parts))
        found: _T = client.compute(task).result()
        return found


def _done_together(work: bytes, blocks: Sequence[EncodedBlock]) -> Any:
    full = [block for block in blocks if block.n]
    codes = [np.concatenate([block.codes[i] for block in full]) for i in range(len(full[0].codes))]
    targets = np.concatenate([block.targets for block in full])
    weights = None if full[0].weights is None else np.concatenate([block.counts for block in full])
    return _done(work, EncodedBlock(codes, targets, weights))


def _encoded(
    units: Sequence[Unit],
    classes: NDArray[Any] | None,
    stacked: bool,
    x: Any,
    y: Any,
    weights: NDArray[np.float64] | None = None,
) -> EncodedBlock:
    """A part, where it lies."""
    targets, theirs = targets_of_part(classes, y, weights)
    table = part_rows(x, weights)
    if table.n_rows != len(targets):
        raise unlike(table.n_rows, "y", len(targets))
    codes = codes_of_units(units, table) if len(targets) else [np.zeros(0, dtype=np.uint8)] * len(units)
    return EncodedBlock(np.array(codes, dtype=np.uint8) if stacked else codes, targets, theirs)  # type: ignore[arg-type]


def _done(work: bytes, block: EncodedBlock) -> Any:
    return pickle.loads(work)(block)  # noqa: S301 - from our own client


def exact_step(largest: Any, n: int) -> NDArray[np.float64]:
    """A power of two so small, and so large, that sums of n numbers of this size, as multiples of it, are exact."""
    exponents = np.frexp(np.asarray(largest, dtype=np.float64))[1]
    return np.ldexp(1.0, np.maximum(exponents + int(n).bit_length() - 53, -1074))


# ---- different rows, in the order of a hash --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows that differ, the first in the order of a hash of what they hold; what all rows like them weigh, how many.

    Which ones these are follows from what rows hold and from a seed, not from their order or from where they lie.
    """

    codes: list[NDArray[Any]]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    n_rows: NDArray[np.int64]
    groups: NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls, codes: Any, targets: NDArray[Any], counts: NDArray[np.float64], groups: NDArray[np.intp] | None
    ) -> Kinds:
        """Every row as a kind of its own."""
        return cls(codes, targets.astype(np.float64), counts, np.ones(len(targets), dtype=np.int64), groups)

    @property
    def n(self) -> int:
        """How many kinds."""
        return len(self.targets)

    @property
    def draws(self) -> Draws:
        """Every kind as so many draws, to be shared out over folds."""
        return Draws.of(self.weights, self.n_rows, self.groups)

    def first(self, n: int) -> Kinds:
        """The first so many."""
        if n >= self.n:
            return self
        groups = None if self.groups is None else self.groups[:n]
        codes = [column[:n].copy() for column in self.codes]
        return Kinds(codes, self.targets[:n], self.weights[:n], self.n_rows[:n], groups)


def first_kinds(rows: EncodedRows, most: int, seed: int, view: TargetView = np.asarray) -> Kinds:
    """The first so many different rows of all, in the order of their hash, with targets as somebody sees them."""
    return rows.summed(_FirstKinds(most, seed, view), _Joined(most, seed))


@dataclass(frozen=True)
class _FirstKinds:
    most: int
    seed: int
    view: TargetView

    def __call__(self, block: EncodedBlock) -> Kinds:
        codes = [np.asarray(block.codes[i]) for i in range(len(block.codes))]
        return _different(Kinds.of(codes, self.view(block.targets), block.counts, block.groups), self.most, self.seed)


@dataclass(frozen=True)
class _Joined:
    most: int
    seed: int

    def __call__(self, one: Kinds, other: Kinds) -> Kinds:
        both = [np.concatenate(pair) for pair in zip(one.codes, other.codes, strict=True)]
        groups = None
        if one.groups is not None and other.groups is not None:
            groups = np.concatenate([one.groups, other.groups])
        targets, weights, n_rows = (
            np.concatenate([getattr(each, name) for each in (one, other)]) for name in ("targets", "weights", "n_rows")
        )
        return _different(Kinds(both, targets, weights, n_rows, groups), self.most, self.seed)


def _different(every: Kinds, most: int, seed: int) -> Kinds:
    """The first of these rows, of which some may be alike."""
    found = DistinctRows.hashed(every.codes, every.targets, every.weights, every.groups, seed)
    codes = [column[found.first] for column in every.codes]
    kinds = Kinds(codes, every.targets[found.first], found.weights, found.sums_of(every.n_rows), found.groups)
    return kinds.first(most)
