"""Interactions of columns: a network, and a heat map."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError
from paclearn.inspection.display import BLUE, GREY, RED, Display

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["HeatmapDisplay", "NetworkDisplay"]

_COLOURS = {True: BLUE, False: RED}  # more than expected, less


@dataclass
class _InteractionDisplay(Display):
    """What both pictures draw."""

    singles: Mapping[str, float]
    links: Sequence[tuple[tuple[str, ...], float]]
    target_name: str = "target"

    @property
    def names(self) -> list[str]:
        """Columns that take part, the busiest first."""
        busy: dict[str, float] = {}
        for members, size in self.links:
            for name in members:
                busy[name] = busy.get(name, 0.0) + abs(size)
        return sorted(busy, key=lambda name: (-busy[name], name))

    def _check(self) -> None:
        if not self.links:
            raise InputError("there is no interaction to draw: none was found (raise fdr, or look at main effects)")

    def _size(self) -> tuple[float, float]:
        side = min(12.0, 4.5 + 0.25 * len(self.names))
        return side, side


class NetworkDisplay(_InteractionDisplay):
    """Columns on a circle, joined by their interactions: blue for more than the parts add up to, red for less.

    Lines are wider the clearer the interaction, dots larger the clearer the main effect; a triple is a dashed triangle.

    Parameters
    ----------
    singles : mapping of str to float
        Main effects in standard errors, for the columns that have one.
    links : sequence of (tuple of str, float)
        Members and effect in standard errors of the interactions.
    target_name : str, default="target"
        For the title.
    """

    def _draw(self, ax: Any) -> None:
        names = self.names
        angle = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
        place = dict(zip(names, np.column_stack([np.cos(angle), np.sin(angle)]), strict=True))
        largest = max(abs(size) for _, size in self.links)
        for members, size in reversed(self.links):
            style = {"color": _COLOURS[size > 0], "linewidth": 0.5 + 4.5 * abs(size) / largest, "alpha": 0.7}
            for a, b in combinations(members, 2):
                ax.plot(*zip(place[a], place[b], strict=True), linestyle="-" if len(members) == 2 else "--", **style)
        for name in names:
            self._draw_column(ax, name, place[name])
        ax.set(title=f"Interactions that {self.target_name} depends on", xlim=(-1.6, 1.6), ylim=(-1.3, 1.3))
        ax.set_aspect("equal")
        ax.set_axis_off()

    def _draw_column(self, ax: Any, name: str, place: Any) -> None:
        strongest = max(map(abs, self.singles.values()), default=1.0)
        size = 40 + 200 * abs(self.singles.get(name, 0.0)) / strongest
        ax.scatter(*place, s=size, color=GREY, zorder=3)
        side = "left" if place[0] > 0.05 else "right" if place[0] < -0.05 else "center"
        ax.annotate(
            name, place, xytext=1.1 * np.asarray(place), ha=side, va="center", fontsize=9, annotation_clip=False
        )


class HeatmapDisplay(_InteractionDisplay):
    """Pairs of columns as a matrix: blue for more than the two add up to, red for less, in standard errors.

    A triple colours its three pairs if nothing clearer does.

    Parameters
    ----------
    singles, links, target_name : mapping, sequence, str
        See `NetworkDisplay`.
    """

    def _draw(self, ax: Any) -> None:
        names = self.names
        number = {name: i for i, name in enumerate(names)}
        matrix = np.full((len(names), len(names)), np.nan)
        for members, size in reversed(self.links):
            for a, b in combinations(members, 2):
                matrix[number[a], number[b]] = matrix[number[b], number[a]] = size
        most = np.nanmax(np.abs(matrix))
        image = ax.imshow(matrix, cmap="RdBu", vmin=-most, vmax=most)
        ax.set_xticks(range(len(names)), names, rotation=60, ha="right")
        ax.set_yticks(range(len(names)), names)
        ax.set_title(f"Interactions that {self.target_name} depends on")
        ax.figure.colorbar(image, ax=ax, shrink=0.7, label="effect in standard errors")
