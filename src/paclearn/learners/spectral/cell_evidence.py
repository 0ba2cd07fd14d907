r"""How much do the cells of two columns tell of what is left, all together?

A best pair of bits finds corners. A wave or a table of levels has no corner that stands out, but all of its
cells say a lot. Every column gets an orthonormal basis of what its bits can say, in the order of its principal
components (of thresholds these are waves, the slow ones first), and :math:`s = \sum_{i,j \le k} z_{ij}^2` is the sum of
the squared scores of products of the first k functions of each. Of k x k products that explain nothing it is
:math:`\chi^2` with as many degrees of freedom m, and

.. math:: -\log P(\chi^2_m \ge s) \ge (s - m - m \log (s / m)) / 2 \quad \text{for } s \ge m

(Chernoff) says how surprising it is. The best k of a few decides (an adaptive Neyman test; Fan 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.spectral.effect_tuning import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.term_scan import Scan

__all__ = ["CellEvidence", "surprise"]

_SIZES = (1, 2, 4, 16)  # of functions of each column, the last one: all
_NOTHING = 1e-6  # of a variance: what further bits of a column do not add


@dataclass(frozen=True, eq=False)
class CellEvidence:
    """The bits of a scan, by column, and what turns them into an orthonormal basis of every column."""

    scan: Scan
    n_columns: int

    @cached_property
    def _bases(self) -> list[tuple[NDArray[np.intp], NDArray[np.float32]]]:
        """Of every column its bits, and their principal components (bits x functions), of variance one."""
        share = self.scan.counts / self.scan.counts.sum()
        found = []
        for column in range(self.n_columns):
            bits = np.flatnonzero(self.scan.columns == column)
            values = self.scan.basis[:, bits]
            sizes, vectors = np.linalg.eigh((values * share[:, None]).T @ values)
            kept = np.flatnonzero(sizes > _NOTHING)[::-1]
            found.append((bits, (vectors[:, kept] / np.sqrt(sizes[kept])).astype(np.float32)))
        return found

    @cached_property
    def _functions(self) -> NDArray[np.intp]:
        """How many every column has."""
        return np.array([basis.shape[1] for _, basis in self._bases], dtype=np.intp)

    def _squares(self, sums: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Squared scores of products of functions: columns x columns x functions x functions, all outputs together."""
        most, d = int(self._functions.max(initial=0)), self.n_columns
        basis = np.zeros((len(self.scan.columns), d, most), dtype=np.float32)
        for column, (bits, functions) in enumerate(self._bases):
            basis[bits, column, : functions.shape[1]] = functions
        flat = basis.reshape(len(basis), -1)
        total = np.zeros((d * most, d * most), dtype=np.float32)
        for one in sums:
            total += (flat.T @ one @ flat) ** 2
        return total.reshape(d, most, d, most).transpose(0, 2, 1, 3) / np.float32(self.scan.counts.sum())

    def pairs(self, sums: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
        """Of all pairs of columns, above the diagonal, how surprising their cells are: 0 where they are not.

        Of very many functions none is looked at: their products would take longer than the pairs of bits.
        """
        if self.n_columns * int(self._functions.max(initial=0)) > EFFECTS.scanned:
            return np.zeros((self.n_columns, self.n_columns))
        within = self._squares(sums).cumsum(axis=2).cumsum(axis=3)
        best = np.zeros((self.n_columns, self.n_columns))
        for size in sorted({min(size, within.shape[2]) for size in _SIZES}):
            many = np.minimum(self._functions, size)
            freedom = len(sums) * np.maximum(np.multiply.outer(many, many), 1)
            best = np.maximum(best, surprise(within[:, :, size - 1, size - 1], freedom))
        return np.triu(best, 1)


def surprise(squares: NDArray[np.floating[Any]], freedom: NDArray[np.intp]) -> NDArray[np.float64]:
    """The negative logarithm of Chernoff's bound on a sum of so many squares of standard normal draws."""
    ratio = np.maximum(squares / freedom, 1.0)
    return np.asarray(freedom * (ratio - 1 - np.log(ratio)) / 2, dtype=np.float64)
