"""Margin errors against the margin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paclearn.inspection.display import Display

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

__all__ = ["MarginCurveDisplay"]


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
