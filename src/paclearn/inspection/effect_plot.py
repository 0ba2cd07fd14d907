"""The effect of one column: steps between thresholds, or a dot a level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import need

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["EffectDisplay"]


@dataclass
class EffectDisplay:
    """Mean prediction against one column.

    Parameters
    ----------
    column : str
        Its name.
    names : sequence of str
        Its values, in words.
    means : sequence of float
        Mean prediction with the column set to each.
    spreads : sequence of float or None
        Standard deviation over graphs.
    edges : sequence of float or None
        The thresholds between the values of a numeric column.
    """

    column: str
    names: Sequence[str]
    means: Sequence[float]
    spreads: Sequence[float] | None = None
    edges: Sequence[float] | None = None
    ax_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    def plot(self, ax: Any = None) -> EffectDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        EffectDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        plt = need("matplotlib.pyplot", "plot", "drawing")
        if ax is None:
            _, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        if self.edges:
            self._draw_steps(ax)
        else:
            self._draw_levels(ax)
        ax.set(xlabel=self.column, ylabel="mean prediction")
        return self

    def _draw_steps(self, ax: Any) -> None:
        edges = np.asarray(self.edges)
        margin = 0.05 * (edges[-1] - edges[0]) or 1.0
        ends = np.concatenate([[edges[0] - margin], edges, [edges[-1] + margin]])
        means = np.asarray(self.means)[: len(ends) - 1]
        ax.stairs(means, ends, baseline=None, color="#2166ac", linewidth=1.5)
        if self.spreads is not None:
            spreads = np.asarray(self.spreads)[: len(means)]
            ax.stairs(means + spreads, ends, baseline=means - spreads, fill=True, color="#2166ac", alpha=0.2)
        if len(self.means) > len(means):
            ax.axhline(self.means[-1], color="#b2182b", linestyle="--", linewidth=1, label="missing")
            ax.legend(fontsize=8)

    def _draw_levels(self, ax: Any) -> None:
        places = np.arange(len(self.names))
        ax.errorbar(places, self.means, self.spreads, fmt="o", color="#2166ac")
        turned = max(map(len, self.names)) > 3
        ax.set_xticks(places, self.names, rotation=60 if turned else 0, ha="right" if turned else "center")
