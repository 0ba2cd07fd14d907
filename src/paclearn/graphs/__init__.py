"""System 4: regression graphs, trees that merge."""

from paclearn.graphs.classifier import RegressionGraphClassifier
from paclearn.graphs.ensemble import RegressionGraphEnsembleClassifier, RegressionGraphEnsembleRegressor
from paclearn.graphs.graph import RegressionGraph
from paclearn.graphs.regressor import RegressionGraphRegressor

__all__ = [
    "RegressionGraph",
    "RegressionGraphClassifier",
    "RegressionGraphEnsembleClassifier",
    "RegressionGraphEnsembleRegressor",
    "RegressionGraphRegressor",
]
