"""What the report's models are held against, on the same rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from threadpoolctl import threadpool_limits

from paclearn.encoding import BooleanEncoder
from paclearn.tables.raw import Labels, read_column
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = ["boosting_baseline", "constant_baseline", "linear_baseline"]

_MOST_NUMBERS = 20_000_000  # rows x bits: 160 MB
_MOST_ITERATIONS, _TOLERANCE = 200, 1e-3
_MOST_LEVELS = 250  # gradient boosting takes 255


def constant_baseline(y: NDArray[Any], n: int, *, classify: bool) -> NDArray[Any]:
    """The most frequent class, or the mean, for so many rows."""
    if not classify:
        return np.full(n, y.mean())
    labels, rows = np.unique(y, return_counts=True)
    return np.full(n, labels[rows.argmax()], dtype=object)


def linear_baseline(
    table: Table, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp], *, classify: bool, seed: int
) -> NDArray[Any]:
    """Predictions for the test rows of a linear model over all bits."""
    encoder = BooleanEncoder().fit(RowSubset(table, train))
    most = max(1000, _MOST_NUMBERS // len(encoder.domain_.bits))
    rows = train
    if len(train) > most:
        rows = np.sort(np.random.RandomState(seed).permutation(train)[:most])
    model = LogisticRegression(max_iter=_MOST_ITERATIONS, tol=_TOLERANCE) if classify else Ridge()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # two hundred steps are as good as the end
        model.fit(encoder.transform(RowSubset(table, rows)).astype(np.float64), y[rows])
    return _predict_in_blocks(model, encoder, table, test, most)


def _predict_in_blocks(
    model: Any, encoder: BooleanEncoder, table: Table, rows: NDArray[np.intp], block: int
) -> NDArray[Any]:
    blocks = (rows[i : i + block] for i in range(0, len(rows), block))
    answers = [model.predict(encoder.transform(RowSubset(table, b)).astype(np.float64)) for b in blocks]
    return np.concatenate(answers)


class boosting_baseline:  # noqa: N801 - called like its neighbours
    """Predictions of gradient boosting, which takes numbers as they are and levels as categories."""

    def __init__(self, table: Table, *, classify: bool, seed: int) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        columns = [_as_numbers(table, i) for i in range(len(table.names))]
        self.values = np.column_stack([values for values, _ in columns])
        self.levels = np.array([levels for _, levels in columns])
        self.classify, self.seed = classify, seed
        self.kind = HistGradientBoostingClassifier if classify else HistGradientBoostingRegressor

    def __call__(self, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp]) -> NDArray[Any]:
        """Fit to some rows, answer for others; one thread, since several wait for each other on a busy machine."""
        known = ~np.isnan(self.values[train]).all(axis=0)  # it fails on a column without a single value
        if not known.any():
            return constant_baseline(y[train], len(test), classify=self.classify)
        values, levels = self.values[:, known], self.levels[known]
        with threadpool_limits(limits=1):
            model = self.kind(categorical_features=levels, random_state=self.seed).fit(values[train], y[train])
            return np.asarray(model.predict(values[test]))


def _as_numbers(table: Table, position: int) -> tuple[NDArray[np.float64], bool]:
    """Numbers, or the number of a level, NaN where missing; and whether they are levels."""
    raw = read_column(table, position)
    if not isinstance(raw, Labels):
        return np.asarray(raw.values, dtype=np.float64), False
    counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.labels) or 1)
    number = np.full(len(counts) + 1, np.nan)  # the last place is that of -1, missing
    kept = np.argsort(-counts, kind="stable")[:_MOST_LEVELS]
    number[kept] = np.arange(len(kept))
    return number[raw.codes], True
