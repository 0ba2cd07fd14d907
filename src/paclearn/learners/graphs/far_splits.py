"""Histograms of leaves whose rows lie on the workers of a cluster: a split of a leaf is one pass over them.

Workers keep, for every part, which of its rows are in which leaf, and follow the splits and merges that they are told
of. What they keep follows from the part and from these: where a worker is lost, another one follows from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import add, sub
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np

from paclearn.encoding.bins import BinnedTable
from paclearn.encoding.distinct import row_marks
from paclearn.kernels import dispatch as native
from paclearn.learners.graphs.axis_splits import AxisLeaf, ExactTarget, HistogramBranching
from paclearn.learners.graphs.watched_splits import held_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding import Domain
    from paclearn.encoding.encoded_rows import EncodedBlock, EncodedRows
    from paclearn.learners.graphs.scaled_target import FarTarget

    _LeafSums: TypeAlias = tuple[NDArray[np.float64], float, NDArray[np.float64]]

__all__ = ["FarBranching", "HashedFold", "fold_of_rows"]


@dataclass(frozen=True)
class HashedFold:
    """The rows that are left out: those whose hash, by this seed, leaves this rest."""

    seed: int
    n_folds: int
    rest: int


def fold_of_rows(codes: Any, values: NDArray[np.float64], fold: HashedFold) -> NDArray[np.bool_]:
    """Which rows, by their codes and targets, are left out: rows that are alike all are, or none of them."""
    return np.asarray(row_marks(codes, [values], fold.seed) % np.uint64(fold.n_folds) == fold.rest)


# ---- on the workers --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Split:
    """A leaf becomes two."""

    leaf: int
    low: int
    high: int
    column: int
    goes_low: bytes


@dataclass(frozen=True)
class _Merge:
    """Leaves become one."""

    leaves: tuple[int, ...]
    new: int


@dataclass(frozen=True)
class _Grown:
    """What a graph is grown from: targets, weights of the rows that it sees, and those that it does not."""

    name: str
    target: FarTarget
    layout: tuple[tuple[int, ...], ...]
    weight: float
    fold: HashedFold | None


class _Part:
    """The rows of a part by leaves."""

    def __init__(self, block: EncodedBlock, grown: _Grown) -> None:
        target, weights = grown.target, block.counts
        self.codes, scaled = np.ascontiguousarray(block.codes), target.scaled(block.targets)
        out = np.zeros(block.n, dtype=bool)
        if grown.fold is not None and block.n:
            out = fold_of_rows(self.codes, target.values(block.targets), grown.fold)
        self.target = ExactTarget.of(scaled, np.where(out, 0.0, weights), grown.weight)
        self.held = held_sums(scaled, weights, target.weight)
        self.rows = {0: np.flatnonzero(~out).astype(np.int32)}
        self.left_out = {0: np.flatnonzero(out).astype(np.int32)}
        self.followed = 0

    def follow(self, event: _Split | _Merge) -> None:
        for rows in (self.rows, self.left_out):
            if isinstance(event, _Merge):
                rows[event.new] = np.concatenate([rows.pop(leaf) for leaf in event.leaves])
            else:
                low = np.frombuffer(event.goes_low, dtype=np.uint8)
                mine = rows.pop(event.leaf)
                rows[event.low], rows[event.high] = native.partition_rows(self.codes[event.column], low, mine)
        self.followed += 1

    def sums(self, leaf: int, layout: NDArray[np.int64]) -> _LeafSums:
        """Of a leaf: its histogram, its squares, and what rows in it add up to that were left out."""
        rows = self.rows[leaf]
        found = native.fill_histogram(self.codes, layout, rows, self.target.weights, self.target.sums)
        return found, float(self.target.squares[rows].sum()), self.held[self.left_out[leaf]].sum(axis=0)


_PARTS: WeakKeyDictionary[EncodedBlock, dict[str, _Part]] = WeakKeyDictionary()


@dataclass(frozen=True)
class _Asked:
    """The sums of a leaf, once these events, of which some were told before, have happened."""

    grown: _Grown
    told: int
    events: tuple[_Split | _Merge, ...]
    leaf: int
    alive: tuple[str, ...]

    def __call__(self, block: EncodedBlock) -> Any:
        known = _PARTS.setdefault(block, {})
        for name in set(known) - set(self.alive):
            del known[name]
        if self.grown.name not in known:
            known[self.grown.name] = _Part(block, self.grown)
        part = known[self.grown.name]
        if part.followed < self.told:
            return None  # it has to be told all of them
        for event in self.events[part.followed - self.told :]:
            part.follow(event)
        return part.sums(self.leaf, np.array(self.grown.layout, dtype=np.int64))


def _both(one: Any, other: Any) -> Any:
    return None if one is None or other is None else tuple(map(add, one, other))


# ---- here ------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class FarLeaf(AxisLeaf):
    """A leaf by its number on the workers, and the sums over rows left out."""

    number: int = 0
    held: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))


class FarBranching(HistogramBranching):
    """Splits leaves whose rows lie on workers; what comes back of a split are histograms.

    Parameters
    ----------
    rows : EncodedRows
        Codes of all columns, a byte each.
    domain : Domain
        The columns.
    target : FarTarget
        What the rows are to be split by.
    least_weight : float
        That each side of a split must have.
    fold : HashedFold, default=None
        The rows that are left out.
    alive : list of str
        Names of the graphs that grow side by side; of others, workers forget what they know.
    """

    def __init__(
        self,
        rows: EncodedRows,
        domain: Domain,
        target: FarTarget,
        least_weight: float,
        fold: HashedFold | None = None,
        alive: list[str] | None = None,
    ) -> None:
        layout = BinnedTable(domain, np.empty((len(domain.columns), 0), dtype=np.uint8)).layout
        super().__init__(layout, least_weight)
        weight = target.weight if fold is None else rows.summed(_SeenWeight(target, fold), _plus)
        self._rows, self._n_leaves, self._told = rows, 1, 0
        self._events: list[_Split | _Merge] = []
        self._last: tuple[int, tuple[FarLeaf, FarLeaf]] | None = None  # leaf that was split, and its sides
        self._grown = _Grown(uuid4().hex, target, tuple(map(tuple, layout.tolist())), float(weight), fold)
        self._alive = [] if alive is None else alive
        self._alive.append(self._grown.name)

    def root(self) -> FarLeaf:
        return self._leaf(0, *self._sums(0))

    def children(self, leaf: Any) -> tuple[FarLeaf, FarLeaf]:
        """The lighter side is asked for, the other one is what is left; a graph that is full asks for them again."""
        if self._last is None or self._last[0] != leaf.number:
            self._last = leaf.number, self._split(leaf)
        return self._last[1]

    def _split(self, leaf: Any) -> tuple[FarLeaf, FarLeaf]:
        question = self.question(leaf)
        low, high = self._new(), self._new()
        self._events.append(_Split(leaf.number, low, high, question.column, question.low.tobytes()))
        start, size = self.layout[question.column, :2].tolist()
        weight = leaf.histogram[start : start + size, 0] @ question.low[:size]
        asked, other = (low, high) if 2 * weight <= leaf.weight else (high, low)
        sums = self._sums(asked)
        rest = map(sub, (leaf.histogram, leaf.squares, leaf.held), sums)
        found = {asked: self._leaf(asked, *sums), other: self._leaf(other, *rest)}
        return found[low], found[high]

    def joined(self, leaves: list[Any]) -> FarLeaf:
        new = self._new()
        self._events.append(_Merge(tuple(leaf.number for leaf in leaves), new))
        return self._leaf(new, *(sum(getattr(leaf, k) for leaf in leaves) for k in ("histogram", "squares", "held")))

    def _leaf(self, number: int, histogram: NDArray[np.float64], squares: float, held: NDArray[np.float64]) -> FarLeaf:
        weight, total = histogram[: self.layout[0, 1]].sum(axis=0).tolist()  # every row is in some bin of a column
        return FarLeaf(np.empty(0, dtype=np.int32), weight, total, squares, histogram, number=number, held=held)

    def _new(self) -> int:
        self._n_leaves += 1
        return self._n_leaves - 1

    def _sums(self, leaf: int) -> _LeafSums:
        found = self._asked(leaf, self._told)
        if found is None:  # a worker was lost, and with it what it had followed
            found = self._asked(leaf, 0)
        self._told = len(self._events)
        histogram, *rest = found
        return np.array(histogram), *rest  # what comes over a wire may begin anywhere

    def _asked(self, leaf: int, told: int) -> Any:
        work = _Asked(self._grown, told, tuple(self._events[told:]), leaf, tuple(self._alive))
        return self._rows.summed(work, _both)


@dataclass(frozen=True)
class _SeenWeight:
    """What the rows weigh that are not left out."""

    target: FarTarget
    fold: HashedFold

    def __call__(self, block: EncodedBlock) -> float:
        if block.n == 0:
            return 0.0
        out = fold_of_rows(block.codes, self.target.values(block.targets), self.fold)
        return float(block.counts[~out].sum())


def _plus(one: float, other: float) -> float:
    return one + other
