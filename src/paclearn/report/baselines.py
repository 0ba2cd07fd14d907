"""What the report's model is held against, on the same rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge

from paclearn._validation import RowSubset
from paclearn.encoding import BooleanEncoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn._validation import Table

__all__ = ["linear_baseline"]

_MOST_NUMBERS = 20_000_000  # rows x bits: 160 MB
_MOST_ITERATIONS = 500


def linear_baseline(
    table: Table, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp], *, classify: bool, seed: int
) -> tuple[NDArray[Any], str]:
    """Predictions for the test rows of a linear model over all bits, and a note on how it was fitted."""
    encoder = BooleanEncoder().fit(RowSubset(table, train))
    n_bits = len(encoder.domain_.bits)
    most = max(1000, _MOST_NUMBERS // n_bits)
    rows = train
    if len(train) > most:
        rows = np.sort(np.random.RandomState(seed).permutation(train)[:most])
    if classify and len(np.unique(y[rows])) == 1:
        return np.full(len(test), y[rows][0], dtype=object), "one class only in its rows"
    model = LogisticRegression(max_iter=_MOST_ITERATIONS) if classify else Ridge()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(encoder.transform(RowSubset(table, rows)).astype(np.float64), y[rows])
    note = f"{n_bits} bits, {len(rows):,} rows"
    if any(issubclass(w.category, ConvergenceWarning) for w in caught):
        note += f", stopped after {_MOST_ITERATIONS} steps"
    return _predict_in_blocks(model, encoder, table, test, most), note


def _predict_in_blocks(
    model: Any, encoder: BooleanEncoder, table: Table, rows: NDArray[np.intp], block: int
) -> NDArray[Any]:
    blocks = (rows[i : i + block] for i in range(0, len(rows), block))
    answers = [model.predict(encoder.transform(RowSubset(table, b)).astype(np.float64)) for b in blocks]
    return np.concatenate(answers)
