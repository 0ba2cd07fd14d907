"""Could an equation hold by chance? A bound for a column that is independent of all others but has the same values.

A space of as many functions as rows holds every column, and of many spaces, one holds nearly any. The bound is on the
probability that what a fixed space leaves of such a column is as small, times the number of spaces that were looked at
and of columns that were looked for. It is the larger one of two:

- of a column of normal numbers, a space of rank r (the constant included) leaves a share of the variance that has the
  law Beta((n - r) / 2, (r - 1) / 2);
- of the orders that given values can stand in, a space holds at most as many as those values can take in r rows, as
  these decide the others. It is what counts for columns of few values, which are reproduced exactly or not at all, and,
  once values are rounded to what is left, for columns whose variance is that of a few rows far from the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, betaincinv, gammaln

from paclearn.learners.selection.column_functions import standardise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.selection.column_functions import Functions

__all__ = ["Chance", "log_choices"]

_ALPHA = 0.01  # of all tables of independent columns, those in which a look may take one to be redundant
_COARSEST, _FINEST = 1.0, 1e-6  # grains of values in standard deviations; two values alone are two or more apart
_MOST_ROWS = 20_000  # to count values in: what fits all rows fits some of them


def log_choices(n: float, k: float) -> float:
    """The logarithm of the number of ways to choose k of n."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


@dataclass(eq=False)
class Chance:
    """Bounds for the functions of a table; ``correct`` is whether they are to be asked at all."""

    functions: Functions
    correct: bool

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.functions.values)

    @cached_property
    def _log_columns(self) -> float:
        return float(np.log(max(len(np.unique(self.functions.owner)), 1)))

    def of(self, function: int, share: float, rank: int, log_looks: float = 0.0) -> float:
        """The bound for a function of which a space leaves this share of its variance, at most 1.

        Parameters
        ----------
        function : int
            Its number.
        share : float
            What is left, as a share of the variance.
        rank : int
            Dimension of the space, the constant included.
        log_looks : float, default=0
            Logarithm of the number of spaces that were looked at.
        """
        if rank >= self.n_rows:
            return 1.0
        share = min(max(share, 0.0), 1.0)
        with np.errstate(divide="ignore"):
            normal = float(np.log(betainc(*self._shape(rank), share)))
        bound = max(normal, self._log_orders(function, share, rank)) + log_looks + self._log_columns
        return float(np.exp(min(bound, 0.0)))

    def excludes(self, function: int, share: float, rank: int, log_looks: float = 0.0) -> bool:
        """Whether that is too little to be left by chance."""
        return not self.correct or self.is_excluded(self.of(function, share, rank, log_looks))

    def is_excluded(self, bound: float) -> bool:
        """Whether a bound is small enough, where it is to be asked."""
        return not self.correct or bound <= _ALPHA

    def largest_share(self, rank: int, log_looks: float) -> float:
        """The largest share of the variance of normal numbers that is too little to be left by chance."""
        if not self.correct:
            return 1.0
        if rank >= self.n_rows:
            return 0.0
        level = np.exp(np.log(_ALPHA) - log_looks - self._log_columns)
        return float(betaincinv(*self._shape(rank), level))

    def _shape(self, rank: int) -> tuple[float, float]:
        return (self.n_rows - rank) / 2, max(rank - 1, 1) / 2

    def _log_orders(self, function: int, share: float, rank: int) -> float:
        """The share of the orders of its values that r rows decide, at most."""
        counts = self._counts(function, share)
        n = int(counts.sum())
        rank = min(rank, n)
        rare = np.sort(counts)[:-1]
        some = np.minimum(rare, rank // 2)
        placed = np.where(2 * rare >= rank, rank * np.log(2), _log_chosen(rank, some) + np.log(some + 1))
        decided = min(rank * np.log(len(counts)), _log_falling(n, rank), float(placed.sum()))
        missed = _log_missed(counts, share) if len(counts) == 2 else 0.0
        return decided + missed - float(gammaln(n + 1) - gammaln(counts + 1).sum())

    def _counts(self, function: int, share: float) -> NDArray[np.intp]:
        """How often there is each of its values, as far as they can be told where so much is left."""
        values = standardise(self.functions.values[:_MOST_ROWS, [function]])[:, 0]
        return np.asarray(np.unique(_rounded(values, share), return_counts=True)[1])


def _rounded(values: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Standardised values, rounded so that about this share of the variance gets lost, and again near the median."""
    values = values - np.median(values)
    grain = min(np.sqrt(12 * share), _COARSEST)
    if grain <= _FINEST:
        return values
    squares = np.sort(values**2)
    n_small = int(np.searchsorted(np.cumsum(squares), share * len(squares)))
    told = values**2 >= squares[min(n_small, len(squares) - 1)] * (1 - 1e-9)
    return np.where(told, np.round(values / grain), 0.0)


def _log_missed(counts: NDArray[np.intp], share: float) -> float:
    """In how many ways a yes-or-no column may differ from what r rows decide, where so much may be left.

    A row that differs from one alike costs two of as many as there are rows, in units of the variance of a fair bit.
    """
    n = int(counts.sum())
    most = min(int(2 * share * counts.prod() / n), n // 2)
    return log_choices(n, most) + float(np.log(most + 1))


def _log_chosen(n: int, k: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _log_falling(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(n - k + 1))
