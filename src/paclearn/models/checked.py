"""Reading a model file as something that may hold anything: every value is checked before it is used."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from sys import float_info
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import ModelFileError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["MOST_TOGETHER", "Part"]

_SHOWN = 60
_LARGEST = float_info.max
_SLACK = 1e-6  # of sums of rounded numbers
MOST_TOGETHER = 1e146  # numbers that are added up: the square of such a sum, once for every row, is a float
_MOST_ROWS = 1e12


@dataclass(frozen=True)
class Part:
    """Some of a file: the value, and where it stands."""

    value: Any
    place: str

    def __getitem__(self, key: str) -> Part:
        self.need(isinstance(self.value, dict), "an object")
        if key not in self.value:
            raise ModelFileError(f"the model file lacks {self.inside(key)}; save the model again")
        return Part(self.value[key], self.inside(key))

    def get(self, key: str) -> Part:
        """What may be missing, and is then null."""
        return self[key] if isinstance(self.value, dict) and key in self.value else Part(None, self.inside(key))

    def inside(self, key: str) -> str:
        """The name of what is in here."""
        return f"{self.place}.{key}" if self.place else key

    def need(self, fine: bool, wanted: str) -> None:
        """Refuse a value that will not do."""
        if not fine:
            found = repr(self.value)
            found = found if len(found) <= _SHOWN else f"{found[:_SHOWN]}..."
            raise ModelFileError(f"{self.place or 'the model file'} must be {wanted}; found {found}")

    def one_of(self, *choices: Any) -> Any:
        """One of a few values."""
        self.need(isinstance(self.value, str) and self.value in choices, "one of " + ", ".join(map(repr, choices)))
        return self.value

    def text(self) -> str:
        """A string."""
        self.need(isinstance(self.value, str), "text")
        return str(self.value)

    def flag(self) -> bool:
        """True or false."""
        self.need(isinstance(self.value, bool), "true or false")
        return bool(self.value)

    def whole(self, low: int, high: int) -> int:
        """A whole number, from low to below high."""
        fine = isinstance(self.value, int) and not isinstance(self.value, bool) and low <= self.value < high
        self.need(fine, f"a whole number from {low} to {high - 1}")
        return int(self.value)

    def number(self) -> float:
        """A finite number."""
        fine = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        self.need(fine and abs(self.value) <= _LARGEST, "a finite number")
        return float(self.value)

    def number_in_words(self) -> str:
        """A string that reads as a finite number."""
        try:
            fine = isfinite(float(self.text()))
        except ValueError:
            fine = False
        self.need(fine, "the text of a finite number")
        return self.text()

    def labels(self) -> tuple[Any, ...]:
        """What classes are called: all of them text, all whole numbers, or all true and false."""
        self.need(isinstance(self.value, list) and len(self.value) > 1, "two or more different labels")
        kinds = {type(label) for label in self.value}
        fine = kinds in ({str}, {bool}) or (kinds <= {int, float} and _hold_whole_numbers(self.value))
        self.need(fine, "all of them text, or whole numbers, or true and false")
        self.need(len(set(self.value)) == len(self.value), "two or more different labels")
        return tuple(self.value)

    def each(self, read: Callable[[Part], Any]) -> tuple[Any, ...]:
        """All entries of a list."""
        self.need(isinstance(self.value, list), "a list")
        return tuple(read(Part(entry, f"{self.place}[{i}]")) for i, entry in enumerate(self.value))

    def numbers(self, *shape: int) -> NDArray[np.float64]:
        """An array of finite numbers of a given shape."""
        wanted = f"{' x '.join(map(str, shape))} finite numbers"
        self.need(isinstance(self.value, list), wanted)
        try:
            found = np.array(self.value)
        except ValueError:  # lists of unequal lengths
            found = np.empty(0, dtype=object)
        if found.size == 0 and 0 in shape:
            return np.zeros(shape)
        fine = found.shape == shape and found.dtype.kind in "iuf" and bool(np.isfinite(found).all())
        self.need(fine, wanted)
        return found.astype(np.float64)

    def addends(self, *shape: int) -> NDArray[np.float64]:
        """An array of numbers of a given shape, however many of which can be added up."""
        found = self.numbers(*shape)
        self.need(_sum_of(found) < MOST_TOGETHER, "numbers that can be added up")
        return found

    def counts(self, *shape: int) -> NDArray[np.float64]:
        """An array of numbers of rows, which may be fractions of rows, of a given shape."""
        found = self.numbers(*shape)
        self.need(bool((found >= 0).all()) and _sum_of(found) < _MOST_ROWS, "numbers of rows, none below 0")
        return found

    def shares(self, *shape: int) -> NDArray[np.float64]:
        """An array of numbers from 0 to 1 of a given shape."""
        found = self.numbers(*shape)
        self.need(bool(((found >= -_SLACK) & (found <= 1 + _SLACK)).all()), "numbers from 0 to 1")
        return found

    def probabilities(self, *shape: int) -> NDArray[np.float64]:
        """An array of probabilities, which add up to one along its last axis."""
        found = self.shares(*shape)
        self.need(bool((np.abs(found.sum(axis=-1) - 1) <= _SLACK).all()), "probabilities that add up to 1")
        return found


def _sum_of(numbers: NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):
        return float(np.abs(numbers).sum())


def _hold_whole_numbers(values: list[float]) -> bool:
    """Whether an array can hold them, as they are."""
    held = np.array(values)
    whole = held.dtype.kind in "iu" or (held.dtype.kind == "f" and bool((held == np.floor(held)).all()))
    return whole and held.tolist() == values
