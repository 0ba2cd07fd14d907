r"""Neighbouring thresholds of a numeric column are believed to be alike.

Ridge regression believes of every weight that it is drawn by itself, so that a column's curve is a random walk over
its thresholds. Where curves are smooth it pays to believe that the weights of near thresholds go together: their
covariance is :math:`\Sigma_{ij} = (1-\rho)[i=j] + \rho\,e^{-|i-j|/\ell}`. A root of that matrix, applied to the
column's thresholds, makes it plain ridge regression again.

Where rows are few, a straight line says most of what they can tell. Weights :math:`s_t` in proportion to the distance
between thresholds add up to the standardised number, kept between its outer thresholds; :math:`\Sigma = ss' + \delta I`
believes in that line as ridge regression on plain numbers does, and beside it in as much as many rows would insist on.
Numbers of few values, which are levels with thresholds between them, have such a line too, over all their bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.domain import BinColumn, LevelColumn
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Domain

__all__ = ["Root", "beliefs_of"]


Root = tuple[slice, "NDArray[np.float32]"]  # of which bits, and lower triangular


def beliefs_of(
    domain: Domain, bits: tuple[Bit, ...], *, smooth: bool, few: bool, often: NDArray[np.float64] | None = None
) -> tuple[tuple[Root, ...], ...]:
    """What may be believed of the weights of thresholds: nothing, that they go together, and of few rows a line.

    ``often`` is in what share of the rows each bit is true; None: levels of a column are alike.
    """
    curves = list(_curves(domain, bits)) if smooth or few else []
    found: list[tuple[Root, ...]] = [()]
    if curves and smooth:
        found.append(tuple((places, _smooth(len(column.thresholds))) for column, places in curves))
    lines = [(places, _straight(np.asarray(column.thresholds))) for column, places in curves]
    if few and (lines := lines + list(_lines_of_levels(domain, bits, often))):
        found.append(tuple(sorted(lines, key=lambda line: line[0].start)))
    return tuple(found)


def _curves(domain: Domain, bits: tuple[Bit, ...]) -> Iterator[tuple[BinColumn, slice]]:
    """Columns with several thresholds, and where their bits are."""
    columns = np.array([bit.column for bit in bits])
    for i, column in enumerate(domain.columns):
        if isinstance(column, BinColumn) and len(column.thresholds) >= TUNING.fewest_thresholds:
            start = int(np.searchsorted(columns, i))
            yield column, slice(start, start + len(column.thresholds))


def _lines_of_levels(
    domain: Domain, bits: tuple[Bit, ...], often: NDArray[np.float64] | None
) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """Roots for all bits of columns of few numbers: levels, thresholds between them, and perhaps "is missing"."""
    columns = np.array([bit.column for bit in bits])
    for i, column in enumerate(domain.columns):
        if not isinstance(column, LevelColumn) or not column.numeric or column.other:
            continue
        places = slice(*(int(p) for p in np.searchsorted(columns, [i, i + 1])))
        here = bits[places]
        values = np.array([float(level) for level in column.levels])
        if len(values) > TUNING.fewest_thresholds and len(here) > len(values) + column.missing:
            shares = None if often is None else often[places][: len(values)]
            yield places, _straight_through(values, shares, here)


def _straight_through(
    values: NDArray[np.float64], shares: NDArray[np.float64] | None, bits: tuple[Bit, ...]
) -> NDArray[np.float32]:
    """Every cut by the bit that tells its two sides apart; what lies at neither end of the numbers is no cut."""
    last, mean = len(values) - 1, np.average(values, weights=shares)
    spread = np.sqrt(np.average((values - mean) ** 2, weights=shares))
    half_gaps = np.diff(values) / (2 * max(float(spread), 1e-300))
    rises, variance = np.zeros(len(bits)), np.full(len(bits), TUNING.beside_lines)
    for j, bit in enumerate(bits):
        if bit.codes[0] > last:
            variance[j] = 1.0  # a missing number is on no line
        elif bit.codes[-1] == last:
            rises[j] = half_gaps[bit.codes[0] - 1]
        elif bit.codes == (0,):
            rises[j] = -half_gaps[0]
    return _root(np.outer(rises, rises) + np.diag(variance))


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
