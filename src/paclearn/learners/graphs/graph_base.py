"""What the graph estimators share: reading a table, holding rows out, growing, and reading the result."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import TakesTables, all_or_nothing
from paclearn._parameters import check_between, check_choice, is_whole
from paclearn.encoding.bins import MOST_BINS, learn_bins
from paclearn.exceptions import InputError
from paclearn.learners.graphs.stopping import Recipe
from paclearn.tables.table import RowSubset, as_table
from paclearn.tables.weights import countable, row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.tables.table import Table

__all__ = ["GraphBase", "Rows", "TableEstimator", "check_merge", "check_whole"]


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is neither None nor a whole number from some on."""
    if value is not None and not (is_whole(value) and value >= least):
        raise InputError(f"{name}={value!r} must be a whole number >= {least}, or None")


def check_merge(value: Any) -> None:
    """Refuse what is no share of a gain."""
    if not isinstance(value, int | float | np.number) or not 0 <= value < 1:
        raise InputError(f"merge={value!r} must be a share of the gain, from 0 (never merge) to below 1")


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table with their targets and weights."""

    table: Table
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Some of them."""
        if len(rows) == self.table.n_rows:
            return self
        return Rows(RowSubset(self.table, rows), self.targets[rows], self.weights[rows])

    @property
    def n(self) -> int:
        return len(self.targets)


class TableEstimator(TakesTables, BaseEstimator):
    """Reads a table, its target and weights; keeps rows out to bound the error with; leaves the rest to `_learn`."""

    n_bins: int
    holdout: float | None
    delta: float
    random_state: Any

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        """One number a row: a class, or the target itself."""

    @abstractmethod
    def _settle(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """The targets of the rows that count, once the others are gone."""

    @abstractmethod
    def _learn(self, train: Rows, table: BinnedTable, rng: np.random.RandomState) -> None:
        """Grow the graphs."""

    @abstractmethod
    def _certify(self, train: Rows, held: Rows | None) -> None:
        """Set the certificates."""

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        with all_or_nothing(self):
            table = as_table(self, X, reset=True)
            weights = row_weights(sample_weight, table)
            targets = self._read_target(y, table.n_rows)
            rng = check_random_state(self.random_state)
            counts = np.ones(table.n_rows) if weights is None else countable(weights)
            every = Rows(table, targets, counts).take(np.flatnonzero(counts))
            every = Rows(every.table, self._settle(every.targets), every.weights)
            kept, out = self._held_out(every.n, rng)
            train = every.take(kept)
            binned = learn_bins(train.table, self.n_bins, None if weights is None else train.weights)
            self.domain_ = binned.domain
            self._learn(train, binned, rng)
            self._certify(train, every.take(out) if len(out) else None)

    def _held_out(self, n: int, rng: np.random.RandomState) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows to learn from, and rows to bound the error with."""
        if self.holdout is None:
            return np.arange(n), np.arange(0)
        order = rng.permutation(n)
        cut = max(1, round(self.holdout * n))
        if cut == n:
            raise InputError(f"holdout={self.holdout} leaves no rows to learn from")
        return np.sort(order[cut:]), np.sort(order[:cut])

    def _checked(self, X: Any) -> Table:
        check_is_fitted(self)
        return as_table(self, X, reset=False)

    def _check_parameters(self) -> None:
        if not (is_whole(self.n_bins) and 2 <= self.n_bins <= MOST_BINS):
            raise InputError(f"n_bins={self.n_bins!r} must be a whole number from 2 to {MOST_BINS}")
        if self.holdout is not None:
            check_between("holdout", self.holdout, 0, 1)
        check_between("delta", self.delta, 0, 1)


class GraphBase(TableEstimator):
    """One graph an output; see `RegressionGraphRegressor` for the parameters."""

    def __init__(
        self,
        stop: str = "theorem",
        *,
        max_splits: int | None = None,
        max_leaves: int | None = None,
        merge: float = 1 / 3,
        min_samples_leaf: float | None = None,
        n_bins: int = MOST_BINS,
        n_folds: int = 5,
        patience: int = 30,
        holdout: float | None = None,
        delta: float = 0.05,
        variation: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.stop = stop
        self.max_splits = max_splits
        self.max_leaves = max_leaves
        self.merge = merge
        self.min_samples_leaf = min_samples_leaf
        self.n_bins = n_bins
        self.n_folds = n_folds
        self.patience = patience
        self.holdout = holdout
        self.delta = delta
        self.variation = variation
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("stop", self.stop, ("theorem", "validation"))
        check_whole("max_splits", self.max_splits, 1)
        check_whole("max_leaves", self.max_leaves, 1)
        check_merge(self.merge)
        if self.min_samples_leaf is not None:
            check_between("min_samples_leaf", self.min_samples_leaf, 0, np.inf)
        check_between("variation", self.variation, 0, np.inf)
        for name, value, least in (("patience", self.patience, 1), ("n_folds", self.n_folds, 2)):
            if not is_whole(value) or value < least:
                raise InputError(f"{name}={value!r} must be a whole number >= {least}")

    def _recipe(self) -> Recipe:
        return Recipe(
            self.stop,
            self.max_splits,
            self.max_leaves,
            self.merge,
            self.min_samples_leaf,
            self.n_folds,
            self.patience,
        )
