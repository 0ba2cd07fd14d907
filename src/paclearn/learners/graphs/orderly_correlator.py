"""The weak correlator for orderly regression trees (Figure 6 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import all_or_nothing, check_sample_weight, validate_data
from paclearn._parameters import check_between
from paclearn.exceptions import InputError
from paclearn.tables.target import numeric_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OrderlyCorrelator"]


class OrderlyCorrelator(RegressorMixin, BaseEstimator):
    """One bit, with rare rows set aside: what correlates with an orderly regression tree where no bit does by itself.

    An orderly tree has its leaves in the order of their values. Its first questions may be about bits that are nearly
    always the same; they hide what all later ones say. So rows where a bit has a rare value are set aside, one bit
    after the other, until none is rare any more; then the best bit of the others is taken, with the rows set aside on
    whichever side is better.

    Parameters
    ----------
    epsilon : float, default=None
        Variance the target is supposed to have: values with a share of at most ``epsilon / (8 d)`` are rare, as in
        the paper. If not given, that share is tried for the target's own variance, and twice, four times, ... as
        much, up to a quarter of the rows; the largest covariance decides.

    Attributes
    ----------
    aside_ : list of (int, bool)
        Columns and values that are set aside.
    column_ : int
        The chosen column; -1 if nothing correlates.
    covariance_ : float
        Covariance with the scaled target.
    thresholds_ : ndarray of shape (n_columns,)
        A bit is true above the middle of its column's range.
    low_, high_, rare_ : float
        What is predicted where the chosen bit is false, where it is true, and for rows set aside: the means of either
        side.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    def __init__(self, epsilon: float | None = None) -> None:
        self.epsilon = epsilon

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # weak is what it is for
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OrderlyCorrelator:
        """Set rare rows aside and choose the bit.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Bits, as numbers: above the middle of a column's range is true.
        y : array-like of shape (n_rows,)
            The targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.

        Returns
        -------
        OrderlyCorrelator
            The fitted correlator.
        """
        if self.epsilon is not None:
            check_between("epsilon", self.epsilon, 0, np.inf)
        with all_or_nothing(self):
            X = validate_data(self, X, dtype=np.float64)
            targets = numeric_target(y, len(X))
            weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if not weights.any():
                raise InputError("sample_weight is zero everywhere; at least one row must count")
            kept = weights > 0
            X, targets, weights = X[kept], targets[kept], weights[kept]
            self.thresholds_ = (X.min(axis=0) + X.max(axis=0)) / 2
            self._choose(self.thresholds_ < X, targets, weights / weights.sum())
        return self

    def _choose(self, bits: NDArray[np.bool_], targets: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        unit = float(np.ptp(targets)) or 1.0
        pull = shares * (targets - shares @ targets) / unit
        variance = float(shares @ ((targets - shares @ targets) / unit) ** 2)
        best, ones = -1.0, bits.astype(np.float64)  # once: products of numbers and flags would do it every time
        aside = Aside(ones, shares)
        for rare in self._shares_to_try(variance, bits.shape[1]):
            aside.widen(rare)
            covariance, column, joins = _best_bit(ones, pull, aside.rows)
            if covariance > best:
                best, self.column_, self._joins = covariance, column, joins
                self.aside_, rows = list(aside.found), aside.rows.copy()
        self.covariance_ = best
        self._settle(self._high(bits, rows), targets, shares)

    def _shares_to_try(self, variance: float, n_columns: int) -> list[float]:
        """The paper's share, or all from that on, each twice the one before, up to a quarter."""
        first = (variance if self.epsilon is None else self.epsilon) / (8 * n_columns)
        if self.epsilon is not None or first <= 0:
            return [first]
        return [first * 2**k for k in range(max(1, int(np.log2(0.25 / first)) + 1))]

    def _high(self, bits: NDArray[np.bool_], is_aside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.where(is_aside, self._joins, bits[:, self.column_])

    def _settle(self, high: NDArray[np.bool_], targets: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        mean = float(np.average(targets, weights=shares))
        sides = [_mean(targets[side], shares[side], mean) for side in (~high, high)]
        self.low_, self.high_ = sides
        self.rare_ = sides[self._joins]
        if self.low_ == self.high_:
            self.column_ = -1

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean of a row's side.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Bits, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            One of two numbers.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        bits = self.thresholds_ < X
        is_aside = np.zeros(len(bits), dtype=bool)
        for column, value in self.aside_:
            is_aside |= bits[:, column] == value
        return np.where(self._high(bits, is_aside), self.high_, self.low_)


class Aside:
    """Rows set aside: those where a bit has a value that is rare among the rows that are left, one bit after the
    other.
    """

    def __init__(self, bits: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        self.found: list[tuple[int, bool]] = []
        self.rows = np.zeros(len(bits), dtype=bool)
        self._bits, self._shares = bits, shares
        self._count()

    def _count(self) -> None:
        left = np.where(self.rows, 0.0, self._shares)
        self._left, self._ones = float(left.sum()), left @ self._bits

    def widen(self, rare: float) -> None:
        """Go on while some value has at most this share of what is left; the rarest first."""
        while not self.rows.all():
            ones = np.round(self._ones / self._left, 12)
            values = np.stack([1 - ones, ones])  # value, column
            values[(values <= 0) | (values > rare)] = np.inf
            value, column = np.unravel_index(int(values.argmin()), values.shape)
            if not np.isfinite(values[value, column]):
                break
            self._set(int(column), bool(value))

    def _set(self, column: int, value: bool) -> None:
        mine = np.flatnonzero((self._bits[:, column] == value) & ~self.rows)
        if not len(mine):  # what seemed to be left was rounding
            self._count()
            return
        self.found.append((column, value))
        self.rows[mine] = True
        self._left -= float(self._shares[mine].sum())
        self._ones = self._ones - self._shares[mine] @ self._bits[mine]


def _best_bit(
    bits: NDArray[np.float64], pull: NDArray[np.float64], is_aside: NDArray[np.bool_]
) -> tuple[float, int, bool]:
    """Covariance and number of the best bit, and whether rows set aside join those where it is true.

    The covariance of one side is minus that of the other, so its sign is of no account.
    """
    plain = np.where(is_aside, 0.0, pull) @ bits
    together = np.abs(np.stack([plain, plain + pull[is_aside].sum()]))
    joins, column = np.unravel_index(int(np.argmax(np.round(together, 12))), together.shape)
    return float(together[joins, column]), int(column), bool(joins)


def _mean(targets: NDArray[np.float64], shares: NDArray[np.float64], otherwise: float) -> float:
    return float(np.average(targets, weights=shares)) if len(targets) else otherwise
