"""The readable linear model: fitted, chosen long or short, and described term by term."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.domain import LevelColumn
from paclearn.export import portable
from paclearn.learners.spectral import SpectralClassifier, SpectralRegressor
from paclearn.tables.raw import read_column
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.report.report_options import Limits, ReportOptions
    from paclearn.tables.table import Table

__all__ = ["MOST_TERMS", "describe_terms", "fit_some", "maker", "short_is_good_enough", "what_if"]

MOST_TERMS = 30  # of a model that a person can read
_SHOWN_OF_LONG = 20
_A_POINT = 0.01


def maker(options: ReportOptions, limits: Limits, *, classify: bool, short: bool) -> Callable[[], Any]:
    """Makes unfitted models: all the terms that pay, or a few."""
    return partial(
        SpectralClassifier if classify else SpectralRegressor,
        degree="auto" if limits.interactions else 1,
        max_terms=MOST_TERMS if short else None,
        n_bins=limits.n_bins,
        max_levels=limits.max_levels,
        delta=options.delta,
        random_state=options.seed,
    )


def fit_some(make: Callable[[], Any], table: Table, y: NDArray[Any], most: int, seed: int) -> Any:
    """Fit to at most so many rows, drawn at random."""
    if table.n_rows > most:
        rows = np.sort(np.random.RandomState(seed).permutation(table.n_rows)[:most])
        table, y = RowSubset(table, rows), y[rows]
    return make().fit(table, y)


def short_is_good_enough(short: dict[str, Any], long: dict[str, Any]) -> bool:
    """Within a point of the long one, or within half a standard error (the interval is four of them wide)."""
    error = (long["high"] - long["low"]) / 4
    return bool(short["value"] >= long["value"] - max(_A_POINT, error / 2))


def describe_terms(model: Any, n_rows: int, *, short: bool) -> dict[str, Any]:
    """The weightiest terms with their standard errors, one weight an output."""
    columns = model._term_columns()  # noqa: SLF001 - the same as terms_, whatever data frame library there is
    classes = getattr(model, "classes_", None)
    outputs = [name.removeprefix("weight") for name in columns if name.startswith("weight")]
    shown = MOST_TERMS if model.n_terms_ <= MOST_TERMS else _SHOWN_OF_LONG
    terms = [_describe_term(columns, outputs, i) for i in range(min(shown, model.n_terms_))]
    return {
        "kind": type(model).__name__,
        "short": short,
        "n_terms": model.n_terms_,
        "degree": model.degree_,
        "rows": n_rows,
        "outputs": [str(c) for c in classes[-len(outputs) :]] if classes is not None else [],
        "intercept": np.asarray(model.intercept_).tolist(),
        "terms": terms,
        "certificate": None if model.certificate_ is None else model.certificate_.to_dict(),
    }


def _describe_term(columns: dict[str, list[Any]], outputs: list[str], i: int) -> dict[str, Any]:
    weights = [columns[f"weight{o}"][i] for o in outputs]
    errors = [columns[f"se{o}"][i] for o in outputs]
    return {"name": columns["term"][i], "weights": weights, "errors": errors, "best": int(np.abs(weights).argmax())}


def what_if(model: Any, table: Table, target: str) -> dict[str, Any]:
    """The model to run in the page, where to start, and its columns by how much they can move the score."""
    file = portable(model, target).to_dict()
    file["model"]["errors"] = None  # the panel has no use for them
    start = [_typical(model, table, column["position"]) for column in file["columns"]]
    return {"model": file, "start": start, "order": _by_weight(file)}


def _typical(model: Any, table: Table, position: int) -> Any:
    """The most frequent code of a column of levels; the middle value of a column of numbers."""
    column = next(c for c in model.domain_.columns if c.position == position)
    raw = read_column(table, position)
    if isinstance(column, LevelColumn):
        return int(np.bincount(column.encode(raw), minlength=1).argmax())
    values = np.asarray(raw.values, dtype=np.float64)  # type: ignore[union-attr]
    present = values[~np.isnan(values)]
    return float(np.quantile(present, 0.5, method="lower")) if len(present) else None


def _by_weight(file: dict[str, Any]) -> list[int]:
    model = file["model"]
    total = np.zeros(len(file["columns"]))
    for term, weights in zip(model["terms"], model["weights"], strict=True):
        total[[model["bits"][bit]["column"] for bit in term]] += np.abs(weights).max()
    return [int(i) for i in np.argsort(-total, kind="stable")]
