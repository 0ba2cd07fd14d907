"""RegressionGraphClassifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paclearn.certificates import graph_error
from paclearn.learners.fitting import ClassLearner
from paclearn.learners.graphs.graph_base import GraphBase, class_targets, deviation_of
from paclearn.learners.graphs.scaled_target import FarTarget, ScaledTarget, SquaredErrors
from paclearn.models.graph_model import GraphModel

if TYPE_CHECKING:
    from paclearn.certificates import Certificate
    from paclearn.learners.fitting import Rows
    from paclearn.learners.graphs.regression_graph import RegressionGraph
    from paclearn.learners.learned import Judged

__all__ = ["RegressionGraphClassifier"]


class RegressionGraphClassifier(ClassLearner, GraphBase):
    """Regression graphs for probabilities: one for two classes, one a class for more.

    The value of a leaf is the share of the second class among its rows (or of the graph's own class, scaled so that all
    add up to one).

    Parameters
    ----------
    stop, max_splits, max_leaves, merge, min_samples_leaf : as of `RegressionGraphRegressor`
        When every graph stops growing, how large it may be and how much of a split's gain merging may cost.
    n_bins, n_folds, patience : default=254, 5, 30
        Bins of numeric columns, and folds and patience of rows left out.
    holdout, delta : float or "auto", float, default=None, 0.05
        Share of the rows to bound the error with, and how probably the bound may fail.
    variation : float, default=None
        As of `RegressionGraphRegressor`, for two classes: of the probability of the second one.
    random_state : int, RandomState instance or None, default=None
        Draws folds, and rows to hold out. Without one, folds are those of seed 0.

    Attributes
    ----------
    model_ : GraphModel
        All graphs over the same columns: it predicts, explains and can be exported.
    graph_ : RegressionGraph
        The graph, where there are two classes.
    graphs_ : dict of RegressionGraph
        All graphs by class.
    n_leaves_, n_nodes_ : int
        Their size, all together.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of all splits' gain that each column's splits have.
    certificate_, certificates_ : Certificate, list of Certificate
        The tightest bound on the error: Kalai's (2005) Theorem 3, through the squared error, or Clopper-Pearson's on
        the rows held out; and all of them, with Theorem 2's beside where its conditions hold.
    classes_, domain_ : ndarray, Domain
        The class labels, and what the bins mean.

    Examples
    --------
    >>> from paclearn import RegressionGraphClassifier
    >>> model = RegressionGraphClassifier().fit([["red"], ["red"], ["blue"]], ["warm", "warm", "cold"])
    >>> model.predict([["blue"]]).tolist()
    ['cold']
    """

    graphs_: dict[Any, RegressionGraph]

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        return self._for_workers(self._classes_elsewhere(X, y, sample_weight))

    def _far_targets(self, train: Rows, weight: float) -> list[FarTarget]:  # noqa: ARG002
        numbers = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        return [FarTarget(number, 0.0, 1.0, weight) for number in numbers]

    def _targets(self, train: Rows) -> list[ScaledTarget]:
        return [
            ScaledTarget(target, train.counts, train.groups)
            for target in class_targets(train.targets, len(self.classes_))
        ]

    def _keep(self, graphs: list[RegressionGraph]) -> GraphModel:
        labels = self.classes_[1:] if len(graphs) == 1 else self.classes_
        self.graphs_ = dict(zip(labels.tolist(), graphs, strict=True))
        self.n_leaves_ = sum(graph.n_leaves for graph in self.graphs_.values())
        self.n_nodes_ = sum(graph.n_nodes for graph in self.graphs_.values())
        return GraphModel.of_graphs(self._about(self.classes_), list(self.graphs_.values()))

    @property
    def graph_(self) -> RegressionGraph:
        """The graph, where there is one."""
        self._check_fitted()
        if len(self.graphs_) > 1:
            raise AttributeError(f"there are {len(self.graphs_)} classes and one graph for each: see graphs_")
        return next(iter(self.graphs_.values()))

    def _certify(self, train: Judged, held: Judged | None) -> list[Certificate]:
        """Every row of positive weight counts once."""
        trivial, share = train.trivial, self._share_of_delta
        squared = 0.0
        numbers = range(1, 2) if len(self.graphs_) == 1 else range(len(self.classes_))
        for output, (number, graph) in enumerate(zip(numbers, self.graphs_.values(), strict=True)):
            error = train.mean_of(SquaredErrors(output, number))
            squared += error + deviation_of(graph, self.domain_, train.rows, share / len(self.graphs_))
        squared *= 2 if len(self.graphs_) == 1 else 1  # the other class's graph would be the mirror image
        found = [graph_error(squared, train.missed / train.n, train.n, share, trivial)]
        return [*found, *self._exam(held, trivial)]
