"""Who depends on whom: a directed graph, parents above their children."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paclearn._compat import need

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["StructureDisplay"]


@dataclass
class StructureDisplay:
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
    ax_: Any = field(default=None, init=False)
    figure_: Any = field(default=None, init=False)

    def plot(self, ax: Any = None) -> StructureDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        StructureDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        plt = need("matplotlib.pyplot", "plot", "drawing")
        place = self._places()
        if ax is None:
            width = max((x for x, _ in place.values()), default=0) + 2
            height = 1.5 - min((y for _, y in place.values()), default=0)
            _, ax = plt.subplots(figsize=(min(14, 1.2 * width), min(12, 0.9 * height + 0.6)), layout="constrained")
        for parent, child, strength in self.edges:
            arrow = {"arrowstyle": "-|>", "linewidth": 0.5 + 3 * strength, "color": "#2166ac", "alpha": 0.8}
            ax.annotate("", place[child], place[parent], arrowprops={**arrow, "shrinkA": 11, "shrinkB": 11})
        for name, (x, y) in place.items():
            box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": "#444444"}
            ax.text(x, y, name, ha="center", va="center", fontsize=9, bbox=box)
        self._finish(ax, place)
        return self

    def _finish(self, ax: Any, place: dict[str, tuple[float, float]]) -> None:
        across, down = [x for x, _ in place.values()] or [0.0], [y for _, y in place.values()] or [0.0]
        ax.set(xlim=(-0.8, max(across) + 0.8), ylim=(min(down) - 0.6, 0.6))
        ax.set_axis_off()
        free = [name for name in self.names if name not in place]
        if free:
            shown = ", ".join(free[:8]) + (f" and {len(free) - 8} more" if len(free) > 8 else "")
            ax.set_title(f"without dependences: {shown}", fontsize=9, loc="left")
        self.ax_, self.figure_ = ax, ax.figure

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
