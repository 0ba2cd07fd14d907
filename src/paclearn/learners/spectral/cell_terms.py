r"""Terms as functions of cells: a row has one code a column, and so one cell of every few columns.

All terms of the same columns are tables over the same cells. What a model says of a row is a sum of one number a table,
sums over rows are counts of cells, and second derivatives counts of pairs of cells: a row costs as much as there are
sets of columns, however many terms look at them, and takes the room of its codes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError
from paclearn.models.term_tables import TermTables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Column
    from paclearn.learners.spectral.smooth import Root
    from paclearn.models.terms import Term

__all__ = ["CellFunctions", "CellTable", "CellTerms", "Cells", "add_cells", "cell_tables"]

_ROWS_AT_ONCE = 2**16
_CELLS_KEPT = 2**23  # 64 MB of them
_NS_A_PAIR, _NS_A_TERM, _NS_A_PRODUCT = 4.0, 6.0, 0.0145  # of a row: to count it in a pair of tables; to write a term
# down, and to multiply it by another
_NS_A_PAIR_OF_CELLS, _NS_A_CELL_OF_TERM = 2.0, 0.04  # to make room for a count, and to multiply it by a term
_NS_A_CELL, _NS_A_NUMBER, _NS_A_STEP = 4.0, 0.8, 0.08  # to add up and look up a cell for an output; to read a number of
# the matrix twice, and to multiply it twice


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of some columns: groups of the codes of each, and how many."""

    columns: tuple[int, ...]
    groups: tuple[NDArray[np.intp], ...]
    sizes: tuple[int, ...]

    @property
    def n_cells(self) -> int:
        return prod(self.sizes)

    def cells(self, codes: Sequence[NDArray[Any]], some: slice) -> NDArray[np.intp]:
        """The cell of every row."""
        first, *others = zip(self.columns, self.groups, self.sizes, strict=True)
        place = first[1][codes[first[0]][some]]
        for column, groups, size in others:
            place = place * size + groups[codes[column][some]]
        return place


@dataclass(frozen=True, eq=False)
class CellTable(Cells):
    """Some terms that look at the same columns, in every cell of them."""

    functions: NDArray[np.float64]  # cells x terms
    numbers: NDArray[np.intp]  # of these terms


def cell_tables(
    columns: tuple[Column, ...], bits: tuple[Bit, ...], terms: tuple[Term, ...], joins: tuple[str, ...] = ()
) -> tuple[CellTable, ...]:
    """The terms by the columns they look at; one by one, where together they would have too many cells."""
    tables = TermTables(columns, bits, terms, joins)
    found: list[CellTable] = []
    for places, numbers in tables.by_columns.items():
        try:
            found.append(_table(tables, places, numbers))
        except InputError:
            found += [_alone(tables, places, number) for number in numbers]
    return tuple(found)


def _table(tables: TermTables, places: tuple[int, ...], numbers: list[int]) -> CellTable:
    effect = tables.effect(places, np.eye(len(numbers)))
    sizes = effect.cells.shape[:-1]
    functions = effect.cells.reshape(prod(sizes), len(numbers))
    return CellTable(places, effect.groups, sizes, functions, np.array(numbers, dtype=np.intp))


def _alone(tables: TermTables, places: tuple[int, ...], number: int) -> CellTable:
    """A term by itself has two groups a column."""
    one = replace(tables, terms=tables.terms[number : number + 1], joins=tables.joins[number : number + 1])
    return replace(_table(one, places, [0]), numbers=np.array([number], dtype=np.intp))


