r"""Rows of which few bits are true: sums over them cost what is true, and not all the bits there are.

Columns with thousands of levels make thousands of bits, of which a row has one a column. A sign is
:math:`s = 2a - 1`, where a is 1 if the bit is true, so that sums of weighted terms are sums over what is true, and a
constant. What two rare levels say together they say where both are true: in place of the product of their signs stands
:math:`(ss' + s + s') / 2 = 2aa' - 1/2`, whose weight is a random effect of the pair as that of a level is one of the
level, and which is a sum of the three terms again. What levels of many rows have in common, beside those of few and
those that were never seen, is a weight of the sum of their signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.spectral.term_scan import Scan, Standardised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.models.terms import Term

__all__ = ["SparseScan", "SparseTerms", "frequent_levels", "true_bits"]

_FEWEST_BITS, _MOST_TRUE = 600, 0.05  # of fewer bits, or of more that are true, whole matrices are as fast
_MANY_LEVELS = 100  # of a column, from which it matters how frequent they are:
_FREQUENT = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # true in more than so many rows
_COMMON = 0.5  # scale of what they have in common


def true_bits(signs: NDArray[np.int8], values: NDArray[Any], *, sure: bool | None = None) -> Any:
    """Rows x bits, 1 where a bit is true, as a sparse matrix; None where it would not pay, or terms are no signs."""
    if sure is None:
        sure = signs.shape[1] >= _FEWEST_BITS and (signs > 0).mean() <= _MOST_TRUE
        sure = sure and (values is signs or np.array_equal(values, signs))
    if not sure:
        return None
    from scipy.sparse import csr_array  # a tenth of a second that most fits can do without

    rows, places = np.nonzero(signs > 0)
    return csr_array((np.ones(len(rows)), (rows, places)), shape=signs.shape)


def frequent_levels(bits: Any, columns: NDArray[np.intp], counts: NDArray[np.float64]) -> Any:
    """Bits x groups, 1 where a bit is of a column of many and true in more than so many rows; None without groups."""
    from scipy.sparse import csc_array

    rows = bits.T @ counts
    many = (np.bincount(columns) >= _MANY_LEVELS)[columns]
    groups = [(columns == c) & (rows > k) for c in np.unique(columns[many]) for k in _FREQUENT]
    inside = [group.astype(np.float64) for group in groups if group.any()]
    return csc_array(np.column_stack(inside)) if inside else None


@dataclass(frozen=True, eq=False)
class SparseTerms:
    """Groups of frequent levels, all single bits and pairs of them that are true together, each times its scale.

    Every column of the matrix is a constant less than what it is where its bits are true; see above.
    """

    bits: Any  # rows x bits
    terms: Sequence[Term]
    scale: NDArray[np.float32]
    groups: Any = None  # bits x groups

    @property
    def shape(self) -> tuple[int, int]:
        return self._true.shape[0], self._true.shape[1]

    @property
    def _n_groups(self) -> int:
        return 0 if self.groups is None else int(self.groups.shape[1])

    @cached_property
    def _members(self) -> NDArray[np.intp]:
        """Of pairs: two x pairs; as many terms as there are bits, in their order, are single ones."""
        return np.array(self.terms[self.bits.shape[1] :], dtype=np.intp).reshape(-1, 2).T

    @cached_property
    def _true(self) -> Any:
        """Rows x columns, 1 where a bit of the group, the bit, or both bits are true."""
        from scipy.sparse import hstack

        columns, (one, other) = self.bits.tocsc(), self._members
        groups = [] if self.groups is None else [columns @ self.groups]
        pairs = [columns[:, one].multiply(columns[:, other])] if len(one) else []
        return hstack([*groups, columns, *pairs]).tocsr()

    @cached_property
    def _scale(self) -> NDArray[np.float64]:
        """Of all columns of the matrix."""
        return np.concatenate([np.full(self._n_groups, _COMMON), self.scale]).astype(np.float64)

    @cached_property
    def _offset(self) -> NDArray[np.float64]:
        """What is taken off, in units of the scale: of a sum of signs how many there are, of a pair one half."""
        sizes = np.zeros(0) if self.groups is None else np.asarray(self.groups.sum(axis=0))
        halves = np.full(self._members.shape[1], 0.5)
        return np.concatenate([sizes, np.ones(self.bits.shape[1]), halves])

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of all rows."""
        scaled = weights * self._scale[:, None]
        return np.asarray(self._true @ (2 * scaled) - self._offset @ scaled)

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over rows of term times column."""
        found = 2 * (self._true.T @ columns) - np.outer(self._offset, columns.sum(axis=0))
        return np.asarray(found * self._scale[:, None])

    def sums_of_squares(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same of the squares of terms."""
        offset = self._offset[:, None]
        found = 4 * (1 - offset) * (self._true.T @ columns) + offset**2 * columns.sum(axis=0)
        return np.asarray(found * self._scale[:, None] ** 2)

    def to_terms(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of single bits and of products of two."""
        scaled, d = weights * self._scale[:, None], self.bits.shape[1]
        common, found = scaled[: self._n_groups], scaled[self._n_groups :].copy()
        found[d:] /= 2
        for members in self._members:
            np.add.at(found, members, found[d:])
        if self.groups is not None:
            found[:d] += self.groups @ common
        return found


@dataclass(frozen=True, eq=False)
class SparseScan(Scan):
    """The same scores of pairs: only those whose bits are true together often enough are allowed, and they are few.

    With a ``standard``, functions of single bits are signs, standardised, and ``basis`` are these signs.
    """

    bits: Any = None  # rows x bits
    standard: Standardised | None = None

    @property
    def has_copies(self) -> bool:
        """Rare levels of a column have little to do with each other."""
        return False

    @cached_property
    def _candidates(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        """Allowed pairs: their members, and the rows of their four cells."""
        both = self._sums(self.counts.astype(np.float64)).tocoo()
        one, other = (np.asarray(place, dtype=np.intp) for place in both.coords)
        ups = self.bits.T @ self.counts.astype(np.float64)
        cells = _cells(both.data, ups[one], ups[other], float(self._n))
        enough = (cells >= self.least_rows - 1e-3).all(axis=0)
        allowed = enough & (one < other) & (self.columns[one] != self.columns[other])
        return one[allowed], other[allowed], cells[:, allowed]

    def _sums(self, weights: NDArray[np.float64]) -> Any:
        """Of weights of rows where two bits are true, bits x bits."""
        return (self.bits.T @ self.bits.multiply(weights[:, None])).tocsr()

    def _sums_of_candidates(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same of allowed pairs; sums that are nought are not kept."""
        one, other, _ = self._candidates
        found = self._sums(weights).tocoo()
        keys = np.asarray(found.coords[0], dtype=np.intp) * self.d + found.coords[1]
        order, wanted = np.argsort(keys), one * self.d + other
        place = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
        return np.where(keys[order[place]] == wanted, found.data[order[place]], 0.0)

    @property
    def n_pairs(self) -> int:
        """How many pairs are allowed."""
        return len(self._candidates[0])

    @cached_property
    def _functions(self) -> NDArray[np.float64]:
        """What the functions of pairs are in their four cells."""
        one, other, _ = self._candidates
        high, low = (end.astype(np.float64) for end in (self.basis.max(axis=0), self.basis.min(axis=0)))
        if self.standard is not None:
            high, low = ((end - self.standard.mean) / self.standard.deviation for end in (high, low))
        return np.stack(
            [high[one] * high[other], high[one] * low[other], low[one] * high[other], low[one] * low[other]]
        )

    def _scores(self, residual: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of allowed pairs."""
        one, other, rows = self._candidates
        mean, square = ((rows * f).sum(axis=0) / float(self._n) for f in (self._functions, self._functions**2))
        variance = np.maximum(square - mean**2, self.least_variance)
        outputs, total = self._weighted(residual).astype(np.float64).T, np.zeros(len(one))
        for output in outputs:
            alone = self.bits.T @ output
            cells = _cells(self._sums_of_candidates(output), alone[one], alone[other], float(output.sum()))
            total += (cells * self._functions).sum(axis=0) ** 2
        return np.asarray(total / (len(outputs) * float(self._n) * variance))

    def pairs(self, residual: NDArray[np.float64]) -> NDArray[np.float32]:
        score = np.zeros((self.d, self.d), dtype=np.float32)
        one, other, _ = self._candidates
        score[one, other] = self._scores(residual)
        return score

    def best_pairs(self, residual: NDArray[np.float64], most: int) -> list[tuple[float, Term]]:
        scores, (one, other, _) = self._scores(residual), self._candidates
        best = np.argsort(-scores, kind="stable")[:most]
        best = best[scores[best] > 0]
        terms = zip(one[best].tolist(), other[best].tolist(), strict=True)
        return list(zip(scores[best].tolist(), terms, strict=True))


def _cells(
    both: NDArray[np.float64], one: NDArray[np.float64], other: NDArray[np.float64], total: float
) -> NDArray[np.float64]:
    """Sums over the four cells of two bits: both true, the first, the second, none."""
    return np.stack([both, one - both, other - both, total - one - other + both])
