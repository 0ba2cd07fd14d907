r"""Rows of which few bits are true: sums over them cost what is true, and not all the bits there are.

Columns with thousands of levels make thousands of bits, of which a row has one a column. A sign is
:math:`s = 2a - 1`, where a is 1 if the bit is true, and a product of two is :math:`4ab - 2a - 2b + 1`; so sums of
weighted terms are sums over what is true, and a constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.spectral.term_scan import Scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.models.terms import Term

__all__ = ["SparseScan", "SparseTerms", "true_bits"]

_FEWEST_BITS, _MOST_TRUE = 600, 0.05  # of fewer bits, or of more that are true, whole matrices are as fast


def true_bits(signs: NDArray[np.int8], values: NDArray[np.float32]) -> Any:
    """Rows x bits, 1 where a bit is true, as a sparse matrix; None where it would not pay, or terms are no signs."""
    if signs.shape[1] < _FEWEST_BITS:
        return None
    true = signs > 0
    if true.mean() > _MOST_TRUE or not np.array_equal(values, signs):
        return None
    from scipy.sparse import csr_array  # a tenth of a second that most fits can do without

    return csr_array(true.astype(np.float64))


@dataclass(frozen=True, eq=False)
class SparseTerms:
    """Terms of one or two bits, each times its scale, of rows of which few bits are true."""

    bits: Any  # rows x bits
    terms: Sequence[Term]
    scale: NDArray[np.float32]

    @cached_property
    def _singles(self) -> NDArray[np.intp]:
        return np.array([i for i, term in enumerate(self.terms) if len(term) == 1], dtype=np.intp)

    @cached_property
    def _pairs(self) -> NDArray[np.intp]:
        return np.array([i for i, term in enumerate(self.terms) if len(term) > 1], dtype=np.intp)

    @cached_property
    def _bit(self) -> NDArray[np.intp]:
        return np.array([self.terms[i][0] for i in self._singles], dtype=np.intp)

    @cached_property
    def _members(self) -> NDArray[np.intp]:
        """Of pairs: two x pairs."""
        return np.array([self.terms[i] for i in self._pairs], dtype=np.intp).reshape(-1, 2).T

    @cached_property
    def _both(self) -> Any:
        """Rows x pairs, 1 where both bits are true."""
        columns = self.bits.tocsc()
        one, other = self._members
        return columns[:, one].multiply(columns[:, other]).tocsr()

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of all rows."""
        scaled = weights * self.scale[:, None]
        alone, together = scaled[self._singles], scaled[self._pairs]
        by_bit = np.zeros((self.bits.shape[1], weights.shape[1]))
        np.add.at(by_bit, self._bit, 2 * alone)
        constant = together.sum(axis=0) - alone.sum(axis=0)
        for members in self._members if len(together) else ():
            np.add.at(by_bit, members, -2 * together)
        scores = self.bits @ by_bit + constant
        return scores + self._both @ (4 * together) if len(together) else scores

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over rows of term times column."""
        found = np.empty((len(self.terms), columns.shape[1]))
        by_bit, total = self.bits.T @ columns, columns.sum(axis=0)
        found[self._singles] = 2 * by_bit[self._bit] - total
        if len(self._pairs):
            one, other = self._members
            found[self._pairs] = 4 * (self._both.T @ columns) - 2 * (by_bit[one] + by_bit[other]) + total
        return found * self.scale[:, None]


@dataclass(frozen=True, eq=False)
class SparseScan(Scan):
    """The same scores of pairs: only those whose bits are true together often enough are allowed, and they are few."""

    bits: Any = None  # rows x bits

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
        high, low = self.basis.max(axis=0).astype(np.float64), self.basis.min(axis=0).astype(np.float64)
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
