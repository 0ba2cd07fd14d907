"""PAC-Bayes: a bound for linear models on the rows they were fitted to."""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from paclearn.certificates.certificate import Certificate
from paclearn.certificates.occam import FIXED_CODES, kl_inverse

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["pac_bayes_linear"]

_STRETCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def pac_bayes_linear(
    margins: NDArray[np.float64],
    counts: NDArray[np.float64],
    errors: float,
    log_choices: float,
    delta: float,
    trivial: float = 0.5,
) -> Certificate:
    r"""A bound on the error of a linear classifier, whatever it was fitted to.

    A normal law of weights around a multiple m of the fitted direction errs on a row with probability at most
    :math:`\sum_k \Phi(-m\,\mathrm{margin}_k)`, costs :math:`m^2/2` beside one around nothing, and errs at least half of
    the time where its centre does (Langford and Shawe-Taylor, 2002). The best of a few m is taken, and paid for.

    Parameters
    ----------
    margins : ndarray of shape (n_rows, n_rivals)
        For every row and every class that it is not, how far the score of its own class is ahead, in units in which row
        and weights have length one.
    counts : ndarray of shape (n_rows,)
        How many times every row occurs.
    errors : float
        Share of the rows that the classifier gets wrong.
    log_choices : float
        Logarithm of the number of models it could have been, for what was chosen by the data beside the weights.
    delta : float
        Probability with which the bound may fail.
    trivial : float, default=0.5
        What a model that learned nothing can promise.

    Returns
    -------
    Certificate
        The bound.
    """
    n = int(counts.sum())
    bound = 1.0
    for stretch in _STRETCHES:
        gibbs = float(np.minimum(ndtr(-stretch * margins).sum(axis=1), 1) @ counts / n)
        cost = stretch**2 / 2 + log_choices + log(2 * sqrt(n) * len(_STRETCHES) / delta)
        bound = min(bound, 2 * kl_inverse(gibbs, cost / n))
    assumptions = (*Certificate.assumptions, FIXED_CODES)
    return Certificate(bound, delta, "PAC-Bayes bound of a linear model", errors, n, assumptions, trivial)
