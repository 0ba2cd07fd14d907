"""Engines: something with units that can count the cells of a block of subsets."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np

from paclearn._parameters import Whole, check
from paclearn.counting.all_pairs import AllPairs, pays_for_all
from paclearn.counting.bits import BitTable, CodeTable
from paclearn.counting.counts import Counts
from paclearn.counting.sum_scans import RoundedSums
from paclearn.exceptions import InputError, InputTypeError, TooManyCellsError
from paclearn.kernels import dispatch as native
from paclearn.kernels import numpy_counting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["Engine", "Fused", "FusedScan", "NativeEngine", "NumpyEngine", "ShardedEngine"]


_Kernel = TypeVar("_Kernel", bound="Callable[..., Any]")
_MOST_NUMBERS = 2**58  # of a table; more have no address
_MOST_THREADS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Fused:
    """A score that the compiled core knows: its kind, one over P(unit = code) where it needs that, and a factor."""

    kind: Literal["empirical", "product", "l2", "squares", "weighted squares"]
    scale: float
    inverse: NDArray[np.float64] | None = None


class FusedScan(Protocol):
    """A scan of all subsets with a score fused in."""

    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = ...
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best subsets of size k whose first member is in a range; those below the floor may be missing."""


def _as_array(subsets: Any) -> NDArray[Any]:
    try:
        return np.asarray(subsets)
    except ValueError as error:
        raise InputError("subsets must be rows of as many units each; found rows of several lengths") from error


