"""The spectrum of a function of columns with several levels, under any law of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import make_frame
from paclearn._parameters import Listed, Whole, check
from paclearn.exceptions import InputError
from paclearn.measures.level_measure import LevelMeasure
from paclearn.measures.level_network import LevelNetwork
from paclearn.measures.measure import fitted_network
from paclearn.spectra.coefficients import numbers_of
from paclearn.spectra.estimation import targets_of
from paclearn.spectra.noise import check_rho, exponents
from paclearn.tables.weights import effective_rows, weights_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["LevelSpectrum", "level_inverse_transform", "level_transform"]

_MOST_COEFFICIENTS = 2**22


@dataclass(frozen=True, eq=False, repr=False)
class LevelSpectrum:
    r"""Coefficients :math:`\hat f(\alpha) = E[f\,\phi_\alpha]` of products of functions of single columns.

    Zhang (2019), Definition 6 and Proposition 9, for columns that may depend on each other. Which functions of a column
    are taken is a choice (`paclearn.measures.LevelNetwork`); the sum of squares over all products that look at the
    same columns is not: `by_columns`. It is the variance of that effect in the functional analysis of variance.

    Parameters
    ----------
    network : LevelNetwork
        The law that the basis is orthonormal under.
    indices : ndarray of shape (n_products, n_columns)
        For every product the function of every column: 0 is the constant.
    values : ndarray of shape (n_products, n_targets)
        The coefficients.
    se : ndarray or None
        Standard errors, for an estimated spectrum.
    names : tuple of str
        Names of the columns.
    classes : tuple
        The classes that the targets stand for, if they were classes.
    """

    network: LevelNetwork
    indices: NDArray[np.intp]
    values: NDArray[np.float64]
    se: NDArray[np.float64] | None
    names: tuple[str, ...]
    classes: tuple[Any, ...] = ()

    # ---- where it comes from ----

    @classmethod
    def exact(
        cls, function: Any, measure: LevelMeasure | LevelNetwork, names: Sequence[str] | None = None
    ) -> LevelSpectrum:
        """The spectrum of a known function.

        Parameters
        ----------
        function : callable or array-like
            Maps rows of level numbers to a value each; or the values themselves, for all points in order, the first
            column slowest.
        measure : LevelMeasure or LevelNetwork
            The law; a measure must be fitted.
        names : sequence of str, default=None
            Names of the columns; those of the measure, or x0, x1, ... if not given.

        Returns
        -------
        LevelSpectrum
            With the coefficients of all products.
        """
        network = _network_of(measure)
        network.check_points()
        points = _all_indices(network.sizes)
        values = np.asarray(function(points) if callable(function) else function, dtype=np.float64)
        found = level_transform(values, network)
        return cls(network, points, found.reshape(-1, 1), None, _names(names, measure))

    @classmethod
    def estimate(
        cls, X: Any, y: Any, measure: LevelMeasure | LevelNetwork, degree: int = 2, sample_weight: Any = None
    ) -> LevelSpectrum:
        """The spectrum of what made the labels, up to a degree, from rows.

        Parameters
        ----------
        X : table, or array-like of shape (n_rows, n_columns)
            A table like that of the measure's ``fit``; level numbers, if the measure is a network.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            Numbers or classes, see `Spectrum.estimate`.
        measure : LevelMeasure or LevelNetwork
            The law; a measure must be fitted.
        degree : int, default=2
            Products that look at up to this many columns.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        LevelSpectrum
            With standard errors.
        """
        check("degree", degree, Whole(0))
        network = _network_of(measure)
        codes = measure.codes(X) if isinstance(measure, LevelMeasure) else network.as_codes(X, unseen=True)
        targets, classes = targets_of(y)
        if len(codes) != len(targets) or len(codes) == 0:
            raise InputError(f"there are {len(codes)} rows and {len(targets)} labels")
        indices = _indices_up_to(network.sizes, degree)
        weights = weights_of(sample_weight, len(codes))
        share = np.full(len(codes), 1 / len(codes)) if weights is None else weights / weights.sum()
        values, squares = _moments(network.basis(codes), targets, share, indices)
        se = np.sqrt(np.maximum(squares - values**2, 0) / effective_rows(weights, len(codes)))
        return cls(network, indices, values, se, _names(None, measure), classes)

    # ---- what it says ----

    @cached_property
    def subsets(self) -> tuple[tuple[int, ...], ...]:
        """The columns that every product looks at."""
        return tuple(tuple(np.flatnonzero(index).tolist()) for index in self.indices)

    @cached_property
    def degrees(self) -> NDArray[np.intp]:
        """How many columns every product looks at."""
        return np.asarray((self.indices > 0).sum(axis=1))

    @property
    def _weights(self) -> NDArray[np.float64]:
        return np.asarray((self.values**2).sum(axis=1))

    def weight_by_degree(self) -> NDArray[np.float64]:
        """Sum of squared coefficients of every degree, over all targets: with Parseval they add up to E[f^2]."""
        return np.bincount(self.degrees, weights=self._weights).astype(np.float64)

    def by_columns(self) -> Any:
        """A data frame, one row a set of columns: ``columns``, ``weight`` (the variance it explains), ``share``."""
        weights: dict[tuple[int, ...], float] = {}
        for subset, weight in zip(self.subsets, self._weights.tolist(), strict=True):
            if subset:
                weights[subset] = weights.get(subset, 0.0) + weight
        total = sum(weights.values()) or 1.0
        ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
        return make_frame(
            {
                "columns": [tuple(self.names[i] for i in subset) for subset, _ in ranked],
                "weight": [weight for _, weight in ranked],
                "share": [weight / total for _, weight in ranked],
            }
        )

    def concentration(self, within: int | Iterable[Sequence[int | str]]) -> float:
        """Share of the squared coefficients, from 0 to 1, that products of some columns have.

        Parameters
        ----------
        within : int or collection of sets of columns
            Products that look at up to this many columns; or a list of sets of columns, each of numbers or names, for
            the products that look at just these.
        """
        return max(1 - self.weight_outside(within) / max(float(self._weights.sum()), 1e-300), 0.0)

    def weight_outside(self, within: int | Iterable[Sequence[int | str]]) -> float:
        r"""The :math:`\epsilon` for which it is concentrated, see `Spectrum.weight_outside` (Zhang 2019, Definition 2).

        Parameters
        ----------
        within : int or collection of sets of columns
            See `concentration`.
        """
        if isinstance(within, int | np.integer):
            return float(self._weights[self.degrees > within].sum())
        check("within", within, Whole(0) | Listed("sets of columns"))
        inside = {numbers_of(columns, self.names, "column") for columns in within}
        return float(sum(w for s, w in zip(self.subsets, self._weights, strict=True) if s not in inside))

    def influences(self) -> NDArray[np.float64]:
        """The sum of the squared coefficients of the products that look at each column."""
        return np.asarray((self.indices > 0).T @ self._weights, dtype=np.float64)

    def noise_stability(self, rho: float, kind: str = "uniform") -> float:
        r"""How much of a function survives noise: :math:`\sum_\alpha \hat f(\alpha)^2 \rho^{e(\alpha)}`.

        Zhang (2019), Propositions 13 to 15, with levels that are drawn anew in the place of bits.

        Parameters
        ----------
        rho : float
            The chance that a level is kept: 1 for no noise, 0 for fresh rows.
        kind : {"uniform", "sequential", "structured"}, default="uniform"
            See `Spectrum.noise_stability`.
        """
        check_rho(rho, 0)
        return float(float(rho) ** exponents(self.network, self.subsets, kind) @ self._weights)

    def predict(self, codes: Any) -> NDArray[np.float64]:
        """The function that the coefficients make, one column a target where there are several.

        Parameters
        ----------
        codes : array-like of shape (n_rows, n_columns)
            Level numbers; `LevelMeasure.codes` gives those of a table.
        """
        basis = self.network.basis(codes)
        total = np.zeros((len(np.asarray(codes)), self.values.shape[1]))
        for index, value in zip(self.indices, self.values, strict=True):
            total += _product(basis, index)[:, None] * value
        return total[:, 0] if total.shape[1] == 1 else total

    def __getitem__(self, index: Sequence[int]) -> Any:
        """The coefficient of a product, by the function of every column; a number if there is one target."""
        fits = np.shape(index) == (self.network.d,)
        place = np.flatnonzero((self.indices == np.asarray(index)).all(axis=1) if fits else False)
        if not len(place):
            raise InputError(f"no coefficient of {tuple(index)!r} is there; a degree high enough would give it")
        row = self.values[place[0]]
        return float(row[0]) if len(row) == 1 else row

    def __repr__(self) -> str:
        kind = "" if self.se is None else " with standard errors"
        return f"<LevelSpectrum{kind}: {len(self.indices):,} products of functions of {self.network.d} columns>"


def level_transform(values: NDArray[np.float64], network: LevelNetwork) -> NDArray[np.float64]:
    """All coefficients of a function; children before parents, an axis of levels gives way to one of functions.

    Parameters
    ----------
    values : ndarray
        The function at all points, one axis a column (or in their order, the first column slowest).
    network : LevelNetwork
        The law.

    Returns
    -------
    ndarray, one axis a column
        The coefficient of every product of functions.
    """
    spectrum = _as_grid(values, network)
    for i in reversed(network.order):
        weighted = network.functions[i] * network.tables[i][..., None, :]
        spectrum = _along(spectrum, i, network.on_axes(i, weighted))
    return spectrum


def level_inverse_transform(spectrum: NDArray[np.float64], network: LevelNetwork) -> NDArray[np.float64]:
    """The function with given coefficients; the inverse of `level_transform`.

    Parameters
    ----------
    spectrum : ndarray
        Coefficients, one axis a column.
    network : LevelNetwork
        The law.

    Returns
    -------
    ndarray, one axis a column
        The function at all points.
    """
    values = _as_grid(spectrum, network)
    for i in network.order:
        values = _along(values, i, network.on_axes(i, np.swapaxes(network.functions[i], -1, -2)))
    return values


def _along(grid: NDArray[np.float64], i: int, matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Matrices, one for every state of the parents, times the vectors along an axis."""
    vectors = np.expand_dims(np.moveaxis(grid, i, -1), (i, -1))  # the axis of column i is of length one in matrices
    return np.moveaxis((matrices @ vectors)[..., 0].squeeze(axis=i), -1, i)