@dataclass(frozen=True, eq=False)
class CellFunctions:
    """Terms, each times its scale, as functions of cells, whatever the rows are.

    Parameters
    ----------
    tables : tuple of CellTable
        The terms.
    scale : ndarray of shape (n_terms,)
        What each is multiplied by.
    roots : tuple, default=()
        Terms that are replaced by mixtures of them, see ``smooth``: all of one column.
    """

    tables: tuple[CellTable, ...]
    scale: NDArray[np.float32]
    roots: tuple[Root, ...] = ()

    @property
    def n_terms(self) -> int:
        return len(self.scale)

    @property
    def places(self) -> tuple[Cells, ...]:
        """What finds the cells of a row."""
        return tuple(Cells(table.columns, table.groups, table.sizes) for table in self.tables)

    @cached_property
    def in_matrix(self) -> tuple[NDArray[np.float64], ...]:
        """Of every table: cells x terms, as they stand in the matrix."""
        return tuple(self._in_matrix(table) for table in self.tables)

    def _in_matrix(self, table: CellTable) -> NDArray[np.float64]:
        found = table.functions * self.scale[table.numbers]
        for places, root in self.roots:
            here = np.flatnonzero((table.numbers >= places.start) & (table.numbers < places.stop))
            if len(here):
                found[:, here] = found[:, here] @ root
        return found

    def said(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """What terms of some weights add in the cells of every table: cells x outputs."""
        return tuple(f @ weights[table.numbers] for f, table in zip(self.in_matrix, self.tables, strict=True))

    def gathered(self, sums: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Sums over rows of term times number, from sums of these numbers over the cells of every table."""
        found = np.zeros((self.n_terms, sums[0].shape[1] if sums else 1))
        for functions, table, total in zip(self.in_matrix, self.tables, sums, strict=True):
            found[table.numbers] = functions.T @ total
        return found

    def to_terms(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of the matrix's columns as weights of the terms themselves."""
        found = weights.copy()
        for places, root in self.roots:
            found[places] = root @ found[places]
        return found * self.scale[:, None]


@dataclass(frozen=True, eq=False)
class CellTerms:
    """The matrix of rows x terms, each term times its scale, never written down.

    Parameters
    ----------
    codes : sequence of ndarray
        The codes of all columns.
    tables, scale, roots : as of `CellFunctions`
        The terms.
    """

    codes: Sequence[NDArray[Any]]
    tables: tuple[CellTable, ...]
    scale: NDArray[np.float32]
    roots: tuple[Root, ...] = ()

    @cached_property
    def terms(self) -> CellFunctions:
        return CellFunctions(self.tables, self.scale, self.roots)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.codes[0]), len(self.scale)

    def changed(self, change: Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]]) -> CellTerms:
        """Functions of the terms in place of them: of what they are in cells, and of their numbers."""
        tables = (replace(table, functions=change(table.functions, table.numbers)) for table in self.tables)
        return replace(self, tables=tuple(tables))

    # ---- rows ----

    def _blocks(self) -> Iterator[tuple[slice, list[NDArray[np.intp]]]]:
        """Some rows at a time, with their cells in every table."""
        if self.shape[0] * len(self.tables) <= _CELLS_KEPT:
            yield slice(0, self.shape[0]), self._kept
            return
        for begin in range(0, self.shape[0], _ROWS_AT_ONCE):
            some = slice(begin, min(begin + _ROWS_AT_ONCE, self.shape[0]))
            yield some, [table.cells(self.codes, some) for table in self.tables]

    @cached_property
    def _kept(self) -> list[NDArray[np.intp]]:
        return [table.cells(self.codes, slice(None)) for table in self.tables]

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of all rows."""
        said = self.terms.said(weights)
        scores = np.zeros((weights.shape[1], self.shape[0]))  # outputs first: sums over them are then fast
        for some, cells in self._blocks():
            add_cells(scores[:, some], cells, said)
        return scores.T

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over rows of term times column."""
        sums = [np.zeros((table.n_cells, columns.shape[1])) for table in self.tables]
        for some, cells in self._blocks():
            for k, column in enumerate(columns[some].T):
                for place, total in zip(cells, sums, strict=True):
                    total[:, k] += np.bincount(place, column, minlength=len(total))
        return self.terms.gathered(sums)

    def sums_are_cheap(self, n_outputs: int) -> bool:
        """Whether looking up cells and counting them takes less time than multiplying a matrix and its transpose."""
        multiplying = self.shape[1] * (_NS_A_NUMBER + n_outputs * _NS_A_STEP)
        return len(self.tables) * n_outputs * _NS_A_CELL < multiplying

    @property
    def pairs_are_cheap(self) -> bool:
        """Whether counting pairs of cells takes less time than multiplying terms: of few rows, cells may be more."""
        n, p = self.shape
        cells, terms = (np.array([size(table) for table in self.tables]) for size in (_n_cells, _n_terms))
        before = np.cumsum(cells) - cells
        counts = before @ (cells * (_NS_A_PAIR_OF_CELLS + _NS_A_CELL_OF_TERM * terms))
        counting = n * len(cells) ** 2 / 2 * _NS_A_PAIR + counts
        return bool(counting < n * (p**2 * _NS_A_PRODUCT + p * _NS_A_TERM))

    def products(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Weighted sums of products of two terms."""
        gram = np.zeros((self.shape[1],) * 2)  # table after table: a pair of them is a block of it
        for some, cells in self._blocks():
            self._add_products(gram, cells, weights[some])
        place = np.argsort(np.concatenate([table.numbers for table in self.tables]))
        return (np.tril(gram) + np.tril(gram, -1).T)[np.ix_(place, place)]

    def covariance(self, weights: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same less their means."""
        gram, sums = self.products(weights), self.transposed_times(weights[:, None])[:, 0]
        across = np.outer(sums, mean)
        return gram - across - across.T + weights.sum() * np.outer(mean, mean)

    def _add_products(self, gram: NDArray[np.float64], cells: list[NDArray[np.intp]], weights: NDArray[Any]) -> None:
        """Below the diagonal of a matrix in the order of the tables."""
        ends = np.cumsum([len(table.numbers) for table in self.tables])
        places = [slice(end - len(table.numbers), end) for end, table in zip(ends, self.tables, strict=True)]
        for i, one in enumerate(self.terms.in_matrix):
            mass = np.bincount(cells[i], weights, minlength=len(one))
            gram[places[i], places[i]] += one.T @ (one * mass[:, None])
            for j, other in enumerate(self.terms.in_matrix[:i]):
                counts = np.bincount(cells[i] * len(other) + cells[j], weights, minlength=len(one) * len(other))
                gram[places[i], places[j]] += one.T @ counts.reshape(len(one), len(other)) @ other


def _n_cells(table: CellTable) -> float:
    return float(table.n_cells)


def _n_terms(table: CellTable) -> int:
    return len(table.numbers)


def add_cells(
    scores: NDArray[np.float64], places: Sequence[NDArray[np.intp]], said: Sequence[NDArray[np.float64]]
) -> None:
    """Add to scores, outputs x rows, what tables (cells x outputs) say in the cells of the rows."""
    for place, table in zip(places, said, strict=True):
        for k, output in enumerate(table.T):
            scores[k] += np.ascontiguousarray(output)[place]
