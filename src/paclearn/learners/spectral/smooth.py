r"""Neighbouring thresholds of a numeric column are believed to be alike.

Ridge regression believes of every weight that it is drawn by itself, so that a column's curve is a random walk over
its thresholds. Where curves are smooth it pays to believe that the weights of near thresholds go together: their
covariance is :math:`\Sigma_{ij} = (1-\rho)[i=j] + \rho\,e^{-|i-j|/\ell}`. A root of that matrix, applied to the
column's thresholds, makes it plain ridge regression again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.domain import BinColumn
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Domain

__all__ = ["Root", "roots_of"]


Root = tuple[slice, "NDArray[np.float32]"]  # of which bits, and lower triangular


def roots_of(domain: Domain, bits: tuple[Bit, ...]) -> tuple[Root, ...]:
    """One for every numeric column that is cut at several thresholds."""
    columns = np.array([bit.column for bit in bits])
    found: list[Root] = []
    for i, column in enumerate(domain.columns):
        if isinstance(column, BinColumn) and len(column.thresholds) >= TUNING.fewest_thresholds:
            start = int(np.searchsorted(columns, i))
            found.append((slice(start, start + len(column.thresholds)), _root(len(column.thresholds))))
    return tuple(found)


def _root(size: int) -> NDArray[np.float32]:
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    covariance = (1 - TUNING.correlation) * np.eye(size) + TUNING.correlation * np.exp(-apart / TUNING.reach)
    return np.linalg.cholesky(covariance).astype(np.float32)
