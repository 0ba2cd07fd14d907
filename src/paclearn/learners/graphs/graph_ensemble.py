"""Ensembles of regression graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from paclearn._parameters import check_between, check_choice, is_whole
from paclearn.certificates import clopper_pearson, heldout_squared
from paclearn.encoding.bins import MOST_BINS
from paclearn.exceptions import InputError
from paclearn.learners.graphs.class_targets import class_targets
from paclearn.learners.graphs.ensemble_output import Plan, fit_output
from paclearn.learners.graphs.graph_base import TableEstimator, check_merge, check_whole
from paclearn.learners.graphs.graph_reading import ReadsGraphs
from paclearn.learners.graphs.stopping import ScaledTarget
from paclearn.models.links import normalised
from paclearn.tables.target import class_target, classes_present, numeric_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.learners.graphs.ensemble_output import Output
    from paclearn.learners.graphs.graph_base import Rows
    from paclearn.models.graph_mean import GraphSum
    from paclearn.tables.table import Table

__all__ = ["RegressionGraphEnsembleClassifier", "RegressionGraphEnsembleRegressor"]


class EnsembleBase(ReadsGraphs, TableEstimator):
    """Graphs put together; see `RegressionGraphEnsembleRegressor` for the parameters."""

    def __init__(
        self,
        n_estimators: int | None = None,
        *,
        method: str = "auto",
        max_splits: int | None = None,
        max_features: int | None = None,
        merge: float = 1 / 3,
        min_samples_leaf: float = 1,
        learning_rate: float = 0.1,
        n_bins: int = MOST_BINS,
        validation_fraction: float = 0.2,
        holdout: float | None = None,
        delta: float = 0.05,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.method = method
        self.max_splits = max_splits
        self.max_features = max_features
        self.merge = merge
        self.min_samples_leaf = min_samples_leaf
        self.learning_rate = learning_rate
        self.n_bins = n_bins
        self.validation_fraction = validation_fraction
        self.holdout = holdout
        self.delta = delta
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("method", self.method, ("auto", "bagging", "boosting"))
        for name in ("n_estimators", "max_splits", "max_features"):
            check_whole(name, getattr(self, name), 1)
        check_merge(self.merge)
        check_between("min_samples_leaf", self.min_samples_leaf, 0, np.inf)
        check_between("learning_rate", self.learning_rate, 0, 1)
        check_between("validation_fraction", self.validation_fraction, 0, 1)
        if self.n_jobs is not None and (not is_whole(self.n_jobs) or self.n_jobs == 0):
            raise InputError(f"n_jobs={self.n_jobs!r} must be a number of processes, or -1 for all cores")

    def _targets(self, train: Rows) -> dict[str, NDArray[np.float64]]:
        """The target of every output, by label."""
        raise NotImplementedError

    def _learn(self, train: Rows, table: BinnedTable, rng: np.random.RandomState) -> None:
        plan = Plan(
            self.method,
            self.n_estimators,
            self.max_splits,
            self.max_features,
            self.merge,
            self.min_samples_leaf,
            self.learning_rate,
            self.validation_fraction,
            self.n_jobs,
        )
        outputs = {
            label: fit_output(table, ScaledTarget(target, train.weights), plan, rng)
            for label, target in self._targets(train).items()
        }
        self._keep(outputs)
        self._score_out_of_bag(train, outputs)

    def _keep(self, outputs: dict[str, Output]) -> None:
        self._totals = {label: output.sum for label, output in outputs.items()}
        self.methods_ = {label: output.method for label, output in outputs.items()}
        self.validation_errors_ = {label: output.errors for label, output in outputs.items()}
        self.estimators_ = {label: list(output.sum.graphs) for label, output in outputs.items()}
        self.n_estimators_ = sum(map(len, self.estimators_.values()))

    def _score_out_of_bag(self, train: Rows, outputs: dict[str, Output]) -> None:
        """Only where all outputs are means of bagged graphs, and for rows that some graph did not see."""
        said = [output.out_of_bag for output in outputs.values() if output.out_of_bag is not None]
        self.oob_prediction_ = np.column_stack(said) if len(said) == len(outputs) else None
        self.oob_score_ = None
        if self.oob_prediction_ is not None:
            seen = ~np.isnan(self.oob_prediction_).any(axis=1)
            if seen.any():
                rows = train.targets[seen], train.weights[seen]
                self.oob_score_ = self._score_of(self.oob_prediction_[seen], *rows)

    def _score_of(self, said: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        raise NotImplementedError

    def _sums(self) -> dict[str, GraphSum]:
        check_is_fitted(self)
        return self._totals if len(self._totals) > 1 else {"": next(iter(self._totals.values()))}

    def _said(self, table: Table) -> NDArray[np.float64]:
        return np.column_stack([total.predict(table, self.domain_) for total in self._totals.values()])


class RegressionGraphEnsembleRegressor(RegressorMixin, EnsembleBase):
    """Many regression graphs: bagged ones, averaged, or boosted ones, summed up, whichever predicts rows left out
    better.

    Bagged graphs are the better ones where the target is noisy, boosted ones where it is not. Every split looks at a
    few columns only, drawn for each leaf. How large bagged graphs grow, and how many boosted ones there are, rows
    left out decide; then all rows are used.

    Parameters
    ----------
    n_estimators : int, default=None
        How many graphs: 50 where they are bagged, at most 500 where they are boosted.
    method : {"auto", "bagging", "boosting"}, default="auto"
        How they are put together.
    max_splits : int, default=None
        Splits of every graph; chosen by rows left out, up to 2000, where they are bagged; 60 where they are boosted.
    max_features : int, default=None
        Columns that a leaf looks at: the square root of their number where graphs are bagged, half of them where they
        are boosted.
    merge : float, default=1/3
        Share of a split's gain that merging may cost.
    min_samples_leaf : float, default=1
        Weight that either side of a split must have; at least 5 where graphs are boosted.
    learning_rate : float, default=0.1
        How much each boosted graph counts.
    n_bins : int, default=254
        Bins of numeric columns, and named levels of the others.
    validation_fraction : float, default=0.2
        Share of the rows that decide.
    holdout : float, default=None
        Share of the rows to keep out of everything and to bound the error with.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    n_jobs : int, default=None
        Processes that grow bagged graphs; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws rows and columns.

    Attributes
    ----------
    estimators_ : dict of list of RegressionGraph
        The graphs, by output; a regressor has one output, called ``""``.
    n_estimators_ : int
        How many they are.
    methods_ : dict of str
        How they were put together.
    validation_errors_ : dict of dict
        Mean squared error on the rows left out, by method.
    oob_score_ : float or None
        R2 of out-of-bag predictions, where graphs are bagged.
    oob_prediction_ : ndarray or None
        For every row the mean of the graphs that did not see it.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of all splits' gain that each column's splits have.
    certificate_ : Certificate or None
        A bound on the mean squared error, if rows were held out.
    domain_ : Domain
        What the bins mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RegressionGraphEnsembleRegressor:
        """Grow the graphs.

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
        RegressionGraphEnsembleRegressor
            The fitted regressor.
        """
        self._fit(X, y, sample_weight)
        return self

    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        return numeric_target(y, n_rows)

    def _settle(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return targets

    def _targets(self, train: Rows) -> dict[str, NDArray[np.float64]]:
        return {"": train.targets}

    def _score_of(self, said: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        around = weights @ (targets - np.average(targets, weights=weights)) ** 2
        return float(1 - weights @ (targets - said[:, 0]) ** 2 / around) if around > 0 else 0.0

    def _certify(self, train: Rows, held: Rows | None) -> None:
        self.certificate_ = None
        if held is not None:
            error = float(np.mean((self._said(held.table)[:, 0] - held.targets) ** 2))
            spread = float(np.ptp(train.targets)) or 1.0
            self.certificate_ = heldout_squared(error, held.n, spread, self.delta, float(np.var(train.targets)))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predictions for the rows of a table.

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
        return self._said(table)[:, 0]


class RegressionGraphEnsembleClassifier(ClassifierMixin, EnsembleBase):
    """Many regression graphs for probabilities: for the second of two classes, or for each of more.

    Parameters
    ----------
    n_estimators : int, default=None
        See `RegressionGraphEnsembleRegressor`, as for all parameters.
    method : {"auto", "bagging", "boosting"}, default="auto"
        How graphs are put together.
    max_splits, max_features : int, default=None
        Splits of every graph, and columns that a leaf looks at.
    merge : float, default=1/3
        Share of a split's gain that merging may cost.
    min_samples_leaf : float, default=1
        Weight that either side of a split must have.
    learning_rate : float, default=0.1
        How much each boosted graph counts.
    n_bins : int, default=254
        Bins of numeric columns, and named levels of the others.
    validation_fraction : float, default=0.2
        Share of the rows that decide.
    holdout : float, default=None
        Share of the rows to keep out of everything and to bound the error with.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    n_jobs : int, default=None
        Processes that grow bagged graphs.
    random_state : int, RandomState instance or None, default=None
        Draws rows and columns.

    Attributes
    ----------
    estimators_ : dict of list of RegressionGraph
        The graphs, by class.
    n_estimators_ : int
        How many they are, all together.
    methods_ : dict of str
        How they were put together.
    validation_errors_ : dict of dict
        Mean squared error of the probability on the rows left out, by method.
    oob_score_ : float or None
        Accuracy of out-of-bag predictions, where all graphs are bagged.
    oob_prediction_ : ndarray or None
        For every row what the graphs that did not see it say.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of all splits' gain that each column's splits have.
    certificate_ : Certificate or None
        A bound on the error, if rows were held out.
    classes_ : ndarray
        The class labels.
    domain_ : Domain
        What the bins mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RegressionGraphEnsembleClassifier:
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
        RegressionGraphEnsembleClassifier
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

    def _targets(self, train: Rows) -> dict[str, NDArray[np.float64]]:
        outputs = class_targets(train.targets, len(self.classes_))
        labels = self.classes_[1:] if len(outputs) == 1 else self.classes_
        return dict(zip(map(str, labels), outputs, strict=True))

    def _score_of(self, said: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        return float(np.average(normalised(said).argmax(axis=1) == targets, weights=weights))

    def _certify(self, train: Rows, held: Rows | None) -> None:
        self.certificate_ = None
        if held is not None:
            missed = int((normalised(self._said(held.table)).argmax(axis=1) != held.targets).sum())
            trivial = 1 - float(np.bincount(train.targets.astype(np.intp)).max() / train.n)
            self.certificate_ = clopper_pearson(missed, held.n, self.delta, trivial)

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
        return normalised(self._said(table))

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
