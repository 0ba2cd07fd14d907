r"""How much the levels of each column may differ: columns with thousands of levels are drawn toward a common mean.

Weights of the bits of a column are believed to be draws with a variance of the column's own,
:math:`w_j \sim N(0, \tau_c^2)` (random effects; James and Stein 1961, Efron and Morris 1975), which the rows themselves
tell (MacKay 1992): it is the sum of the squared weights over how many of them the rows have decided,
:math:`\gamma_c = \sum_j n h_j \tau_c^2 / (1 + n h_j \tau_c^2)` with the second derivative :math:`h_j` of the loss.
A level of few rows is then drawn to nought by as much as its column deserves. The rows tell that variance with an
error; the scale that is taken is half-way, by its logarithm, between what they tell and one for all columns.

Where rows are few, so that thresholds and levels of all columns together outnumber what they can tell, the same is
believed of ordinary columns, with all second derivatives H in place of their diagonal: a weight is decided by
:math:`1 - \lambda (H + \lambda)^{-1}_{jj}`. Such scales are those of the rows of a fit, and never of rows left out.
"""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.curvature import inverse
from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.sparse_rows import frequent_levels
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.domain import Domain
    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.ridge import RidgeProblem

__all__ = ["most_levels", "price_of_scales", "scales_by_few", "with_level_scales"]

_ROUNDS = 6
_PENALTY = 1e-3  # scales are beside it
_ROUNDS_OF_FEW = 4
_PENALTY_OF_FEW = 1e-2  # at first, where bits may outnumber rows
_MOST = 4  # doublings and halvings
_LEAST_NOISE = 1e-6


def with_level_scales(design: Design) -> Design:
    """The same rows, with another belief to be tried: that columns differ in how much their levels do."""
    if not design.has_true_bits:
        return design
    design = replace(design, frequent=frequent_levels(design.true_bits, design.columns, design.counts))
    if design.roots != ((),):
        return design
    return replace(design, roots=((), ()), bit_scales=(None, _level_scales(design)))


def most_levels(domain: Domain, room: int) -> int:
    """How many levels a column may have, so that there is room for those of all columns."""
    sizes = np.array(domain.sizes)
    return next((k for k in TUNING.fewer_levels if np.minimum(sizes, k).sum() <= room), TUNING.fewer_levels[-1])


def price_of_scales(n_columns: int) -> float:
    """Nats to say one of seventeen scales for each column."""
    return n_columns * log(4 * _MOST + 1)


def _level_scales(design: Design) -> NDArray[np.float32]:
    """One for every bit, the same in a column: a power of two."""
    terms = tuple((i,) for i in range(design.signs.shape[1]))
    _, column = np.unique(design.columns, return_inverse=True)
    squares, start = np.ones(column.max() + 1), None
    for _ in range(_ROUNDS):
        scales = np.sqrt(squares)[column]
        problem = replace(design, bit_scales=(scales.astype(np.float32),)).problem(terms)
        start = problem.solve(_PENALTY, start)
        squares = np.clip(_next_squares(problem, start, scales, column), 4.0**-_MOST, 4.0**_MOST)
    return _half_way(squares)[column]


def _half_way(squares: NDArray[np.float64]) -> NDArray[np.float32]:
    return (2.0 ** (np.round(np.log2(squares)) / 4)).astype(np.float32)


def scales_by_few(design: Design) -> NDArray[np.float32]:
    """One for every bit, the same in a column: a power of two."""
    terms = tuple((i,) for i in range(design.signs.shape[1]))
    _, column = np.unique(design.columns, return_inverse=True)
    squares, start, before = np.ones(column.max(initial=-1) + 1), None, np.ones(len(terms))
    for _ in range(_ROUNDS_OF_FEW):
        scales = np.sqrt(squares)[column]
        problem = design.scaled(scales.astype(np.float32)).problem(terms)
        if start is not None:
            start = LinearFit(start.weights * (before / scales)[:, None], start.intercept)
        start, before = problem.solve(_PENALTY_OF_FEW, start, on_the_way=True), scales
        told = np.bincount(column, _weighed(problem, start)) / (np.bincount(column, _decided(problem, start)) + 1e-9)
        squares = np.clip(squares * told, 4.0**-_MOST, 4.0**_MOST)
    return _half_way(squares)[column]


def _weighed(problem: RidgeProblem, fit: LinearFit) -> NDArray[np.float64]:
    """Squared weights over the variance that they are believed to have."""
    predicted = problem.loss.predictions(problem.scores(fit))
    noise = problem.loss.dispersion(problem.targets, predicted, problem.row_weights).mean()
    rows = problem.n_rows or len(problem.targets)
    return np.asarray(rows * _PENALTY_OF_FEW / max(noise, _LEAST_NOISE) * (fit.weights**2).sum(axis=1))


def _decided(problem: RidgeProblem, fit: LinearFit) -> NDArray[np.float64]:
    """How many weights of every term the rows have decided, with the mean curvature of all outputs."""
    curvature = problem.loss.hessian(problem.scores(fit)) * problem.row_weights[:, None]
    outputs, by_row = curvature.shape[1], np.sqrt(curvature.mean(axis=1))
    rows = (np.concatenate([block for _, block in problem.matrix.blocks()]) - problem.mean) * by_row[:, None]
    wide = rows.shape[1] > rows.shape[0]
    gram = rows @ rows.T if wide else rows.T @ rows
    inverted = inverse(gram, _PENALTY_OF_FEW)
    if wide:
        return np.asarray(outputs * np.einsum("ij,ij->j", rows, inverted @ rows))
    return np.asarray(outputs * (1 - _PENALTY_OF_FEW * inverted.diagonal()))


def _next_squares(
    problem: RidgeProblem, fit: LinearFit, scales: NDArray[np.float64], column: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Squared scales of the columns, from what their bits weigh and how much of that the rows decided."""
    assert problem.matrix.sparse is not None  # noqa: S101 - asked for where few bits are true
    scores = problem.scores(fit)
    plain = replace(problem.matrix.sparse, scale=np.ones(len(scales), dtype=np.float32), groups=None)
    weights = fit.weights[-len(scales) :] * scales[:, None]
    predicted = problem.loss.predictions(scores)
    noise = problem.loss.dispersion(problem.targets, predicted, problem.row_weights).mean()
    by_row = problem.loss.hessian(scores) * problem.row_weights[:, None]
    total, sums = by_row.sum(axis=0), plain.transposed_times(by_row)
    mean = plain.transposed_times(problem.row_weights[:, None])
    curvature = np.maximum(total - 2 * mean * sums + mean**2 * total, 0)  # bits are plus or minus one
    decided = 1 - 1 / (1 + scales[:, None] ** 2 * curvature / _PENALTY)
    weighed = (problem.n_rows or len(by_row)) * _PENALTY / max(noise, _LEAST_NOISE) * weights**2
    return np.asarray(np.bincount(column, weighed.sum(axis=1)) / (np.bincount(column, decided.sum(axis=1)) + 1e-9))
