"""How good models of growing size are: one line for every way to grow them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paclearn.inspection.display import Display

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["PathDisplay"]


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
