r"""Purification: every part of an effect goes to the smallest set of columns that carries it.

The tables of a sum of effects are cleared of what they say of fewer columns, the largest first; what is taken from a
table is added to those of its subsets, so the sum stays as it is. Every table then has mean zero over each of its
columns under the law of the rows: the functional ANOVA (Hooker 2007; for trees and boosting Lengerich and others 2020).
Where columns are independent it is the decomposition of Efron and Stein (1981), that is, the spectrum of an orthonormal
basis a column, grouped by columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paclearn.models.cell_grids import CellGrid, grids_of, masses_of
from paclearn.models.effects import Effect, Effects
from paclearn.models.projection import project

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paclearn.models.cell_grids import Grouped

__all__ = ["Purifier"]

_NOTHING = 1e-13  # in units of the largest cell of all

_MOST_NUMBERS = 50_000_000  # for the linear forms that standard errors are made of

Set = tuple[int, ...]
TermEffect = tuple[Effect, NDArray[np.intp]]
Errors = tuple[NDArray[np.float64], ...] | None


@dataclass(frozen=True, eq=False)
class Purifier:
    """The grids of effects and of all that they say of fewer columns, and the masses of the cells.

    Parameters
    ----------
    grids : tuple of CellGrid
        The largest sets of columns first.
    masses : tuple of ndarray
        How many rows are in each cell.
    counted : bool, default=True
        Whether these are rows; otherwise all cells weigh the same.
    """

    grids: tuple[CellGrid, ...]
    masses: tuple[NDArray[np.float64], ...]
    counted: bool = True

    @classmethod
    def even(cls, effects: Effects) -> Purifier:
        """All cells weigh the same: for a model that does not know its rows.

        Parameters
        ----------
        effects : Effects
            The effects to purify.
        """
        grids = grids_of(effects.effects)
        return cls(grids, tuple(np.ones(grid.shape) for grid in grids), counted=False)

    @classmethod
    def of_rows(
        cls, effects: Iterable[Grouped], codes: Sequence[NDArray[Any]], counts: NDArray[np.float64] | None
    ) -> Purifier:
        """Under the law of some rows.

        Parameters
        ----------
        effects : iterable of Grouped
            The effects to purify, or their columns and groups.
        codes : sequence of ndarray
            The codes of the columns of the model.
        counts : ndarray or None
            How often each row counts; None for once.
        """
        grids = grids_of(effects)
        return cls(grids, masses_of(grids, codes, counts))

    @classmethod
    def of_masses(cls, effects: Effects, masses: Sequence[NDArray[np.float64]]) -> Purifier:
        """With masses that were counted before, of the grids of the same effects.

        Parameters
        ----------
        effects : Effects
            The effects to purify.
        masses : sequence of ndarray
            One array a grid.
        """
        return cls(grids_of(effects.effects), tuple(masses))

    def purify(self, effects: Effects, errors: Sequence[NDArray[np.float64]] | None = None) -> Effects:
        """The same sum, every part where it belongs; the most important effect first.

        Parameters
        ----------
        effects : Effects
            What to purify.
        errors : sequence of ndarray, default=None
            Standard errors of the cells of every grid, where they are known.
        """
        lanes = np.arange(len(effects.start))
        tables = _Tables(self, {grid.columns: lanes for grid in self.grids})
        for effect in effects.effects:
            tables.add(effect, lanes)
        mean = tables.clear()
        known: Sequence[NDArray[np.float64] | None] = [None] * len(self.grids) if errors is None else errors
        found = [tables.effect(i, error) for i, error in enumerate(known)]
        largest = max((np.abs(effect.cells).max(initial=0.0) for effect in found), default=0.0)
        kept = [effect for effect in found if np.abs(effect.cells).max(initial=0.0) > _NOTHING * largest]
        return Effects(effects.start + mean, tuple(sorted(kept, key=lambda effect: -effect.importance)))

    def standard_errors(self, terms: Sequence[TermEffect], covariance: NDArray[np.float64]) -> Errors:
        """Of the purified cells, which are linear forms in the weights of terms: cells x outputs, one array a grid.

        Parameters
        ----------
        terms : sequence of tuple
            For every effect, what its terms add at weight one (an output a term), and their numbers.
        covariance : ndarray of shape (n_outputs, n_terms, n_terms)
            Of the weights of the terms.
        """
        lanes = self._lanes(terms)
        if sum(int(np.prod(g.shape)) * len(lanes[g.columns]) for g in self.grids) > _MOST_NUMBERS:
            return None
        tables = _Tables(self, lanes)
        for effect, numbers in terms:
            tables.add(effect, numbers)
        tables.clear()
        return tuple(_errors(tables.cells[g.columns], lanes[g.columns], covariance) for g in self.grids)

    def _lanes(self, terms: Sequence[TermEffect]) -> dict[Set, NDArray[np.intp]]:
        """The terms that reach a grid: those of its columns, alone or with others."""
        found: dict[Set, list[NDArray[np.intp]]] = {grid.columns: [] for grid in self.grids}
        for effect, numbers in terms:
            for size in range(1, len(effect.columns) + 1):
                for some in combinations(sorted(effect.columns), size):
                    found[some].append(numbers)
        return {columns: np.unique(np.concatenate(numbers)) for columns, numbers in found.items()}


class _Tables:
    """The tables of all grids while they are purified; an output of a table is one of the numbered lanes."""

    def __init__(self, purifier: Purifier, lanes: dict[Set, NDArray[np.intp]]) -> None:
        self._purifier = purifier
        self._grids = {grid.columns: grid for grid in purifier.grids}
        self._masses = {grid.columns: m for grid, m in zip(purifier.grids, purifier.masses, strict=True)}
        self._lanes = lanes
        self.cells = {grid.columns: np.zeros((*grid.shape, len(lanes[grid.columns]))) for grid in purifier.grids}

    def add(self, effect: Effect, lanes: NDArray[np.intp]) -> None:
        """Add an effect to the table of its columns."""
        order = np.argsort(effect.columns).tolist()
        columns, groups = tuple(effect.columns[i] for i in order), [effect.groups[i] for i in order]
        self._add(columns, groups, effect.cells.transpose(*order, -1), lanes)

    def _add(
        self, columns: Set, groups: Sequence[NDArray[np.intp]], cells: NDArray[np.float64], lanes: NDArray[np.intp]
    ) -> None:
        """Add a table over groups that are no finer than those of the grid."""
        found = cells[self._grids[columns].cells_in(groups)]
        mine, own = self.cells[columns], self._lanes[columns]
        if len(own) == len(lanes):
            mine += found
        else:
            mine[..., np.searchsorted(own, lanes)] += found

    def clear(self) -> NDArray[np.float64]:
        """Move everything to where it belongs, and what belongs to no column out: the means of the outputs."""
        for size, sets in groupby(self._grids, key=len):
            if size > 1:
                for alike in self._alike(sets):
                    self._clear_alike(alike)
        singles = [columns for columns in self._grids if len(columns) == 1]
        means = [(columns, self._centre(columns)) for columns in singles]
        return self._total(means)

    def _alike(self, sets: Iterable[Set]) -> list[list[Set]]:
        """Sets whose tables have the same shape."""
        by_shape: dict[tuple[int, ...], list[Set]] = {}
        for columns in sets:
            by_shape.setdefault(self.cells[columns].shape, []).append(columns)
        return list(by_shape.values())

    def _clear_alike(self, sets: list[Set]) -> None:
        rest, functions = project(
            np.stack([self.cells[columns] for columns in sets]), np.stack([self._masses[columns] for columns in sets])
        )
        for i, columns in enumerate(sets):
            self.cells[columns] = rest[i]
            groups, lanes = self._grids[columns].groups, self._lanes[columns]
            for m, values in enumerate(functions):
                self._add(columns[:m] + columns[m + 1 :], groups[:m] + groups[m + 1 :], values[i], lanes)

    def _centre(self, columns: Set) -> NDArray[np.float64]:
        """Take the mean out of a table of one column."""
        masses = self._masses[columns]
        mean = masses @ self.cells[columns] / max(masses.sum(), 1e-300)
        self.cells[columns] -= mean
        return mean

    def _total(self, means: Sequence[tuple[Set, NDArray[np.float64]]]) -> NDArray[np.float64]:
        size = max((int(self._lanes[columns].max(initial=-1)) + 1 for columns, _ in means), default=0)
        total = np.zeros(size)
        for columns, mean in means:
            total[self._lanes[columns]] += mean
        return total

    def effect(self, number: int, errors: NDArray[np.float64] | None) -> Effect:
        """What a grid holds."""
        grid = self._purifier.grids[number]
        masses = self._purifier.masses[number] if self._purifier.counted else None
        return Effect(grid.columns, grid.groups, self.cells[grid.columns], masses, errors)


def _errors(
    forms: NDArray[np.float64], lanes: NDArray[np.intp], covariance: NDArray[np.float64]
) -> NDArray[np.float64]:
    r""":math:`\sqrt{c' \Sigma c}` of every cell and output."""
    flat = forms.reshape(-1, len(lanes))
    variances = [((flat @ part) * flat).sum(axis=1) for part in covariance[:, lanes[:, None], lanes]]
    return np.sqrt(np.maximum(np.stack(variances, axis=-1), 0)).reshape(*forms.shape[:-1], -1)
