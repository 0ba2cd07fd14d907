"""A regression graph: questions in layers, leaves in a row below them, in the order of their values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._text import figures
from paclearn.exceptions import InputError
from paclearn.inspection.display import BLUE, GREY, RED, Display
from paclearn.inspection.graph_layout import graph_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["GraphDisplay"]

_MOST_NODES = 150
_WIDEST, _MOST_LINES = 22, 3  # letters of a line, lines of a question


@dataclass
class GraphDisplay(Display):
    """Questions in layers, the root on top; a leaf that was merged has several ways in.

    A blue line is the way of a yes, a red one that of a no; both are as wide as the rows they carry. Leaves are
    coloured by their value, from low (left) to high (right).

    Parameters
    ----------
    questions : sequence of str
        One an inner node, the root first and parents before children.
    children : sequence of (int, int)
        Nodes that a yes and a no lead to; the leaves come after all inner nodes, by value.
    edge_weights : sequence of (float, float)
        Rows that take either.
    values : sequence of float
        Mean target of every node.
    weights : sequence of float
        Rows of every node.
    colours : str, default="viridis"
        A colour map of matplotlib for the values of leaves.
    value_name : str, default="value"
        What the values are.
    """

    questions: Sequence[str]
    children: Sequence[Sequence[int]]
    edge_weights: Sequence[Sequence[float]]
    values: Sequence[float]
    weights: Sequence[float]
    colours: str = "viridis"
    value_name: str = "value"

    def _check(self) -> None:
        if len(self.values) > _MOST_NODES:
            raise InputError(
                f"a drawing of {len(self.values)} nodes cannot be read (at most {_MOST_NODES}); prune it, or fit "
                "with fewer splits"
            )

    def _size(self) -> tuple[float, float]:
        width = 1.75 * (np.ptp(self._places[:, 0]) + 1)
        height = self._layer_height * (1 - self._places[:, 1].min()) + 1.2
        return float(np.clip(width, 5, 26)), float(np.clip(height, 2.5, 28))

    def _draw(self, ax: Any) -> None:
        self._draw_edges(ax)
        self._draw_questions(ax)
        self._draw_leaves(ax)
        across, up = self._places.T
        ax.set(xlim=(across.min() - 0.7, across.max() + 0.7), ylim=(up.min() - 0.55, 0.5))
        ax.set_axis_off()
        self._explain(ax)

    def _explain(self, ax: Any) -> None:
        from matplotlib.lines import Line2D

        lines = [Line2D([], [], color=colour, linewidth=3, alpha=0.55) for colour in (BLUE, RED)]
        title = f"leaves: {self.value_name}, rows"
        ax.legend(
            lines,
            ["yes", "no"],
            title=title,
            fontsize=8,
            title_fontsize=8,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),  # below the leaves, where nothing else is
            ncols=2,
            frameon=False,
        )

    @property
    def _wrapped(self) -> list[str]:
        """Questions in short lines, so that neighbours do not overlap."""
        return [
            "\n".join(wrap(question, _WIDEST, max_lines=_MOST_LINES, placeholder=" …", break_on_hyphens=False))
            for question in self.questions
        ]

    @property
    def _layer_height(self) -> float:
        """In inches."""
        return 0.45 + 0.17 * max((question.count("\n") + 1 for question in self._wrapped), default=1)

    @property
    def _n_inner(self) -> int:
        return len(self.questions)

    @cached_property
    def _places(self) -> NDArray[np.float64]:
        return graph_places(self.children, self.edge_weights, len(self.values))

    def _draw_edges(self, ax: Any) -> None:
        from matplotlib.patches import FancyArrowPatch

        for node, sides in enumerate(self.children):
            for answer, side in enumerate(sides):
                width = 0.6 + 9 * self.edge_weights[node][answer] / self.weights[0]
                start, end = self._places[node], self._places[side]
                curve = 0.0 if start[1] - end[1] <= 1 else float(np.clip(0.05 * (end[0] - start[0]), -0.12, 0.12))
                arrow = FancyArrowPatch(
                    start,
                    end,
                    arrowstyle="-",
                    connectionstyle=f"arc3,rad={curve}",
                    linewidth=width,
                    color=(BLUE, RED)[answer],
                    alpha=0.55,
                    capstyle="butt",
                    shrinkA=0,
                    shrinkB=0,
                    zorder=1,
                )
                ax.add_patch(arrow)

    def _draw_questions(self, ax: Any) -> None:
        box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": GREY, "linewidth": 0.8}
        for node, question in enumerate(self._wrapped):
            place = self._places[node]
            ax.text(*place, question, ha="center", va="center", fontsize=8, bbox=box, zorder=3, parse_math=False)

    def _draw_leaves(self, ax: Any) -> None:
        from matplotlib import colormaps

        leaves = range(self._n_inner, len(self.values))
        found = np.array([self.values[leaf] for leaf in leaves])
        low, width = found.min(), np.ptp(found) or 1.0
        for leaf in leaves:
            shade = colormaps[self.colours](0.08 + 0.84 * (self.values[leaf] - low) / width)
            dark = np.dot(shade[:3], (0.3, 0.6, 0.1)) < 0.5
            label = f"{figures(self.values[leaf])}\n{self.weights[leaf]:,.0f}"
            box = {"boxstyle": "round,pad=0.35", "facecolor": shade, "edgecolor": GREY, "linewidth": 0.8}
            colour = "white" if dark else "black"
            ax.text(
                *self._places[leaf],
                label,
                ha="center",
                va="center",
                fontsize=8.5,
                color=colour,
                bbox=box,
                zorder=3,
                linespacing=1.3,
            )
