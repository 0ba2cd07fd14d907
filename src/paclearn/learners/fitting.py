"""One way to fit: parameters checked, rows in, some held out, learned from the others, certified; all or nothing."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from paclearn._compat import all_or_nothing, one_blas_thread
from paclearn._parameters import Between, Nothing, Rule, Seed, check_parameters
from paclearn.certificates import tightest
from paclearn.exceptions import InputError
from paclearn.learners.predicting import ModelEstimator, PredictsClasses, PredictsNumbers
from paclearn.models.model import About
from paclearn.tables.read_once import read_once
from paclearn.tables.table import RowSubset, fitted_names
from paclearn.tables.target import class_target, classes_present, numeric_target
from paclearn.tables.weights import row_weights, summable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.encoding import Domain
    from paclearn.models.model import Model
    from paclearn.tables.table import Table

__all__ = ["HELD_OUT", "ClassLearner", "Judged", "Learned", "Learner", "ModelLearner", "NumberLearner", "Rows"]

HELD_OUT: dict[str, Rule] = {"holdout": Between(0, 1) | Nothing(), "delta": Between(0, 1), "random_state": Seed()}


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table with their targets (class numbers, or numbers) and weights (None: all count once)."""

    table: Table
    targets: NDArray[Any]
    weights: NDArray[np.float64] | None

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Some of them, in this order."""
        if len(rows) == self.n and np.array_equal(rows, np.arange(self.n)):
            return self
        weights = None if self.weights is None else self.weights[rows]
        return Rows(RowSubset(self.table, rows), self.targets[rows], weights)

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


@dataclass(frozen=True, eq=False)
class Learned:
    """A model, and the codes that its columns have in the rows it was learned from, so that nothing is read twice.

    Where equal rows were merged, ``codes`` are those of the different ones, and ``kind`` says which of them a row is.
    Where the covariance of a model's weights is known, it comes along.
    """

    model: Model
    codes: Sequence[NDArray[Any]]
    kind: NDArray[np.intp] | None = None
    covariance: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        model: Model,
        domain: Domain,
        codes: Sequence[NDArray[Any]] | NDArray[Any],
        n_rows: int,
        covariance: NDArray[np.float64] | None = None,
    ) -> Learned:
        """The codes of the model's columns, among those of all columns of a domain."""
        place = {column.position: i for i, column in enumerate(domain.columns)}
        found = [codes[place[column.position]] for column in model.columns]
        return cls(model, found or [np.zeros(n_rows, dtype=np.uint8)], covariance=covariance)

    def knowing(self, rows: Rows) -> Model:
        """The model, with what it wants to remember of the rows it was learned from."""
        counts = rows.weights if self.kind is None else np.bincount(self.kind, rows.weights).astype(np.float64)
        return self.model.fitted_to(self.codes, counts, self.covariance)


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows beside what the model says of them, once somebody asks."""

    model: Model
    rows: Rows
    codes: Sequence[NDArray[Any]]
    kind: NDArray[np.intp] | None = None

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """One score a row and output."""
        found = self.model.scores(self.codes)
        return found if self.kind is None else found[self.kind]

    @property
    def n(self) -> int:
        """How many rows."""
        return self.rows.n

    @cached_property
    def missed(self) -> int:
        """Rows whose class is another one."""
        return int((self.model.choices(self.scores) != self.rows.targets).sum())

    @cached_property
    def squared_error(self) -> float:
        """Mean squared error of a number."""
        return float(summable((self.model.from_scores(self.scores)[:, 0] - self.rows.targets) ** 2).mean())


class Learner(ModelEstimator):
    """The template of ``fit``. A learner says what its parameters may be, learns from rows, and certifies.

    Attributes that a user looks for are set in `_fit_rows`; ``model_``, ``certificate_`` and ``certificates_`` here.
    """

    _parameters: ClassVar[dict[str, Rule]]

    holdout: float | None = None
    delta: float = 0.05
    random_state: Any = None

    certificate_: Certificate | None
    certificates_: list[Certificate]

    # ---- what differs ----

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int, counted: NDArray[np.intp]) -> NDArray[Any]:
        """Targets of all rows; only those of the counted rows have to make sense."""

    @abstractmethod
    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:
        """Learn from some rows, certify with them and with those held out, and keep the model."""

    def _check_parameters(self) -> None:
        """What cannot be said of one parameter alone."""

    # ---- what does not ----

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
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

        Returns
        -------
        estimator
            Itself, fitted.
        """
        check_parameters(self, self._parameters)
        self._check_parameters()
        with all_or_nothing(self), one_blas_thread():
            rng = check_random_state(self.random_state)
            train, held = self._held_out(self._rows(X, y, sample_weight), rng)
            self._fit_rows(train, held, rng)
        return self

    def _keep_certified(self, model: Model, certificates: Sequence[Certificate]) -> None:
        """The model with the tightest of its certificates; whichever it is, it fails with probability delta at most."""
        self.certificates_ = [replace(c, delta=self.delta) for c in certificates]
        self.certificate_ = tightest(self.certificates_) if self.certificates_ else None
        self.model_ = model.certified(None if self.certificate_ is None else self.certificate_.to_dict())

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """The rows that count."""
        table = self._table(X, reset=True)
        weights = self._weights(sample_weight, table)
        counted = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
        return Rows(table, self._read_target(y, table.n_rows, counted), weights).take(counted)

    def _weights(self, sample_weight: Any, table: Table) -> NDArray[np.float64] | None:
        return row_weights(sample_weight, table)

    def _held_out(self, rows: Rows, rng: np.random.RandomState) -> tuple[Rows, Rows | None]:
        """Rows to learn from, and rows to bound the error with."""
        self.heldout_rows_: NDArray[np.intp] | None = None
        if self.holdout is None:
            return rows, None
        rows = rows.read_once()
        order = rng.permutation(rows.n)
        cut = max(1, round(self.holdout * rows.n))
        if cut == rows.n:
            raise InputError(f"holdout={self.holdout} of {rows.n} row(s) leaves no rows to learn from")
        self.heldout_rows_ = np.sort(order[:cut])
        return rows.take(np.sort(order[cut:])), rows.take(self.heldout_rows_)

    @property
    def _share_of_delta(self) -> float:
        """Bounds from the rows of the fit and from rows held out share delta."""
        return self.delta if self.holdout is None else self.delta / 2

    def _about(self, classes: NDArray[Any] | None = None) -> About:
        known = None if classes is None else tuple(classes.tolist())
        return About(known, None, int(self.n_features_in_), fitted_names(self), None, type(self).__name__)


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
        judged = Judged(model, train, learned.codes, learned.kind)
        aside = None if held is None else self._judged(model, held)
        self._keep_certified(model, self._certify(judged, aside))

    def _judged(self, model: Model, rows: Rows) -> Judged:
        return Judged(model, rows, model.encode(rows.table))


class ClassLearner(PredictsClasses, Learner):
    """A learner of classes. Targets are class numbers."""

    def _read_target(self, y: Any, n_rows: int, counted: NDArray[np.intp]) -> NDArray[Any]:
        classes, numbers = class_target(y, n_rows)
        found = np.zeros(n_rows, dtype=np.intp)
        self.classes_, found[counted] = classes_present(classes, numbers[counted])
        return found

    def _trivial(self, train: Judged) -> float:
        """The error of always naming the most frequent class."""
        return 1 - float(np.bincount(train.rows.targets).max() / train.n)


class NumberLearner(PredictsNumbers, Learner):
    """A learner of numbers."""

    def _read_target(self, y: Any, n_rows: int, counted: NDArray[np.intp]) -> NDArray[Any]:  # noqa: ARG002
        return numeric_target(y, n_rows)
