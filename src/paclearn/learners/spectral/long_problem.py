"""Weights of terms fitted to all of very many rows, wherever these lie, once some of them have chosen the terms.

What a row adds to a sum is rounded to a multiple of one power of two, so that sums are exact: rows may come in any
number of blocks and in any order, and the weights have the same bytes. A step of the fit is one pass over the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.encoded_rows import exact_step
from paclearn.learners.spectral.cell_terms import add_cells
from paclearn.learners.spectral.descent import LinearFit, minimise
from paclearn.tables.weights import multiples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.encoded_rows import EncodedBlock, EncodedRows
    from paclearn.learners.spectral.cell_terms import CellFunctions
    from paclearn.learners.spectral.curvature import Axes, Factors, Scales
    from paclearn.learners.spectral.losses import Loss
    from paclearn.learners.spectral.ridge import RidgeProblem

    # what is added up: made of the scores of rows by some models and of their targets, rows x channels
    Numbers = Callable[[list[NDArray[np.float64]], NDArray[np.float64]], NDArray[np.float64]]

__all__ = ["LongProblem"]

_NEARNESS = 1e-2  # how much nearer to the minimum many rows are fitted, at little cost
_SPARE = 2.0**12  # times that numbers may be smaller than they were taken for


@dataclass(frozen=True, eq=False)
class _Sums:
    """The largest number of every channel, the channels' sums, and, of some channels, sums over cells of tables."""

    largest: NDArray[np.float64]
    totals: NDArray[np.float64]
    by_cell: tuple[NDArray[np.float64], ...] = ()

    def plus(self, other: _Sums) -> _Sums:
        by_cell = tuple(a + b for a, b in zip(self.by_cell, other.by_cell, strict=True))
        return _Sums(np.maximum(self.largest, other.largest), self.totals + other.totals, by_cell)


@dataclass(frozen=True, eq=False)
class _Pass:
    """A pass over the rows."""

    cells: tuple[Any, ...]  # of every table: what finds the cell of a row, and how many there are
    view: Any  # from targets as they are to those that the loss takes
    models: tuple[
        tuple[tuple[NDArray[np.float64], ...], NDArray[np.float64]], ...
    ]  # what is added in cells; intercepts
    numbers: Numbers  # each is multiplied by the weight of its row
    steps: NDArray[np.float64] | None  # of every channel; None: only how large the numbers are is asked
    by_cell: slice = field(default_factory=lambda: slice(0, 0))  # the channels that are added up by cells, too

    def __call__(self, block: EncodedBlock) -> _Sums:
        places = [table.cells(block.codes, slice(None)) for table in self.cells]
        scores = [_scores(places, said, intercept, block.n) for said, intercept in self.models]
        numbers = np.asarray(self.numbers(scores, self.view(block.targets)), dtype=np.float64)
        weighted = numbers if block.weights is None else numbers * block.weights[:, None]
        largest = np.abs(weighted).max(axis=0, initial=0.0)
        if self.steps is None:
            return _Sums(largest, np.zeros_like(largest))
        exact = multiples(weighted, self.steps)
        asked = exact[:, self.by_cell].T
        tables = zip(places, self.cells, strict=True) if len(asked) else ()
        found = (
            np.column_stack([np.bincount(place, c, table.n_cells) for c in asked]).astype(np.float64)
            for place, table in tables
        )
        return _Sums(largest, exact.sum(axis=0), tuple(found))


def _scores(
    places: Sequence[NDArray[np.intp]], said: Sequence[NDArray[np.float64]], intercept: NDArray[np.float64], n: int
) -> NDArray[np.float64]:
    scores = np.zeros((len(intercept), n))  # outputs first: sums over them are then fast
    add_cells(scores, places, said)
    scores += intercept[:, None]
    return scores.T


def _by_cell(place: NDArray[np.intp], channels: NDArray[np.float64], n_cells: int) -> NDArray[np.float64]:
    return np.column_stack([np.bincount(place, column, n_cells).astype(np.float64) for column in channels])


def _added(one: _Sums, other: _Sums) -> _Sums:
    return one.plus(other)


# ---- what is added up ------------------------------------------------------------------------------------------------


