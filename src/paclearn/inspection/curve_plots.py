"""Curves: the effect of a column, the loss of growing models, the margin errors of halfspaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.inspection.display import BLUE, RED, Display, name_edges, name_ticks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

__all__ = ["EffectDisplay", "MarginCurveDisplay", "PathDisplay"]


@dataclass
class EffectDisplay(Display):
    """Mean prediction against one column.

    Parameters
    ----------
    column : str
        Its name.
    names : sequence of str
        Its values, in words.
    means : sequence of float
        Mean prediction with the column set to each.
    standard_deviations : sequence of float or None
        Of those means over the graphs of an ensemble.
    edges : sequence of float or None
        The thresholds between the values of a numeric column.
    edge_names : sequence of str, default=()
        These in words, where they are dates.
    """

    column: str
    names: Sequence[str]
    means: Sequence[float]
    standard_deviations: Sequence[float] | None = None
    edges: Sequence[float] | None = None
    edge_names: Sequence[str] = ()

    def _size(self) -> tuple[float, float]:
        return 5.0, 3.2

    def _draw(self, ax: Any) -> None:
        if self.edges:
            self._draw_steps(ax)
            if self.edge_names:
                name_edges(ax, self.edges, self.edge_names)
        else:
            self._draw_levels(ax)
        ax.set(xlabel=self.column, ylabel="mean prediction")

    def _draw_steps(self, ax: Any) -> None:
        edges = np.asarray(self.edges)
        margin = 0.05 * (edges[-1] - edges[0]) or 1.0
        ends = np.concatenate([[edges[0] - margin], edges, [edges[-1] + margin]])
        means = np.asarray(self.means)[: len(ends) - 1]
        ax.stairs(means, ends, baseline=None, color=BLUE, linewidth=1.5)
        if self.standard_deviations is not None:
            band = np.asarray(self.standard_deviations)[: len(means)]
            ax.stairs(means + band, ends, baseline=means - band, fill=True, color=BLUE, alpha=0.2)
        if len(self.means) > len(means):
            ax.axhline(self.means[-1], color=RED, linestyle="--", linewidth=1, label="missing")
            ax.legend(fontsize=8)

    def _draw_levels(self, ax: Any) -> None:
        ax.errorbar(range(len(self.names)), self.means, self.standard_deviations, fmt="o", color=BLUE)
        name_ticks(ax, self.names)


@dataclass
class PathDisplay(Display):
    """Loss on rows left out against the number of terms.

    Parameters
    ----------
    lines : mapping of str to sequence of (int, float)
        Number of terms and loss, for every way that was tried.
    chosen : int
        The number of terms that was chosen.
    """

    lines: Mapping[str, Sequence[tuple[int, float]]]
    chosen: int

    def _size(self) -> tuple[float, float]:
        return 6.5, 4.0

    def _draw(self, ax: Any) -> None:
        for label, points in self.lines.items():
            ax.plot(*zip(*points, strict=True), marker="o", markersize=3, label=label)
        ax.axvline(self.chosen, color="#777777", linewidth=0.8, linestyle="--")
        ax.annotate(f" {self.chosen} terms", (self.chosen, 1), xycoords=("data", "axes fraction"), va="top", fontsize=9)
        ax.set(xlabel="terms", ylabel="loss on rows left out")
        ax.legend(fontsize=9)


@dataclass
class MarginCurveDisplay(Display):
    """The share of rows that a halfspace gets wrong or that lie within a margin of it, against the margin.

    Parameters
    ----------
    lines : mapping of str to (sequence of float, sequence of float)
        Margins and errors, for every halfspace.
    levels : mapping of str to float
        Errors of other classifiers, drawn across.
    """

    lines: Mapping[str, tuple[ArrayLike, ArrayLike]]
    levels: Mapping[str, float] = field(default_factory=dict)

    def _size(self) -> tuple[float, float]:
        return 6.0, 4.0

    def _draw(self, ax: Any) -> None:
        for label, (margins, errors) in self.lines.items():
            ax.plot(margins, errors, label=label)
        for place, (label, error) in enumerate(self.levels.items()):
            ax.axhline(error, color=f"C{len(self.lines) + place}", linestyle="--", linewidth=1, label=label)
        ax.set(xlabel="margin", ylabel="margin error", xlim=(0, None), ylim=(0, 1))
        ax.legend(fontsize=9)
