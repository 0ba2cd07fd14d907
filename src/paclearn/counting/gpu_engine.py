"""The engine of the graphics card: it counts as the compiled core does, and scans small subsets on the card."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import comb
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from paclearn.counting.bits import BitTable
from paclearn.counting.engines import NativeEngine
from paclearn.counting.sum_scans import RoundedSums
from paclearn.exceptions import SlowEngineWarning
from paclearn.kernels.gpu_card import card, why_no_card
from paclearn.kernels.gpu_fours import MOST_COLUMNS_OF_FOURS, GpuFours, bytes_of_fours
from paclearn.kernels.gpu_layouts import is_for_hopper
from paclearn.kernels.gpu_planes import KINDS, GpuPlanes, PlaneSubsets
from paclearn.kernels.gpu_sums import GpuSums, SumSubsets
from paclearn.kernels.gpu_triples import GpuTriples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from paclearn.counting.bits import CodeTable
    from paclearn.counting.engines import Fused, FusedScan
    from paclearn.kernels.gpu_lists import ListedSubsets

__all__ = ["CardScan", "GpuEngine", "memory_of_card", "wants_card"]

# Triples times rows: where the card, its start included, is faster than sixteen cores. Sums take these longer.
_LEAST_WORK, _LEAST_WORK_OF_SUMS = 2e12, 1e11
_MOST_COLUMNS = 2**20
_SHARE_OF_MEMORY = 0.8
_ONE_AT_A_TIME = Lock()  # threads of a process share the memory of its card


def wants_card(table: BitTable | CodeTable) -> bool:
    """Whether a table is for the card: if that was asked for, or if there is one and the work is large."""
    choice = os.environ.get("PACLEARN_ENGINE", "auto")
    if choice == "gpu":
        return _said_why_not()
    if choice != "auto" or find_spec("cupy") is None:
        return False
    least = _LEAST_WORK if isinstance(table, BitTable) else _LEAST_WORK_OF_SUMS
    return _work(table) >= least and _can_be_numbered(table) and not why_no_card()


@cache
def _said_why_not() -> bool:
    """Whether there is a card; where there is none it is said, once, and the processor counts."""
    why = why_no_card()
    if why:
        said = f"PACLEARN_ENGINE='gpu' was asked for, but {why}; the processor counts: same results, more slowly"
        warnings.warn(said, SlowEngineWarning, stacklevel=2)
    return not why


def _work(table: BitTable | CodeTable) -> float:
    return comb(int((table.sizes - 1).sum()), 3) * float(_rows_of(table))


def _rows_of(table: BitTable | CodeTable) -> int:
    return int(table.class_rows.sum()) if isinstance(table, BitTable) else len(table.row_class)


def _can_be_numbered(table: BitTable | CodeTable) -> bool:
    """Whether three columns fit one number, and rows another."""
    return 3 <= len(table.sizes) <= _MOST_COLUMNS and _rows_of(table) < 2**31


def _are_bits(table: BitTable) -> bool:
    """Bits of rows in two classes, few enough to be numbered."""
    return table.n_channels == 2 and _can_be_numbered(table) and bool((table.sizes == 2).all())


@dataclass(frozen=True, eq=False)
class CardScan:
    """Pairs, triples and sets of four on the card, everything else on the processor.

    Parameters
    ----------
    processor : FusedScan
        The scan of the compiled core.
    lists : mapping of int to ListedSubsets
        The same bits for the card, by the size of subsets.
    """

    processor: FusedScan
    lists: Mapping[int, ListedSubsets]

    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = float("-inf")
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best subsets whose first member is in a range, with their scores; those below the floor may be missing.

        Parameters
        ----------
        k, begin, end, n_best, floor : int, int, int, int, float
            The size of the subsets, the range, how many are wanted, and the least score of interest.
        """
        if k not in self.lists:
            return self.processor.best(k, begin, end, n_best, floor)
        try:
            with _ONE_AT_A_TIME:
                return self.lists[k].best(begin, end, n_best, floor)
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
        if not isinstance(self.table, BitTable):
            return _of_sums(self.table, fused, self.n_threads)
        processor, table = super().scan(fused), self.table
        if processor is None:
            return None
        lists = {**_of_planes(table, fused), **self._of_bits(table, fused)}
        return CardScan(processor, lists) if lists else processor

    def _of_bits(self, table: BitTable, fused: Fused) -> dict[int, ListedSubsets]:
        """Of bits in two classes, signed counts say all: these are the fastest."""
        if fused.kind != "empirical" or not _are_bits(table) or not _fits_memory(table):
            return {}
        parts = (table.words, table.class_starts, table.class_rows, fused.scale)
        lists: dict[int, ListedSubsets] = {3: GpuTriples(*parts)}
        if _fours_fit(table):
            lists[4] = GpuFours(*parts, lambda subsets: self.counts(subsets).values)
        return lists


def _of_planes(table: BitTable, fused: Fused) -> dict[int, ListedSubsets]:
    """Pairs and triples of columns with levels, of rows in any number of classes."""
    if fused.kind not in KINDS or table.n_channels < 2 or not _can_be_numbered(table):
        return {}
    parts = (table.words, table.sizes, table.class_starts, table.class_rows, memory_of_card())
    planes = GpuPlanes(*parts, fused.kind, fused.scale, fused.inverse)
    return {k: PlaneSubsets(planes, k) for k in (2, 3)} if planes.fits else {}


def _of_sums(table: CodeTable, fused: Fused, n_threads: int) -> FusedScan | None:
    """Pairs and triples by sums of numbers; what may be among the best is scored by the processor."""
    sums = RoundedSums.of(table, fused)
    if sums is None:
        return None
    bits, rounded, processor = sums.bits, sums.rounded, sums.scan(n_threads)
    rounding = np.array([*rounded.steps, *rounded.errors, sums.own, sums.peak])
    parts = (bits.words, bits.sizes, bits.class_starts, bits.class_rows, memory_of_card())
    on_card = GpuSums(*parts, rounded.numbers, rounding, sums.kind, sums.scale)
    if not _can_be_numbered(table) or not on_card.fits:
        return processor
    return CardScan(processor, {k: SumSubsets(on_card, k, processor.scores) for k in (2, 3)})


def _fits_memory(table: BitTable) -> bool:
    """Whether bits (twice, while they are laid out) and the signed counts of all pairs fit on the card."""
    return 2 * table.nbytes + 4 * (table.n_units + 64) ** 2 < memory_of_card()


def _fours_fit(table: BitTable) -> bool:
    """Whether the card has the instructions for sets of four, and the memory for the signed counts of all triples."""
    if not 4 <= table.n_units < MOST_COLUMNS_OF_FOURS or not is_for_hopper(2 * table.words.shape[1]):
        return False
    return bytes_of_fours(table.n_units, table.nbytes) < memory_of_card()


def memory_of_card() -> int:
    """Bytes of the card that a scan may take: what is free, and what CuPy keeps for later."""
    cp = card()
    return int(_SHARE_OF_MEMORY * (cp.cuda.runtime.memGetInfo()[0] + cp.get_default_memory_pool().free_bytes()))
