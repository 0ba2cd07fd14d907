"""Margin errors against the margin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paclearn._compat import need

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

__all__ = ["MarginCurveDisplay"]


@dataclass
class MarginCurveDisplay:
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
    ax_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    def plot(self, ax: Any = None) -> MarginCurveDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        MarginCurveDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        plt = need("matplotlib.pyplot", "plot", "drawing")
        if ax is None:
            _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        for label, (margins, errors) in self.lines.items():
            ax.plot(margins, errors, label=label)
        for place, (label, error) in enumerate(self.levels.items()):
            ax.axhline(error, color=f"C{len(self.lines) + place}", linestyle="--", linewidth=1, label=label)
        ax.set(xlabel="margin", ylabel="margin error", xlim=(0, None), ylim=(0, 1))
        ax.legend(fontsize=9)
        self.ax_, self.figure_ = ax, ax.figure
        return self