def _as_grid(values: Any, network: LevelNetwork) -> NDArray[np.float64]:
    grid = np.array(values, dtype=np.float64)
    if grid.size != prod(network.sizes):
        raise InputError(f"a function of these columns has {prod(network.sizes):,} values; found {grid.size:,}")
    return grid.reshape(network.sizes)


def _all_indices(sizes: Sequence[int]) -> NDArray[np.intp]:
    return np.stack(np.unravel_index(np.arange(prod(sizes)), tuple(sizes)), axis=1)


def _indices_up_to(sizes: Sequence[int], degree: int) -> NDArray[np.intp]:
    """Products of functions of up to so many columns, fewer columns first."""
    subsets = [s for k in range(min(degree, len(sizes)) + 1) for s in combinations(range(len(sizes)), k)]
    total = sum(prod(sizes[i] - 1 for i in s) for s in subsets)
    if total > _MOST_COEFFICIENTS:
        raise InputError(f"there are {total:,} products of up to {degree} columns; choose a smaller degree")
    found = np.zeros((total, len(sizes)), dtype=np.intp)
    for row, (subset, chosen) in zip(found, _choices(sizes, subsets), strict=True):
        row[list(subset)] = chosen
    return found


def _choices(
    sizes: Sequence[int], subsets: Iterable[tuple[int, ...]]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """A function for every column of every subset, the constant aside."""
    return ((s, chosen) for s in subsets for chosen in product(*(range(1, sizes[i]) for i in s)))


def _product(basis: Sequence[NDArray[np.float64]], index: NDArray[np.intp]) -> NDArray[np.float64]:
    """One product of functions of single columns, at every row."""
    total = np.ones(len(basis[0]))
    for i in np.flatnonzero(index).tolist():
        total = total * basis[i][:, index[i] - 1]
    return total


def _moments(
    basis: Sequence[NDArray[np.float64]],
    targets: NDArray[np.float64],
    share: NDArray[np.float64],
    indices: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of target times product, and of its square."""
    values, squares = np.empty((2, len(indices), targets.shape[1]))
    for k, index in enumerate(indices):
        terms = _product(basis, index)[:, None] * targets
        values[k], squares[k] = share @ terms, share @ terms**2
    return values, squares


def _network_of(measure: LevelMeasure | LevelNetwork) -> LevelNetwork:
    network = measure if isinstance(measure, LevelNetwork) else fitted_network(measure)
    if not isinstance(network, LevelNetwork):
        raise InputError(f"{measure!r} is a law of bits, for Spectrum; LevelMeasure learns one of columns with levels")
    return network


def _names(names: Sequence[str] | None, measure: LevelMeasure | LevelNetwork) -> tuple[str, ...]:
    if names is not None:
        return tuple(map(str, names))
    if isinstance(measure, LevelMeasure):
        return measure.names_
    return tuple(f"x{i}" for i in range(measure.d))
