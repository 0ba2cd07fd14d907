r"""Columns of numbers that are to be cut more finely: where finer bins explain more than chance.

A column is cut into few bins, which is plenty for a curve; a place on a map needs more. Means of the bins of all
columns together are taken off the targets, one column after the other until little changes (backfitting; Buja, Hastie
and Tibshirani 1989). Of what is left, z, in units of its variance, is explained by the means of finer bins; where
these have nothing to say it is :math:`\chi^2` with as many degrees of freedom as there are more of them. Residuals are
kept within three standard deviations, so that a few of them do not pass for a pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.domain import BinColumn
from paclearn.encoding.learning import distinct_of, thresholds
from paclearn.learners.spectral.cell_evidence import surprise
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Column, Domain
    from paclearn.learners.fitting import Rows

__all__ = ["with_finer_cuts"]

_SWEEPS = 5
_ROWS_A_BIN = 2.0  # in the mean, or residuals say little
_MOST_DEVIATIONS = 3.0


@dataclass(frozen=True, eq=False)
class _Finer:
    """A column in more bins, with its codes, and by how many of these it has more."""

    place: int
    column: BinColumn
    codes: NDArray[Any]
    more: int

    @classmethod
    def of(cls, place: int, column: Column, train: Rows, n_bins: int) -> _Finer | None:
        """Of a column of numbers that have so many bins; otherwise nothing."""
        if not isinstance(column, BinColumn):
            return None
        raw = column.read(train.table)
        found = distinct_of(raw, train.weights)
        cuts = thresholds(found.values, found.counts, n_bins) if len(found.values) > 1 else ()
        if len(cuts) <= len(column.thresholds):
            return None
        finer = replace(column, thresholds=cuts)
        return cls(place, finer, finer.encode(raw), len(cuts) - len(column.thresholds))


def with_finer_cuts(
    domain: Domain, codes: Sequence[NDArray[Any]], train: Rows, n_bins: int
) -> tuple[Domain, Sequence[NDArray[Any]]]:
    """The same columns, those of numbers in so many bins where that says more, the most surprising first."""
    if train.counts.sum() < _ROWS_A_BIN * sum(domain.sizes):
        return domain, codes
    asked = [_Finer.of(place, column, train, n_bins) for place, column in enumerate(domain.columns)]
    found = [finer for finer in asked if finer is not None]
    surprises = _surprises(found, codes, train)
    columns, changed, room = list(domain.columns), codes, TUNING.most_bits - sum(domain.sizes)
    for i in np.argsort(-surprises, kind="stable").tolist():
        finer = found[i]
        room -= finer.more
        if surprises[i] < np.log(len(found) / TUNING.by_chance) or room < 0:
            break
        columns[finer.place] = finer.column
        changed = [*changed[: finer.place], finer.codes, *changed[finer.place + 1 :]]
    return replace(domain, columns=tuple(columns)), changed


def _surprises(found: Sequence[_Finer], codes: Sequence[NDArray[Any]], train: Rows) -> NDArray[np.float64]:
    """How surprising what finer bins explain would be, had they nothing to say: nats."""
    if not found:
        return np.empty(0)
    residual, variance = _left(codes, train.targets, train.counts)
    explained = [_explained_more(codes[f.place], f.codes, residual, train.counts) for f in found]
    return surprise(np.array(explained) / variance, np.array([f.more for f in found]))


def _left(
    codes: Sequence[NDArray[Any]], targets: NDArray[np.float64], counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """What the bins of all columns leave of the targets, and its variance."""
    residual = targets - np.average(targets, weights=counts)
    for _ in range(_SWEEPS):
        for code in codes:
            residual = residual - _means(code, residual, counts)[code]
    freedom = counts.sum() - 1 - sum(int(code.max()) for code in codes)
    variance = float(counts @ residual**2) / freedom
    most = _MOST_DEVIATIONS * np.sqrt(variance)
    return np.clip(residual, -most, most), max(variance, 1e-12 * float(np.var(targets)), 1e-300)


def _means(code: NDArray[Any], residual: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of every bin."""
    sizes, sums = np.bincount(code, counts), np.bincount(code, counts * residual)
    return np.asarray(sums / np.maximum(sizes, 1e-300))


def _explained_more(
    coarse: NDArray[Any], fine: NDArray[Any], residual: NDArray[np.float64], counts: NDArray[np.float64]
) -> float:
    """By how much the means of finer bins explain more than those of the others, in squares."""
    explained = [float(counts @ _means(code, residual, counts)[code] ** 2) for code in (coarse, fine)]
    return explained[1] - explained[0]
