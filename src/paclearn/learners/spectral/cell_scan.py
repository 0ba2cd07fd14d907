"""The scan of pairs by counts of pairs of cells: rows cost as much as there are columns, and not all the bits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.term_scan import Scan, Standardised

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.spectral.cell_terms import CellTerms

__all__ = ["CellScan"]


@dataclass(frozen=True, eq=False)
class CellScan(Scan):
    """The same scores of pairs, where functions of single bits are their signs, standardised; ``basis`` are these."""

    cells: CellTerms | None = None  # signs of single bits, in their order
    standard: Standardised | None = None

    @cached_property
    def _signs(self) -> CellTerms:
        assert self.cells is not None  # noqa: S101 - made for them
        return self.cells

    @cached_property
    def _functions(self) -> CellTerms:
        """By which pairs are ranked."""
        assert self.standard is not None  # noqa: S101 - made for them
        mean, deviation = self.standard.mean, self.standard.deviation
        return self._signs.changed(lambda signs, bits: (signs - mean[bits]) / deviation[bits])

    def _sums_of_pairs(self, output: NDArray[np.float32]) -> NDArray[np.float32]:
        return self._functions.products(output).astype(np.float32)

    def _sums_of_squares(self) -> NDArray[np.float32]:
        return self._functions.changed(lambda f, _: f**2).products(self.counts).astype(np.float32)

    def _sums_where_true(self) -> NDArray[np.float32]:
        return self._signs.changed(lambda signs, _: (signs + 1) / 2).products(self.counts).astype(np.float32)
