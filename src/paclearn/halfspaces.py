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
from paclearn.learners.halfspaces.uniform_theory import (
    hermite_coefficients,
    hermite_error,
    hermite_polynomial,
    sphere_error,
    sphere_polynomial,
    uniform_B,
    uniform_sample_size,
)

__all__ = [
    "MarginCurve",
    "chebyshev_bound",
    "chebyshev_coefficients",
    "erf_B",
    "erf_transfer",
    "hermite_coefficients",
    "hermite_error",
    "hermite_polynomial",
    "margin_error_curve",
    "sample_size",
    "series_B",
    "sigmoid_B",
    "sigmoid_transfer",
    "sphere_error",
    "sphere_polynomial",
    "suggest_B",
    "uniform_B",
    "uniform_sample_size",
]