def _targets_of(_: Any, targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often a row counts, and its targets."""
    return np.column_stack([np.ones(len(targets)), targets])


@dataclass(frozen=True)
class _Descends:
    """The loss of every row, and its gradient by the scores."""

    loss: Loss

    def __call__(self, scores: list[NDArray[np.float64]], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        lost, slopes = self.loss.with_slopes(scores[0], targets)
        return np.column_stack([lost, slopes])


@dataclass(frozen=True)
class _Differs:
    """What scores add to the loss of others, were those true."""

    loss: Loss

    def __call__(self, scores: list[NDArray[np.float64]], _: Any) -> NDArray[np.float64]:
        return self.loss.divergences(*scores)[:, None]


@dataclass(frozen=True)
class _OfOne:
    """What is made of the scores of one model, and of targets."""

    work: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

    def __call__(self, scores: list[NDArray[np.float64]], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.work(scores[0], targets)


# ---- the problem -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LongProblem:
    """All rows with targets, ready to be fitted with any penalty."""

    rows: EncodedRows
    matrix: CellFunctions  # the terms
    view: Any  # from targets as they are to what the loss takes, rows x outputs
    loss: Loss
    guide: RidgeProblem  # the same of some rows, whose second derivatives stand for those of all
    _sizes: dict[str, NDArray[np.float64]] = field(default_factory=dict)  # of what was added up last

    nearness = _NEARNESS

    @cached_property
    def _known(self) -> _Sums:
        """How much the rows weigh, in all and in every cell, and the sums of their targets."""
        return self._summed("targets", _targets_of, (), slice(0, 1))

    @property
    def n_rows(self) -> float:
        """What all rows weigh together."""
        return float(self._known.totals[0])

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Of every term."""
        return self.matrix.gathered(self._known.by_cell)[:, 0] / self.n_rows

    @property
    def rows_where_true(self) -> tuple[NDArray[np.float64], float]:
        """In how many rows terms that are 1 where they are true are so, and of how many."""
        return self.matrix.gathered(self._known.by_cell)[:, 0] / self.matrix.scale, self.n_rows

    def solve(self, penalty: float, start: LinearFit) -> LinearFit:
        """The minimum."""
        if self.matrix.n_terms == 0:
            return LinearFit(start.weights, self.loss.intercept(self._known.totals[1:] / self.n_rows))
        return minimise(self, penalty, start)

    def divergence_from(self, fit: LinearFit) -> Callable[[LinearFit], float]:
        """The mean loss that other models would add, were this one true."""
        return lambda after: float(self._means("divergence", _Differs(self.loss), fit, after)[0])

    def mean_of(self, work: Any, fit: LinearFit) -> NDArray[np.float64]:
        """The mean over rows of what is made of their scores and targets: numbers, rows x channels."""
        return self._means(type(work).__name__, _OfOne(work), fit)

    def standard_errors(self, fit: LinearFit, penalty: float) -> NDArray[np.float64]:
        """As far as some of the rows can tell."""
        return self._known_of_some.standard_errors(fit, penalty)

    def covariance(self, fit: LinearFit, penalty: float) -> NDArray[np.float64] | None:
        """As far as some of the rows can tell."""
        return self._known_of_some.covariance(fit, penalty)

    @property
    def _known_of_some(self) -> RidgeProblem:
        return replace(self._guide, n_rows=self.n_rows)

    @property
    def _guide(self) -> RidgeProblem:
        return self.guide if self.guide.loss is self.loss else replace(self.guide, loss=self.loss)

    # ---- a loss to be made small, see `Descending` ----

    def at(self, fit: LinearFit) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        outputs = len(fit.intercept)
        found = self._summed("descent", _Descends(self.loss), (fit,), slice(1, 1 + outputs))
        slopes, total = self.matrix.gathered(found.by_cell) / self.n_rows, found.totals[1:] / self.n_rows
        return float(found.totals[0] / self.n_rows), slopes, total

    def coordinates(self, penalty: float, start: LinearFit) -> tuple[Factors | Axes | Scales, int, NDArray[np.float64]]:
        return self._guide.coordinates(penalty, start)

    def forget(self) -> None:
        self.guide.second_derivatives.forget()

    # ---- passes ----

    def _means(self, name: str, numbers: Numbers, *fits: LinearFit) -> NDArray[np.float64]:
        return self._summed(name, numbers, fits, slice(0, 0)).totals / self.n_rows

    def _summed(self, name: str, numbers: Numbers, fits: Sequence[LinearFit], by_cell: slice) -> _Sums:
        """Exact sums; where numbers turn out larger than they were taken for, or much smaller, once more."""
        models = tuple((self.matrix.said(fit.weights), fit.intercept) for fit in fits)
        made = partial(_Pass, self.matrix.places, self.view, models, numbers, by_cell=by_cell)
        largest = self._sizes.get(name)
        while True:
            found = self.rows.summed(made(None if largest is None else exact_step(largest, self.rows.n)), _added)
            if largest is not None and _goes_with(found.largest, largest):
                break
            largest = 2 * found.largest
        self._sizes[name] = 2 * found.largest
        return found


def _goes_with(found: NDArray[np.float64], taken: NDArray[np.float64]) -> bool:
    """Whether numbers are not larger than they were taken for, and not much smaller either; endless ones never are."""
    near = (found <= taken) & ((found == 0) | (taken <= _SPARE * found))
    return bool(near.all() or not np.isfinite(found).all())
