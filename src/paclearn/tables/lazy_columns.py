"""Columns that are made when they are asked for: some of others, or bits of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LazyColumns", "Remembered", "columns_of", "picked"]


class LazyColumns(Sequence["NDArray[Any]"]):
    """So many columns, each of which a function makes anew.

    Parameters
    ----------
    length : int
        How many.
    make : callable
        The column of a number.
    """

    def __init__(self, length: int, make: Callable[[int], NDArray[Any]]) -> None:
        self._length, self._make = length, make

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, column: int) -> NDArray[Any]: ...

    @overload
    def __getitem__(self, column: slice) -> list[NDArray[Any]]: ...

    def __getitem__(self, column: int | slice) -> NDArray[Any] | list[NDArray[Any]]:
        if isinstance(column, slice):
            return [self[i] for i in range(*column.indices(self._length))]
        if not -self._length <= column < self._length:
            raise IndexError(f"there is no column {column} of {self._length}")
        return self._make(int(column) % self._length)

    def picked(self, places: Sequence[int]) -> LazyColumns:
        """Some of them, in this order."""
        return LazyColumns(len(places), lambda i: self[places[i]])


class Remembered(LazyColumns):
    """The same, where a column that was asked for is kept.

    Parameters
    ----------
    length, make : int, callable
        As of `LazyColumns`.
    """

    def __init__(self, length: int, make: Callable[[int], NDArray[Any]]) -> None:
        super().__init__(length, cache(make))


def columns_of(codes: Any) -> Sequence[NDArray[Any]]:
    """Codes as a sequence of columns, which those in memory are at once."""
    return codes if isinstance(codes, LazyColumns) else list(codes)


def picked(columns: Sequence[NDArray[Any]], places: Sequence[int]) -> Sequence[NDArray[Any]]:
    """Some of the columns: at once where they are in memory."""
    chosen = [int(i) for i in places]
    if isinstance(columns, LazyColumns):
        return columns.picked(chosen)
    return [columns[i] for i in chosen]
