"""RegressionGraphRegressor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from paclearn.certificates import gam_excess, graph_squared, heldout_squared, tightest
from paclearn.learners.graphs.graph_base import GraphBase
from paclearn.learners.graphs.graph_reading import ShowsGraph
from paclearn.learners.graphs.graph_size import deviation_of
from paclearn.learners.graphs.stopping import ScaledTarget, fit_graph
from paclearn.models.graph_mean import GraphSum
from paclearn.tables.target import numeric_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.learners.graphs.graph_base import Rows
    from paclearn.learners.graphs.regression_graph import RegressionGraph

__all__ = ["RegressionGraphRegressor"]


class RegressionGraphRegressor(RegressorMixin, ShowsGraph, GraphBase):
    """A regression tree whose leaves may be merged.

    Every round splits the leaf that gains most and merges neighbouring leaves (by value) while all merges together
    cost at most a third of that gain. So a graph says in a few dozen nodes what takes a tree thousands, and learns
    additive models whatever their monotone link is.

    Parameters
    ----------
    stop : {"theorem", "validation"}, default="theorem"
        Grow ``n**(3/7)`` splits, as the theorem says; or as many as predict rows left out best, then on all rows.
    max_splits : int, default=None
        This many splits instead of the theorem's; with validation, at most this many.
    max_leaves : int, default=None
        At most this many leaves: a round that leaves more merges further, as long as it gains at all.
    merge : float, default=1/3
        Share of a split's gain that merging may cost. With 0 only leaves of equal value are merged.
    min_samples_leaf : float, default=None
        Weight that either side of a split must have: 1 if not given, and with ``stop="validation"`` whichever of 1, 10
        and 40 predicts rows left out best.
    n_bins : int, default=254
        Bins of numeric columns, and named levels of the others.
    n_folds : int, default=5
        Folds that decide when to stop, with ``stop="validation"``.
    patience : int, default=30
        Rounds to wait for a better one, with ``stop="validation"``.
    holdout : float, default=None
        Share of the rows to keep out of the fit and to bound the error with.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    variation : float, default=1.0
        What Theorem 2 is told about the truth: slope of its link times the variation of its parts, kV.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the rows held out.

    Attributes
    ----------
    graph_ : RegressionGraph
        The graph.
    n_leaves_, n_nodes_ : int
        Its size.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of all splits' gain that each column's splits have.
    certificate_ : Certificate
        The tighter bound on the mean squared error: Theorem 3's, or that of the rows held out.
    certificates_ : list of Certificate
        All of them, and Theorem 2's beside, where the theorem's rule was followed.
    domain_ : Domain
        What the bins mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.

    Examples
    --------
    >>> from itertools import product
    >>> import numpy as np
    >>> from paclearn import RegressionGraphRegressor
    >>> cube = np.array(list(product((0, 1), repeat=6)))
    >>> model = RegressionGraphRegressor(max_splits=100).fit(cube, cube.mean(axis=1))
    >>> model.n_leaves_, float(model.score(cube, cube.mean(axis=1)))
    (7, 1.0)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RegressionGraphRegressor:
        """Grow the graph.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        RegressionGraphRegressor
            The fitted regressor.
        """
        self._fit(X, y, sample_weight)
        return self

    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        return numeric_target(y, n_rows)

    def _settle(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return targets

    def _learn(self, train: Rows, table: BinnedTable, rng: np.random.RandomState) -> None:
        target = ScaledTarget(train.targets, train.weights)
        self._keep(fit_graph(table, target, self._recipe(), rng))
        self._spread = target.unit

    def _keep(self, graph: RegressionGraph) -> None:
        self.graph_ = graph
        self.n_leaves_, self.n_nodes_ = graph.n_leaves, graph.n_nodes

    def _sums(self) -> dict[str, GraphSum]:
        check_is_fitted(self)
        return {"": GraphSum.alone(self.graph_)}

    def _certify(self, train: Rows, held: Rows | None) -> None:
        """Every row of positive weight counts once."""
        trivial = float(np.var(train.targets))
        share = self.delta if held is None else self.delta / 2
        deviation = deviation_of(self.graph_, self.domain_, train.n, share)
        found = [graph_squared(self._error(train), self._spread, deviation, train.n, share, trivial)]
        if held is not None:
            found.append(heldout_squared(self._error(held), held.n, self._spread, share, trivial))
        self.certificate_ = replace(tightest(found), delta=self.delta)
        self.certificates_ = found
        if self.stop == "theorem" and self.max_splits is None and self.max_leaves is None:
            columns = len(train.table.names)
            self.certificates_.append(gam_excess(train.n, columns, self.variation, self._spread, self.delta, trivial))

    def _error(self, rows: Rows) -> float:
        return float(np.mean((self.graph_.predict(rows.table) - rows.targets) ** 2))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The value of every row's leaf.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers, within the range of the targets of ``fit``.
        """
        table = self._checked(X)
        return self.graph_.predict(table)
