r"""The Fourier expansion of correlated columns: products of standardised columns, orthonormalised one by one.

Heidari, Sreedharan, Shamir and Szpankowski (2021), "Finding Relevant Information via a Discrete Fourier Expansion":
Proposition 1 with equation 4, and the norms of Procedure 1 (FOURIER-ORTH).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import Between, check, is_whole
from paclearn.exceptions import InputError
from paclearn.measures.bit_layout import names_of
from paclearn.measures.measure import network_of
from paclearn.spectra.coefficients import numbers_of
from paclearn.spectra.estimation import targets_of
from paclearn.spectra.transforms import points_of_cube
from paclearn.tables.weights import weights_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Measure, Network

__all__ = ["CorrelatedExpansion"]

_MOST_SUBSETS = 4096
_NOUGHT = 1e-7  # a residual that is left by rounding


@dataclass(frozen=True, eq=False)
class CorrelatedExpansion:
    r"""Orthonormal functions :math:`\psi_S` of correlated columns, made from products of the standardised columns.

    In the order {}, {0}, {1}, {0, 1}, {2}, ... each product
    :math:`\chi_S = \prod_{j \in S} (x_j - \mu_j)/\sigma_j` gives up what the functions before it span; what is left,
    :math:`\tilde\psi_S`, is divided by its norm. Where nothing is left the set is trivial, :math:`\psi_S = 0`. On
    bits, the others span all functions of the rows; on numbers, all polynomials without squares. Independent columns
    give :math:`\psi_S = \chi_S`.

    A column whose own set is trivial is a polynomial of the columns before it, and its products are trivial as well, as
    in the paper's Example 1. On bits that changes nothing. On numbers equation 4 to the letter (``with_redundant``)
    keeps some: with :math:`x_2 = x_0 x_1`, of :math:`x_0 x_2` there is :math:`x_0^2 x_1 - x_1` left.

    Parameters
    ----------
    means, deviations : ndarray of shape (n_columns,)
        Of the columns; the deviation is the population's, and 1 for a column that never varies.
    subsets : tuple of tuple of int
        In the standard order.
    norms : ndarray of shape (n_subsets,)
        What the functions before leave of every product.
    weights : ndarray of shape (n_subsets, n_subsets)
        Column S holds :math:`\psi_S` as a sum of products; all noughts where it is trivial.
    names : tuple of str
        Of the columns: those of a data frame, or x0, x1, ...
    """

    means: NDArray[np.float64]
    deviations: NDArray[np.float64]
    subsets: tuple[tuple[int, ...], ...]
    norms: NDArray[np.float64]
    weights: NDArray[np.float64]
    names: tuple[str, ...] = ()

    @classmethod
    def fit(
        cls,
        X: Any,
        depth: int | None = None,
        threshold: float = 0.0,
        *,
        with_redundant: bool = False,
        sample_weight: Any = None,
    ) -> CorrelatedExpansion:
        """The expansion under the empirical law of some rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Numbers; bits are numbers, too.
        depth : int, default=None
            Products of at most this many columns; all of them if not given.
        threshold : float, default=0.0
            The epsilon of Procedure 1: a set is trivial if at most this much is left of its product, as a standard
            deviation.
        with_redundant : bool, default=False
            Whether products with redundant columns are orthonormalised, too.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.

        Returns
        -------
        CorrelatedExpansion
            Frozen.
        """
        rows = _numbers(X)
        weights = weights_of(sample_weight, len(rows))
        share = np.ones(len(rows)) if weights is None else weights
        order = _standard_order(rows.shape[1], depth)
        found = cls._under(rows, share / share.sum(), order, _least(threshold), with_redundant=with_redundant)
        return replace(found, names=names_of(X) or _numbered(rows.shape[1]))

    @classmethod
    def under(cls, measure: Measure | Network, depth: int | None = None, threshold: float = 0.0) -> CorrelatedExpansion:
        """The expansion under a known law of bits.

        Parameters
        ----------
        measure : Measure or Network
            A fitted measure; all points of its bits are listed.
        depth, threshold : int, float
            See `fit`.

        Returns
        -------
        CorrelatedExpansion
            Frozen.
        """
        network = network_of(measure)
        points, law = points_of_cube(network.d), network.probabilities().ravel()
        found = cls._under(points, law, _standard_order(network.d, depth), _least(threshold), with_redundant=True)
        return replace(found, names=getattr(measure, "names_", _numbered(network.d)))

    @classmethod
    def _under(
        cls,
        rows: NDArray[np.float64],
        share: NDArray[np.float64],
        subsets: tuple[tuple[int, ...], ...],
        least: float,
        *,
        with_redundant: bool,
    ) -> CorrelatedExpansion:
        means = share @ rows
        deviations = np.sqrt(share @ (rows - means) ** 2)
        deviations = np.where(deviations > 1e-12 * np.abs(rows).max(axis=0, initial=0), deviations, np.inf)
        products = _products((rows - means) / deviations, subsets)
        kept = [() if with_redundant else s for s in subsets]
        norms, weights = _orthonormal(products * np.sqrt(share)[:, None], kept, least)
        return cls(means, np.where(np.isinf(deviations), 1.0, deviations), subsets, norms, weights)

    # ---- what it says ----

    @property
    def trivial(self) -> tuple[tuple[int, ...], ...]:
        """The sets of which nothing is left."""
        return tuple(s for s, column in zip(self.subsets, self.weights.T, strict=True) if not column.any())

    @property
    def redundant(self) -> tuple[int, ...]:
        """The columns whose own set is trivial: polynomials of the columns before them."""
        return tuple(s[0] for s in self.trivial if len(s) == 1)

    def norm(self, members: int | str | Sequence[int | str]) -> float:
        """What is left of a column, or of a product of columns, in units of its standard deviation (of one column).

        Parameters
        ----------
        members : int, str or sequence of them
            The column j, by number or name, for Procedure 1's norm(j), or the set.
        """
        chosen = numbers_of([members] if isinstance(members, int | np.integer) else members, self.names, "column")
        if chosen not in self.subsets:
            raise InputError(f"{chosen} is not among the {len(self.subsets):,} sets of the expansion")
        return float(self.norms[self.subsets.index(chosen)])

    def basis(self, X: Any) -> NDArray[np.float64]:
        r""":math:`\psi_S` of every row, an array of shape (n_rows, n_subsets).

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            Numbers.
        """
        rows = _numbers(X)
        if rows.shape[1] != len(self.means):
            raise InputError(f"the expansion is of {len(self.means)} columns; the table has {rows.shape[1]}")
        return np.asarray(_products((rows - self.means) / self.deviations, self.subsets) @ self.weights)

    def coefficients(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.float64]:
        r""":math:`f_S = E[y\,\psi_S(x)]` for every set, from rows: a number each, or one a target.

        Parameters
        ----------
        X, y : array-like
            Rows and their labels or numbers, see `Spectrum.estimate`.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.
        """
        functions, (targets, _) = self.basis(X), targets_of(y)
        if len(functions) != len(targets):
            raise InputError(f"there are {len(functions)} rows and {len(targets)} labels")
        weights = weights_of(sample_weight, len(functions))
        share = np.full(len(functions), 1 / len(functions)) if weights is None else weights / weights.sum()
        found = (functions * share[:, None]).T @ targets
        return np.asarray(found[:, 0] if found.shape[1] == 1 else found)


def _numbered(d: int) -> tuple[str, ...]:
    return tuple(f"x{i}" for i in range(d))


def _least(threshold: float) -> float:
    check("threshold", threshold, Between(0, 1, closed=True))
    return max(float(threshold), _NOUGHT)


def _standard_order(d: int, depth: int | None) -> tuple[tuple[int, ...], ...]:
    """Heidari and others (2021), equation 3, restricted to small sets."""
    if depth is not None and (not is_whole(depth) or depth < 1):
        raise InputError(f"depth={depth!r} must be a whole number >= 1, or None for all products")
    most = d if depth is None else int(depth)
    subsets: list[tuple[int, ...]] = [()]
    for j in range(d):
        subsets += [(*s, j) for s in subsets if len(s) < most]
        if len(subsets) > _MOST_SUBSETS:
            raise InputError(
                f"{d} columns have too many products; {_MOST_SUBSETS:,} is the most: choose a smaller depth"
            )
    return tuple(subsets)


def _products(standard: NDArray[np.float64], subsets: Iterable[tuple[int, ...]]) -> NDArray[np.float64]:
    return np.column_stack([standard[:, list(s)].prod(axis=1) for s in subsets])


def _orthonormal(
    products: NDArray[np.float64], needs: Sequence[tuple[int, ...]], least: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gram-Schmidt, twice for each function so that rounding does not add up: norms, and weights of the products.

    A function is left out if a column that it needs is redundant.
    """
    found, redundant = np.zeros_like(products), set[int]()
    norms, weights = np.zeros(products.shape[1]), np.zeros((products.shape[1],) * 2)
    for i, function in enumerate(products.T):
        if not redundant.isdisjoint(needs[i]):
            continue
        overlap = found.T @ function
        again = found.T @ (left := function - found @ overlap)
        left = left - found @ again
        norms[i] = np.linalg.norm(left)
        if norms[i] > least:
            found[:, i] = left / norms[i]
            weights[i, i] = 1.0
            weights[:, i] = (weights[:, i] - weights @ (overlap + again)) / norms[i]
        elif len(needs[i]) == 1:
            redundant.update(needs[i])
    return norms, weights


def _numbers(X: Any) -> NDArray[np.float64]:
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.size == 0:
        raise InputError(f"columns must be a table with rows; found shape {rows.shape}")
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise InputError(f"numbers must be finite; found {rows[row, column]} in row {row}, column {column}")
    return rows
