"""The matrix of a linear model over terms: products of signs, made some rows at a time and kept only if small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.models.terms import members_of, product_columns, products_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.spectral.cell_terms import CellTerms
    from paclearn.learners.spectral.smooth import Root
    from paclearn.learners.spectral.sparse_rows import SparseTerms
    from paclearn.models.terms import Term

__all__ = ["TermMatrix"]

_CELLS_KEPT = 2**27  # half a gigabyte of single precision
_CELLS_AT_ONCE, _CELLS_IN_CACHE = 2**23, 2**20


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
        return len(self.values), len(self.terms)

    def rows(self, chosen: NDArray[np.intp]) -> TermMatrix:
        """Some rows."""
        return replace(self, values=self.values[chosen], sparse=None, cells=None)

    def _block(self, some: slice) -> NDArray[np.float32]:
        block = products_of(self.values[some].astype(np.float32, copy=False), self.terms) * self.scale
        for places, root in self.roots:
            block[:, places] = block[:, places] @ root
        return block

    def to_terms(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of the matrix's columns as weights of the terms themselves."""
        found = weights.copy()
        for places, root in self.roots:
            found[places] = root @ found[places]
        return found * self.scale[:, None]

    @cached_property
    def _whole(self) -> NDArray[np.float32]:
        return self._block(slice(None))

    @cached_property
    def _members_of_terms(self) -> NDArray[np.intp]:
        return members_of(self.terms)

    def columns(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Terms x some rows, not mixed."""
        values = np.ascontiguousarray(self.values[rows].T, dtype=np.float32)
        found = product_columns(values, self._members_of_terms)
        found *= self.scale[:, None]
        return found

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """The matrix, some rows at a time."""
        n, p = self.shape
        if n * p <= _CELLS_KEPT and self.cells is None:
            yield slice(0, n), self._whole
            return
        step = max(1, (_CELLS_AT_ONCE if self.cells is None else _CELLS_IN_CACHE) // p)
        for begin in range(0, n, step):
            some = slice(begin, min(begin + step, n))
            yield some, self._block(some)

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of all rows."""
        if (few := self.sparse or self.cells) is not None:
            return few.times(weights)
        scores = np.empty((weights.shape[1], len(self.values)))  # outputs first: sums over them are then fast
        single = np.ascontiguousarray(weights.T, dtype=np.float32)
        for some, block in self.blocks():
            scores[:, some] = single @ block.T
        return scores.T

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over rows of term times column."""
        if (few := self.sparse or self.cells) is not None:
            return few.transposed_times(columns)
        total = np.zeros((len(self.terms), columns.shape[1]))
        single = columns.astype(np.float32)
        for some, block in self.blocks():
            total += block.T @ single[some]
        return total

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

    def inner_products(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of all rows less their mean."""
        inner = np.zeros((self.shape[0],) * 2)
        blocks = [(some, block - mean.astype(np.float32)) for some, block in self.blocks()]
        for one, left in blocks:
            for other, right in blocks:
                inner[one, other] = left @ right.T
        return inner
