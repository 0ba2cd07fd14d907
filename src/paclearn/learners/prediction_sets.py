"""Honest uncertainty for one row: classes, or an interval, that hold the truth as often as asked.

By split conformal prediction from the rows that ``holdout`` kept out of the fit; see `certificates.conformal`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from paclearn._parameters import check_between
from paclearn.certificates.conformal import conformal_margin
from paclearn.certificates.final_exam import exam_of_classes, exam_of_numbers
from paclearn.exceptions import InputError
from paclearn.learners.predicting import ModelEstimator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.certificates.final_exam import ErrorInterval
    from paclearn.learners.fitting import Rows
    from paclearn.models.model import Model

__all__ = ["PredictsIntervals", "PredictsSets", "misfits_of_classes", "misfits_of_numbers"]


def _can_hold_out(estimator: Any) -> bool:
    return "holdout" in estimator.get_params(deep=False)


def misfits_of_classes(shares: NDArray[np.float64], targets: NDArray[np.intp]) -> NDArray[np.float64]:
    """How little of the probability went to the class of a row."""
    return np.asarray(1 - shares[np.arange(len(targets)), targets])


def misfits_of_numbers(model: Model, said: NDArray[np.float64], truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far a number is from its prediction, in what errors of this model are measured in."""
    return np.asarray(np.abs(truth - said) / model.error_scale(said))


class _Calibrated(ModelEstimator):
    """Keeps how badly the model fits each of the rows held out, and what that promises."""

    delta: float
    exam_: tuple[Certificate | ErrorInterval, ...]
    _misfits: NDArray[np.float64] | None = None

    def _margin(self, confidence: float) -> float:
        self._check_fitted()
        check_between("confidence", confidence, 0, 1)
        if self._misfits is None:
            raise InputError(
                f"{type(self).__name__} was fitted to all rows, so it does not know how wrong it is on others: "
                "fit it with holdout='auto', or with a share of the rows to hold out"
            )
        return conformal_margin(self._misfits, confidence)


class PredictsSets(_Calibrated):
    """Sets of classes."""

    @available_if(_can_hold_out)
    def predict_set(self, X: Any, confidence: float = 0.9) -> NDArray[np.bool_]:
        """Classes of which one is right in as many rows as asked, on average over tables and new rows.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows, as for ``predict``.
        confidence : float, default=0.9
            The share of rows whose class is to be among those named, at least; wants ``holdout``.

        Returns
        -------
        ndarray of bool of shape (n_rows, n_classes)
            Whether a class is named, in the order of ``classes_``; the most probable one always is.
        """
        margin = self._margin(confidence)
        shares = self.predict_proba(X)
        return np.asarray((1 - shares <= margin) | (shares >= shares.max(axis=1, keepdims=True)))

    def _examine(self, rows: Rows) -> None:
        shares = self.model_.predictions(self.model_.encode(rows.table))
        self._misfits = misfits_of_classes(shares, rows.targets)
        self.exam_ = exam_of_classes(shares, rows.targets, self.delta)


class PredictsIntervals(_Calibrated):
    """Intervals of numbers."""

    @available_if(_can_hold_out)
    def predict_interval(self, X: Any, confidence: float = 0.9) -> NDArray[np.float64]:
        """An interval that holds the number in as many rows as asked, on average over tables and new rows.

        Parameters
        ----------
        X : table
            Rows, as for ``predict``.
        confidence : float, default=0.9
            The share of rows whose number is to be inside, at least; wants ``holdout``.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            From and to. Where the model learned the logarithm, the interval is as wide as a share of the prediction.
        """
        margin = self._margin(confidence)
        middle = self.predict(X)
        half = margin * self.model_.error_scale(middle)
        return np.column_stack([middle - half, middle + half])

    def _examine(self, rows: Rows) -> None:
        said = self.model_.predictions(self.model_.encode(rows.table))[:, 0]
        self._misfits = misfits_of_numbers(self.model_, said, rows.targets)
        self.exam_ = exam_of_numbers(said, rows.targets, self.delta)
