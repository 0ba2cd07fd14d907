"""The regression graph that the graph estimators grow, and what Kalai (2005) promises of boosting."""

from paclearn.learners.graphs import RegressionGraph
from paclearn.learners.graphs.boosting_theory import (
    additive_correlation,
    boosting_accuracy,
    boosting_examples,
    boosting_leaves,
    boosting_repeats,
    boosting_rounds,
    orderly_correlation,
    threshold_correlation,
)

__all__ = [
    "RegressionGraph",
    "additive_correlation",
    "boosting_accuracy",
    "boosting_examples",
    "boosting_leaves",
    "boosting_repeats",
    "boosting_rounds",
    "orderly_correlation",
    "threshold_correlation",
]
