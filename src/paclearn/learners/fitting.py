"""One way to fit: parameters checked, rows in, some held out, learned from the others, certified; all or nothing."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from paclearn._blas_threads import one_blas_thread
from paclearn._compat import all_or_nothing
from paclearn._parameters import Between, Nothing, OneOf, Rule, Seed, check_parameters
from paclearn.certificates import chernoff, clopper_pearson, tightest
from paclearn.encoding.remote_columns import remote_classes
from paclearn.exceptions import InputError
from paclearn.learners.footprints import check_room
from paclearn.learners.learned import Judged
from paclearn.learners.predicting import ModelEstimator, PredictsClasses, PredictsNumbers
from paclearn.learners.prediction_sets import PredictsIntervals, PredictsSets
from paclearn.models.asked_class import asked_class
from paclearn.models.model import About
from paclearn.tables.groups import group_numbers
from paclearn.tables.read_once import read_once
from paclearn.tables.remote import is_remote, refuse_elsewhere, remote_table
from paclearn.tables.remote_numbers import remote_numbers, remote_weights
from paclearn.tables.table import RowSubset, fitted_names, uncollected
from paclearn.tables.target import class_target, classes_present, numeric_target
from paclearn.tables.weights import row_weights, summable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.certificates.final_exam import ErrorInterval
    from paclearn.learners.learned import Learned
    from paclearn.models.model import Model
    from paclearn.tables.table import Table

__all__ = ["HELD_OUT", "ClassLearner", "Learner", "ModelLearner", "NumberLearner", "Rows"]

HELD_OUT: dict[str, Rule] = {
    "holdout": Between(0, 1) | OneOf("auto") | Nothing(),
    "delta": Between(0, 1),
    "random_state": Seed(),
}
_DELTA_OF_EXAM = 0.9  # other bounds, which hardly feel it, share the rest
_SHARE_OF_EXAM = 0.2  # what holdout="auto" is,
_FEWEST_ROWS, _FEWEST_GROUPS = 200, 20  # and of fewer it holds out none


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table: targets (class numbers, or numbers), weights (None: all count once), groups if any."""

    table: Table
    targets: NDArray[Any]
    weights: NDArray[np.float64] | None
    groups: NDArray[np.intp] | None = None

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Some of them, in this order."""
        if len(rows) == self.n and np.array_equal(rows, np.arange(self.n)):
            return self
        weights = None if self.weights is None else self.weights[rows]
        groups = None if self.groups is None else self.groups[rows]
        return Rows(RowSubset(self.table, rows), self.targets[rows], weights, groups)

    def counted(self) -> Rows:
        """Those of positive weight."""
        return self if self.weights is None else self.take(np.flatnonzero(self.weights))

    def read_once(self) -> Rows:
        """The same rows, of a table that keeps what was read of it: for those who take several parts of them."""
        return replace(self, table=read_once(self.table))

    @property
    def n(self) -> int:
        """How many."""
        return len(self.targets)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """How often each counts."""
        return np.ones(self.n) if self.weights is None else self.weights

    @cached_property
    def _group(self) -> NDArray[np.intp]:
        return np.unique(self.groups, return_inverse=True)[1] if self.groups is not None else np.arange(self.n)

    @property
    def n_independent(self) -> int:
        """How many independent draws they are: groups where there are any, otherwise rows."""
        return self.n if self.groups is None else int(self._group.max()) + 1

    def rows_of(self, some: NDArray[np.intp]) -> NDArray[np.intp]:
        """The rows of some independent draws: of whole groups, or these rows themselves, in their order."""
        return np.sort(some) if self.groups is None else np.flatnonzero(np.isin(self._group, some))

    def one_of_each_group(self, rng: np.random.RandomState) -> Rows:
        """One row of every group, drawn at random: rows that are independent; all of them where there are no groups."""
        if self.groups is None:
            return self
        order = rng.permutation(self.n)
        return self.take(np.sort(order[np.unique(self.groups[order], return_index=True)[1]]))

    def total(self, wrong: NDArray[np.bool_]) -> float:
        """How many of them; of groups, the shares of their rows, added up."""
        return float(wrong.sum()) if self.groups is None else self.n_independent * self.mean(wrong)

    def exam(self, wrong: NDArray[np.bool_], delta: float, trivial: float) -> Certificate:
        """The bound that rows held out give, of which some were told wrong."""
        bound = clopper_pearson if self.groups is None else chernoff
        return bound(self.total(wrong), self.n_independent, delta, trivial)

    def mean(self, losses: NDArray[Any]) -> float:
        """The mean over rows, or over groups of the mean of each: every group counts once, however large it is."""
        exact = summable(np.asarray(losses, dtype=np.float64))
        if self.groups is None:
            return float(exact.mean())
        return float(summable(np.bincount(self._group, exact) / np.bincount(self._group)).mean())


class Learner(ModelEstimator):
    """The template of ``fit``. A learner says what its parameters may be, learns from rows, and certifies.

    Attributes that a user looks for are set in `_fit_rows`; ``model_``, ``certificate_`` and ``certificates_`` here,
    and ``exam_``: what rows held out say of probabilities, or of how far numbers are off.
    """

    _parameters: ClassVar[dict[str, Rule]]

    holdout: float | str | None = None
    delta: float = 0.05
    random_state: Any = None

    certificate_: Certificate | None
    certificates_: list[Certificate]
    exam_: tuple[Certificate | ErrorInterval, ...]
    _asked: int = 1  # of two classes, the one that a person asks about
    _misfits: NDArray[np.float64] | None

    # ---- what differs ----

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int, counted: NDArray[np.intp]) -> NDArray[Any]:
        """Targets of all rows; only those of the counted rows have to make sense."""

    @abstractmethod
    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:
        """Learn from some rows, certify with them and with those held out, and keep the model."""

    @abstractmethod
    def _examine(self, rows: Rows) -> None:
        """Keep how badly the model fits each of these rows, and what that promises of others."""

    def _check_parameters(self) -> None:
        """What cannot be said of one parameter alone."""

    # ---- what does not ----

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the model.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            What is to be predicted: classes, or numbers.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights. Certificates count
            every row of positive weight once.
        groups : array-like of shape (n_rows,), default=None
            What rows belong together, such as the visits of one patient. All rows of a group are on one side of every
            split, whether rows are left out to choose a model or held out to bound its error; certificates then count
            groups, and bound the error in a new group, averaged over groups.

        Returns
        -------
        estimator
            Itself, fitted.
        """
        check_parameters(self, self._parameters)
        self._check_parameters()
        with all_or_nothing(self), one_blas_thread():
            rng = check_random_state(self.random_state)
            train, held = self._held_out(self._rows(X, y, sample_weight, groups), rng)
            self._fit_rows(train, held, rng)
            self._misfits, self.exam_ = None, ()
            if held is not None:
                self._examine(held.one_of_each_group(rng))
        return self

    def _keep_certified(self, model: Model, certificates: Sequence[Certificate], rows: Rows | None = None) -> None:
        """The model with the tightest of its certificates; whichever it is, it fails with probability delta at most."""
        known = certificates if rows is None or rows.groups is None else [c.of_groups() for c in certificates]
        self.certificates_ = [replace(c, delta=self.delta) for c in known]
        self.certificate_ = tightest(self.certificates_) if self.certificates_ else None
        self.model_ = model.certified(None if self.certificate_ is None else self.certificate_.to_dict())

    def _rows(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Rows:
        """The rows that count."""
        if is_remote(X):
            refuse_elsewhere("groups", groups is not None)
            return self._rows_elsewhere(X, y, sample_weight)
        table = self._table(X, reset=True)
        check_room(type(self).__name__, table)
        weights = self._weights(sample_weight, table)
        counted = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
        targets = self._read_target(y, table.n_rows, counted)
        known = None if groups is None else group_numbers(groups, table.n_rows)
        return Rows(table, targets, weights, known).take(counted)

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:  # noqa: ARG002 - some learn there
        raise uncollected("X", "dask")

    def _weights(self, sample_weight: Any, table: Table) -> NDArray[np.float64] | None:
        return row_weights(sample_weight, table)

    def _held_out(self, rows: Rows, rng: np.random.RandomState) -> tuple[Rows, Rows | None]:
        """Rows to learn from, and rows to bound the error with."""
        self.heldout_rows_: NDArray[np.intp] | None = None
        share = self._share_held_out(rows)
        if share is None:
            return rows, None
        rows = rows.read_once()
        n, what = rows.n_independent, "row" if rows.groups is None else "group"
        order = rng.permutation(n)
        cut = max(1, round(share * n))
        if cut == n:
            raise InputError(f"holdout={self.holdout} of {n} {what}(s) leaves no {what}s to learn from")
        self.heldout_rows_, learned_from = rows.rows_of(order[:cut]), rows.rows_of(order[cut:])
        return rows.take(learned_from), rows.take(self.heldout_rows_)

    def _share_held_out(self, rows: Rows) -> float | None:
        if isinstance(self.holdout, str):
            return _SHARE_OF_EXAM if rows.n >= _FEWEST_ROWS and rows.n_independent >= _FEWEST_GROUPS else None
        return self.holdout

    @property
    def _share_of_delta(self) -> float:
        """Of bounds from the rows of the fit: all of delta, or what the bound from rows held out leaves of it."""
        return self.delta if self.heldout_rows_ is None else self.delta * (1 - _DELTA_OF_EXAM)

    @property
    def _share_of_exam(self) -> float:
        """Of the bound from rows held out, where there is another one beside it."""
        return self.delta * _DELTA_OF_EXAM

    def _about(self, classes: NDArray[Any] | None = None) -> About:
        known = None if classes is None else tuple(classes.tolist())
        names = fitted_names(self)
        asked = 1 if known is None else self._asked
        return About(known, None, int(self.n_features_in_), names, None, type(self).__name__, asked=asked)


class ModelLearner(Learner):
    """Learns one model, and then judges it on the rows it was learned from and on those held out."""

    @abstractmethod
    def _learn(self, train: Rows, rng: np.random.RandomState) -> Learned:
        """The model of these rows."""

    @abstractmethod
    def _certify(self, train: Judged, held: Judged | None) -> Sequence[Certificate]:
        """Bounds on the error, each of which may fail with its share of delta; the tightest is taken."""

    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:
        learned = self._learn(train, rng)
        model = learned.knowing(train)
        judged = learned.judged(model, train)
        aside = None if held is None else self._judged(model, held)
        self._keep_certified(model, self._certify(judged, aside), train)

    def _judged(self, model: Model, rows: Rows) -> Judged:
        return Judged(model, rows, model.encode(rows.table))


class ClassLearner(PredictsSets, PredictsClasses, Learner):
    """A learner of classes. Targets are class numbers."""

    def _read_target(self, y: Any, n_rows: int, counted: NDArray[np.intp]) -> NDArray[Any]:
        classes, numbers = class_target(y, n_rows)
        found = np.zeros(n_rows, dtype=np.intp)
        self.classes_, found[counted] = classes_present(classes, numbers[counted])
        self._keep_asked(np.bincount(found[counted]))
        return found

    def _keep_asked(self, rows: NDArray[np.int64]) -> None:
        """Which of two classes is asked about; of more, every one."""
        self._asked = asked_class(self.classes_.tolist(), rows.tolist()) if len(rows) == 2 else 1

    def _exam(self, held: Judged | None, trivial: float) -> list[Certificate]:
        """The bound that rows held out give, or groups, beside another one; none where none were."""
        return [] if held is None else [held.rows.exam(held.wrong, self._share_of_exam, trivial)]

    def _classes_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Rows on the workers of a cluster."""
        weights = remote_weights(X, sample_weight)
        table, targets = remote_classes(X, y, weights)
        self.classes_ = targets.classes
        self._keep_asked(targets.counts)
        return Rows(table.remembered_by(self), targets, weights)  # type: ignore[arg-type]


class NumberLearner(PredictsIntervals, PredictsNumbers, Learner):
    """A learner of numbers."""

    def _read_target(self, y: Any, n_rows: int, counted: NDArray[np.intp]) -> NDArray[Any]:  # noqa: ARG002
        return numeric_target(y, n_rows)

    def _numbers_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Rows on the workers of a cluster."""
        weights = remote_weights(X, sample_weight)
        targets: Any = remote_numbers(X, y, weights)
        return Rows(remote_table(X, len(targets), weights).remembered_by(self), targets, weights)  # type: ignore[arg-type]
