"""Coefficients as stems with error bars, and sums of them as bars."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import need

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BarDisplay", "Picture", "StemDisplay"]

_COLOURS = ("#444444", "#2166ac", "#b2182b", "#4d9221", "#7b3294")  # by degree


@dataclass
class Picture:
    """Something that is drawn once, on axes of its own or on given ones."""

    ax_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    def _axes(self, ax: Any, size: tuple[float, float]) -> Any:
        plt = need("matplotlib.pyplot", "plot", "drawing")
        if ax is None:
            _, ax = plt.subplots(figsize=size, layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        return ax


@dataclass
class StemDisplay(Picture):
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

    def plot(self, ax: Any = None) -> StemDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        StemDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        ax = self._axes(ax, (max(4.0, 0.3 * len(self.labels) + 1.5), 4.0))
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
        return self


@dataclass
class BarDisplay(Picture):
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

    def plot(self, ax: Any = None) -> BarDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        BarDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        ax = self._axes(ax, (max(4.0, 0.35 * len(self.labels) + 1.5), 3.5))
        ax.bar(np.arange(len(self.labels)), self.values, color=_COLOURS[1])
        rotate = max(map(len, self.labels), default=0) > 3
        ax.set_xticks(
            np.arange(len(self.labels)), self.labels, rotation=60 if rotate else 0, ha="right" if rotate else "center"
        )
        ax.set(ylabel=self.ylabel)
        return self
