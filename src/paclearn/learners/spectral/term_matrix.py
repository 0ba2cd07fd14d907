"""The matrix of a linear model over terms: products of signs, made some rows at a time and kept only if small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.models.terms import product_columns, used_members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.spectral.cell_terms import CellTerms
    from paclearn.learners.spectral.smooth import Root
    from paclearn.learners.spectral.sparse_rows import SparseTerms
    from paclearn.models.terms import Term

__all__ = ["TermMatrix"]

_CELLS_KEPT = 2**27  # half a gigabyte of single precision
_CELLS_BESIDE_CODES = 2**24  # and an eighth of it where codes say the same
_CELLS_AT_ONCE, _CELLS_IN_CACHE = 2**23, 2**20
_CELLS_OF_FEW, _ROWS_IN_CACHE = 2**17, 256  # half a megabyte, of which two are in use, and rows that share it


@dataclass(frozen=True, eq=False)
class TermMatrix:
    """Rows x terms, each term a product of columns times its scale. The functions of single bits are any numbers.

    Some terms may be replaced by mixtures of them: see ``smooth``.
    """

    values: NDArray[Any]
    terms: tuple[Term, ...]
    scale: NDArray[np.float32]
    roots: tuple[Root, ...] = ()
    sparse: SparseTerms | None = None  # the same, where few bits are true
    cells: CellTerms | None = None  # the same, by the codes of the rows, where those are many

    @property
    def shape(self) -> tuple[int, int]:
        return (len(self.values), len(self.terms)) if self.sparse is None else self.sparse.shape

    def rows(self, chosen: NDArray[np.intp]) -> TermMatrix:
        """Some rows."""
        return replace(self, values=self.values[chosen], sparse=None, cells=None)

    def _block(self, some: slice) -> NDArray[np.float32]:
        used, members = self._members
        block = product_columns(self._columns_of(some, used), members).T * self.scale
        for places, root in self.roots:
            block[:, places] = block[:, places] @ root
        return block

    def to_terms(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of the matrix's columns as weights of the terms themselves."""
        if self.sparse is not None:
            return self.sparse.to_terms(weights)
        found = weights.copy()
        for places, root in self.roots:
            found[places] = root @ found[places]
        return found * self.scale[:, None]

    def _of_terms(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of the terms themselves as sums of the matrix's columns."""
        found = sums * self.scale[:, None]
        for places, root in self.roots:
            found[places] = root.T @ found[places]
        return found

    @cached_property
    def _whole(self) -> NDArray[np.float32]:
        return self._block(slice(None))

    @property
    def _is_kept(self) -> bool:
        n, p = self.shape
        return n * p <= (_CELLS_KEPT if self.cells is None else _CELLS_BESIDE_CODES)

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """The matrix, some rows at a time."""
        n, p = self.shape
        if self._is_kept:
            yield slice(0, n), self._whole
            return
        for some in _parts(n, max(1, (_CELLS_AT_ONCE if self.cells is None else _CELLS_IN_CACHE) // p)):
            yield some, self._block(some)

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of all rows."""
        if (few := self.sparse or self.cells) is not None:
            return few.times(weights)
        scores = np.empty((weights.shape[1], len(self.values)))  # outputs first: sums over them are then fast
        if self._is_kept:
            scores[:] = np.ascontiguousarray(weights.T, dtype=np.float32) @ self._whole.T
            return scores.T
        for some in _parts(len(self.values), _ROWS_IN_CACHE):
            scores[:, some] = self.times_of(some, weights).T
        return scores.T

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over rows of term times column."""
        if (few := self.sparse or self.cells) is not None:
            return few.transposed_times(columns)
        single = columns.astype(np.float32)
        if self._is_kept:
            return np.asarray(self._whole.T @ single, dtype=np.float64)
        total = np.zeros((len(self.terms), columns.shape[1]))
        for some in _parts(len(self.values), _ROWS_IN_CACHE):
            for few_terms, block in self._few_terms(some):
                total[few_terms] += block @ single[some]
        return self._of_terms(total)

    # ---- some rows, and of these so few terms at a time that they stay in the processor's cache ----

    def times_of(self, rows: NDArray[np.intp] | slice, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of some rows."""
        single = self.to_terms(weights).astype(np.float32)
        return np.asarray(sum(block.T @ single[some] for some, block in self._few_terms(rows)))

    def transposed_times_of(self, rows: NDArray[np.intp], columns: NDArray[np.float32]) -> NDArray[np.float64]:
        """Sums over some rows of term times column."""
        return self._of_terms(np.concatenate([block @ columns for _, block in self._few_terms(rows)]))

    def _few_terms(self, rows: NDArray[np.intp] | slice) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Terms x some rows, neither scaled nor mixed."""
        used, members = self._members
        values = self._columns_of(rows, used)
        for some in _parts(len(self.terms), max(1, _CELLS_OF_FEW // max(values.shape[1], 1))):
            yield some, product_columns(values, members[some])

    def _columns_of(self, rows: NDArray[np.intp] | slice, used: NDArray[np.intp]) -> NDArray[np.float32]:
        return np.ascontiguousarray(self.values[rows][:, used].T, dtype=np.float32)

    @cached_property
    def _members(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The columns that terms need, few of many perhaps, and the members of every term among them."""
        return used_members(self.terms)

    def covariance(self, weights: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted sums of products of two terms less their means."""
        if self.cells is not None and self.cells.pairs_are_cheap:
            return self.cells.covariance(weights, mean)
        gram = np.zeros((len(self.terms),) * 2)
        root = np.sqrt(weights).astype(np.float32)
        middle = mean.astype(np.float32)
        for some, block in self.blocks():
            centred = (block - middle) * root[some, None]
            gram += centred.T @ centred
        return gram

    def covariances(self, weights: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same for many weights of few rows: outputs x terms x terms."""
        centred = (self._whole - mean.astype(np.float32)).T
        weighted = centred * weights.T[:, None, :].astype(np.float32)
        return (weighted @ centred.T).astype(np.float64)

    def inner_products(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of all rows less their mean."""
        inner = np.zeros((self.shape[0],) * 2)
        blocks = [(some, block - mean.astype(np.float32)) for some, block in self.blocks()]
        for one, left in blocks:
            for other, right in blocks:
                inner[one, other] = left @ right.T
        return inner


def _parts(n: int, step: int) -> Iterator[slice]:
    return (slice(begin, min(begin + step, n)) for begin in range(0, n, step))
