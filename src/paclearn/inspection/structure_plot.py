"""Who depends on whom: a directed graph, parents above their children."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from paclearn.inspection.display import BLUE, GREY, Display

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["StructureDisplay"]


@dataclass
class StructureDisplay(Display):
    """Bits in layers, joined by their dependences; bits without any are listed below.

    Parameters
    ----------
    names : sequence of str
        The bits, parents before children.
    edges : sequence of (str, str, float)
        Parent, child and how strong the dependence is, from 0 to 1: the width of the arrow.
    """

    names: Sequence[str]
    edges: Sequence[tuple[str, str, float]]

    def _size(self) -> tuple[float, float]:
        width = max((x for x, _ in self._places.values()), default=0.0) + 2
        height = 1.5 - min((y for _, y in self._places.values()), default=0.0)
        return min(14.0, 1.2 * width), min(12.0, 0.9 * height + 0.6)

    def _draw(self, ax: Any) -> None:
        place = self._places
        for parent, child, strength in self.edges:
            arrow = {"arrowstyle": "-|>", "linewidth": 0.5 + 3 * strength, "color": BLUE, "alpha": 0.8}
            ax.annotate("", place[child], place[parent], arrowprops={**arrow, "shrinkA": 11, "shrinkB": 11})
        for name, (x, y) in place.items():
            box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": GREY}
            ax.text(x, y, name, ha="center", va="center", fontsize=9, bbox=box)
        self._frame(ax)

    def _frame(self, ax: Any) -> None:
        place = self._places
        across, down = [x for x, _ in place.values()] or [0.0], [y for _, y in place.values()] or [0.0]
        ax.set(xlim=(-0.8, max(across) + 0.8), ylim=(min(down) - 0.6, 0.6))
        ax.set_axis_off()
        free = [name for name in self.names if name not in place]
        if free:
            shown = ", ".join(free[:8]) + (f" and {len(free) - 8} more" if len(free) > 8 else "")
            ax.set_title(f"without dependences: {shown}", fontsize=9, loc="left")

    @cached_property
    def _places(self) -> dict[str, tuple[float, float]]:
        """One layer below the deepest parent; across, under the parents where there is room."""
        parents: dict[str, list[str]] = {}
        for parent, child, _ in self.edges:
            parents.setdefault(child, []).append(parent)
        joined = {end for edge in self.edges for end in edge[:2]}
        depth: dict[str, int] = {}
        for name in self.names:
            if name in joined:
                depth[name] = max((depth[p] + 1 for p in parents.get(name, [])), default=0)
        place: dict[str, tuple[float, float]] = {}
        for layer in range(max(depth.values(), default=-1) + 1):
            members = [name for name in depth if depth[name] == layer]
            wish = {m: _mean([place[p][0] for p in parents.get(m, [])]) for m in members}
            taken = -1.0
            for name in sorted(members, key=lambda m: wish[m]):
                taken = max(taken + 1, wish[name])
                place[name] = (taken, -float(layer))
        return place


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
