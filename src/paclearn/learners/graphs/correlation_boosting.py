"""Correlation boosting: leaves are split by a weak regressor (Figure 4 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from paclearn._compat import all_or_nothing, check_sample_weight, validate_data
from paclearn._parameters import check_between
from paclearn._progress import progress
from paclearn.certificates import heldout_squared
from paclearn.exceptions import InputError
from paclearn.learners.graphs.graph_base import check_merge, check_whole
from paclearn.learners.graphs.growth import Growth, GrowthRules
from paclearn.learners.graphs.stopping import ScaledTarget, theorem_splits
from paclearn.tables.target import numeric_target
from paclearn.tables.weights import are_counts, countable, relative_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.models.graph_shape import GraphShape

__all__ = ["CorrelationBoostingRegressor"]


@dataclass(frozen=True, eq=False)
class WeakQuestion:
    """Whether a regressor's prediction is at most a threshold."""

    model: Any
    threshold: float

    def goes_low(self, X: Any) -> NDArray[np.bool_]:
        """The answer for some rows."""
        return np.asarray(self.model.predict(X), dtype=np.float64) <= self.threshold


@dataclass(eq=False)
class WeakLeaf:
    """The rows of a leaf, their weight and the sum of their weighted targets; and the best split, once looked for."""

    rows: NDArray[np.intp]
    weight: float
    total: float
    gain: float = 0.0
    question: WeakQuestion | None = None


class WeakBranching:
    """Splits leaves where the predictions of a regressor, fitted to the leaf, are best cut in two."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        scaled: NDArray[np.float64],
        weights: NDArray[np.float64],
        least_weight: float,
        rng: np.random.RandomState,
    ) -> None:
        self.estimator, self.X, self.scaled, self.weights = estimator, X, scaled, weights
        self.least_weight, self.rng = least_weight, rng
        self._weighted = has_fit_parameter(estimator, "sample_weight") and not bool((weights == 1).all())

    def root(self) -> WeakLeaf:
        """All rows."""
        return self._leaf(np.arange(len(self.scaled)))

    def _leaf(self, rows: NDArray[np.intp]) -> WeakLeaf:
        weights = self.weights[rows]
        return WeakLeaf(rows, float(weights.sum()), float(weights @ self.scaled[rows]))

    def look(self, leaf: WeakLeaf) -> None:
        """Fit the regressor to the leaf and cut its predictions."""
        if leaf.weight < 2 * self.least_weight or np.ptp(self.scaled[leaf.rows]) == 0:
            return
        X = _safe_indexing(self.X, leaf.rows)
        model = self._fitted(X, leaf.rows)
        said = np.asarray(model.predict(X), dtype=np.float64)
        leaf.gain, threshold = self._best_cut(said, leaf)
        leaf.question = WeakQuestion(model, threshold)

    def _fitted(self, X: Any, rows: NDArray[np.intp]) -> Any:
        model = clone(self.estimator)
        seeded = {name: int(self.rng.randint(2**31 - 1)) for name in model.get_params() if name == "random_state"}
        model.set_params(**seeded)
        weights = {"sample_weight": self.weights[rows]} if self._weighted else {}
        return model.fit(X, self.scaled[rows], **weights)

    def _best_cut(self, said: NDArray[np.float64], leaf: WeakLeaf) -> tuple[float, float]:
        """The threshold that lowers the squared error most, and by how much."""
        order = np.argsort(said, kind="stable")
        sorted_said, weights = said[order], self.weights[leaf.rows][order]
        low, sums = np.cumsum(weights), np.cumsum(weights * self.scaled[leaf.rows][order])
        rest = leaf.weight - low
        differ = np.append(_clearly_apart(sorted_said), False)
        allowed = differ & (low >= self.least_weight) & (rest >= self.least_weight)
        if not allowed.any():
            return 0.0, float("inf")
        apart = sums * leaf.weight - leaf.total * low
        gains = np.where(allowed, apart**2 / np.where(allowed, low * rest * leaf.weight, 1.0), -1.0)
        place = int(gains.argmax())
        return float(gains[place]), float((sorted_said[place] + sorted_said[place + 1]) / 2)

    def children(self, leaf: WeakLeaf) -> tuple[WeakLeaf, WeakLeaf]:
        """The two sides of the threshold."""
        assert leaf.question is not None  # noqa: S101 - only leaves with a split are split
        low = leaf.question.goes_low(_safe_indexing(self.X, leaf.rows))
        return self._leaf(leaf.rows[low]), self._leaf(leaf.rows[~low])

    def joined(self, leaves: list[WeakLeaf]) -> WeakLeaf:
        """One leaf with the rows of all, in their order."""
        return self._leaf(np.sort(np.concatenate([leaf.rows for leaf in leaves])))


def _clearly_apart(sorted_said: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether neighbours differ by more than rounding: a threshold between them must tell them apart tomorrow as
    well.
    """
    size = np.maximum(np.abs(sorted_said[1:]), np.abs(sorted_said[:-1]))
    return np.diff(sorted_said) > 1e-9 * np.maximum(size, 1e-9)


