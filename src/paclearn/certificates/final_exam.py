"""What rows held out say of probabilities and of predicted numbers, whatever the model and the law of the rows.

Probabilities: rows are put in five bins by the probability they were given. Of the rows of a bin each is of the class
or not, independently, so that the share of the class among all rows of that bin lies in the interval of Clopper and
Pearson (1934), in all bins at once where each may fail with a fifth of delta.

Numbers: of n errors, the r-th smallest is above the error that a share q of all rows stays below unless fewer than r of
them are below that one, and how many are is binomial (Conover 1999, Section 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from paclearn._parameters import check_between
from paclearn._text import figures
from paclearn.certificates.certificate import INDEPENDENT_ROWS, Certificate
from paclearn.certificates.given import check_shares
from paclearn.certificates.heldout import clopper_pearson_interval
from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CALIBRATION", "ErrorInterval", "calibration_exam", "error_interval", "exam_of_classes", "exam_of_numbers"]

CALIBRATION = "calibration error"
_BINS = 5
_HALF, _MOST = 0.5, 0.9


@dataclass(frozen=True)
class ErrorInterval:
    """With probability at least ``1 - delta``, the error that a share of new rows stays below is from low to high.

    Parameters
    ----------
    share : float
        Of new rows.
    low, high : float
        The interval; high is infinite where rows are too few to say.
    observed : float
        The same of the rows held out.
    delta : float
        The probability with which it may fail.
    n_rows : int
        How many rows were held out; of groups, how many groups.
    """

    share: float
    low: float
    high: float
    observed: float
    delta: float
    n_rows: int

    def __str__(self) -> str:
        sure, many = f"{100 * (1 - self.delta):g} %", f"{100 * self.share:g} of 100 new rows"
        if self.high == inf:
            return f"{self.n_rows:,} rows held out are too few to say how far {many} are off at most."
        return (
            f"With probability at least {sure}, {many} are off by no more than {figures(self.high, 4)} (not less than "
            f"{figures(self.low, 4)}; {figures(self.observed, 4)} on {self.n_rows:,} rows held out), "
            f"provided that {INDEPENDENT_ROWS}."
        )


def error_interval(errors: NDArray[np.float64], share: float, delta: float) -> ErrorInterval:
    """The interval for the error that this share of all rows stays below, from errors of rows held out.

    Parameters
    ----------
    errors : ndarray of shape (n_rows,)
        How far each row is off.
    share, delta : float
        Of the rows, and the chance that the interval misses, half of it on either side.
    """
    check_between("share", share, 0, 1)
    check_between("delta", delta, 0, 1)
    errors = np.asarray(errors, dtype=float)
    if errors.ndim != 1 or not len(errors) or np.isnan(errors).any():
        raise InputError("errors must be numbers in a line, one or more, and none of them NaN")
    from scipy.stats import binom  # a third of a second that most fits can do without

    ordered, n = np.sort(errors), len(errors)
    low, high = int(binom.ppf(delta / 2, n, share)), int(binom.ppf(1 - delta / 2, n, share)) + 1
    return ErrorInterval(
        share,
        float(ordered[low - 1]) if low > 0 else 0.0,
        float(ordered[high - 1]) if high <= n else inf,
        float(np.quantile(ordered, share)),
        delta,
        n,
    )


def calibration_exam(said: NDArray[np.float64], came: NDArray[np.bool_], delta: float) -> Certificate:
    """How far probabilities are from shares, on average over rows that are spread over bins as those held out are.

    Parameters
    ----------
    said : ndarray of shape (n_rows,)
        The probability that rows held out were given, of a class.
    came : ndarray of bool of shape (n_rows,)
        Whether they are of it.
    delta : float
        The probability with which the bound may fail.
    """
    check_between("delta", delta, 0, 1)
    said = np.asarray(said)
    check_shares("said", said)
    if len(said) == 0 or np.shape(came) != np.shape(said):
        raise InputError(f"a row or more, and as many of came as of said; found {np.shape(came)} and {np.shape(said)}")
    bins = np.minimum((said * _BINS).astype(np.intp), _BINS - 1)
    rows, hits, sums = (np.bincount(bins, weights, _BINS) for weights in (None, came, said))
    parts = [
        _furthest(int(k), int(n), total / n, delta / _BINS) for n, k, total in zip(rows, hits, sums, strict=True) if n
    ]
    observed, n = float(np.abs(hits - sums).sum()) / len(said), len(said)
    bound = float(np.dot(parts, rows[rows > 0])) / n
    return Certificate(
        bound, delta, "Clopper-Pearson intervals on held-out rows", observed, n, trivial=1.0, quantity=CALIBRATION
    )


def _furthest(hits: int, n: int, said: float, delta: float) -> float:
    low, high = clopper_pearson_interval(hits, n, delta)
    return max(high - said, said - low)


def exam_of_classes(shares: NDArray[np.float64], targets: NDArray[np.intp], delta: float) -> tuple[Certificate, ...]:
    """Whether probabilities come true: of the second class of two, of the likeliest class of more.

    Parameters
    ----------
    shares, targets : ndarray of shape (n_rows, n_classes), ndarray of shape (n_rows,)
        Probabilities of rows held out, and the numbers of their classes.
    delta : float
        The probability with which the bound may fail.
    """
    asked = np.ones(len(shares), dtype=np.intp) if shares.shape[1] == 2 else shares.argmax(axis=1)
    return (calibration_exam(shares[np.arange(len(shares)), asked], targets == asked, delta),)


def exam_of_numbers(
    said: NDArray[np.float64], truth: NDArray[np.float64], delta: float
) -> tuple[ErrorInterval, ErrorInterval]:
    """How far off half of the rows are at most, and nine of ten.

    Parameters
    ----------
    said, truth : ndarray of shape (n_rows,)
        Predictions of rows held out, and what came.
    delta : float
        The probability with which each may fail.
    """
    errors = np.abs(said - truth)
    return error_interval(errors, _HALF, delta), error_interval(errors, _MOST, delta)
