"""The one module that reaches the compiled core for counting."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError, SlowEngineWarning

_core: Any
try:
    from paclearn.kernels import _core
except ImportError:  # installed where no compiler was found
    _core = None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting.bits import BitTable, ClassOrder, CodeTable

__all__ = [
    "Scan",
    "available",
    "count_cells",
    "instruction_set",
    "pack_codes",
    "pack_matrix",
    "sort_planes",
    "sum_cells",
]

_said = False
_MOST_SQUEEZED = 16  # planes; with more of them, row by row is faster
_INSTRUCTION_SETS = ("", "avx512", "avx2", "popcnt", "plain", "neon")


def available() -> bool:
    """Whether the compiled core counts; ``PACLEARN_ENGINE`` = ``numpy`` or ``native`` forces the answer."""
    choice = os.environ.get("PACLEARN_ENGINE", "auto")
    if choice not in {"auto", "numpy", "native"}:
        raise InputError(f"PACLEARN_ENGINE={choice!r} is not known; it can be 'auto', 'numpy', 'native'")
    isa = os.environ.get("PACLEARN_ISA", "")
    if isa not in _INSTRUCTION_SETS:
        raise InputError(f"PACLEARN_ISA={isa!r} is not known; it can be {', '.join(map(repr, _INSTRUCTION_SETS[1:]))}")
    if choice == "native" and _core is None:
        raise InputError("PACLEARN_ENGINE='native' was asked for, but paclearn was installed without its C++ core")
    if choice == "auto" and _core is None:
        _say_once()
    return _core is not None and choice != "numpy"


def instruction_set() -> str:
    """What the compiled core counts with: avx512, avx2, popcnt or plain; none without it."""
    return "none" if _core is None else str(_core.instruction_set())


def _say_once() -> None:
    global _said  # noqa: PLW0603 - once a process is the point
    if not _said:
        _said = True
        warnings.warn(
            "paclearn was installed without its C++ core (no working compiler), so numpy counts: the results are the "
            "same, the speed is not. Reinstall with a C++20 compiler to change that.",
            SlowEngineWarning,
            stacklevel=2,
        )


def pack_codes(codes: NDArray[Any], rows: ClassOrder, planes: NDArray[np.uint64]) -> None:
    """Set the bits of one column's planes, in place."""
    few = codes.dtype == np.uint8 and len(planes) <= _MOST_SQUEEZED
    if not few or not _core.pack_by_squeezing(codes, rows.masks, rows.starts, rows.counts, planes):
        _core.pack_codes(codes, rows.order, rows.starts, rows.counts, planes)


def pack_matrix(columns: Any, sizes: NDArray[np.int64], rows: ClassOrder, planes: NDArray[np.uint64]) -> bool:
    """Set the bits of all planes, in place, if the columns are those of a matrix stored row by row, and say so."""
    if not isinstance(columns, np.ndarray) or columns.ndim != 2 or columns.dtype != np.uint8:
        return False
    by_rows = columns.T
    if not by_rows.flags.c_contiguous or sizes.max(initial=0) > _MOST_SQUEEZED + 1:
        return False
    return bool(_core.pack_rows(by_rows, sizes, rows.masks, rows.starts, rows.counts, planes))


def sort_planes(unsorted: NDArray[np.uint64], rows: ClassOrder, planes: NDArray[np.uint64]) -> bool:
    """Sort the rows of packed planes by class, into other planes, and say whether that could be done."""
    return bool(_core.sort_planes(unsorted, len(rows.row_class), rows.masks, rows.starts, rows.counts, planes))


def count_cells(
    table: BitTable, valid: NDArray[np.uint64], subsets: NDArray[np.int32], cells: int, n_threads: int
) -> NDArray[np.int64]:
    """Counts of every subset, cell and class."""
    counts = np.zeros((len(subsets), cells, table.n_channels), dtype=np.int64)
    _core.count_cells(
        table.words,
        table.first_plane,
        table.sizes,
        valid,
        table.class_starts,
        table.class_rows,
        subsets,
        counts,
        n_threads,
    )
    return counts


class Scan:
    """Every subset of two or more units, scored in the core as it is counted; only the best come back."""

    KINDS = ("empirical", "product", "l2")

    def __init__(
        self,
        table: BitTable,
        valid: NDArray[np.uint64],
        kind: str,
        inverse: NDArray[np.float64] | None,
        scale: float,
        n_threads: int,
    ) -> None:
        if inverse is None:
            inverse = np.ones((table.n_units, int(table.sizes.max())))
        self._threads = n_threads
        self._scanner = _core.Scanner(
            table.words,
            valid,
            table.class_starts,
            table.class_rows,
            table.sizes,
            np.ascontiguousarray(inverse),
            self.KINDS.index(kind),
            scale,
        )

    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = -np.inf
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best subsets of size k whose first member lies in [begin, end), best first, ties in order.

        Subsets that score less than ``floor`` may be missing.
        """
        subsets = np.empty((n_best, k), dtype=np.int32)
        scores = np.empty(n_best)
        # minus infinity times anything is trouble; no score is as low as this
        n = self._scanner.scan(begin, end, max(floor, -1e200), self._threads, subsets, scores)
        return subsets[:n], scores[:n]


def sum_cells(table: CodeTable, subsets: NDArray[np.int32], cells: int, n_threads: int) -> NDArray[np.float64]:
    """Sums of every subset, cell and channel."""
    n_values = table.values.shape[1]
    sums = np.zeros((len(subsets), cells, table.n_classes, n_values))
    _core.sum_cells(table.codes, table.sizes, table.row_class, table.n_classes, table.values, subsets, sums, n_threads)
    return sums.reshape(len(subsets), cells, -1)
