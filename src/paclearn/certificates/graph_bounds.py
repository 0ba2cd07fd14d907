"""Theorems 2 and 3 of "Efficient Estimators for Generalized Additive Models", for regression graphs."""

from __future__ import annotations

from math import log, sqrt

from paclearn.certificates.certificate import Certificate

__all__ = ["gam_excess", "graph_deviation", "graph_error", "graph_squared"]


def graph_deviation(n_nodes: int, log_splits: float, n: int, delta: float) -> float:
    """``3.8 sqrt(|G| ln(3 d n |G| / delta) / n)``: how far any graph's error is from that on the rows (Theorem 3).

    ``log_splits`` is the logarithm of the number of questions a node can ask, ``d n`` for d numeric columns without
    missing values. Columns of q levels count ``2**q`` in its place, and a side for missing values counts twice.
    """
    return 3.8 * sqrt(n_nodes * (log(3 * n_nodes / delta) + log_splits) / n)


def graph_squared(error: float, spread: float, deviation: float, n: int, delta: float, trivial: float) -> Certificate:
    """Theorem 3 for the mean squared error, for targets within a range of width ``spread``."""
    bound = error + spread**2 * deviation
    assumptions = (*Certificate.assumptions, "the target never leaves the range it is given")
    kind = "uniform bound for graphs (Theorem 3)"
    return Certificate(bound, delta, kind, error, n, assumptions, trivial, "mean squared error")


def graph_error(squared: float, error: float, n: int, delta: float, trivial: float) -> Certificate:
    """Theorem 3 for the error rate: where a wrong class has the largest share, the squared errors add up to 1/2."""
    return Certificate(min(1.0, 2 * squared), delta, "uniform bound for graphs (Theorem 3)", error, n, trivial=trivial)


def gam_excess(n: int, n_columns: int, variation: float, spread: float, delta: float, trivial: float) -> Certificate:
    """``3 (1 + k V) ln(5 n d / delta) / n^(1/7)``: how much worse than the truth, if that is additive (Theorem 2).

    ``variation`` is kV: the slope of the link times the total variation of the column's functions, summed up.
    """
    excess = spread**2 * 3 * (1 + variation) * log(5 * n * n_columns / delta) / n ** (1 / 7)
    assumptions = (
        *Certificate.assumptions,
        f"the mean target is a generalised additive model with kV <= {variation:g}, scaled to [0, 1]",
        "the graph was grown by the rule of the theorem on all thresholds",
    )
    quantity = "mean squared error above that of the true mean"
    return Certificate(
        excess, delta, "convergence theorem for graphs (Theorem 2)", 0.0, n, assumptions, trivial, quantity
    )
