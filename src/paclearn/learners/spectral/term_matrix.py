"""The matrix of a linear model over terms: products of signs, made some rows at a time and kept only if small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.smooth import Root

__all__ = ["Term", "TermMatrix", "products_of", "scores_of"]

Term = tuple[int, ...]

_CELLS_KEPT = 2**27  # half a gigabyte of single precision
_CELLS_AT_ONCE = 2**23


def products_of(values: NDArray[np.float32], terms: Sequence[Term]) -> NDArray[np.float32]:
    """Rows x terms: the product of the members' columns."""
    if max(map(len, terms), default=1) == 1:
        return values[:, [t[0] for t in terms]]
    members = _members(terms)
    used = np.unique(members[members >= 0])  # few terms need few of many columns
    members[members >= 0] = np.searchsorted(used, members[members >= 0])
    return _products(np.ascontiguousarray(values[:, used].T), members).T


def scores_of(
    values: NDArray[np.float32], terms: Sequence[Term], weights: NDArray[np.float64], intercept: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weighted sums of terms and the intercept, some rows at a time."""
    if not len(terms):
        return np.tile(intercept, (len(values), 1))
    members = _members(terms)
    step = max(1, 2**24 // len(terms))
    blocks = [
        _products(np.ascontiguousarray(values[begin : begin + step].T), members).T.astype(np.float64) @ weights
        for begin in range(0, len(values), step)
    ]
    return np.concatenate(blocks) + intercept


def _members(terms: Sequence[Term]) -> NDArray[np.intp]:
    """Terms x the longest degree, filled up with -1."""
    longest = max(map(len, terms), default=1)
    return np.array([(*t, *(-1,) * (longest - len(t))) for t in terms], dtype=np.intp)


def _products(columns: NDArray[np.float32], members: NDArray[np.intp]) -> NDArray[np.float32]:
    """Terms x rows, from columns x rows: whole columns are multiplied, which is what processors like."""
    result = columns[members[:, 0]]
    for place in range(1, members.shape[1]):
        late = np.flatnonzero(members[:, place] >= 0)
        if len(late) == len(members):
            result *= columns[members[:, place]]
        else:
            result[late] *= columns[members[late, place]]
    return result


@dataclass(frozen=True, eq=False)
class TermMatrix:
    """Rows x terms, each term a product of columns times its scale. The functions of single bits are any numbers.

    Some terms may be replaced by mixtures of them: see ``smooth``.
    """

    values: NDArray[np.float32]
    terms: tuple[Term, ...]
    scale: NDArray[np.float32]
    roots: tuple[Root, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.values), len(self.terms)

    def rows(self, chosen: NDArray[np.intp]) -> TermMatrix:
        """Some rows."""
        return replace(self, values=self.values[chosen])

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
    def _members(self) -> NDArray[np.intp]:
        return _members(self.terms)

    def columns(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Terms x some rows, not mixed."""
        found = _products(np.ascontiguousarray(self.values[rows].T), self._members)
        found *= self.scale[:, None]
        return found

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """The matrix, some rows at a time."""
        n, p = self.shape
        if n * p <= _CELLS_KEPT:
            yield slice(0, n), self._whole
            return
        step = max(1, _CELLS_AT_ONCE // p)
        for begin in range(0, n, step):
            some = slice(begin, min(begin + step, n))
            yield some, self._block(some)

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of all rows."""
        scores = np.empty((weights.shape[1], len(self.values)))  # outputs first: sums over them are then fast
        single = np.ascontiguousarray(weights.T, dtype=np.float32)
        for some, block in self.blocks():
            scores[:, some] = single @ block.T
        return scores.T

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums over rows of term times column."""
        total = np.zeros((len(self.terms), columns.shape[1]))
        single = columns.astype(np.float32)
        for some, block in self.blocks():
            total += block.T @ single[some]
        return total

    def covariance(self, weights: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted sums of products of two terms less their means."""
        gram = np.zeros((len(self.terms),) * 2)
        root = np.sqrt(weights).astype(np.float32)
        middle = mean.astype(np.float32)
        for some, block in self.blocks():
            centred = (block - middle) * root[some, None]
            gram += centred.T @ centred
        return gram
