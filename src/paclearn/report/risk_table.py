"""Of a rare class: the few columns whose cells say where it is to be found, though none of them votes for it.

A cell of 40 % is told the other class, as are all rows without any column, and so a table of votes sees no difference.
A table of shares does: columns are chosen by the squared error of the share, on rows that were left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.juntas import JuntaRegressor
from paclearn.report.compare import clearly_less

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.report.facts_of_models import RiskFacts, RiskLine
    from paclearn.report.shared_folds import Fold, Folds
    from paclearn.report.subject import Subject

__all__ = ["describe_risk", "fit_risk"]

_LINES = 12


def fit_risk(subject: Subject, folds: Folds, positive: str, largest: int) -> JuntaRegressor | None:
    """The columns whose cells tell the share best; None where, on rows left out, that is no better than one share."""
    learner = JuntaRegressor(
        k=range(1, largest + 1), choose_k="cv", n_jobs=subject.options.n_jobs, random_state=subject.options.seed
    )
    by_cells, by_all = (
        np.concatenate(lost) for lost in zip(*(_lost(f, learner, positive) for f in folds), strict=True)
    )
    if not clearly_less(by_cells, by_all, folds.roles.take(np.concatenate([fold.test for fold in folds]))):
        return None
    arguments = subject.roles.fit_arguments()
    return learner.fit(subject.table, (subject.y == positive).astype(np.float64), **arguments)


def _lost(fold: Fold, learner: JuntaRegressor, positive: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Squared errors of the cells' shares and of the share of all rows, on the rows of a fold."""
    known, asked = (fold.y == positive).astype(np.float64), (fold.folds.y[fold.test] == positive).astype(np.float64)
    said = learner.fit(fold.known, known, **fold.roles.fit_arguments()).predict(fold.unknown)
    return (said - asked) ** 2, (np.average(known, weights=fold.weights) - asked) ** 2


def describe_risk(model: JuntaRegressor, positive: str) -> RiskFacts:
    """The cells of the highest share first."""
    table = model.truth_table_
    every = [table.cell(i) for i in range(table.n_cells)]
    full = sorted((cell for cell in every if cell.rows), key=lambda cell: (-float(cell.prediction), -cell.rows))
    lines: list[RiskLine] = [
        {"codes": list(cell.codes), "rows": cell.rows, "share": float(np.clip(cell.prediction, 0, 1))} for cell in full
    ]
    return {
        "label": positive,
        "members": list(table.members),
        "n_cells": len(lines),
        "cells": lines[:_LINES],
        "lowest": lines[-1]["share"],
    }
