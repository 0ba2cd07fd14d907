"""Ensembles of regression graphs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._parameters import Between, Cores, Nothing, OneOf, Rule, Whole
from paclearn.certificates import heldout_squared
from paclearn.encoding.bins import MOST_BINS
from paclearn.learners.fitting import ClassLearner, NumberLearner
from paclearn.learners.graphs.ensemble_tuning import EnsemblePlan, fit_output
from paclearn.learners.graphs.graph_base import GROWN, GraphLearner, class_targets
from paclearn.learners.graphs.scaled_target import ScaledTarget
from paclearn.models.graph_mean import MeanModel
from paclearn.models.links import normalised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.encoding.bins import BinnedTable
    from paclearn.learners.fitting import Rows
    from paclearn.learners.graphs.ensemble_tuning import Output
    from paclearn.learners.learned import Judged
    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.model import About

__all__ = ["RegressionGraphEnsembleClassifier", "RegressionGraphEnsembleRegressor"]


@dataclass(eq=False, repr=False)
class EnsembleBase(GraphLearner):
    """Bagged or boosted graphs; see `RegressionGraphEnsembleRegressor` for the parameters."""

    _parameters: ClassVar[dict[str, Rule]] = {
        "method": OneOf("auto", "bagging", "boosting"),
        "n_estimators": Whole(1) | Nothing(),
        "max_features": Whole(1) | Nothing(),
        "min_samples_leaf": Between(0, np.inf),
        "learning_rate": Between(0, 1),
        "n_bins": Whole(2, MOST_BINS),
        "validation_fraction": Between(0, 1),
        "n_jobs": Cores(),
        **GROWN,
    }

    model_: MeanModel = field(init=False)
    estimators_: dict[str, list[DecisionGraph]] = field(init=False)

    n_estimators: int | None = None
    _: KW_ONLY
    method: str = "auto"
    max_splits: int | None = None
    max_features: int | None = None
    merge: float = 1 / 3
    min_samples_leaf: float = 1
    learning_rate: float = 0.1
    n_bins: int = MOST_BINS
    validation_fraction: float = 0.2
    holdout: float | str | None = None
    delta: float = 0.05
    n_jobs: int | None = None
    random_state: Any = None

    # ---- what differs ----

    @abstractmethod
    def _targets(self, train: Rows) -> dict[str, NDArray[np.float64]]:
        """The target of every output, by label."""

    @abstractmethod
    def _about_target(self) -> About: ...

    @abstractmethod
    def _score_of(self, said: NDArray[np.float64], rows: Rows) -> float:
        """How well the targets of some rows are predicted."""

    # ---- what does not ----

    def _grow(self, train: Rows, table: BinnedTable, rng: np.random.RandomState) -> MeanModel:
        plan = EnsemblePlan(
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
            label: fit_output(table, ScaledTarget(target, train.counts, train.groups), plan, rng)
            for label, target in self._targets(train).items()
        }
        self._keep(outputs)
        self._score_out_of_bag(train, outputs)
        return MeanModel.of_sums(self._about_target(), [output.sum for output in outputs.values()])

    def _keep(self, outputs: dict[str, Output]) -> None:
        self.methods_ = {label: output.method for label, output in outputs.items()}
        self.validation_errors_ = {label: output.errors for label, output in outputs.items()}
        self.estimators_ = {label: list(output.sum.graphs) for label, output in outputs.items()}
        self.n_estimators_ = sum(map(len, self.estimators_.values()))

    def _score_out_of_bag(self, train: Rows, outputs: dict[str, Output]) -> None:
        """Only where all outputs are means of bagged graphs, and for rows that some graph did not see."""
        said = [output.out_of_bag for output in outputs.values() if output.out_of_bag is not None]
        self.oob_prediction_ = np.column_stack(said) if len(said) == len(outputs) else None
        self.oob_score_: float | None = None
        if self.oob_prediction_ is not None:
            seen = np.flatnonzero(~np.isnan(self.oob_prediction_).any(axis=1))
            if len(seen):
                self.oob_score_ = self._score_of(self.oob_prediction_[seen], train.take(seen))


class RegressionGraphEnsembleRegressor(NumberLearner, EnsembleBase):
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
        Averaged, or summed up.
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
    holdout : float or "auto", default=None
        Share of the rows to keep out of everything and to bound the error with; ``"auto"``: a fifth, of at least 200.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws rows and columns.

    Attributes
    ----------
    model_ : MeanModel
        The model: it predicts, explains and can be exported.
    estimators_ : dict of list of RegressionGraph
        The graphs, by output; a regressor has one output, called ``""``.
    n_estimators_ : int
        How many they are.
    methods_ : dict of str
        Whether they were bagged or boosted.
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
    certificates_ : list of Certificate
        It, or nothing.
    domain_ : Domain
        What the bins mean.
    """

    def _about_target(self) -> About:
        return self._about()

    def _targets(self, train: Rows) -> dict[str, NDArray[np.float64]]:
        return {"": train.targets}

    def _score_of(self, said: NDArray[np.float64], rows: Rows) -> float:
        weights, targets = rows.counts, rows.targets
        around = weights @ (targets - np.average(targets, weights=weights)) ** 2
        return float(1 - weights @ (targets - said[:, 0]) ** 2 / around) if around > 0 else 0.0

    def _certify(self, train: Judged, held: Judged | None) -> list[Certificate]:
        if held is None:
            return []
        width, trivial = float(np.ptp(train.rows.targets)) or 1.0, float(np.var(train.rows.targets))
        return [heldout_squared(held.squared_error, held.n, width, self.delta, trivial)]


