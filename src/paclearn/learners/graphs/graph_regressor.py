"""RegressionGraphRegressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paclearn.certificates import graph_squared, heldout_squared
from paclearn.learners.fitting import NumberLearner
from paclearn.learners.graphs.graph_base import GraphBase, deviation_of
from paclearn.learners.graphs.scaled_target import FarTarget, Moment, ScaledTarget, SquaredErrors
from paclearn.models.graph_model import GraphModel

if TYPE_CHECKING:
    from paclearn.certificates import Certificate
    from paclearn.learners.fitting import Rows
    from paclearn.learners.graphs.regression_graph import RegressionGraph
    from paclearn.learners.learned import Judged

__all__ = ["RegressionGraphRegressor"]


class RegressionGraphRegressor(NumberLearner, GraphBase):
    """A regression tree whose leaves may be merged.

    Every round splits the leaf that gains most and merges neighbouring leaves (by value) while all merges together
    cost at most a third of that gain. So a graph says in a few dozen nodes what takes a tree thousands, and learns
    additive models whatever their monotone link is.

    Parameters
    ----------
    stop : {"auto", "theorem", "validation"}, default="auto"
        ``"theorem"`` grows ``n**(3/7)`` splits, as Kalai (2005), Theorem 2, says. ``"auto"`` grows at most as many:
        those after which rows left out are predicted best, and none where they are not clearly better predicted than by
        a constant. ``"validation"`` grows as many as predict rows left out best, however many, then on all rows.
    max_splits : int, default=None
        This many splits instead; with validation, at most this many.
    max_leaves : int, default=None
        At most this many leaves: a round that leaves more merges further, as long as it gains at all.
    merge : float, default=1/3
        Share of a split's gain that merging may cost. With 0 only leaves of equal value are merged.
    min_samples_leaf : float, default=None
        Weight that either side of a split must have: 1 if not given, and with ``stop="validation"`` whichever of 1, 10
        and 40 predicts rows left out best.
    n_bins : int or None, default=254
        Bins of numeric columns, and named levels of the others. None tries every threshold between two values, as the
        theorem has it, in more time and memory.
    n_folds : int, default=5
        Folds that decide when to stop, unless that is settled.
    patience : int, default=30
        Rounds to wait for a better one, with ``stop="validation"``.
    holdout : float or "auto", default=None
        Share of the rows to keep out of the fit and to bound the error with; ``"auto"``: a fifth, of 200 rows or more.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    variation : float, default=None
        What is known of the truth: that it is additive behind a monotone link, and the slope of the link times the
        variation of its parts is at most this, kV in Theorem 2 of Kalai (2005). Without it there is no certificate of
        that theorem.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the rows held out. Without one, folds are those of seed 0.

    Attributes
    ----------
    model_ : GraphModel
        The model: it predicts, explains and can be exported.
    graph_ : RegressionGraph
        The graph.
    n_leaves_, n_nodes_ : int
        Its size.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of all splits' gain that each column's splits have.
    certificate_ : Certificate
        The tighter bound on the mean squared error: Theorem 3's, or that of the rows held out.
    certificates_ : list of Certificate
        All of them, and Theorem 2's beside where its conditions hold: ``stop="theorem"`` with no other limit,
        ``merge=1/3``, ``n_bins=None``, numbers without gaps, no weights, and a ``variation``.
    domain_ : Domain
        What the bins mean.

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

    graph_: RegressionGraph

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        return self._for_workers(self._numbers_elsewhere(X, y, sample_weight))

    def _far_targets(self, train: Rows, weight: float) -> list[FarTarget]:
        targets: Any = train.targets
        target = FarTarget(None, targets.low, targets.high, weight)
        self._width = target.unit
        return [target]

    def _targets(self, train: Rows) -> list[ScaledTarget]:
        target = ScaledTarget(train.targets, train.counts, train.groups)
        self._width = target.unit
        return [target]

    def _keep(self, graphs: list[RegressionGraph]) -> GraphModel:
        (self.graph_,) = graphs
        self.n_leaves_, self.n_nodes_ = self.graph_.n_leaves, self.graph_.n_nodes
        return GraphModel.of_graphs(self._about(), graphs)

    def _certify(self, train: Judged, held: Judged | None) -> list[Certificate]:
        """Every row of positive weight counts once."""
        mean = train.mean_of(Moment(0.0, 1))
        trivial, share = train.mean_of(Moment(mean, 2)), self._share_of_delta
        deviation = deviation_of(self.graph_, self.domain_, train.rows, share)
        found = [graph_squared(train.mean_of(SquaredErrors(0, None)), self._width, deviation, train.n, share, trivial)]
        return (
            found
            if held is None
            else [*found, heldout_squared(held.squared_error, held.n, self._width, self._share_of_exam, trivial)]
        )
