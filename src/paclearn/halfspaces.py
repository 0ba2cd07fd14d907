"""Margins of halfspaces and what Shalev-Shwartz, Shamir and Sridharan (2011) promise for them."""

from paclearn.learners.halfspaces.margin_curve import MarginCurve, margin_error_curve
from paclearn.learners.halfspaces.margin_theory import (
    chebyshev_bound,
    chebyshev_coefficients,
    erf_B,
    erf_transfer,
    sample_size,
    series_B,
    sigmoid_B,
    sigmoid_transfer,
    suggest_B,
)

__all__ = [
    "MarginCurve",
    "chebyshev_bound",
    "chebyshev_coefficients",
    "erf_B",
    "erf_transfer",
    "margin_error_curve",
    "sample_size",
    "series_B",
    "sigmoid_B",
    "sigmoid_transfer",
    "suggest_B",
]
