"""Halfspaces in the report: a row of the comparison, whose model is not for reading."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING

from sklearn.exceptions import ConvergenceWarning

from paclearn.exceptions import ProjectedRowsWarning
from paclearn.learners.halfspaces import HalfspaceClassifier
from paclearn.report.compare import Contender, our_contender

if TYPE_CHECKING:
    from paclearn.report.compare import Said
    from paclearn.report.shared_folds import Fold
    from paclearn.report.subject import Subject

__all__ = ["halfspace_contender"]

_NOTE = "a kernel expansion that withstands bad labels; not for reading"
_ROWS = 1000  # times outputs; two classes are one output, and half of that keeps a fold at half a second


def halfspace_contender(subject: Subject, n_rows: int, n_classes: int) -> Contender:
    """Fitted to some of the rows: all of them meet all others, once for every class."""
    most = _ROWS // max(2, n_classes)
    note = _NOTE if n_rows <= most else f"{_NOTE}; at most {most} rows a fold"
    loud = our_contender("halfspaces", note, partial(_learner, subject), most)

    def answer(fold: Fold) -> Said:
        # rows outside its ball, or a thousandth too much of its loss, are its own affair
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ProjectedRowsWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            return loud.answer(fold)

    return Contender(loud.name, loud.note, answer)


def _learner(subject: Subject) -> HalfspaceClassifier:
    options = subject.options
    return HalfspaceClassifier(nu=0.5, tol=1e-3, delta=options.delta, random_state=options.seed)
