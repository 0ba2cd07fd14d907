"""Coefficients as stems with error bars, and sums of them as bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.inspection.display import BLUE, GREY, RED, Display, name_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BarDisplay", "StemDisplay"]

_COLOURS = (GREY, BLUE, RED, "#4d9221", "#7b3294")  # by degree


@dataclass
class StemDisplay(Display):
    """A stem a subset, coloured by its size, with two standard errors where they are known.

    Parameters
    ----------
    labels : sequence of str
        Names of the subsets.
    values : sequence of float
        Coefficients.
    degrees : sequence of int
        Sizes of the subsets.
    errors : sequence of float or None
        Standard errors.
    """

    labels: Sequence[str]
    values: Sequence[float]
    degrees: Sequence[int]
    errors: Sequence[float] | None = None

    def _size(self) -> tuple[float, float]:
        return max(4.0, 0.3 * len(self.labels) + 1.5), 4.0

    def _draw(self, ax: Any) -> None:
        place, degrees = np.arange(len(self.labels)), np.asarray(self.degrees)
        for degree in np.unique(degrees):
            mine = degrees == degree
            colour = _COLOURS[int(degree) % len(_COLOURS)]
            ax.vlines(place[mine], 0, np.asarray(self.values)[mine], color=colour, linewidth=1.5)
            errors = None if self.errors is None else 2 * np.asarray(self.errors)[mine]
            ax.errorbar(
                place[mine], np.asarray(self.values)[mine], errors, fmt="o", color=colour, label=f"degree {degree}"
            )
        ax.axhline(0, color="#999999", linewidth=0.8)
        ax.set_xticks(place, self.labels, rotation=60, ha="right")
        ax.set(ylabel="coefficient")
        ax.legend(fontsize=8)


@dataclass
class BarDisplay(Display):
    """A bar a name.

    Parameters
    ----------
    labels : sequence of str
        Names.
    values : sequence of float
        Heights.
    ylabel : str
        What they are.
    """

    labels: Sequence[str]
    values: Sequence[float]
    ylabel: str

    def _size(self) -> tuple[float, float]:
        return max(4.0, 0.35 * len(self.labels) + 1.5), 3.5

    def _draw(self, ax: Any) -> None:
        ax.bar(range(len(self.labels)), self.values, color=BLUE)
        name_ticks(ax, self.labels)
        ax.set(ylabel=self.ylabel)
