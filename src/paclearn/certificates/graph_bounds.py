"""What Kalai (2005), "Efficient Estimators for Generalized Additive Models", proves about regression graphs."""

from __future__ import annotations

from math import log, sqrt

from paclearn._parameters import Whole, check
from paclearn.certificates.certificate import INDEPENDENT_ROWS, KNOWN_RANGE, SQUARED, Certificate
from paclearn.certificates.given import check_given

__all__ = ["gam_excess", "graph_deviation", "graph_error", "graph_squared"]

_UNIFORM = "uniform bound for graphs (Theorem 3)"


def graph_deviation(n_nodes: int, log_splits: float, n: int, delta: float) -> float:
    """``3.8 sqrt(|G| ln(3 d n |G| / delta) / n)``: how far any graph's error is from that on the rows.

    Kalai (2005), Theorem 3.

    Parameters
    ----------
    n_nodes : int
        Nodes of the graph, ``|G|``.
    log_splits : float
        Logarithm of the number of questions a node can ask, ``d n`` for d numeric columns without missing values.
        Columns of q levels count ``2**q`` in its place, and a side for missing values counts twice.
    n, delta : int, float
        Rows, and the probability with which the bound may fail.
    """
    check_given(n, delta, log_splits=log_splits)
    check("n_nodes", n_nodes, Whole(1))
    return 3.8 * sqrt(n_nodes * (log(3 * n_nodes / delta) + log_splits) / n)


def graph_squared(
    error: float, target_range: float, deviation: float, n: int, delta: float, trivial: float
) -> Certificate:
    """Kalai (2005), Theorem 3, for the mean squared error of targets within a range of this width.

    Parameters
    ----------
    error, target_range : float
        See `occam_squared`.
    deviation : float
        See `graph_deviation`.
    n, delta, trivial : float
        See `occam_squared`.
    """
    check_given(n, delta, error=error, target_range=target_range, deviation=deviation)
    bound = error + target_range**2 * deviation
    return Certificate(bound, delta, _UNIFORM, error, n, (INDEPENDENT_ROWS, KNOWN_RANGE), trivial, SQUARED)


def graph_error(squared: float, error: float, n: int, delta: float, trivial: float) -> Certificate:
    """Kalai (2005), Theorem 3, for the error rate: where a wrong class leads, the squared errors add up to 1/2.

    Parameters
    ----------
    squared : float
        The bounds on the squared errors of all classes, added up.
    error, n, delta, trivial : float
        Error rate on the rows, and as in `occam`.
    """
    check_given(n, delta, squared=squared, error=error)
    return Certificate(min(1.0, 2 * squared), delta, _UNIFORM, error, n, trivial=trivial)


def gam_excess(
    n: int, n_columns: int, variation: float, target_range: float, delta: float, trivial: float
) -> Certificate:
    """``3 (1 + k V) ln(5 n d / delta) / n^(1/7)``: how much worse than the truth, if that is additive.

    Kalai (2005), Theorem 2.

    Parameters
    ----------
    n, n_columns : int
        Rows and columns.
    variation : float
        kV: the slope of the link times the total variation of the column's functions, summed up.
    target_range, delta, trivial : float
        See `occam_squared`.
    """
    check_given(n, delta, variation=variation, target_range=target_range)
    check("n_columns", n_columns, Whole(1))
    excess = target_range**2 * 3 * (1 + variation) * log(5 * n * n_columns / delta) / n ** (1 / 7)
    assumptions = (
        INDEPENDENT_ROWS,
        KNOWN_RANGE,
        f"the mean target is a generalised additive model with kV <= {variation:g}, scaled to [0, 1]",
    )
    quantity = "mean squared error above that of the true mean"
    return Certificate(
        excess, delta, "convergence theorem for graphs (Theorem 2)", 0.0, n, assumptions, trivial, quantity
    )
