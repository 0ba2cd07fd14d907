"""System 4: regression graphs, trees that merge."""

from paclearn.learners.graphs.correlation_boosting import CorrelationBoostingRegressor
from paclearn.learners.graphs.graph_classifier import RegressionGraphClassifier
from paclearn.learners.graphs.graph_ensemble import RegressionGraphEnsembleClassifier, RegressionGraphEnsembleRegressor
from paclearn.learners.graphs.graph_regressor import RegressionGraphRegressor
from paclearn.learners.graphs.orderly_correlator import OrderlyCorrelator
from paclearn.learners.graphs.regression_graph import RegressionGraph

__all__ = [
    "CorrelationBoostingRegressor",
    "OrderlyCorrelator",
    "RegressionGraph",
    "RegressionGraphClassifier",
    "RegressionGraphEnsembleClassifier",
    "RegressionGraphEnsembleRegressor",
    "RegressionGraphRegressor",
]
