"""The regression graph that the graph estimators grow."""

from paclearn.learners.graphs import RegressionGraph

__all__ = ["RegressionGraph"]
