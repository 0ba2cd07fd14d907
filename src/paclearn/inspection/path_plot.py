"""How good models of growing size are: one line for every way to grow them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paclearn._compat import need

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["PathDisplay"]


@dataclass
class PathDisplay:
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
    ax_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    def plot(self, ax: Any = None) -> PathDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        PathDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        plt = need("matplotlib.pyplot", "plot", "drawing")
        if ax is None:
            _, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
        for label, points in self.lines.items():
            ax.plot(*zip(*points, strict=True), marker="o", markersize=3, label=label)
        ax.axvline(self.chosen, color="#777777", linewidth=0.8, linestyle="--")
        ax.annotate(f" {self.chosen} terms", (self.chosen, 1), xycoords=("data", "axes fraction"), va="top", fontsize=9)
        ax.set(xlabel="terms", ylabel="loss on rows left out")
        ax.legend(fontsize=9)
        self.ax_, self.figure_ = ax, ax.figure
        return self
