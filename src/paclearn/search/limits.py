"""How much memory a block of tables may take, and what to say when one table alone is too large."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import is_whole
from paclearn.exceptions import InputError, TooManyCellsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["block_length", "check_cells"]

_BLOCK_BYTES = 2**25
_LONGEST_BLOCK = 2**16
_LARGEST_TABLE_BYTES = 2**30
_BYTES_PER_NUMBER = 8


def _largest(sizes: NDArray[np.int64] | tuple[int, ...], k: int) -> int:
    return prod(int(q) for q in np.sort(np.asarray(sizes))[-k:])


def block_length(sizes: NDArray[np.int64], k: int, n_channels: int) -> int:
    """How many subsets to count at a time."""
    table = _largest(sizes, k) * n_channels * _BYTES_PER_NUMBER
    return int(min(_LONGEST_BLOCK, max(1, _BLOCK_BYTES // table)))


def check_cells(sizes: NDArray[np.int64] | tuple[int, ...], k: int, n_channels: int) -> None:
    """Refuse a k whose largest table of cells would not fit, and say which k would."""

    def size_of(members: int) -> int:
        return _largest(sizes, members) * n_channels * _BYTES_PER_NUMBER

    if size_of(k) <= _LARGEST_TABLE_BYTES:
        return
    fits = max((m for m in range(1, k) if size_of(m) <= _LARGEST_TABLE_BYTES), default=0)
    advice = f"k={fits} would fit" if fits else "no k fits"
    raise TooManyCellsError(
        f"k={k} needs a table of {_largest(sizes, k):,} cells ({_bytes(size_of(k))}) for the columns with the most "
        f"levels, and at most {_bytes(_LARGEST_TABLE_BYTES)} is allowed; {advice}, and so may fewer levels a column "
        "(n_bins, max_levels)"
    )


def check_search(n_units: int, k: Any, n_best: Any) -> None:
    """Refuse a size of subsets, or a number of them, that no table of so many columns has."""
    if not is_whole(k) or not 1 <= k <= n_units:
        raise InputError(f"k={k!r} must be a whole number from 1 to {n_units}, the number of columns or bits")
    if not is_whole(n_best) or n_best < 1:
        raise InputError(f"n_best={n_best!r} must be a whole number, 1 or more")


def _bytes(n: Any) -> str:
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if n < 1024:
            return f"{n:.3g} {unit}"
        n /= 1024
    return f"{n:,.0f} PiB"
