"""Tables of very many rows: terms are chosen by some of them, their weights are fitted to all, by their codes.

Which rows choose follows from what they hold and from the seed, not from their order or from the files they come in:
the first in the order of a hash. Of all others only codes are needed, and these may lie in memory, on disk or on the
workers of a cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.encoded_rows import RowsElsewhere, RowsHere
from paclearn.encoding.remote_columns import RemoteColumns
from paclearn.learners.spectral.cell_terms import CellFunctions, cell_tables
from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.long_problem import LongProblem

if TYPE_CHECKING:
    from paclearn.encoding.encoded_rows import EncodedRows
    from paclearn.learners.fitting import Rows
    from paclearn.learners.spectral.fitted_terms import FittedTerms
    from paclearn.learners.spectral.forward import Design

__all__ = ["encoded_rows", "in_products", "limits_of", "long_problem"]


def encoded_rows(train: Rows, codes: Any) -> EncodedRows:
    """The codes, targets and weights of rows, wherever they lie."""
    targets: Any = train.targets
    if isinstance(codes, RemoteColumns):
        return RowsElsewhere(codes, targets)
    return RowsHere(codes, targets, train.weights, train.groups)


def limits_of(train: Rows) -> tuple[float, float]:
    """The smallest and the largest target."""
    targets: Any = train.targets
    here = isinstance(targets, np.ndarray)
    return (float(targets.min()), float(targets.max())) if here else (targets.low, targets.high)


def long_problem(rows: EncodedRows, some: FittedTerms, design: Design, view: Any) -> LongProblem:
    """All rows, to be fitted with terms that some of them chose, in a design of these."""
    words = design.words
    said = words.spelled_out(some.terms) if design.in_phrases else (words.bits, some.terms)
    matrix = some.problem.matrix
    functions = CellFunctions(cell_tables(words.domain.columns, *said), matrix.scale, matrix.roots)
    return LongProblem(rows, functions, view, design.loss, some.problem)


def in_products(some: FittedTerms) -> LinearFit:
    """The weights of products of signs, which all rows are fitted with: pairs of rare levels are no such products."""
    matrix, fit = some.problem.matrix, some.fit
    if matrix.sparse is None:
        return fit
    return LinearFit(matrix.to_terms(fit.weights) / matrix.scale[:, None], fit.intercept)
