"""The small truth table: the few columns that decide most, as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paclearn.certificates import junta_sample_size
from paclearn.exceptions import EmptyTableError
from paclearn.learners.juntas import JuntaClassifier, JuntaRegressor
from paclearn.views.truth_table_text import cells_to_show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.models.truth_table import Cell
    from paclearn.report.report_options import ReportOptions
    from paclearn.tables.table import Table

__all__ = ["describe_junta", "fit_junta", "junta_of_size", "rank_subsets", "theorem"]

_SHOWN_SUBSETS = 10
_SHOWN_CELLS = 64
_NAMES_OF_SIZES = {1: "columns", 2: "pairs", 3: "triples"}


def fit_junta(table: Table, y: NDArray[Any], options: ReportOptions, *, classify: bool) -> Any:
    """The best of all subsets of up to ``max_k`` columns, with rows kept aside for its bound."""
    kind = JuntaClassifier if classify else JuntaRegressor
    model = kind(
        k=range(1, min(options.max_k, len(table.names)) + 1),
        holdout=options.holdout,
        delta=options.delta,
        time_limit=options.time_limit,
        n_jobs=options.n_jobs,
        random_state=options.seed,
    )
    try:
        return model.fit(table, y)
    except EmptyTableError:  # what varies may do so only in the rows that were kept aside
        return model.set_params(holdout=None).fit(table, y)


def junta_of_size(k: int, options: ReportOptions, *, classify: bool) -> Any:
    """The same for one size and without rows aside; with fewer columns that vary it takes what there is."""
    kind = JuntaClassifier if classify else JuntaRegressor
    sizes = range(1, k + 1)
    return kind(k=sizes, time_limit=options.time_limit, n_jobs=options.n_jobs, random_state=options.seed)


def rank_subsets(model: Any) -> list[dict[str, Any]]:
    """The best subsets of every size."""
    return [_ranking(k, model) for k in model.candidates_]


def _ranking(k: int, model: Any) -> dict[str, Any]:
    search, names = model.candidates_[k].search, model.units_.names
    best = [
        {"members": [names[i] for i in subset], "score": float(score)}
        for subset, score in zip(search.subsets[:_SHOWN_SUBSETS], search.scores[:_SHOWN_SUBSETS], strict=True)
    ]
    title = _NAMES_OF_SIZES.get(k, f"subsets of {k} columns")
    return {"k": k, "title": title, "searched": str(search), "complete": search.complete, "best": best}


def describe_junta(model: Any) -> dict[str, Any]:
    """The table itself."""
    table = model.truth_table_
    cells = [table.cell(i) for i in cells_to_show(table, most=_SHOWN_CELLS)]
    return {
        "kind": type(model).__name__,
        "members": list(table.members),
        "k": model.k_,
        "score": model.score_,
        "baseline": model.baseline_,
        "n_cells": table.n_cells,
        "cells": [_describe_cell(cell, len(table.members)) for cell in cells],
        "given_up_first": table.members[table.order[0]],
        "certificates": [certificate.to_dict() for certificate in model.certificates_],
    }


def _describe_cell(cell: Cell, n_members: int) -> dict[str, Any]:
    return {
        "codes": list(cell.codes),
        "rows": cell.rows,
        "prediction": cell.prediction,
        "share": cell.share,
        "backed_off": cell.depth < n_members,
    }


def theorem(model: Any) -> dict[str, Any]:
    """How many rows the paper's theorem asks for, if columns were uniform independent bits."""
    epsilon, delta = 0.05, 0.05
    n = junta_sample_size(epsilon, delta, max(len(model.units_.names), model.k_), model.k_)
    return {"epsilon": epsilon, "delta": delta, "rows": n}