class Engine(ABC):
    """Counts the cells of subsets of units. One method matters, `counts`."""

    sizes: NDArray[np.int64]
    n_channels: int

    @property
    def n_units(self) -> int:
        """Units whose cells can be counted."""
        return len(self.sizes)

    def counts(self, subsets: Any) -> Counts:
        """The tables of a block of subsets, all of one size (an array with a row for each).

        Parameters
        ----------
        subsets : array-like of shape (n_subsets, k)
            Units of every subset.
        """
        members = self._checked(_as_array(subsets))
        return Counts(members, self.sizes[members], self._count(members))

    @property
    def total(self) -> float:
        """What is counted in all cells of any unit: rows, or the sum of all channels."""
        return float(self.counts([[0]]).values.sum())

    def _checked(self, subsets: NDArray[Any]) -> NDArray[np.int32]:
        if subsets.size and subsets.dtype.kind not in "iu":
            raise InputTypeError(f"subsets must be rows of integers; found {subsets.dtype}")
        if subsets.ndim != 2 or (subsets.size and not (subsets.min() >= 0 and subsets.max() < self.n_units)):
            raise InputError(f"subsets must be rows of unit numbers from 0 to {self.n_units - 1}")
        if subsets.shape[1] == 0:
            raise InputError("a subset must have a member; found subsets of none")
        if int(self.sizes.max()) ** subsets.shape[1] > _MOST_NUMBERS // self.n_channels:
            self._check_cells(subsets)
        return np.require(subsets, np.int32, requirements=["C", "A"])

    def _check_cells(self, subsets: NDArray[Any]) -> None:
        cells = max(map(prod, self.sizes[subsets].tolist()), default=1)
        if cells > _MOST_NUMBERS // self.n_channels:
            raise TooManyCellsError(
                f"a subset of {subsets.shape[1]} units has {cells:.3g} cells, and no memory is that large; take fewer"
            )

    def scan(self, fused: Fused) -> FusedScan | None:  # noqa: ARG002 - most engines have none
        """A scan with this score fused in, where the engine has one: the same answers as `counts`, much faster.

        Parameters
        ----------
        fused : Fused
            What to score and keep.
        """
        return None

    def fingerprint(self) -> str:
        """The same for the same counts of everything, and different for others."""
        digest = hashlib.sha256()
        for part in self.identity():
            digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()

    @abstractmethod
    def identity(self) -> Iterable[NDArray[Any]]:
        """Everything the counts depend on."""

    @abstractmethod
    def _count(self, subsets: NDArray[np.int32]) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class EngineOfTable(Engine):
    """Counts what a table holds, wherever that lies.

    Parameters
    ----------
    table : BitTable, CodeTable or RemoteBits
        What to count.
    """

    table: Any

    @property
    def sizes(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Codes of every unit."""
        return np.asarray(self.table.sizes)

    @property
    def n_channels(self) -> int:  # type: ignore[override]
        """Counts or sums a cell."""
        return int(self.table.n_channels)


@dataclass(frozen=True, eq=False)
class _TableEngine(EngineOfTable):
    table: BitTable | CodeTable
    n_threads: int = 1

    def __post_init__(self) -> None:
        check("n_threads", self.n_threads, Whole(1, _MOST_THREADS))

    def identity(self) -> Iterable[NDArray[Any]]:
        table = self.table
        if isinstance(table, BitTable):
            return (table.words, table.sizes, table.class_rows)
        return (table.codes, table.sizes, table.row_class, table.values)

    def _count(self, subsets: NDArray[np.int32]) -> NDArray[Any]:
        table = self.table
        if isinstance(table, BitTable):
            parts = (table.words, table.sizes, table.class_starts, table.class_rows)
            return self._kernel(numpy_counting.count_cells)(*parts, subsets, self.n_threads)
        add = self._kernel(numpy_counting.sum_cells)
        return add(table.codes, table.sizes, table.row_class, table.n_classes, table.values, subsets, self.n_threads)

    @abstractmethod
    def _kernel(self, twin: _Kernel) -> _Kernel:
        """What does the counting, in the place of a numpy kernel."""


class NativeEngine(_TableEngine):
    """The compiled core.

    Parameters
    ----------
    table : BitTable or CodeTable
        What to count.
    n_threads : int, default=1
        Threads; the result does not depend on it.
    """

    def scan(self, fused: Fused) -> FusedScan | None:
        table = self.table
        if not isinstance(table, BitTable):
            sums = RoundedSums.of(table, fused)
            return None if sums is None else sums.scan(self.n_threads)
        if fused.kind == "squares" or fused.kind == "weighted squares":  # noqa: PLR1714 - mypy understands this
            return None
        parts = (table.words, table.sizes, table.class_starts, table.class_rows)
        inverse = None if fused.inverse is None else np.require(fused.inverse, requirements=["C", "A"])
        return native.Scan(*parts, fused.kind, fused.scale, inverse, self.n_threads)

    @cached_property
    def _all_pairs(self) -> AllPairs | None:
        return None if isinstance(self.table, BitTable) else AllPairs.of(self.table, self.n_threads)

    def _count(self, subsets: NDArray[np.int32]) -> NDArray[Any]:
        if not isinstance(self.table, BitTable) and pays_for_all(self.table, subsets) and self._all_pairs is not None:
            return self._all_pairs.cells(subsets)
        return super()._count(subsets)

    def _kernel(self, twin: _Kernel) -> _Kernel:
        return native.compiled(twin)


class NumpyEngine(_TableEngine):
    """Readable and slow: what the compiled core is checked against, and what stands in for it.

    Parameters
    ----------
    table, n_threads : BitTable or CodeTable, int
        What to count; numpy counts in one thread, whatever is said.
    """

    def _kernel(self, twin: _Kernel) -> _Kernel:
        return twin


@dataclass(frozen=True, eq=False)
class ShardedEngine(Engine):
    """The sum of engines over disjoint rows: blocks of a file, workers of a cluster.

    Parameters
    ----------
    shards : sequence of Engine
        Engines of blocks of rows, with the same units.
    """

    shards: Sequence[Engine]

    @property
    def sizes(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Codes of every unit."""
        return self.shards[0].sizes

    @property
    def n_channels(self) -> int:  # type: ignore[override]
        """Counts or sums a cell."""
        return self.shards[0].n_channels

    def identity(self) -> Iterable[NDArray[Any]]:
        return (part for shard in self.shards for part in shard.identity())

    def _count(self, subsets: NDArray[np.int32]) -> NDArray[Any]:
        first, *others = (shard.counts(subsets).values for shard in self.shards)
        return sum(others, first)
