"""The engine of the graphics card: it counts as the compiled core does, and scans triples on the card."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import comb
from typing import TYPE_CHECKING

from paclearn.counting.bits import BitTable
from paclearn.counting.engines import NativeEngine
from paclearn.exceptions import SlowEngineWarning
from paclearn.kernels.gpu_card import card, why_no_card
from paclearn.kernels.gpu_triples import GpuTriples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paclearn.counting.bits import CodeTable
    from paclearn.counting.engines import Fused, FusedScan

__all__ = ["CardScan", "GpuEngine", "wants_card"]

_LEAST_WORK = 2e12  # triples times rows: where the card, its start included, is faster than sixteen cores
_MOST_COLUMNS = 2**20
_SHARE_OF_MEMORY = 0.8


def wants_card(table: BitTable | CodeTable) -> bool:
    """Whether a table is for the card: if that was asked for, or if there is one and the work is large."""
    choice = os.environ.get("PACLEARN_ENGINE", "auto")
    if choice == "gpu":
        return _said_why_not()
    if choice != "auto" or not _fits_kernel(table) or find_spec("cupy") is None:
        return False
    return _work(table) >= _LEAST_WORK and not why_no_card()


@cache
def _said_why_not() -> bool:
    """Whether there is a card; where there is none it is said, once, and the processor counts."""
    why = why_no_card()
    if why:
        said = f"PACLEARN_ENGINE='gpu' was asked for, but {why}; the processor counts: same results, more slowly"
        warnings.warn(said, SlowEngineWarning, stacklevel=2)
    return not why


def _work(table: BitTable | CodeTable) -> float:
    return comb(table.n_units, 3) * float(table.class_rows.sum()) if isinstance(table, BitTable) else 0.0


def _fits_kernel(table: BitTable | CodeTable) -> bool:
    """Bits of rows in two classes, few enough to be numbered."""
    if not isinstance(table, BitTable) or table.n_channels != 2 or not 3 <= table.n_units <= _MOST_COLUMNS:
        return False
    return bool((table.sizes == 2).all()) and int(table.class_rows.sum()) < 2**31


@dataclass(frozen=True, eq=False)
class CardScan:
    """Triples on the card, everything else on the processor.

    Parameters
    ----------
    processor : FusedScan
        The scan of the compiled core.
    triples : GpuTriples
        The same bits for the card.
    """

    processor: FusedScan
    triples: GpuTriples

    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = float("-inf")
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best subsets whose first member is in a range, with their scores; those below the floor may be missing.

        Parameters
        ----------
        k, begin, end, n_best, floor : int, int, int, int, float
            The size of the subsets, the range, how many are wanted, and the least score of interest.
        """
        if k != 3:
            return self.processor.best(k, begin, end, n_best, floor)
        try:
            return self.triples.best(begin, end, n_best, floor)
        except MemoryError:  # so many ties that the card cannot list them
            return self.processor.best(k, begin, end, n_best, floor)


class GpuEngine(NativeEngine):
    """The compiled core with a graphics card beside it.

    Parameters
    ----------
    table, n_threads : as of `NativeEngine`
        What to count, and threads of the processor.
    """

    def scan(self, fused: Fused) -> FusedScan | None:
        processor, table = super().scan(fused), self.table
        if processor is None or fused.kind != "empirical" or not isinstance(table, BitTable):
            return processor
        if not _fits_kernel(table) or not _fits_memory(table):
            return processor
        return CardScan(processor, GpuTriples(table.words, table.class_starts, table.class_rows, fused.scale))


def _fits_memory(table: BitTable) -> bool:
    """Whether bits (twice, while they are laid out) and the signed counts of all pairs fit on the card."""
    free, _ = card().cuda.runtime.memGetInfo()
    return 2 * table.nbytes + 4 * (table.n_units + 64) ** 2 < _SHARE_OF_MEMORY * free
