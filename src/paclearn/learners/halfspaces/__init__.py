"""System 5: a kernel classifier that competes with the margin error of the best halfspace."""

from paclearn.learners.halfspaces.halfspace_classifier import HalfspaceClassifier
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
    "HalfspaceClassifier",
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
