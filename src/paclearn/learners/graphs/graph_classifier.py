"""RegressionGraphClassifier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from paclearn.certificates import clopper_pearson, graph_error, tightest
from paclearn.learners.graphs.class_targets import class_targets
from paclearn.learners.graphs.graph_base import GraphBase
from paclearn.learners.graphs.graph_reading import ShowsGraph
from paclearn.learners.graphs.graph_size import deviation_of
from paclearn.learners.graphs.stopping import ScaledTarget, fit_graph
from paclearn.models.graph_mean import GraphSum
from paclearn.models.links import normalised
from paclearn.tables.target import class_target, classes_present

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.learners.graphs.graph_base import Rows
    from paclearn.learners.graphs.regression_graph import RegressionGraph
    from paclearn.tables.table import Table

__all__ = ["RegressionGraphClassifier"]


class RegressionGraphClassifier(ClassifierMixin, ShowsGraph, GraphBase):
    """Regression graphs for probabilities: one for two classes, one a class for more.

    The value of a leaf is the share of the second class among its rows (or of the graph's own class, scaled so that all
    add up to one).

    Parameters
    ----------
    stop : {"theorem", "validation"}, default="theorem"
        See `RegressionGraphRegressor`, as for all parameters.
    max_splits, max_leaves : int, default=None
        Sizes, of every graph.
    merge : float, default=1/3
        Share of a split's gain that merging may cost.
    min_samples_leaf : float, default=None
        Weight that either side of a split must have.
    n_bins : int, default=254
        Bins of numeric columns, and named levels of the others.
    n_folds : int, default=5
        Folds that decide when to stop, with ``stop="validation"``.
    patience : int, default=30
        Rounds to wait for a better one.
    holdout : float, default=None
        Share of the rows to keep out of the fit and to bound the error with.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    variation : float, default=1.0
        Of no account here; it is there for what can be grown both ways.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the rows held out.

    Attributes
    ----------
    graph_ : RegressionGraph
        The graph, where there are two classes.
    graphs_ : dict of RegressionGraph
        All graphs by class.
    n_leaves_, n_nodes_ : int
        Their size, all together.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of all splits' gain that each column's splits have.
    certificate_ : Certificate
        A bound on the error: Theorem 3's, through the squared error, or Clopper-Pearson's on the rows held out.
    certificates_ : list of Certificate
        All of them.
    classes_ : ndarray
        The class labels.
    domain_ : Domain
        What the bins mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.

    Examples
    --------
    >>> from paclearn import RegressionGraphClassifier
    >>> model = RegressionGraphClassifier().fit([["red"], ["red"], ["blue"]], ["warm", "warm", "cold"])
    >>> model.predict([["blue"]]).tolist()
    ['cold']
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RegressionGraphClassifier:
        """Grow the graphs.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        RegressionGraphClassifier
            The fitted classifier.
        """
        self._fit(X, y, sample_weight)
        return self

    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        self.classes_, numbers = class_target(y, n_rows)
        return numbers.astype(np.float64)

    def _settle(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        self.classes_, numbers = classes_present(self.classes_, targets.astype(np.intp))
        return numbers.astype(np.float64)

    def _learn(self, train: Rows, table: BinnedTable, rng: np.random.RandomState) -> None:
        outputs = class_targets(train.targets, len(self.classes_))
        labels = self.classes_[1:] if len(outputs) == 1 else self.classes_
        self.graphs_ = {
            label: fit_graph(table, ScaledTarget(target, train.weights), self._recipe(), rng)
            for label, target in zip(labels.tolist(), outputs, strict=True)
        }
        self.n_leaves_ = sum(graph.n_leaves for graph in self.graphs_.values())
        self.n_nodes_ = sum(graph.n_nodes for graph in self.graphs_.values())

    @property
    def graph_(self) -> RegressionGraph:
        """The graph, where there is one."""
        check_is_fitted(self)
        if len(self.graphs_) > 1:
            raise AttributeError(f"there are {len(self.graphs_)} classes and one graph for each: see graphs_")
        return next(iter(self.graphs_.values()))

    def _sums(self) -> dict[str, GraphSum]:
        check_is_fitted(self)
        if len(self.graphs_) == 1:
            return {"": GraphSum.alone(self.graph_)}
        return {str(label): GraphSum.alone(graph) for label, graph in self.graphs_.items()}

    def _shares(self, table: Table) -> NDArray[np.float64]:
        """What the graphs say, as it is."""
        return np.column_stack([graph.predict(table) for graph in self.graphs_.values()])

    def _certify(self, train: Rows, held: Rows | None) -> None:
        """Every row of positive weight counts once."""
        trivial = 1 - float(np.bincount(train.targets.astype(np.intp)).max() / train.n)
        share = self.delta if held is None else self.delta / 2
        squared = 0.0
        for target, said, graph in zip(
            class_targets(train.targets, len(self.classes_)),
            self._shares(train.table).T,
            self.graphs_.values(),
            strict=True,
        ):
            error = float(np.mean((said - target) ** 2))
            squared += error + deviation_of(graph, self.domain_, train.n, share / len(self.graphs_))
        squared *= 2 if len(self.graphs_) == 1 else 1  # the other class's graph would be the mirror image
        found = [graph_error(squared, self._missed(train) / train.n, train.n, share, trivial)]
        if held is not None:
            found.append(clopper_pearson(self._missed(held), held.n, share, trivial))
        self.certificates_ = found
        self.certificate_ = replace(tightest(found), delta=self.delta)

    def _missed(self, rows: Rows) -> int:
        return int((normalised(self._shares(rows.table)).argmax(axis=1) != rows.targets).sum())

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        table = self._checked(X)
        return normalised(self._shares(table))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        chosen = self.predict_proba(X).argmax(axis=1)
        return self.classes_[chosen]