class CorrelationBoostingRegressor(RegressorMixin, BaseEstimator):
    """A regression graph whose questions are thresholds of a weak regressor's predictions.

    Any regressor whose predictions correlate with the target a little is made into one whose error comes as near to
    the best as wanted, because it is fitted anew to the rows of every leaf, and leaves of like values are merged
    (Theorem 4).

    Parameters
    ----------
    estimator : regressor, default=None
        The weak regressor; `LinearRegression` if not given, and `OrderlyCorrelator` for bits with orderly trees.
    max_splits : int, default=None
        How many splits; ``n**(3/7)`` if not given.
    max_leaves : int, default=None
        At most this many leaves.
    merge : float, default=1/3
        Share of a split's gain that merging may cost.
    min_samples_leaf : float, default=5
        Weight that either side of a split must have.
    holdout : float, default=None
        Share of the rows to keep out of the fit and to bound the error with.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    random_state : int, RandomState instance or None, default=None
        Seeds the weak regressors, and draws the rows held out.

    Attributes
    ----------
    shape_ : GraphShape
        Nodes, edges, values and rows of the graph.
    questions_ : list of WeakQuestion
        A fitted regressor and a threshold for every inner node: at most that goes to its first child.
    n_leaves_, n_nodes_ : int
        Size of the graph.
    certificate_ : Certificate or None
        A bound on the mean squared error, if rows were held out.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.

    Examples
    --------
    >>> import numpy as np
    >>> from paclearn import CorrelationBoostingRegressor
    >>> X = np.random.RandomState(0).normal(size=(500, 5))
    >>> y = np.tanh(X.sum(axis=1))
    >>> model = CorrelationBoostingRegressor().fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        max_splits: int | None = None,
        max_leaves: int | None = None,
        merge: float = 1 / 3,
        min_samples_leaf: float = 5,
        holdout: float | None = None,
        delta: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.max_splits = max_splits
        self.max_leaves = max_leaves
        self.merge = merge
        self.min_samples_leaf = min_samples_leaf
        self.holdout = holdout
        self.delta = delta
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._weak())
        tags.input_tags = inner.input_tags
        return tags

    def _weak(self) -> Any:
        return LinearRegression() if self.estimator is None else self.estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CorrelationBoostingRegressor:
        """Grow the graph.

        Parameters
        ----------
        X : whatever the weak regressor takes, of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts; handed on to the weak regressor, if it takes weights.

        Returns
        -------
        CorrelationBoostingRegressor
            The fitted regressor.
        """
        self._check_parameters()
        with all_or_nothing(self):
            X = self._checked(X, reset=True)
            n = _n_rows(X)
            targets = numeric_target(y, n)
            weights = self._weights(sample_weight, n)
            rng = check_random_state(self.random_state)
            counted = rng.permutation(np.flatnonzero(weights)) if self.holdout else np.flatnonzero(weights)
            cut = 0 if self.holdout is None else max(1, round(self.holdout * len(counted)))
            if cut == len(counted):
                raise InputError(f"holdout={self.holdout} leaves no rows to learn from")
            kept, out = np.sort(counted[cut:]), np.sort(counted[:cut])
            self._learn(_safe_indexing(X, kept), ScaledTarget(targets[kept], weights[kept]), rng)
            self._certify(_safe_indexing(X, out) if cut else None, targets[out], targets[kept])
        return self

    def _weights(self, sample_weight: Any, n: int) -> NDArray[np.float64]:
        if sample_weight is None:
            return np.ones(n)
        weights = check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True)
        if not weights.any():
            raise InputError("sample_weight is zero everywhere; at least one row must count")
        return countable(weights if are_counts(weights) else relative_weights(weights))

    def _learn(self, X: Any, target: ScaledTarget, rng: np.random.RandomState) -> None:
        most = self.max_splits or theorem_splits(float(target.weights.sum()))
        branching = WeakBranching(self._weak(), X, target.scaled, target.weights, self.min_samples_leaf, rng)
        growth = Growth(branching, GrowthRules(most, self.max_leaves, self.merge))
        with progress("boosting correlations", most) as advance:
            while growth.n_rounds < most and growth.round():
                advance(1)
        shape, self.questions_ = growth.graph()
        leaf = self._leaf_of(shape, X) - shape.n_inner
        weight = np.bincount(leaf, target.weights, shape.n_leaves).astype(np.float64)
        sums = np.bincount(leaf, target.weights * target.values, shape.n_leaves)
        # a regressor can say otherwise of a row among many than of the row alone, and leave a leaf without any
        scaled_back = target.low + target.unit * shape.value[shape.n_inner :]
        value: NDArray[np.float64] = np.divide(sums, weight, out=scaled_back, where=weight > 0)
        self.shape_: GraphShape = shape.with_leaf_values(value, weight)
        self.n_leaves_, self.n_nodes_ = shape.n_leaves, shape.n_nodes

    def _leaf_of(self, shape: GraphShape, X: Any) -> NDArray[np.intp]:
        """All rows at a node answer its question at once; parents come before children."""
        rows: list[list[NDArray[np.intp]]] = [[] for _ in range(shape.n_nodes)]
        rows[0] = [np.arange(_n_rows(X))]
        for node, question in enumerate(self.questions_):
            mine = np.concatenate(rows[node]) if rows[node] else np.arange(0)
            if not len(mine):
                continue
            low = question.goes_low(_safe_indexing(X, mine))
            rows[shape.children[node, 0]].append(mine[low])
            rows[shape.children[node, 1]].append(mine[~low])
        leaf = np.zeros(_n_rows(X), dtype=np.intp)
        for node in range(shape.n_inner, shape.n_nodes):
            for some in rows[node]:
                leaf[some] = node
        return leaf

    def _certify(self, X: Any, targets: NDArray[np.float64], seen: NDArray[np.float64]) -> None:
        self.certificate_ = None
        if X is not None:
            error = float(np.mean((self._predictions(X) - targets) ** 2))
            spread = float(np.ptp(seen)) or 1.0
            self.certificate_ = heldout_squared(error, len(targets), spread, self.delta, float(np.var(seen)))

    def _predictions(self, X: Any) -> NDArray[np.float64]:
        return self.shape_.value[self._leaf_of(self.shape_, X)]

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The value of every row's leaf.

        Parameters
        ----------
        X : whatever the weak regressor takes, of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers, within the range of the targets of ``fit``.
        """
        check_is_fitted(self)
        return self._predictions(self._checked(X, reset=False))

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Data frames go to the weak regressor as they are; other tables as arrays."""
        if hasattr(X, "columns") or hasattr(X, "schema"):
            validate_data(self, X, reset=reset, skip_check_array=True)
            if not _n_rows(X):
                raise InputError("the table has no rows: 0 sample(s) while a minimum of 1 is required.")
            return X
        tags = get_tags(self._weak()).input_tags
        finite: Any = "allow-nan" if tags.allow_nan else True
        kind = None if tags.string or tags.categorical else "numeric"
        return validate_data(
            self, X, reset=reset, dtype=kind, ensure_all_finite=finite, accept_sparse=["csr"] if tags.sparse else False
        )

    def _check_parameters(self) -> None:
        check_whole("max_splits", self.max_splits, 1)
        check_whole("max_leaves", self.max_leaves, 1)
        check_merge(self.merge)
        check_between("min_samples_leaf", self.min_samples_leaf, 0, np.inf)
        if self.holdout is not None:
            check_between("holdout", self.holdout, 0, 1)
        check_between("delta", self.delta, 0, 1)
        if self.estimator is not None and (isinstance(self.estimator, type) or not hasattr(self.estimator, "predict")):
            raise InputError(f"estimator={self.estimator!r} must be a regressor with fit and predict")


def _n_rows(X: Any) -> int:
    return int(X.shape[0])
