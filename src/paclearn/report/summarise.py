"""From a table and a target to a plain dict: everything the page says, and nothing about how it looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import paclearn
from paclearn._validation import RowSubset, check_choice
from paclearn.certificates import clopper_pearson_interval, junta_sample_size
from paclearn.encoding import read_target_column
from paclearn.exceptions import InputError
from paclearn.juntas import JuntaClassifier, JuntaRegressor, cells_to_show
from paclearn.report.baselines import linear_baseline
from paclearn.report.describe import describe_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn._validation import Table
    from paclearn.juntas.table import Cell

__all__ = ["ReportOptions", "summarise"]

_SHOWN_SUBSETS = 10
_NAMES_OF_SIZES = {1: "columns", 2: "pairs", 3: "triples"}


@dataclass(frozen=True)
class ReportOptions:
    """What the command line asks of a report."""

    task: str = "auto"
    max_k: int = 3
    holdout: float = 0.25
    delta: float = 0.05
    time_limit: float | None = 60.0
    n_jobs: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("task", self.task, ("auto", "classification", "regression"))
        if self.max_k < 1:
            raise InputError(f"max_k={self.max_k!r} must be at least 1")


def summarise(
    table: Table, target: Any, target_name: str, options: ReportOptions, source: str = "table"
) -> dict[str, Any]:
    """Fit the readable model, hold it against baselines and collect the facts."""
    column = read_target_column(target, target_name, options.task)
    y, classify, table = column.values, column.classify, column.rows_of(table)
    model = _fit(table, y, options, classify=classify)
    return {
        "about": {"paclearn": paclearn.__version__, "seed": options.seed, "delta": options.delta},
        "source": {"name": source, "rows": table.n_rows, "columns": len(table.names)},
        "target": _describe_target(y, target_name, column.n_missing, classify=classify),
        "columns": describe_columns(table),
        "dropped": [{"name": name, "why": why} for name, why in model.domain_.dropped],
        "skipped": list(model.skipped_.values()),
        "rankings": [_ranking(k, model) for k in model.candidates_],
        "model": _describe_model(model),
        "certificate": model.certificate_.to_dict(),
        "comparison": _compare(table, y, model, options, classify=classify),
        "theorem": _theorem(model) if classify else None,
    }


def _fit(table: Table, y: NDArray[Any], options: ReportOptions, *, classify: bool) -> Any:
    kind = JuntaClassifier if classify else JuntaRegressor
    model = kind(
        k=range(1, min(options.max_k, len(table.names)) + 1),
        holdout=options.holdout,
        delta=options.delta,
        time_limit=options.time_limit,
        n_jobs=options.n_jobs,
        random_state=options.seed,
    )
    return model.fit(table, y)


def _describe_target(y: NDArray[Any], name: str, n_missing: int, *, classify: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": name, "task": "classification" if classify else "regression", "missing": n_missing}
    if classify:
        labels, rows = np.unique(y, return_counts=True)
        facts["classes"] = [
            {"label": str(label), "rows": int(n), "share": n / len(y)} for label, n in zip(labels, rows, strict=True)
        ]
    else:
        facts |= {"mean": float(y.mean()), "sd": float(y.std()), "low": float(y.min()), "high": float(y.max())}
    return facts


def _ranking(k: int, model: Any) -> dict[str, Any]:
    search, names = model.candidates_[k].search, model.units_.names
    best = [
        {"members": [names[i] for i in subset], "score": float(score)}
        for subset, score in zip(search.subsets[:_SHOWN_SUBSETS], search.scores[:_SHOWN_SUBSETS], strict=True)
    ]
    title = _NAMES_OF_SIZES.get(k, f"subsets of {k} columns")
    return {"k": k, "title": title, "searched": str(search), "complete": search.complete, "best": best}


def _describe_model(model: Any) -> dict[str, Any]:
    table = model.truth_table_
    cells = [table.cell(i) for i in cells_to_show(table, most=64)]
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


def _compare(
    table: Table, y: NDArray[Any], model: Any, options: ReportOptions, *, classify: bool
) -> list[dict[str, Any]]:
    """The model and the baselines on the rows that none of them was fitted on."""
    test = model.heldout_rows_
    train = np.setdiff1d(np.arange(table.n_rows), test)
    ours = model.predict(RowSubset(table, test))
    linear, note = linear_baseline(table, y, train, test, classify=classify, seed=options.seed)
    names = ", ".join(model.subset_)
    rows = [
        (f"junta ({names})", ours, f"{model.truth_table_.n_cells} cells"),
        ("logistic regression" if classify else "ridge regression", linear, note),
        _no_model(y, train, test, classify=classify),
    ]
    judge = _judge_classes if classify else _judge_numbers
    return [{"name": name, "note": note, **judge(answers, y[test])} for name, answers, note in rows]


def _no_model(
    y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp], *, classify: bool
) -> tuple[str, Any, str]:
    if not classify:
        return "mean", np.full(len(test), y[train].mean()), "no columns at all"
    labels, rows = np.unique(y[train], return_counts=True)
    return "majority class", np.full(len(test), labels[rows.argmax()], dtype=object), "no columns at all"


def _judge_classes(answers: NDArray[Any], truth: NDArray[Any]) -> dict[str, Any]:
    errors = int((answers != truth).sum())
    low, high = clopper_pearson_interval(errors, len(truth))
    return {
        "metric": "accuracy",
        "value": 1 - errors / len(truth),
        "low": 1 - high,
        "high": 1 - low,
        "rows": len(truth),
    }


def _judge_numbers(answers: NDArray[Any], truth: NDArray[Any]) -> dict[str, Any]:
    squares = (answers - truth) ** 2
    variance = float(np.var(truth))
    explained = 1 - float(squares.mean()) / variance if variance > 0 else 0.0
    spread = 1.96 * float(squares.std()) / (np.sqrt(len(truth)) * variance) if variance > 0 else 0.0
    return {
        "metric": "R2",
        "value": explained,
        "low": explained - spread,
        "high": explained + spread,
        "rows": len(truth),
    }


def _theorem(model: Any) -> dict[str, Any] | None:
    """How many rows the paper's theorem asks for, if columns were uniform independent bits."""
    epsilon, delta = 0.05, 0.05
    n = junta_sample_size(epsilon, delta, max(len(model.units_.names), model.k_), model.k_)
    return {"epsilon": epsilon, "delta": delta, "rows": n}
