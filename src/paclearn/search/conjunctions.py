"""Every conjunction of a few conditions is looked at, and the best are kept."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs

from paclearn._parameters import Between, Cores, Flag, Nothing, Rule, Whole, check_values
from paclearn._progress import progress
from paclearn.exceptions import InputError
from paclearn.kernels import dispatch as native
from paclearn.kernels.numpy_conjunctions import TIE_DIGITS
from paclearn.search.condition_planes import ConditionPlanes, packed_planes
from paclearn.search.layers import Layers, layers_of
from paclearn.search.quadruples import Quadruples, asked_again, minimal_ones
from paclearn.search.qualities import Quality, quality_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = ["Conjunctions", "best_conjunctions"]

_MOST_STRETCHES = 64
_WORDS_A_STRETCH = 2e9  # a tenth of a second or so


@dataclass(frozen=True, eq=False)
class Conjunctions:
    """The best conjunctions, best first.

    Parameters
    ----------
    members : ndarray of int32 of shape (n, k)
        The conditions of each, in order.
    rows : ndarray of float of shape (n,)
        Rows (or their weight) for which all of them hold.
    sums : ndarray of float of shape (n,)
        How many of those are of the class, or the sum of their target (to a millionth of its range a row).
    quality : ndarray of float of shape (n,)
        The quality asked for.
    looked_at : int
        How many conjunctions were looked at.
    complete : bool
        Whether those were all there are.
    """

    members: NDArray[np.int32]
    rows: NDArray[np.float64]
    sums: NDArray[np.float64]
    quality: NDArray[np.float64]
    looked_at: int
    complete: bool

    def __len__(self) -> int:
        return len(self.members)


def best_conjunctions(
    answers: NDArray[np.bool_] | Iterable[NDArray[np.bool_]],
    groups: Any,
    target: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
    *,
    quality: str = "wracc",
    k: int = 2,
    n_best: int = 100,
    min_rows: float = 1,
    two_sided: bool = False,
    minimal: bool = False,
    time_limit: float | None = None,
    n_jobs: int | None = None,
) -> Conjunctions:
    """Look at every conjunction of k conditions of different groups, and keep the best.

    A condition and its opposite (``colour = red`` and ``colour != red``) are counted together: where each condition
    has one, all eight conjunctions of three of them and their opposites come from one count.

    Parameters
    ----------
    answers : ndarray of bool of shape (n_rows, n_conditions), or iterable of columns
        Whether each condition holds for each row; columns of an iterable are packed one after another.
    groups : array-like of int of shape (n_conditions,)
        Conditions of the same group (of one column) do not go together.
    target : ndarray of shape (n_rows,)
        1 (or True) for rows of the class at hand and 0 for others; or floats, which are numbers.
    weights : ndarray of shape (n_rows,), default=None
        How many times each row counts; fractions are rounded to a millionth of the largest.
    quality : str, default="wracc"
        One of `paclearn.search.qualities.QUALITIES`.
    k : int, default=2
        How many conditions: 1, 2, 3 or, where conditions are some hundreds at the most, 4.
    n_best : int, default=100
        How many to keep. Equal qualities (to twelve digits) go to the first in the order of the conditions.
    min_rows : float, default=1
        Conjunctions of fewer rows (or less weight) are not kept.
    two_sided : bool, default=False
        For ``"wracc"`` and ``"shift"``: whether too few of the class count as much as too many.
    minimal : bool, default=False
        Whether to keep only what is better than each of its shorter forms.
    time_limit : float, default=None
        Seconds, after which the best so far are given.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.

    Returns
    -------
    Conjunctions
        The best, their rows and quality.
    """
    check_values(locals(), _PARAMETERS)
    wanted = quality_of(quality, numbers=_is_number(target), two_sided=two_sided)
    how = minimal, time_limit, effective_n_jobs(n_jobs)
    if k == 4:
        return _Four.of(answers, groups, target, weights, wanted, float(min_rows)).run(n_best, *how)
    return _Search.of(answers, groups, target, weights, wanted).run(k, n_best, float(min_rows), *how)


_PARAMETERS: dict[str, Rule] = {
    "k": Whole(1, 4),
    "n_best": Whole(1),
    "min_rows": Between(0, np.inf, closed=True),
    "two_sided": Flag(),
    "minimal": Flag(),
    "time_limit": Nothing() | Between(0, np.inf),
    "n_jobs": Cores(),
}


def _is_number(target: Any) -> bool:
    return np.asarray(target).dtype.kind == "f"


@dataclass(frozen=True, eq=False)
class _Search:
    planes: ConditionPlanes
    layers: Layers
    quality: Quality

    @classmethod
    def of(cls, answers: Any, groups: Any, target: Any, weights: Any, quality: Quality) -> _Search:
        values, mass = _checked(target, weights)
        layers = layers_of(values, mass, numbers=_is_number(values))
        columns = answers.T if isinstance(answers, np.ndarray) else answers
        return cls(packed_planes(columns, np.asarray(groups), len(values), layers), layers, quality)

    def run(
        self,
        k: int,
        n_best: int,
        min_rows: float,
        minimal: bool,
        time_limit: float | None,
        n_threads: int,
        floor: float = -1e200,
    ) -> Conjunctions:
        """The best; those that do not reach a floor of the measure may be missing."""
        table, layers = self.planes.table, self.layers
        scan = native.ConjunctionScan(
            table.words, table.class_starts, table.class_rows, self.planes.groups, self.planes.conditions,
            layers.row_weights, layers.target_weights, self.quality.kind, layers.squares, self.quality.two_sided,
            minimal, min_rows, n_threads,
        )  # fmt: skip
        self.planes.check_memory(k)
        per_plane = self.planes.conjunctions(k)
        best, started, done = _Best(n_best, k), time.monotonic(), 0
        with progress(f"{int(per_plane.sum()):,} conjunctions of {k}", int(per_plane.sum())) as advance:
            for begin, end in _stretches(per_plane, table.words.shape[1], time_limit):
                best.add(*scan.best(k, begin, end, n_best, max(floor, best.floor)))
                advance(int(per_plane[begin:end].sum()))
                done = end
                if time_limit is not None and time.monotonic() - started > time_limit:
                    break
        return self.conjunctions(best.members, int(per_plane[:done].sum()), complete=done == len(per_plane))

    def measures(self, members: NDArray[np.int32]) -> NDArray[np.float64]:
        """What conjunctions are ranked by."""
        counts = self.planes.counts(members)
        rows, sums = counts @ self.layers.row_weights, counts @ self.layers.target_weights
        return self.quality.measure(rows, sums, self.layers.totals)

    def conjunctions(self, members: NDArray[np.int32], looked_at: int, *, complete: bool) -> Conjunctions:
        """Rows and sums are counted anew, so that they are the same bytes whatever found the conjunctions."""
        counts, totals = self.planes.counts(members), self.layers.totals
        rows, sums = counts @ self.layers.row_weights, counts @ self.layers.target_weights
        value = self.quality.value(self.quality.measure(rows, sums, totals), totals, self.layers.unit)
        whole = sums * self.layers.unit + rows * self.layers.origin
        return Conjunctions(members, rows, whole, value, looked_at, complete)


@dataclass(frozen=True, eq=False)
class _Four:
    """Conjunctions of four as triples behind a first condition; see `quadruples`."""

    whole: _Search
    every: Quadruples
    target: NDArray[Any]
    weights: NDArray[np.float64] | None

    @classmethod
    def of(cls, answers: Any, groups: Any, target: Any, weights: Any, quality: Quality, min_rows: float) -> _Four:
        columns = answers if isinstance(answers, np.ndarray) else np.column_stack(list(answers))
        whole, (values, mass) = _Search.of(columns, groups, target, weights, quality), _checked(target, weights)
        every = Quadruples(
            columns, np.asarray(groups), None if _is_number(values) else values.astype(np.float64),
            np.ones(len(values)) if mass is None else mass, quality, whole.layers.totals, min_rows,
        )  # fmt: skip
        return cls(whole, every, values, mass)

    def run(self, n_best: int, minimal: bool, time_limit: float | None, n_threads: int) -> Conjunctions:
        best, end = _Best(n_best, 4), None if time_limit is None else time.monotonic() + time_limit
        every, looked_at, complete = self.every.order, 0, True
        with progress("first conditions of conjunctions of 4", len(every)) as advance:
            for first in every:
                left = None if end is None else max(end - time.monotonic(), 1e-9)
                more, complete = self._add(best, first, minimal, left, n_threads)
                looked_at += more
                advance(1)
                if not complete:
                    break
        return self.whole.conjunctions(best.members, looked_at, complete=complete)

    def _add(self, best: _Best, first: int, minimal: bool, left: float | None, n_threads: int) -> tuple[int, bool]:
        """Take up what follows a first condition: how much that was, and whether there was time for all of it."""
        behind, n_behind = self.every.behind(first, best.floor), self.every.n_behind(first)
        if behind is None:
            return n_behind, True
        groups = self.every.groups[behind.conditions]
        search = _Search.of(behind.answers, groups, self.target, self.weights, self.whole.quality)
        for n in asked_again(best.n_best):
            triples = search.run(3, n, self.every.min_rows, minimal, left, n_threads, best.floor)
            members = behind.members(triples.members)
            measures = self.whole.measures(members)
            kept = minimal_ones(members, measures, self.whole.measures) if minimal else np.ones(len(members), bool)
            if len(triples) < n or kept.sum() >= best.n_best or not triples.complete:
                break
        best.add(members[kept], measures[kept])
        return (n_behind, True) if triples.complete else (triples.looked_at, False)


def _checked(target: Any, weights: Any) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    values = np.asarray(target)
    if values.ndim != 1 or not len(values) or values.dtype.kind not in "biuf":
        raise InputError(f"target must be a list of numbers, one a row; found {values.dtype} of shape {values.shape}")
    if values.dtype.kind != "f" and not np.isin(values, (0, 1)).all():
        raise InputError("a target of classes is 1 for rows of the class and 0 for others; numbers must be floats")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError("a target of numbers must be finite in every row")
    if values.min() == values.max():
        raise InputError(f"target is {values[0]} in all {len(values)} rows; there is nothing to tell apart")
    if weights is None:
        return values, None
    mass = np.asarray(weights, dtype=np.float64)
    if mass.shape != values.shape or not np.isfinite(mass).all() or mass.min() < 0 or mass.max() == 0:
        raise InputError(f"weights must be {len(values)} numbers that are not negative, and not all of them nought")
    if np.ptp(values[mass > 0]) == 0:
        raise InputError(f"target is {values[mass > 0][0]} in all rows of any weight; there is nothing to tell apart")
    return values, mass


def _stretches(per_plane: NDArray[np.int64], n_words: int, time_limit: float | None) -> Iterator[tuple[int, int]]:
    """Ranges of first planes with about as many conjunctions each, so that progress can be told and time kept."""
    wanted = per_plane.sum() * float(n_words) / _WORDS_A_STRETCH if time_limit is None else _MOST_STRETCHES
    before = np.concatenate([[0], np.cumsum(per_plane)])
    marks = np.linspace(0, before[-1], int(np.clip(wanted, 1, _MOST_STRETCHES)) + 1)[1:-1]
    ends = np.unique([0, *np.searchsorted(before, marks), len(per_plane)]).tolist()
    return pairwise(ends)


@dataclass
class _Best:
    """The best of all stretches so far."""

    n_best: int
    k: int
    members: NDArray[np.int32] = field(init=False)
    measures: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.members, self.measures = np.empty((0, self.k), dtype=np.int32), np.empty(0)

    @property
    def floor(self) -> float:
        return float(self.measures[-1]) - 1e-11 if len(self.measures) == self.n_best else -1e200

    def add(self, members: NDArray[np.int32], measures: NDArray[np.float64]) -> None:
        every, values = np.concatenate([self.members, members]), np.concatenate([self.measures, measures])
        order = np.lexsort((*every.T[::-1], -np.rint(values * TIE_DIGITS)))[: self.n_best]
        self.members, self.measures = every[order], values[order]
