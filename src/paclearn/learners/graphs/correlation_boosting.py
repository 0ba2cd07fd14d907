"""Correlation boosting: leaves are split by a weak regressor (Kalai, 2005, Figure 4)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.utils import get_tags

from paclearn._compat import validate_data
from paclearn._parameters import Between, Nothing, Rule, Such, Whole
from paclearn._progress import progress
from paclearn.certificates import heldout_squared
from paclearn.encoding.bins import encode_columns
from paclearn.exceptions import InputError
from paclearn.learners.fitting import ModelLearner, NumberLearner
from paclearn.learners.graphs.asked_graph import AskedGraph
from paclearn.learners.graphs.graph_base import GROWN, countable_weights
from paclearn.learners.graphs.graph_growth import Growth, GrowthRules
from paclearn.learners.graphs.graph_stopping import theorem_splits
from paclearn.learners.graphs.regression_graph import RegressionGraph
from paclearn.learners.graphs.scaled_target import ScaledTarget
from paclearn.learners.graphs.weak_splits import WeakBranching, in_clear_words
from paclearn.learners.learned import Learned
from paclearn.learners.predicting import ModelEstimator
from paclearn.models.graph_assembly import inlined
from paclearn.models.graph_model import GraphModel
from paclearn.models.weak_graph import NativeTable, WeakGraphModel, answers_of, graph_over_answers, native_rows
from paclearn.tables.table import Table, as_frame, fitted_names, frame_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.learners.fitting import Rows
    from paclearn.learners.learned import Judged
    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.graph_shape import GraphShape
    from paclearn.models.weak_graph import WeakQuestion

__all__ = ["CorrelationBoostingRegressor"]


@dataclass(eq=False, repr=False)
class CorrelationBoostingRegressor(NumberLearner, ModelLearner):
    """A regression graph whose questions are thresholds of a weak regressor's predictions.

    Any regressor whose predictions correlate with the target a little is made into one whose error comes as near to
    the best as wanted, because it is fitted anew to the rows of every leaf, and leaves of like values are merged
    (Kalai, 2005, Theorem 4).

    Where the weak regressor is a graph of this library (`OrderlyCorrelator`, `RegressionGraphRegressor`), a graph that
    asks graphs is a graph: ``model_`` is one, and can be saved and exported. Other regressors can be asked but not
    written down, and then ``model_`` predicts, explains and shows itself, but refuses to be saved or exported.

    Parameters
    ----------
    estimator : regressor, default=None
        The weak regressor; `LinearRegression` if not given, and `OrderlyCorrelator` for bits with orderly trees.
    max_splits : int, default=None
        How many splits; ``n**(3/7)`` if not given.
    max_leaves : int, default=None
        At most this many leaves.
    merge, min_samples_leaf : float, default=1/3, 5
        Share of a split's gain that merging may cost, and weight that either side of a split must have.
    n_repeats : int, default=1
        Fits of the weak regressor to every leaf. With more than one, each has half of the leaf's rows, drawn anew, and
        the one that correlates most with the targets of the other half is taken; a leaf where none does is not split.
        `paclearn.graphs.boosting_repeats` says how many Theorem 4 asks of a regressor that may fail.
    holdout, delta : float or "auto", float, default=None, 0.05
        Share of the rows to bound the error with, and how probably the bound may fail.
    random_state : int, RandomState instance or None, default=None
        Seeds the weak regressors, and draws their rows and the rows held out.

    Attributes
    ----------
    model_ : GraphModel or WeakGraphModel
        The model: the graph with the graphs that it asks in the places of its questions, or the graph over the answers.
    shape_ : GraphShape
        Nodes, edges, values and rows of the graph.
    graph_ : RegressionGraph
        The same, to be drawn and told. Where regressors cannot be written down it asks them, and has no SQL.
    questions_ : list of WeakQuestion
        A fitted regressor and a threshold for every inner node: at most that goes to its first child.
    correlations_ : ndarray of shape (n_questions,)
        What each regressor reached with the targets of the rows at its node: on fresh rows, where it was repeated, and
        otherwise on those of its fit. `paclearn.graphs.boosting_rounds` counts rounds by what it reaches everywhere.
    n_leaves_, n_nodes_ : int
        Size of the graph.
    certificate_, certificates_ : Certificate or None, list of Certificate
        A bound on the mean squared error, if rows were held out; and a list of it, or of nothing.

    Examples
    --------
    >>> from paclearn import CorrelationBoostingRegressor
    >>> import numpy as np
    >>> X = np.random.RandomState(0).normal(size=(500, 5))
    >>> CorrelationBoostingRegressor().fit(X, np.tanh(X.sum(axis=1))).score(X, np.tanh(X.sum(axis=1))) > 0.95
    True
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "estimator": Such(lambda e: e is None or _is_regressor(e), "a regressor with fit and predict"),
        "max_leaves": Whole(1) | Nothing(),
        "min_samples_leaf": Between(0, np.inf),
        "n_repeats": Whole(1),
        **GROWN,
    }

    model_: GraphModel | WeakGraphModel = field(init=False)
    shape_: GraphShape = field(init=False)
    graph_: RegressionGraph = field(init=False)
    questions_: list[WeakQuestion] = field(init=False)

    estimator: Any = None
    _: KW_ONLY
    max_splits: int | None = None
    max_leaves: int | None = None
    merge: float = 1 / 3
    min_samples_leaf: float = 5
    n_repeats: int = 1
    holdout: float | str | None = None
    delta: float = 0.05
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._weak())
        tags.input_tags = inner.input_tags
        return tags

    def _weak(self) -> Any:
        return LinearRegression() if self.estimator is None else self.estimator

    def _table(self, X: Any, *, reset: bool) -> Table:
        native = self._native(X, reset=reset)
        names = fitted_names(self) or tuple(f"x{i}" for i in range(self.n_features_in_))
        return NativeTable(native, names)

    def _native(self, X: Any, *, reset: bool) -> Any:
        """Data frames go to the weak regressor as they are, tables of ours as data frames, others as arrays."""
        X = frame_of(X) if isinstance(X, Table) else X
        frame = as_frame(X)
        if frame is None:
            return self._array(X, reset=reset)
        native = frame.to_native()
        validate_data(self, native, reset=reset, skip_check_array=True)
        if not len(frame):
            raise InputError("the table has no rows: 0 sample(s) while a minimum of 1 is required.")
        return native

    def _array(self, X: Any, *, reset: bool) -> Any:
        tags = get_tags(self._weak()).input_tags
        finite: Any = "allow-nan" if tags.allow_nan else True
        kind = None if tags.string or tags.categorical else "numeric"
        sparse = ["csr"] if tags.sparse else False
        try:
            return validate_data(self, X, reset=reset, dtype=kind, ensure_all_finite=finite, accept_sparse=sparse)
        except (TypeError, ValueError, OverflowError) as error:
            of_values = not isinstance(error, ValueError) or "could not convert" in str(error)
            what = "the table cannot be read as an array of numbers"
            with in_clear_words(what, *((type(error),) if of_values else ())):
                raise

    def _weights(self, sample_weight: Any, table: Table) -> NDArray[np.float64] | None:
        return countable_weights(sample_weight, table)

    def _learn(self, train: Rows, rng: np.random.RandomState) -> Learned:
        X, target = native_rows(train.table), ScaledTarget(train.targets, train.counts)
        shape, self.questions_ = self._grown(X, target, rng).graph()
        answers = answers_of(shape, self.questions_, X)
        graph = graph_over_answers(shape, self.questions_).rescaled(target.low, target.unit)
        graph = _calibrated(graph, graph.leaf_of_codes(answers), target)
        self.shape_ = graph.shape
        self.n_leaves_, self.n_nodes_ = shape.n_leaves, shape.n_nodes
        self.correlations_ = np.array([question.correlation for question in self.questions_])
        weak = [_graph_of(question.model) for question in self.questions_]
        known = [one for one in weak if one is not None]
        if len(known) == len(weak):
            return self._inlined(known, train)
        self.graph_ = AskedGraph(graph.shape, graph.columns, graph.asks, graph.goes_low, tuple(self.questions_))
        return Learned(WeakGraphModel(self._about(), graph.columns, graph, tuple(self.questions_)), list(answers))

    def _grown(self, X: Any, target: ScaledTarget, rng: np.random.RandomState) -> Growth:
        most = self.max_splits or theorem_splits(float(target.weights.sum()))
        branching = WeakBranching(
            self._weak(), X, target.scaled, target.weights, self.min_samples_leaf, rng, int(self.n_repeats)
        )
        growth = Growth(branching, GrowthRules(most, self.max_leaves, self.merge))
        with progress("boosting correlations", most) as advance:
            while growth.n_rounds < most and growth.round():
                advance(1)
        return growth

    def _inlined(self, weak: list[DecisionGraph], train: Rows) -> Learned:
        """The graphs that are asked, in the places of the questions; its leaves are those of the graph that asks."""
        wiring = inlined(self.shape_.children, weak, [question.threshold for question in self.questions_])
        codes = encode_columns(wiring.columns, train.table)
        inner = self.shape_.n_inner
        shape = wiring.measured(codes, train.targets, train.counts)
        shape = shape.with_leaf_values(self.shape_.value[inner:], self.shape_.weight[inner:])
        graph = RegressionGraph(shape, wiring.columns, wiring.asks, wiring.goes_low).without_idle_questions()
        place = {column: i for i, column in enumerate(wiring.columns)}
        known = [codes[place[column]] for column in graph.columns] or [np.zeros(train.n, dtype=np.uint8)]
        self.graph_ = graph
        return Learned(GraphModel(self._about(), graph.columns, (graph,)), known)

    def _notes(self) -> list[str]:
        if not len(self.correlations_):
            return ["No regressor was asked: none correlates with the target, or there is nothing to tell apart."]
        least, most = self.correlations_.min(), self.correlations_.max()
        where = "on fresh rows" if self.n_repeats > 1 else "on the rows of its fit"
        return [f"The weak regressor reaches a correlation of {least:.3f} to {most:.3f} with the target, {where}."]

    def _certify(self, train: Judged, held: Judged | None) -> list[Certificate]:
        if held is None:
            return []
        width, trivial = float(np.ptp(train.rows.targets)) or 1.0, float(np.var(train.rows.targets))
        return [heldout_squared(held.squared_error, held.n, width, self.delta, trivial)]


def _is_regressor(estimator: Any) -> bool:
    return not isinstance(estimator, type) and hasattr(estimator, "predict")


def _graph_of(regressor: object) -> DecisionGraph | None:
    """The graph of a regressor that is one."""
    known = regressor.model_ if isinstance(regressor, ModelEstimator) else None
    return known.graphs[0] if isinstance(known, GraphModel) and known.about.classes is None else None


def _calibrated(graph: DecisionGraph, leaf: NDArray[np.int32], target: ScaledTarget) -> DecisionGraph:
    """The values of leaves are the exact means of their rows.

    A regressor can say otherwise of a row among many than of the row alone, and leave a leaf without any.
    """
    inner = graph.shape.n_inner
    weight = np.bincount(leaf - inner, target.weights, graph.n_leaves).astype(np.float64)
    sums = np.bincount(leaf - inner, target.weights * target.values, graph.n_leaves)
    value = np.divide(sums, weight, out=graph.shape.value[inner:].copy(), where=weight > 0)
    return replace(graph, shape=graph.shape.with_leaf_values(value, weight))
