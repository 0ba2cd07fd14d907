"""System 4: regression graphs, trees that merge."""

from paclearn.graphs.classifier import RegressionGraphClassifier
from paclearn.graphs.correlation import CorrelationBoostingRegressor
from paclearn.graphs.ensemble import RegressionGraphEnsembleClassifier, RegressionGraphEnsembleRegressor
from paclearn.graphs.graph import RegressionGraph
from paclearn.graphs.orderly import OrderlyCorrelator
from paclearn.graphs.regressor import RegressionGraphRegressor

__all__ = [
    "CorrelationBoostingRegressor",
    "OrderlyCorrelator",
    "RegressionGraph",
    "RegressionGraphClassifier",
    "RegressionGraphEnsembleClassifier",
    "RegressionGraphEnsembleRegressor",
    "RegressionGraphRegressor",
]
