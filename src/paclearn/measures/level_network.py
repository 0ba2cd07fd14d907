r"""Columns of several levels under any law, and a basis of functions that are orthonormal under it.

Zhang (2019), Definition 6 and Proposition 9 (after O'Donnell 2014, 8.12 and 8.13), have alphabets of any size for
independent columns, and Theorem 1 dependent ones for two values. Both at once: given its parents, a column of m levels
has an orthonormal basis :math:`1, \phi_{i,1}, \dots, \phi_{i,m-1}` of functions of its level, and the products
:math:`\phi_\alpha = \prod_i \phi_{i,\alpha_i}` are orthonormal, by the proof of Theorem 1: a child is summed out before
its parents.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from paclearn._parameters import Whole, check
from paclearn.exceptions import InputError
from paclearn.measures.factored_law import FactoredLaw
from paclearn.measures.network import LARGEST_CUBE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.measures.network import Network

__all__ = ["LevelNetwork", "level_functions"]

_MOST_POINTS = 2**LARGEST_CUBE


@dataclass(frozen=True, eq=False)
class LevelNetwork(FactoredLaw):
    r"""Columns of levels 0, 1, ... with :math:`p(x) = \prod_i p(x_i \mid x_{\mathrm{parents}(i)})`.

    Parameters
    ----------
    parents : tuple of tuple of int
        The parents of every column.
    tables : tuple of ndarray
        The probability of every level, one axis a parent and the levels of the column itself last.
    order : tuple of int
        The columns so that parents come before their children; it is part of the basis.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        for i, table in enumerate(self.tables):
            if table.ndim != len(self.parents[i]) + 1:
                raise InputError(f"column {i} has {len(self.parents[i])} parent(s) and a table of shape {table.shape}")
            wanted = (*(self.sizes[p] for p in self.parents[i]), self.sizes[i])
            if table.shape != wanted or self.sizes[i] < 1:
                raise InputError(f"the table of column {i} must have shape {wanted}; found {table.shape}")
            if not (table > 0).all() or not np.allclose(table.sum(axis=-1), 1, atol=1e-9):
                raise InputError(
                    f"the levels of column {i} must have probabilities above 0 that add up to 1, given its parents; "
                    f"without that no basis exists: smooth it"
                )

    @property
    def _what(self) -> str:
        return "column"

    @classmethod
    def of_bits(cls, network: Network) -> LevelNetwork:
        """The same law, with levels 0 and 1 for -1 and +1; its basis is the same, too.

        Parameters
        ----------
        network : Network
            Of bits.
        """
        tables = tuple(np.stack([1 - up, up], axis=-1) for up in network.tables)
        return cls(network.parents, tables, network.order)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Levels of every column."""
        return tuple(table.shape[-1] for table in self.tables)

    @cached_property
    def functions(self) -> tuple[NDArray[np.float64], ...]:
        """The orthonormal functions of every column: one axis a parent, then the functions, then the levels."""
        return tuple(map(level_functions, self.tables))

    # ---- rows ----

    def conditional(self, codes: Any) -> tuple[NDArray[np.float64], ...]:
        """P(x_i | parents) of every row: an array a column, one row a row and one column a level.

        Parameters
        ----------
        codes : array-like of shape (n_rows, n_columns)
            Levels, as numbers from 0 on.
        """
        rows = self.as_codes(codes, unseen=False)
        laws = (table[tuple(rows[:, p] for p in self.parents[i])] for i, table in enumerate(self.tables))
        return tuple(np.broadcast_to(law, (len(rows), law.shape[-1])) for law in laws)

    def log_prob(self, codes: Any) -> NDArray[np.float64]:
        """Log probability of every row.

        Parameters
        ----------
        codes : array-like
            See `conditional`.
        """
        rows = self.as_codes(codes, unseen=False)
        total = np.zeros(len(rows))
        for i, table in enumerate(self.tables):
            total += np.log(table[tuple(rows[:, j] for j in (*self.parents[i], i))])
        return total

    def basis(self, codes: Any) -> tuple[NDArray[np.float64], ...]:
        r""":math:`\phi_{i,1}, \dots, \phi_{i,m-1}` at every row, an array a column; of products the user takes care.

        They are nought for a level that is not among those of the column (its number or more), and for columns that
        depend on such a one: of those nothing is known but the mean.

        Parameters
        ----------
        codes : array-like
            See `conditional`.
        """
        rows = self.as_codes(codes, unseen=True)
        found = []
        for i, functions in enumerate(self.functions):
            above = self.parents[i]
            known = np.pad(functions[..., 1:, :], [(0, 1)] * len(above) + [(0, 0), (0, 1)])
            by_level = np.moveaxis(known, -2, -1)  # parents, level, function
            found.append(by_level[tuple(rows[:, p] for p in (*above, i))])
        return tuple(found)

    def sample(self, n: int, random_state: Any = None) -> NDArray[np.intp]:
        """Draw rows of levels.

        Parameters
        ----------
        n, random_state : int, int or RandomState instance
            How many, and the seed.
        """
        check("n", n, Whole(0))
        rng = check_random_state(random_state)
        codes = np.empty((n, self.d), dtype=np.intp)
        for i in self.order:
            law = self.tables[i][tuple(codes[:, p] for p in self.parents[i])]
            below = np.cumsum(np.broadcast_to(law, (n, self.sizes[i])), axis=1)[:, :-1]
            codes[:, i] = (rng.random_sample(n)[:, None] >= below).sum(axis=1)
        return codes

    def as_codes(self, codes: Any, *, unseen: bool) -> NDArray[np.intp]:
        """Rows of level numbers, checked; with ``unseen`` a number too large is that of the level nobody has seen.

        Parameters
        ----------
        codes : array-like of shape (n_rows, n_columns)
            Levels, as numbers from 0 on.
        unseen : bool
            Whether levels that are not among those of a column may occur.
        """
        rows = np.asarray(codes)
        if rows.ndim != 2 or rows.shape[1] != self.d or rows.dtype.kind not in "iub":
            raise InputError(
                f"levels must be whole numbers in rows of {self.d} columns; found {rows.dtype} of shape {rows.shape} "
                f"(LevelMeasure.codes makes them of a table)"
            )
        rows = rows.astype(np.intp)
        if len(rows) and (rows.min() < 0 or (not unseen and (rows >= self.sizes).any())):
            raise InputError(f"levels of the columns go from 0 to {[q - 1 for q in self.sizes[:5]]}...; found others")
        return np.asarray(np.minimum(rows, self.sizes))

    # ---- all points ----

    def on_axes(self, i: int, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """A table with one axis a parent of column i, as one axis a column: of length one where there is no parent.

        Parameters
        ----------
        i : int
            Number of the column.
        table : ndarray
            One axis a parent first; further axes stay last.
        """
        above = self.parents[i]
        n = len(above)
        sorted_ = table.transpose((*np.argsort(above).tolist(), *range(n, table.ndim))) if n else table
        shape = [self.sizes[axis] if axis in above else 1 for axis in range(self.d)]
        return sorted_.reshape([*shape, *table.shape[n:]])

    def probabilities(self) -> NDArray[np.float64]:
        """The probability of every point, one axis a column."""
        self.check_points()
        grid = np.ones(self.sizes)
        for i, table in enumerate(self.tables):
            grid = grid * np.moveaxis(self.on_axes(i, table), -1, i).reshape(self._shape_of(i))
        return grid

    def _shape_of(self, i: int) -> list[int]:
        family = (*self.parents[i], i)
        return [self.sizes[axis] if axis in family else 1 for axis in range(self.d)]

    def check_points(self) -> None:
        """Refuse to list the points of too many columns."""
        if prod(self.sizes) > _MOST_POINTS:
            raise InputError(f"there are {prod(self.sizes):,} points, too many to list; {_MOST_POINTS:,} is the most")


def level_functions(law: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Functions of m levels that are orthonormal under a law, the constant first: axes function and level come last.

    :math:`\phi_a` sets level a against all levels before it. With :math:`P_a = p_0 + \dots + p_a` it is
    :math:`\sqrt{P_{a-1} / (p_a P_a)}` at a, :math:`-\sqrt{p_a / (P_{a-1} P_a)}` before, and nought after; for two
    levels that is the function of a bit in Theorem 1 of Zhang (2019).

    Parameters
    ----------
    law : ndarray of shape (..., m)
        Probabilities above nought.
    """
    m = law.shape[-1]
    functions = np.zeros((*law.shape[:-1], m, m))
    functions[..., 0, :] = 1
    up_to = np.cumsum(law, axis=-1)
    for a in range(1, m):
        before, mine, both = up_to[..., a - 1], law[..., a], up_to[..., a]
        functions[..., a, a] = np.sqrt(before / (mine * both))
        functions[..., a, :a] = -np.sqrt(mine / (before * both))[..., None]
    return functions
