"""What workers do with the tables that lie on them: engines and scans of a table are made once and kept with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from paclearn.counting.engine_choice import local_engine
from paclearn.counting.gpu_engine import CardScan
from paclearn.exceptions import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paclearn.counting.bits import BitTable, CodeTable
    from paclearn.counting.engines import Engine, Fused, FusedScan

__all__ = [
    "count_cells",
    "engine_at_hand",
    "fingerprint_of",
    "identity_of",
    "scan_at_hand",
    "scan_range",
    "scans_by",
]

_AT_HAND: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()  # engines and scans of a table, made once


def engine_at_hand(table: BitTable | CodeTable) -> Engine:
    known = _AT_HAND.setdefault(table, {})
    if "engine" not in known:
        known["engine"] = local_engine(replace(table), 1)  # of a twin: what knows the table itself would keep it here
    return known["engine"]


def scan_at_hand(table: BitTable | CodeTable, fused: Fused) -> FusedScan | None:
    known = _AT_HAND.setdefault(table, {})
    key = (fused.kind, fused.scale, b"" if fused.inverse is None else fused.inverse.tobytes())
    if key not in known:
        known[key] = engine_at_hand(table).scan(fused)
    return known[key]


def fingerprint_of(table: BitTable | CodeTable) -> str:
    return engine_at_hand(table).fingerprint()


def identity_of(table: BitTable | CodeTable) -> list[NDArray[Any]]:
    return list(engine_at_hand(table).identity())


def count_cells(table: BitTable | CodeTable, subsets: NDArray[np.int32]) -> NDArray[Any]:
    return engine_at_hand(table).counts(subsets).values


def scans_by(table: BitTable | CodeTable, fused: Fused) -> str:
    """What a worker scans by, its own card or the compiled core; nothing where it cannot."""
    scan = scan_at_hand(table, fused)
    return "" if scan is None else "card" if isinstance(scan, CardScan) else "core"


def scan_range(
    table: BitTable | CodeTable, fused: Fused, k: int, begin: int, end: int, n_best: int, floor: float
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    scan = scan_at_hand(table, fused)
    if scan is None:
        raise InputError("workers without paclearn's C++ core scan nothing; install it with a compiler there")
    return scan.best(k, begin, end, n_best, floor)
