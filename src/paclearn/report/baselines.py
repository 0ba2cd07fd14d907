"""What the report's models are held against, on the same rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from threadpoolctl import threadpool_limits

from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.encoding.date_columns import parts_of_table
from paclearn.encoding.set_aside import why_set_aside
from paclearn.models.terms import signs_of
from paclearn.tables.raw import Labels
from paclearn.tables.single_values import labels_and_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paclearn.encoding import Domain
    from paclearn.report.shared_folds import Fold
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["BoostingBaseline", "constant_baseline", "linear_baseline"]

_RULES = EncodingRules(n_bins=8, min_count=5, max_levels=64)
_MOST_NUMBERS = 20_000_000  # rows x bits: 160 MB
_MOST_ITERATIONS, _TOLERANCE = 200, 1e-3
_MOST_LEVELS = 250  # gradient boosting takes 255
_TREES = 100  # of gradient boosting, which is scikit-learn's own number


def constant_baseline(fold: Fold) -> NDArray[Any]:
    """The most frequent class, or the mean."""
    n = len(fold.test)
    if not fold.folds.classify:
        return np.full(n, np.average(fold.y, weights=fold.weights))
    labels, number = labels_and_numbers(fold.y)
    return np.full(n, labels[np.bincount(number, fold.weights).argmax()], dtype=object)


def linear_baseline(fold: Fold, seed: int) -> NDArray[Any]:
    """A linear model over all bits: levels and thresholds."""
    domain, codes = learn_and_encode(fold.known, _RULES)
    most = max(1000, _MOST_NUMBERS // len(domain.bits))
    rows = np.arange(len(fold.train))
    if len(rows) > most:
        rows = np.sort(np.random.RandomState(seed).permutation(len(rows))[:most])
    model = LogisticRegression(max_iter=_MOST_ITERATIONS, tol=_TOLERANCE) if fold.folds.classify else Ridge()
    # one thread: several wait for each other on a busy machine, and add up in another order
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # two hundred steps are as good as the end
        weights = None if fold.weights is None else fold.weights[rows]
        model.fit(_signs(domain, codes, rows), fold.y[rows], sample_weight=weights)
        codes = list(domain.encode(fold.unknown))
        blocks = (np.arange(i, min(i + most, len(fold.test))) for i in range(0, len(fold.test), most))
        return np.concatenate([model.predict(_signs(domain, codes, block)) for block in blocks])


def _signs(domain: Domain, codes: Iterable[NDArray[Any]], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """-1 and +1, one column a bit, of some rows."""
    return signs_of(domain, domain.bits, [c[rows] for c in codes]).astype(np.float64)


class BoostingBaseline:
    """Gradient boosting, which takes numbers as they are and levels as categories."""

    def __init__(self, table: Table, *, classify: bool, seed: int) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        columns = [_as_numbers(raw) for _, raw in _used(table)]
        self.values = np.column_stack([values for values, _ in columns])
        self.levels = np.array([levels for _, levels in columns])
        self.seed = seed
        self.kind = HistGradientBoostingClassifier if classify else HistGradientBoostingRegressor

    def __call__(self, fold: Fold) -> NDArray[Any]:
        """Fit to some rows, answer for others; one thread, since several wait for each other on a busy machine."""
        known = ~np.isnan(self.values[fold.train]).all(axis=0)  # it fails on a column without a single value
        if not known.any():
            return constant_baseline(fold)
        values, levels = self.values[:, known], self.levels[known]
        with threadpool_limits(limits=1):
            model = self.kind(max_iter=_TREES, categorical_features=levels, random_state=self.seed)
            model.fit(values[fold.train], fold.y, sample_weight=fold.weights)
            return np.asarray(model.predict(values[fold.test]))


def _used(table: Table) -> list[tuple[str, RawColumn]]:
    """The columns that our models have too; all, if none of them is worth a look."""
    every = list(parts_of_table(table))
    return [(name, raw) for name, raw in every if why_set_aside(raw, name) is None] or every


def _as_numbers(raw: RawColumn) -> tuple[NDArray[np.float64], bool]:
    """Numbers, or the number of a level, NaN where missing; and whether they are levels."""
    if not isinstance(raw, Labels):
        return np.asarray(raw.values, dtype=np.float64), False
    counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.labels) or 1)
    number = np.full(len(counts) + 1, np.nan)  # the last place is that of -1, missing
    kept = np.argsort(-counts, kind="stable")[:_MOST_LEVELS]
    number[kept] = np.arange(len(kept))
    return number[raw.codes], True
