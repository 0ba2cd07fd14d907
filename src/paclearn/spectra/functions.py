"""Boolean functions to look at: each maps rows of -1 and +1 to -1 and +1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["address", "dictator", "majority", "parity", "threshold", "tribes"]


def _sign(values: NDArray[Any]) -> NDArray[np.int8]:
    return np.where(values > 0, 1, -1).astype(np.int8)


def majority(bits: NDArray[Any]) -> NDArray[np.int8]:
    """+1 where more bits are +1 than -1."""
    return _sign(np.asarray(bits).sum(axis=1))


def parity(members: Sequence[int]) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """The product of some bits."""
    return lambda bits: np.asarray(bits)[:, list(members)].prod(axis=1).astype(np.int8)


def dictator(i: int) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """One bit."""
    return lambda bits: np.asarray(bits)[:, i].astype(np.int8)


def tribes(size: int) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """+1 where all members of at least one tribe of neighbouring bits are +1."""

    def function(bits: NDArray[Any]) -> NDArray[np.int8]:
        table = np.asarray(bits)
        return _sign((table.reshape(len(table), -1, size).min(axis=2) > 0).any(axis=1).astype(int) - 0.5)

    return function


def threshold(weights: Sequence[float], bias: float = 0.0) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """The sign of a weighted sum."""
    return lambda bits: _sign(np.asarray(bits) @ np.asarray(weights, dtype=float) + bias)


def address(n_address: int) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """The bit that the first few bits, read as a binary number, point to among the others."""

    def function(bits: NDArray[Any]) -> NDArray[np.int8]:
        table = np.asarray(bits)
        place = (table[:, :n_address] > 0) @ (1 << np.arange(n_address)[::-1])
        return table[np.arange(len(table)), n_address + place].astype(np.int8)

    return function
