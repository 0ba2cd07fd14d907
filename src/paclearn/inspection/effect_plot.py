"""The effect of one column: steps between thresholds, or a dot a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.inspection.display import BLUE, RED, Display, name_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["EffectDisplay"]


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
    """

    column: str
    names: Sequence[str]
    means: Sequence[float]
    standard_deviations: Sequence[float] | None = None
    edges: Sequence[float] | None = None

    def _size(self) -> tuple[float, float]:
        return 5.0, 3.2

    def _draw(self, ax: Any) -> None:
        if self.edges:
            self._draw_steps(ax)
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
