r"""Neighbouring thresholds of a numeric column are believed to be alike.

Ridge regression believes of every weight that it is drawn by itself, so that a column's curve is a random walk over
its thresholds. Where curves are smooth it pays to believe that the weights of near thresholds go together: their
covariance is :math:`\Sigma_{ij} = (1-\rho)[i=j] + \rho\,e^{-|i-j|/\ell}`. A root of that matrix, applied to the
column's thresholds, makes it plain ridge regression again.

Where rows are few, a straight line says most of what they can tell. Weights :math:`s_t` in proportion to the distance
between thresholds add up to the standardised number, kept between its outer thresholds; :math:`\Sigma = ss' + \delta I`
believes in that line as ridge regression on plain numbers does, and beside it in as much as many rows would insist on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.domain import BinColumn
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Domain

__all__ = ["Root", "beliefs_of"]


Root = tuple[slice, "NDArray[np.float32]"]  # of which bits, and lower triangular


def beliefs_of(domain: Domain, bits: tuple[Bit, ...], *, smooth: bool, few: bool) -> tuple[tuple[Root, ...], ...]:
    """What may be believed of the weights of thresholds: nothing, that they go together, and of few rows a line."""
    curves = list(_curves(domain, bits)) if smooth or few else []
    found: list[tuple[Root, ...]] = [()]
    if curves and smooth:
        found.append(tuple((places, _smooth(len(column.thresholds))) for column, places in curves))
    if curves and few:
        found.append(tuple((places, _straight(np.asarray(column.thresholds))) for column, places in curves))
    return tuple(found)


def _curves(domain: Domain, bits: tuple[Bit, ...]) -> Iterator[tuple[BinColumn, slice]]:
    """Columns with several thresholds, and where their bits are."""
    columns = np.array([bit.column for bit in bits])
    for i, column in enumerate(domain.columns):
        if isinstance(column, BinColumn) and len(column.thresholds) >= TUNING.fewest_thresholds:
            start = int(np.searchsorted(columns, i))
            yield column, slice(start, start + len(column.thresholds))


def _smooth(size: int) -> NDArray[np.float32]:
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    return _root((1 - TUNING.correlation) * np.eye(size) + TUNING.correlation * np.exp(-apart / TUNING.reach))


def _straight(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """As many rows are in every bin, or nearly, so that numbers are spread out as the middles of bins are."""
    gaps = np.diff(thresholds)
    places = np.cumsum(np.concatenate([[0.0], gaps[:1], (gaps[1:] + gaps[:-1]) / 2, gaps[-1:]]))
    rises = np.diff(places) / (2 * max(float(places.std()), 1e-300))  # from false to true is twice a weight
    return _root(np.outer(rises, rises) + TUNING.beside_lines * np.eye(len(rises)))


def _root(covariance: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.linalg.cholesky(covariance).astype(np.float32)
