"""SpectralRegressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin

from paclearn._compat import make_frame
from paclearn.certificates import heldout_squared
from paclearn.learners.spectral.losses import SquaredLoss
from paclearn.learners.spectral.spectral_base import SpectralBase
from paclearn.tables.target import numeric_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.spectral.forward import Stage
    from paclearn.learners.spectral.losses import Loss
    from paclearn.learners.spectral.spectral_base import Rows

__all__ = ["SpectralRegressor"]


class SpectralRegressor(RegressorMixin, SpectralBase):
    """A linear model over named terms: levels, thresholds, and XORs of two or three of them.

    Like `SpectralClassifier`, with squared error and for numbers. Predictions stay within the range of the targets of
    ``fit``.

    Parameters
    ----------
    degree : {1, 2, 3, "auto"}, default="auto"
        See `SpectralClassifier`, as for all parameters.
    n_terms : int or "auto", default="auto"
        How many interactions beside the single bits.
    max_terms : int, default=None
        At most this many terms in all.
    measure : {"product", "uniform", "chain", "tree", "auto"} or Measure, default="product"
        The law of the bits under which interactions are ranked. ``"auto"`` takes the one of the four under which rows
        left out are most probable.
    basis : {"parity", "orthonormal"}, default="parity"
        Of what functions terms are products.
    selection : {"residual", "coefficient"}, default="residual"
        How interactions are ranked.
    n_bins, min_count, max_levels : default=32, 2, 500
        How columns become bits.
    holdout : float, default=None
        Share of the rows to keep out of the fit and to bound the error with.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the held-out rows.

    Attributes
    ----------
    terms_ : data frame
        Every term with its weight and standard error, in units of the target.
    intercept_ : ndarray
        What predictions start from.
    n_terms_ : int
        How many terms there are.
    degree_ : int
        The size of the largest.
    path_ : data frame
        Loss on rows left out against the number of terms.
    certificate_ : Certificate or None
        A bound on the mean squared error, if rows were held out.
    measure_ : Measure or None
        The fitted measure; None for independent bits.
    domain_ : Domain
        What the bits mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    _SCALES = (0.25, 0.5, 1.0)
    _SHORT = tuple(range(1, 61))
    _MAY_AVERAGE = True
    _MAY_BE_SMOOTH = True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralRegressor:
        """Choose the terms and fit their weights.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        SpectralRegressor
            The fitted regressor.
        """
        self._fit(X, y, sample_weight)
        return self

    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        return numeric_target(y, n_rows)

    def _settle(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return targets

    def _prepare(self, targets: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[Loss, NDArray[np.float64]]:
        share = counts / counts.sum()
        self._middle = float(share @ targets)
        self._unit = float(np.sqrt(share @ (targets - self._middle) ** 2)) or 1.0
        self._range = float(targets.min()), float(targets.max())
        return SquaredLoss(), ((targets - self._middle) / self._unit)[:, None]

    def _groups(self, targets: NDArray[np.float64]) -> NDArray[np.intp]:
        return np.zeros(len(targets), dtype=np.intp)

    def _keep(self, stage: Stage) -> None:
        super()._keep(stage)
        self._weights, self._errors = self._weights * self._unit, self._errors * self._unit
        self.intercept_ = self.intercept_ * self._unit + self._middle
        self.terms_ = make_frame(self._term_columns())

    def _certify(self, train: Rows, held: Rows | None) -> None:  # noqa: ARG002
        self.certificate_ = None
        if held is not None:
            found = np.clip(self._scores_of(held.table)[:, 0], *self._range)
            error = float(((found - held.targets) ** 2).mean())
            spread = self._range[1] - self._range[0]
            self.certificate_ = heldout_squared(error, held.n, spread, self.delta, self._unit**2)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predictions for the rows of a table.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers, within the range of the targets of ``fit``.
        """
        scores = self._scores(X)[:, 0]
        return np.clip(scores, *self._range)