class RegressionGraphEnsembleClassifier(ClassLearner, EnsembleBase):
    """Many regression graphs for probabilities: for the second of two classes, or for each of more.

    Parameters
    ----------
    n_estimators, method, max_splits, max_features : as of `RegressionGraphEnsembleRegressor`
        How many graphs there are for every output, bagged or boosted, and how they split.
    merge, min_samples_leaf, learning_rate, n_bins, validation_fraction : as there
        How leaves are merged and split, how much boosted graphs count, bins of columns, and rows that decide.
    holdout, delta : float or "auto", float, default=None, 0.05
        Share of the rows to bound the error with, and how probably the bound may fail.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws rows, and columns that leaves look at.

    Attributes
    ----------
    model_ : MeanModel
        The sums of graphs of all classes: it predicts, explains and can be exported.
    estimators_, n_estimators_, methods_ : dict of list of RegressionGraph, int, dict of str
        The graphs by class, their number, and whether those of a class were bagged or boosted.
    validation_errors_ : dict of dict
        Mean squared error of the probability on the rows left out, by class and method.
    oob_score_, oob_prediction_ : float or None, ndarray or None
        Where all graphs are bagged: accuracy of out-of-bag predictions, and for every row what the graphs that did not
        see it say.
    feature_importances_ : ndarray of shape (n_columns,)
        Share of all splits' gain that each column's splits have.
    certificate_, certificates_ : Certificate or None, list of Certificate
        A bound on the error, if rows were held out; and a list of it, or of nothing.
    classes_, domain_ : ndarray, Domain
        The class labels, and what the bins mean.
    """

    def _about_target(self) -> About:
        return self._about(self.classes_)

    def _targets(self, train: Rows) -> dict[str, NDArray[np.float64]]:
        outputs = class_targets(train.targets, len(self.classes_))
        labels = self.classes_[1:] if len(outputs) == 1 else self.classes_
        return dict(zip(map(str, labels), outputs, strict=True))

    def _score_of(self, said: NDArray[np.float64], rows: Rows) -> float:
        return float(np.average(normalised(said).argmax(axis=1) == rows.targets, weights=rows.counts))

    def _certify(self, train: Judged, held: Judged | None) -> list[Certificate]:
        return [] if held is None else [held.rows.exam(held.wrong, self.delta, train.trivial)]
