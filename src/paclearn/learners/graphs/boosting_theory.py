"""What Kalai (2005) promises of boosting a weak correlator, with numbers: correlations, rounds and leaves."""

from __future__ import annotations

from math import ceil, inf, log, sqrt

from paclearn._parameters import Whole, check, check_between


def threshold_correlation(correlation: float, variance: float) -> float:
    """What the best threshold of a regressor keeps of its correlation with a target in [0, 1] (Lemma 7).

    Parameters
    ----------
    correlation : float
        Of the regressor's predictions with the target, above 0.
    variance : float
        Of the target, at most 1/4.

    Returns
    -------
    float
        ``cor / (3 sqrt(ln(3 / (cor var))))``, which some split ``h(x) >= t`` has at least.
    """
    check_between("correlation", correlation, 0, 1 + 1e-12)
    check_between("variance", variance, 0, 0.25 + 1e-12)
    return correlation / (3 * sqrt(log(3 / (correlation * variance))))


def boosting_rounds(correlation: float, eps: float) -> int:
    """Rounds after which the squared error is within eps of the truth's (Lemma 8, whose sigma is eps).

    Parameters
    ----------
    correlation : float
        ``rho(eps/2)``: what the weak correlator reaches wherever the target's mean has a variance of eps/2.
    eps : float
        How much worse than the truth, in units of the scaled target.

    Returns
    -------
    int
        ``(6 sqrt(ln(6 / (rho eps))) / (rho sqrt(eps)))^3``, rounded up.
    """
    return ceil((6 * sqrt(_log(correlation, eps)) / (correlation * sqrt(eps))) ** 3)


def boosting_leaves(correlation: float, eps: float) -> int:
    """Leaves that the graph has at most until then (proof of Lemma 8): beyond, two of them are always merged.

    Parameters
    ----------
    correlation : float
        As of `boosting_rounds`.
    eps : float
        As there.

    Returns
    -------
    int
        ``12 sqrt(3 ln(6 / (rho eps))) / (rho sqrt(eps))``, rounded up.
    """
    return ceil(12 * sqrt(3 * _log(correlation, eps)) / (correlation * sqrt(eps)))


# ---- with rows in place of the law ----


def boosting_accuracy(correlation: float, eps: float) -> float:
    """How exactly shares and means of leaves are to be known for Lemma 8 to hold but for a constant (Theorem 4).

    Parameters
    ----------
    correlation, eps : float
        As of `boosting_rounds`.

    Returns
    -------
    float
        ``tau = eps^4 rho^4 / 10``.
    """
    _log(correlation, eps)
    return (eps * correlation) ** 4 / 10


def boosting_repeats(correlation: float, eps: float, delta: float = 0.05) -> int:
    """Fits of a weak correlator that may fail one time in four, so that some fit to every leaf is good (Theorem 4).

    There are at most three new leaves a round, and the first one; all fits to some leaf fail with a probability of at
    most ``delta / 10``.

    Parameters
    ----------
    correlation, eps : float
        As of `boosting_rounds`.
    delta : float, default=0.05
        Probability with which the theorem may fail.

    Returns
    -------
    int
        ``log_4(10 (3 T + 1) / delta)`` for T rounds, rounded up.
    """
    return ceil(log(10 * _leaves_in_all(correlation, eps, delta) / delta, 4))


def boosting_examples(correlation: float, eps: float, delta: float = 0.05) -> float:
    """Rows from which shares and means of all leaves and all splits that are tried are known as exactly (Theorem 4).

    For E of them, by Hoeffding's inequality: ``ln(20 E / delta) / tau^3`` rows leave enough for the mean of every side
    with a share of at least tau. (The article has ``O(log(T / delta) / tau^4)``, to be safe.)

    Parameters
    ----------
    correlation, eps, delta : float
        As of `boosting_repeats`.

    Returns
    -------
    float
        Rows: polynomial in what they depend on, and beyond reach all the same, 3e11 for a correlation and eps of 1/2.
    """
    sides = 2 * _leaves_in_all(correlation, eps, delta) * boosting_repeats(correlation, eps, delta)
    return log(20 * sides / delta) / boosting_accuracy(correlation, eps) ** 3


def _leaves_in_all(correlation: float, eps: float, delta: float) -> int:
    check_between("delta", delta, 0, 1)
    return 3 * boosting_rounds(correlation, eps) + 1


# ---- what they start from ----


def _log(correlation: float, eps: float) -> float:
    check_between("correlation", correlation, 0, 1 + 1e-12)
    check_between("eps", eps, 0, 1)
    return log(6 / (correlation * eps))


def additive_correlation(variance: float, variation: float) -> float:
    """What the best axis-parallel split reaches where the truth is additive behind a monotone link (Lemma 3).

    Parameters
    ----------
    variance : float
        Of the target's mean.
    variation : float
        kV: the slope of the link times the variation of the parts, summed up.

    Returns
    -------
    float
        ``var / (k V)``, at most 1.
    """
    check_between("variance", variance, 0, 0.25 + 1e-12)
    check_between("variation", variation, 0, inf)
    return min(1.0, variance / variation)


def orderly_correlation(variance: float, n_columns: int) -> float:
    """What the correlator of Figure 6 reaches where the truth is an orderly tree of bits (Lemma 9).

    Parameters
    ----------
    variance, n_columns : float, int
        Of the target's mean, and d.

    Returns
    -------
    float
        ``var^2 / (5 d)``; where the variance is 1/8 and there are 10 columns, 0.0003.
    """
    check_between("variance", variance, 0, 0.25 + 1e-12)
    check("n_columns", n_columns, Whole(1))
    return variance**2 / (5 * n_columns)
