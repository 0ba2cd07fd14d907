"""Every conjunction of one, two or three conditions, in numpy: the oracle of the compiled scan, and its stand-in.

A plane is a question, and each of its two answers may be a condition: ``conditions[plane, answer]`` is the number of
that condition, or -1 where nobody asks for it. Planes stand in the order of their groups, and no two conditions of one
group go together. Rows lie in layers, which are the classes of a packed table; a row of layer l adds ``row_weights[l]``
to the rows of a conjunction and ``target_weights[l]`` to the sum of its target. All of them are multiples of one power
of two, so that sums are exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paclearn.kernels.numpy_counting import valid_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["TIE_DIGITS", "ConjunctionScan", "Totals", "measure"]

TIE_DIGITS = 1e12
_ROUNDING = 1e-12  # of measures, beside a floor
_MOST_OFFERS = 1 << 20


@dataclass(frozen=True)
class Totals:
    """Rows of the table, the sum of their target, and the sum of squares of what the target differs from its mean."""

    rows: float
    sums: float
    squares: float

    @property
    def mean(self) -> float:
        return self.sums / self.rows


def measure(kind: str, rows: Floats, sums: Floats, totals: Totals, two_sided: bool = False) -> Floats:
    """What conjunctions are ranked by, between -1 and 1: see `paclearn.search.qualities`. There must be rows."""
    return _FORMULAS[kind](rows, sums, totals) if not two_sided else np.abs(_FORMULAS[kind](rows, sums, totals))


def _accuracy(rows: Floats, sums: Floats, totals: Totals) -> Floats:
    return (sums - rows * totals.mean) / totals.rows


def _precision(rows: Floats, sums: Floats, totals: Totals) -> Floats:  # noqa: ARG001 - one of a family
    return sums / rows


def _chi_square(rows: Floats, sums: Floats, totals: Totals) -> Floats:
    beyond = sums - rows * totals.mean
    variance = rows * (totals.rows - rows) * (totals.mean * (1 - totals.mean))
    return np.divide(beyond * beyond, variance, out=np.zeros_like(rows), where=variance > 0)


def _likelihood_ratio(rows: Floats, sums: Floats, totals: Totals) -> Floats:
    n, a = totals.rows, totals.sums
    inside = _x_log_x(sums) + _x_log_x(rows - sums) - _x_log_x(rows)
    outside = _x_log_x(a - sums) + _x_log_x((n - a) - (rows - sums)) - _x_log_x(n - rows)
    whole = _x_log_x(np.array([a, n - a, n])) @ [1.0, 1.0, -1.0]
    return (inside + outside - whole) / n


def _shift(rows: Floats, sums: Floats, totals: Totals) -> Floats:
    beyond = sums - rows * totals.mean
    return beyond * np.abs(beyond) / rows / totals.squares


_FORMULAS = {
    "accuracy": _accuracy,
    "precision": _precision,
    "chi_square": _chi_square,
    "likelihood_ratio": _likelihood_ratio,
    "shift": _shift,
}


def _x_log_x(x: Floats) -> Floats:
    return x * np.log(np.where(x > 0, x, 1.0))


class ConjunctionScan:
    """Conjunctions of some planes, scored as they are counted."""

    def __init__(
        self,
        words: NDArray[np.uint64],
        class_starts: Integers,
        class_rows: Integers,
        groups: Integers,
        conditions: NDArray[np.int32],
        row_weights: Floats,
        target_weights: Floats,
        kind: str,
        squares: float,
        two_sided: bool,
        minimal: bool,
        min_rows: float,
        n_threads: int,  # noqa: ARG002 - the compiled scan has use for them
    ) -> None:
        layer = np.repeat(np.arange(len(class_rows)), np.diff(class_starts) * 64)
        valid = _unpacked(valid_words(class_starts, class_rows)[None])[0]
        planes = _unpacked(words)
        place = np.flatnonzero(conditions.ravel() >= 0)
        self.plane, answer = np.divmod(place, 2)
        self.number, self.group = conditions.ravel()[place], groups[self.plane]
        self.holds = np.where(answer[:, None], planes[self.plane], valid - planes[self.plane]).T.copy()
        self.weights = [weights[layer] * valid for weights in (row_weights, target_weights)]
        self.totals = Totals(float(class_rows @ row_weights), float(class_rows @ target_weights), squares)
        self.kind, self.two_sided, self.minimal, self.min_rows = kind, two_sided, minimal, min_rows

    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = -1e200
    ) -> tuple[NDArray[np.int32], Floats]:
        """The best conjunctions of k conditions whose first plane lies in [begin, end), best first, ties in order.

        Those that do not reach the floor may be missing.
        """
        found = _Found(np.empty((0, k), dtype=np.int32), np.empty(0))
        first = np.flatnonzero((self.plane >= begin) & (self.plane < end))
        if k == 1:
            return found.with_more(*self._scored(first[:, None], *self._singles(first)), n_best, floor).arrays
        for literal in first.tolist():
            behind = np.flatnonzero(self.group > self.group[literal])
            for members, rows, sums in self._pairs(literal, behind) if k == 2 else self._triples(literal, behind):
                found = found.with_more(*self._scored(members, rows, sums), n_best, floor)
        return found.arrays

    def _singles(self, literals: NDArray[np.intp]) -> tuple[Floats, Floats]:
        rows, sums = (weights @ self.holds[:, literals] for weights in self.weights)
        return rows, sums

    def _pairs(self, literal: int, behind: NDArray[np.intp]) -> Any:
        members = np.column_stack([np.full_like(behind, literal), behind])
        both = self.holds[:, literal, None] * self.holds[:, behind]
        yield members, *(weights @ both for weights in self.weights)

    def _triples(self, literal: int, behind: NDArray[np.intp]) -> Any:
        apart = np.argwhere(self.group[behind][:, None] < self.group[behind])
        both = self.holds[:, literal, None] * self.holds[:, behind]
        tables = [(both * weights[:, None]).T @ both for weights in self.weights]
        for some in (apart[i : i + _MOST_OFFERS] for i in range(0, len(apart), _MOST_OFFERS)):
            j, k = some.T
            members = np.column_stack([np.full_like(j, literal), behind[j], behind[k]])
            yield members, *(table[j, k] for table in tables)

    def _scored(self, members: NDArray[np.intp], rows: Floats, sums: Floats) -> tuple[NDArray[np.int32], Floats]:
        """Conditions and measures of those with rows enough and, if so wished, better than their shorter forms."""
        enough = (rows >= self.min_rows) & (rows > 0)
        members = members[enough]
        measures = measure(self.kind, rows[enough], sums[enough], self.totals, self.two_sided)
        if self.minimal and len(members) and members.shape[1] > 1:
            better = np.rint(measures * TIE_DIGITS) > np.rint(self._best_shorter(members) * TIE_DIGITS)
            members, measures = members[better], measures[better]
        return np.sort(self.number[members], axis=1).astype(np.int32), measures

    def _best_shorter(self, members: NDArray[np.intp]) -> Floats:
        alone = np.diagonal(self._measures)[members].max(axis=1)
        if members.shape[1] == 2:
            return alone
        pairs = [self._measures[members[:, i], members[:, j]] for i, j in ((0, 1), (0, 2), (1, 2))]
        return np.maximum(alone, np.max(pairs, axis=0))

    @cached_property
    def _measures(self) -> Floats:
        """Of all pairs of conditions, and on the diagonal of each by itself."""
        rows, sums = ((self.holds * weights[:, None]).T @ self.holds for weights in self.weights)
        some = rows > 0
        found = measure(self.kind, np.where(some, rows, 1.0), sums, self.totals, self.two_sided)
        return np.where(some, found, -np.inf)


@dataclass(frozen=True, eq=False)
class _Found:
    """The best so far. Equal measures (to twelve digits) go to the first in order."""

    members: NDArray[np.int32]
    measures: Floats

    @property
    def arrays(self) -> tuple[NDArray[np.int32], Floats]:
        return self.members, self.measures

    def with_more(self, members: NDArray[np.int32], measures: Floats, n_best: int, floor: float) -> _Found:
        reach = measures >= floor - _ROUNDING  # as the core has it
        every, values = np.concatenate([self.members, members[reach]]), np.concatenate([self.measures, measures[reach]])
        order = np.lexsort((*every.T[::-1], -np.rint(values * TIE_DIGITS)))[:n_best]
        return _Found(every[order], values[order])


def _unpacked(words: NDArray[np.uint64]) -> Floats:
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little").astype(np.float64)
