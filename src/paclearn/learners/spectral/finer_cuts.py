r"""Columns of numbers that are to be cut more finely: where finer bins explain more than chance.

A column is cut into few bins, which is plenty for a curve; a place on a map needs more. Means of the bins of all
columns together are taken off the targets, one column after the other until little changes (backfitting; Buja, Hastie
and Tibshirani 1989). Of what is left, z, in units of its variance, is explained by the means of finer bins; where
these have nothing to say it is :math:`\chi^2` with as many degrees of freedom as there are more of them. Residuals are
kept within three standard deviations, so that a few of them do not pass for a pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.domain import BinColumn
from paclearn.encoding.encoded_rows import EncodedBlock, RowsElsewhere
from paclearn.encoding.learning import distinct_of, thresholds
from paclearn.encoding.remote_columns import RemoteColumns, Unit
from paclearn.learners.spectral.cell_evidence import surprise
from paclearn.learners.spectral.tuning import TUNING
from paclearn.tables.lazy_columns import columns_of
from paclearn.tables.remote import RemoteTable
from paclearn.tables.table import WeighedRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Domain
    from paclearn.learners.fitting import Rows
    from paclearn.tables.table import Table

__all__ = ["with_finer_cuts"]

_SWEEPS = 5
_ROWS_A_BIN = 2.0  # in the mean, or residuals say little
_MOST_DEVIATIONS = 3.0
_BYTES_A_CODE = 4.0  # as they are sent, joined and looked at
_Values = tuple[Any, Any]  # and counts


@dataclass(frozen=True, eq=False)
class _Finer:
    """A column in more bins, and by how many of these it has more."""

    place: int
    column: BinColumn
    more: int


def with_finer_cuts(domain: Domain, codes: Any, train: Rows, n_bins: int) -> tuple[Domain, Any]:
    """The same columns, those of numbers in so many bins where that says more, the most surprising first."""
    elsewhere = isinstance(codes, RemoteColumns)
    weight = train.n if train.weights is None else train.weights.total if elsewhere else train.weights.sum()  # type: ignore[attr-defined]
    if weight < _ROWS_A_BIN * sum(domain.sizes):
        return domain, codes
    found = _finer(domain, train, n_bins)
    surprises = (_surprises_elsewhere if elsewhere else _surprises_here)(found, codes, train)
    columns, room = list(domain.columns), TUNING.most_bits - sum(domain.sizes)
    for i in np.argsort(-surprises, kind="stable").tolist():
        room -= found[i].more
        if surprises[i] < np.log(len(found) / TUNING.by_chance) or room < 0:
            break
        columns[found[i].place] = found[i].column
    domain = replace(domain, columns=tuple(columns))
    if elsewhere:
        return domain, RemoteColumns.of(codes.table, domain)
    changed = {f.place: f.column.encode(f.column.read(train.table)) for f in found if columns[f.place] is f.column}
    return domain, [changed.get(place, code) for place, code in enumerate(columns_of(codes))]


# ---- the cuts that there might be ------------------------------------------------------------------------------------


def _finer(domain: Domain, train: Rows, n_bins: int) -> list[_Finer]:
    """Columns of numbers that have so many bins."""
    numbers = {place: column for place, column in enumerate(domain.columns) if isinstance(column, BinColumn)}
    known = _values(tuple(numbers.values()), train)
    found = []
    for (place, column), (values, counts) in zip(numbers.items(), known, strict=True):
        cuts = thresholds(values, counts, n_bins) if len(values) > 1 else ()
        if len(cuts) > len(column.thresholds):
            finer = replace(column, thresholds=cuts)
            found.append(_Finer(place, finer, len(cuts) - len(column.thresholds)))
    return found


def _values(columns: Sequence[BinColumn], train: Rows) -> list[_Values]:
    """The different values of columns, and how often each occurs."""
    if isinstance(train.table, RemoteTable):
        return train.table.summed(partial(_values_of_part, columns), _together)
    each = (distinct_of(column.read(train.table), train.weights) for column in columns)
    return [(found.values, found.counts) for found in each]


def _values_of_part(columns: Sequence[BinColumn], part: Table) -> list[_Values]:
    weights = part.weights if isinstance(part, WeighedRows) else None
    each = (distinct_of(column.read(part), weights) for column in columns)
    return [(np.asarray(found.values, dtype=np.float64), found.counts) for found in each]


def _together(one: Sequence[_Values], other: Sequence[_Values]) -> list[_Values]:
    return [_joined(*pair) for pair in zip(one, other, strict=True)]


def _joined(one: _Values, other: _Values) -> _Values:
    """Counts are whole numbers or multiples of one step, so that their sums are exact."""
    values, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    return values, np.bincount(place, np.concatenate([one[1], other[1]]), minlength=len(values))


# ---- whether they say more -------------------------------------------------------------------------------------------


def _surprises_here(found: Sequence[_Finer], codes: Sequence[NDArray[Any]], train: Rows) -> NDArray[np.float64]:
    finer = [f.column.encode(f.column.read(train.table)) for f in found]
    return _surprises(found, EncodedBlock([*columns_of(codes), *finer], train.targets, train.weights))


def _surprises_elsewhere(found: Sequence[_Finer], codes: RemoteColumns, train: Rows) -> NDArray[np.float64]:
    """All rows together on one worker: there are no more of them than terms are chosen by."""
    units = [*codes.units, *(Unit(finer.column) for finer in found)]
    rows = RowsElsewhere(RemoteColumns(codes.table, units), train.targets)  # type: ignore[arg-type]
    n_bytes = _BYTES_A_CODE * len(units) * train.n
    return rows.joined(partial(_surprises, tuple(found)), n_bytes, "cutting numbers finely")


def _surprises(found: Sequence[_Finer], rows: EncodedBlock) -> NDArray[np.float64]:
    """How surprising what finer bins explain would be, had they nothing to say: nats. Their codes stand last."""
    if not found:
        return np.empty(0)
    n_columns = len(rows.codes) - len(found)
    residual, variance = _left(rows.codes[:n_columns], rows.targets, rows.counts)
    explained = [
        _explained_more(rows.codes[f.place], rows.codes[n_columns + i], residual, rows.counts)
        for i, f in enumerate(found)
    ]
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
