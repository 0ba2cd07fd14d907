"""Targets of graphs, scaled to [0, 1]: of rows that are here, and of rows on the workers of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import TargetError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FarTarget", "Moment", "ScaledTarget", "SquaredErrors"]

_LARGEST = 1e150  # whose square a float64 holds


def _unit(low: float, high: float) -> float:
    largest = max(abs(low), abs(high))
    if largest > _LARGEST:
        raise TargetError(
            f"the target holds numbers as large as {largest:.3g}, whose squares no float64 holds; "
            "divide it by some unit"
        )
    return high - low or 1.0


@dataclass(frozen=True, eq=False)
class ScaledTarget:
    """Targets of the rows, their weights and groups, and the range that is scaled to [0, 1]."""

    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    groups: NDArray[np.intp] | None = None

    def __post_init__(self) -> None:
        _unit(float(self.values.min()), float(self.values.max()))

    @property
    def low(self) -> float:
        return float(self.values.min())

    @property
    def unit(self) -> float:
        return _unit(self.low, float(self.values.max()))

    @property
    def scaled(self) -> NDArray[np.float64]:
        return _scaled(self.values, self.low, self.unit)


@dataclass(frozen=True)
class FarTarget:
    """What workers make of the targets of their rows: 1 for a class and 0 for all others, or numbers as they are."""

    number: int | None  # of the class
    low: float
    high: float
    weight: float  # of all rows together, which says how many there are

    def __post_init__(self) -> None:
        _unit(self.low, self.high)

    @property
    def unit(self) -> float:
        return _unit(self.low, self.high)

    def values(self, targets: NDArray[Any]) -> NDArray[np.float64]:
        """Of a block of rows, in the units of the target."""
        return targets.astype(np.float64) if self.number is None else (targets == self.number).astype(np.float64)

    def scaled(self, targets: NDArray[Any]) -> NDArray[np.float64]:
        """The same, scaled."""
        return _scaled(self.values(targets), self.low, self.unit)


def _scaled(values: NDArray[np.float64], low: float, unit: float) -> NDArray[np.float64]:
    return np.clip((values - low) / unit, 0.0, 1.0)


@dataclass(frozen=True)
class SquaredErrors:
    """How far a score is off, squared: from numbers, or from 1 for a class and 0 for all others."""

    output: int
    number: int | None

    def __call__(self, scores: NDArray[np.float64], targets: NDArray[Any]) -> NDArray[np.float64]:
        wanted = targets if self.number is None else targets == self.number
        return np.asarray((scores[:, self.output] - wanted) ** 2)


@dataclass(frozen=True)
class Moment:
    """A power of what targets are above a number."""

    centre: float
    power: int

    def __call__(self, _: Any, targets: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray((targets - self.centre) ** self.power)
