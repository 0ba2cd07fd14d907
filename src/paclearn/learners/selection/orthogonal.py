"""FOURIER-ORTH: which columns are polynomials of the ones before them.

Products of functions of different columns are orthonormalised in the standard order {}, {1}, {2}, {1, 2}, {3}, ...
under the empirical distribution, a Cholesky factorisation of their Gram matrix that leaves out what is nearly spanned
already. A column is redundant if all its own functions are. Products with a redundant column are left out, too, so
whatever explains a column is a polynomial of columns that stay.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

__all__ = ["Monomial", "fourier_orth", "largest_group", "monomials", "product"]

Monomial = tuple[int, ...]  # numbers of functions, ascending; () is the constant

_MOST_MONOMIALS = 1500
_ROWS_AT_ONCE = 8192
_RIDGE = 1e-10


def monomials(owner: NDArray[np.intp], depth: int) -> list[tuple[list[Monomial], list[Monomial]]]:
    """For every column (its functions stand together), those functions and their products with earlier ones."""
    shorter: list[Monomial] = []  # earlier ones that may have a factor more
    steps = []
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    for begin, end in zip(starts, [*starts[1:], len(owner)], strict=True):
        own: list[Monomial] = [(f,) for f in range(begin, end)]
        products = [(*s, f) for f in range(begin, end) for s in shorter]
        steps.append((own, products))
        shorter += [m for m in (*own, *products) if len(m) < depth]
    return steps


def product(functions: NDArray[np.float64], monomial: Monomial) -> NDArray[np.float64]:
    """The product of some functions (columns of a matrix), row by row."""
    return functions[:, list(monomial)].prod(axis=1)


def largest_group(depth: int, asked: int) -> int:
    """How many functions a group may have, so that its products up to the depth stay few."""
    size = 2
    while size < asked and sum(comb(size + 1, s) for s in range(depth + 1)) <= _MOST_MONOMIALS:
        size += 1
    return size


def _always(_function: int, _share: float, _rank: int, _log_looks: float) -> bool:
    return True


class _Basis:
    """Rows of the Cholesky factor so far; ``gram_row`` gives inner products of one monomial with all of them."""

    def __init__(
        self, gram_row: Callable[[int], NDArray[np.float64]], squares: NDArray[np.float64], n_rows: int
    ) -> None:
        self._gram_row, self.n_rows = gram_row, n_rows
        self._factor = np.empty(
            (min(n_rows, len(squares)), len(squares))
        )  # no more are independent than there are rows
        self.left = squares.copy()  # squared norms of the residuals
        self.size = 0

    def add(self, i: int, threshold: float) -> None:
        if self.size == len(self._factor) or self.left[i] <= threshold**2:
            return
        known = self._factor[: self.size]
        row = self._gram_row(i) - known[:, i] @ known
        if row[i] <= threshold**2:
            return
        self._factor[self.size] = row / np.sqrt(row[i])
        self.left -= self._factor[self.size] ** 2
        self.size += 1

    def left_by(self, i: int, spaces: NDArray[np.intp]) -> float:
        """The share of the variance of a standardised function that the best one of some spaces leaves.

        The spaces have as many functions each: a row of numbers a space.
        """
        gram = np.stack([self._gram_row(int(j)) for j in range(i)])[:, :i]
        inner = gram[spaces[:, :, None], spaces[:, None, :]] + _RIDGE * np.eye(spaces.shape[1])
        shared = self._gram_row(i)[spaces]
        explained = (shared * np.linalg.solve(inner, shared[:, :, None])[:, :, 0]).sum(axis=1)
        return float(max(1 - explained.max(), 0.0))


def fourier_orth(
    standard: NDArray[np.float64],
    owner: NDArray[np.intp],
    depth: int,
    threshold: float,
    *,
    correct: bool,
    keep: Collection[int] = (),
    excludes_chance: Callable[[int, float, int, float], bool] = _always,
) -> list[int]:
    """The redundant columns of a group.

    Parameters
    ----------
    standard : ndarray of shape (n_rows, n_functions)
        Standardised functions, those of one column side by side.
    owner : ndarray of int
        The column of every function.
    depth : int
        Products of up to this many functions.
    threshold : float
        A residual of at most this norm is none.
    correct : bool
        Judge a residual by the rows that the functions before it leave free.
    keep : collection of int
        Columns that stay, whatever explains them.
    excludes_chance : callable
        Whether so little is left of a function, by that many others, that it cannot be chance, given the logarithm of
        how many times one looked. Of a column of several functions, one for which that is so will do: by chance, all
        would have to be reproduced.

    Returns
    -------
    list of int
        Columns, in order.
    """
    n = len(standard)
    steps = monomials(owner, depth)
    flat = [(), *(m for own, products in steps for m in (*own, *products))]
    number = {m: i for i, m in enumerate(flat)}
    basis = _basis_of(standard, flat)
    basis.add(0, 0.0)
    redundant: list[int] = []
    dropped: set[int] = set()
    for own, products in steps:
        places = [number[m] for m in own]
        free = (n - basis.size) / n if correct else 1.0
        left = np.maximum(basis.left[places], 0)
        spanned = bool((left <= threshold**2 * free).all()) and free > 0
        real = spanned and any(excludes_chance(f, float(s), basis.size, 0.0) for (f,), s in zip(own, left, strict=True))
        if correct and not real and len(own) == 1 and depth > 2 and 2 * basis.size > n:
            real = _by_one_product(basis, own[0], number, dropped, depth, threshold, excludes_chance)
        if real and int(owner[own[0][0]]) not in keep:
            redundant.append(int(owner[own[0][0]]))
            dropped.update(f for (f,) in own)
            continue
        for m in (*own, *products):
            if dropped.isdisjoint(m):
                basis.add(number[m], threshold)
    return redundant


def _by_one_product(
    basis: _Basis,
    own: Monomial,
    number: dict[Monomial, int],
    dropped: set[int],
    depth: int,
    threshold: float,
    excludes_chance: Callable[[int, float, int, float], bool],
) -> bool:
    """Whether one product of columns before, and what it is made of, will do: where all fit anything, it may not.

    Products of two are looked for among all columns, before there are groups.
    """
    longest = [m for m in combinations(range(own[0]), depth) if m in number and dropped.isdisjoint(m)]
    if not longest or basis.n_rows <= 2**depth:
        return False
    spaces = np.array([[number[s] for size in range(depth + 1) for s in combinations(m, size)] for m in longest])
    share = basis.left_by(number[own], spaces)
    few = share <= threshold**2 * (basis.n_rows - 2**depth) / basis.n_rows
    return few and excludes_chance(own[0], share, 2**depth, float(np.log(len(longest))))


def _basis_of(standard: NDArray[np.float64], flat: list[Monomial]) -> _Basis:
    n = len(standard)
    if max(map(len, flat)) == 1:  # nothing but the functions themselves: a row of the Gram matrix when it is asked for
        with_constant = np.column_stack([np.ones(n), standard])
        return _Basis(lambda i: with_constant.T @ with_constant[:, i] / n, np.ones(len(flat)), n)
    gram = np.zeros((len(flat), len(flat)))
    for begin in range(0, n, _ROWS_AT_ONCE):
        values = _products(standard[begin : begin + _ROWS_AT_ONCE], flat)
        gram += values @ values.T
    gram /= n
    return _Basis(lambda i: gram[i], gram.diagonal().copy(), n)


def _products(standard: NDArray[np.float64], flat: list[Monomial]) -> NDArray[np.float64]:
    """Monomials x rows; every product is one more multiplication on top of an earlier one."""
    number = {m: i for i, m in enumerate(flat)}
    values = np.empty((len(flat), len(standard)))
    columns = np.ascontiguousarray(standard.T)
    for i, m in enumerate(flat):
        if not m:
            values[i] = 1.0
        else:
            np.multiply(values[number[m[:-1]]], columns[m[-1]], out=values[i])
    return values
