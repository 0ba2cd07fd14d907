"""Effects at a glance: a curve over the rows for a number, bars for levels, a map for a pair; several side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._text import figures
from paclearn.inspection.display import BLUE, GREY, RED, Display, name_bars, name_edges, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = ["EffectBarsDisplay", "EffectMapDisplay", "EffectStepsDisplay", "EffectsDisplay", "are_uneven"]

_LONGEST = 32
_ACROSS = 3
_FARTHEST = 1e300  # numbers beyond it may have no difference
_CROWDED = 0.15


@dataclass
class EffectStepsDisplay(Display):
    """What a column of numbers adds, step by step, with two standard errors, over a histogram of the rows.

    Parameters
    ----------
    column : str
        Its name.
    values : array-like of shape (n_steps,)
        What is added, from small numbers to large ones.
    errors : array-like or None
        Standard errors of these.
    rows : array-like or None
        Rows in every step.
    edges : sequence of float or None
        The numbers between steps; None where steps are single numbers, see ``names``.
    names : sequence of str, default=()
        What steps are called, where there are no edges.
    others : sequence of (str, float), default=()
        What is added where the number is missing or was never seen.
    what : str, default="adds"
        What the values are.
    edge_names : sequence of str, default=()
        The numbers between steps in words, where they are dates.
    """

    column: str
    values: ArrayLike
    errors: ArrayLike | None = None
    rows: ArrayLike | None = None
    edges: Sequence[float] | None = None
    names: Sequence[str] = ()
    others: Sequence[tuple[str, float]] = ()
    what: str = "adds"
    edge_names: Sequence[str] = ()

    def _size(self) -> tuple[float, float]:
        return 5.0, 3.2

    def _draw(self, ax: Any) -> None:
        ends, values = self._ends(), np.asarray(self.values, dtype=float)
        ax.axhline(0, color=GREY, linewidth=0.8)
        ax.stairs(values, ends, baseline=None, color=BLUE, linewidth=1.8)
        if self.errors is not None:
            band = 2 * np.asarray(self.errors, dtype=float)
            ax.stairs(values + band, ends, baseline=values - band, fill=True, color=BLUE, alpha=0.2)
        for place, (name, value) in enumerate(self.others):
            ax.axhline(value, color=RED, linestyle=("--", ":")[place % 2], linewidth=1, label=_short(name))
        if self.others:
            ax.legend(fontsize=8)
        self._draw_rows(ax, ends)
        self._name_steps(ax, ends)
        ax.set_xlabel(_short(self.column), parse_math=False)
        ax.set_ylabel(_short(self.what), parse_math=False)

    def _name_steps(self, ax: Any, ends: Any) -> None:
        """Names of single numbers; of dates and of steps that are drawn even, some of what lies between them."""
        if self.edges is None:
            ax.set_xticks(range(len(self.names)), list(map(_short, self.names)), parse_math=False)
        elif self.edge_names or are_uneven(self.edges):
            name_edges(ax, ends[1:-1], self.edge_names or [figures(edge, 4) for edge in self.edges])

    def _ends(self) -> Any:
        if self.edges is None or are_uneven(self.edges):
            return np.arange(np.size(self.values) + 1) - 0.5
        edges = np.asarray(self.edges, dtype=float)
        margin = 0.08 * (edges[-1] - edges[0]) or 1.0
        return np.concatenate([[edges[0] - margin], edges, [edges[-1] + margin]])

    def _draw_rows(self, ax: Any, ends: Any) -> None:
        """A histogram below the curve, its area the rows, in the lowest quarter of the picture."""
        if self.rows is None:
            return
        density = np.asarray(self.rows, dtype=float) / np.diff(ends)
        low, high = ax.get_ylim()
        low -= 0.25 * (high - low)
        heights = low + 0.25 * (high - low) * density / max(density.max(initial=0.0), 1e-300)
        ax.stairs(heights, ends, baseline=low, fill=True, color=GREY, alpha=0.25)
        ax.set_ylim(low, high)


@dataclass
class EffectBarsDisplay(Display):
    """What levels of a column, or cells of several, add: a bar each, with two standard errors.

    Parameters
    ----------
    names : sequence of str
        What is so: ``colour = red``, ``town in {Bonn, Ulm}``.
    values : array-like of shape (n_bars,)
        What is added there.
    errors : array-like or None
        Standard errors of these.
    rows : array-like or None
        Rows of each; a bar without rows is hatched.
    title : str, default=""
        The columns.
    what : str, default="adds"
        What the values are.
    """

    names: Sequence[str]
    values: ArrayLike
    errors: ArrayLike | None = None
    rows: ArrayLike | None = None
    title: str = ""
    what: str = "adds"

    def _size(self) -> tuple[float, float]:
        return 7.0, 0.3 * len(self.names) + 1.2

    def _draw(self, ax: Any) -> None:
        values = np.asarray(self.values, dtype=float)
        errors = None if self.errors is None else 2 * np.asarray(self.errors, dtype=float)
        colours = [BLUE if value > 0 else RED for value in values]
        bars = ax.barh(range(len(values)), values, xerr=errors, color=colours, ecolor="#555555")
        for bar, rows in zip(bars, np.ones(len(values)) if self.rows is None else np.asarray(self.rows), strict=True):
            if not rows:
                bar.set(hatch="///", alpha=0.5)
        name_bars(ax, [_short(name) for name in self.names])
        ax.axvline(0, color=GREY, linewidth=0.8)
        ax.set_xlabel(_short(self.what), parse_math=False)
        ax.set_title(_short(self.title), fontsize=10, parse_math=False)


@dataclass
class EffectMapDisplay(Display):
    """What two columns add together beyond what each adds alone: blue more, red less, hatched where no rows are.

    Parameters
    ----------
    columns : tuple of str
        Their names: down, then across.
    names : tuple of sequence of str
        What their groups are called.
    values : array-like of shape (n_down, n_across)
        What is added.
    rows : array-like or None
        Rows of each cell.
    what : str, default="adds"
        What the values are.
    """

    columns: tuple[str, str]
    names: tuple[Sequence[str], Sequence[str]]
    values: ArrayLike
    rows: ArrayLike | None = None
    what: str = "adds"

    def _size(self) -> tuple[float, float]:
        down, across = map(len, self.names)
        return 3.2 + 0.45 * across, 1.8 + 0.35 * down

    def _draw(self, ax: Any) -> None:
        values = np.asarray(self.values, dtype=float)
        largest = np.abs(values).max(initial=0.0) or 1.0
        image = ax.imshow(values, cmap="RdBu", vmin=-largest, vmax=largest, aspect="auto")
        ax.figure.colorbar(image, ax=ax, label=_short(self.what))
        for place, names in zip((ax.set_yticks, ax.set_xticks), self.names, strict=True):
            place(range(len(names)), list(map(_short, names)), fontsize=8, parse_math=False)
        ax.tick_params(axis="x", rotation=60)
        if self.rows is not None:
            for i, j in np.argwhere(np.asarray(self.rows) == 0):
                ax.fill(
                    [j - 0.5, j + 0.5, j + 0.5, j - 0.5], [i - 0.5, i - 0.5, i + 0.5, i + 0.5], hatch="///", fill=False
                )
        ax.set_title(_short(" × ".join(self.columns)), fontsize=10, parse_math=False)


@dataclass
class EffectsDisplay(Display):
    """Several pictures of effects side by side.

    Parameters
    ----------
    displays : sequence of Display
        The pictures.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        Where each was drawn.
    """

    displays: Sequence[Display]
    axes_: list[Any] = field(default_factory=list, init=False, repr=False)

    def _size(self) -> tuple[float, float]:
        across = min(_ACROSS, max(len(self.displays), 1))
        return 4.6 * across, 3.3 * max(1, -(-len(self.displays) // across))

    def _draw(self, ax: Any) -> None:
        """Each in a part of the given axes, which are otherwise empty."""
        ax.axis("off")
        across = min(_ACROSS, max(len(self.displays), 1))
        down = max(1, -(-len(self.displays) // across))
        self.axes_ = []
        for i, display in enumerate(self.displays):
            left, top = (i % across) / across, 1 - (i // across) / down
            place = [left + 0.28 / across, top - 0.78 / down, 0.64 / across, 0.62 / down]
            self.axes_.append(display.plot(ax.inset_axes(place)).ax_)


def are_uneven(edges: Sequence[float]) -> bool:
    """Whether most steps are crowded in a corner, or too far out: better drawn as wide as each other."""
    if max(map(abs, edges)) > _FARTHEST:
        return True
    low, first, third, high = np.quantile(np.asarray(edges, dtype=float), [0, 0.25, 0.75, 1])
    return bool(third - first < _CROWDED * (high - low))


def _short(text: str) -> str:
    return shortened(text, _LONGEST)
