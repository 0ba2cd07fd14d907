"""What all pictures share: axes of their own or given ones, and where they were drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from paclearn._compat import need

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BLUE", "GREY", "RED", "Display", "name_bars", "name_edges", "name_ticks", "shortened"]

BLUE, RED, GREY = "#2166ac", "#b2182b", "#444444"  # for, against, neither: also apart for the colour-blind

_NAMED, _WIDE = 6, 8  # names below an axis, and letters that have room beside each other


@dataclass
class Display(ABC):
    """A picture of plain names and numbers. A new one says how large it is and how it is drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
    """

    ax_: Any = field(default=None, init=False, repr=False)
    figure_: Any = field(default=None, init=False, repr=False)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        Display
            Itself, with ``ax_`` and ``figure_``.
        """
        self._check()
        plt = need("matplotlib.pyplot", "plot", "drawing")
        with plt.rc_context({"text.parse_math": False}):  # dollars in names are dollars
            if ax is None:
                _, ax = plt.subplots(figsize=self._size(), layout="constrained")
            self.ax_, self.figure_ = ax, ax.figure
            self._draw(ax)
        return self

    def _check(self) -> None:  # noqa: B027 - most pictures can always be drawn
        """Refuse what cannot be drawn, before a figure is made."""

    @abstractmethod
    def _size(self) -> tuple[float, float]:
        """Width and height of a figure of its own, in inches."""

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on these axes."""


def name_ticks(ax: Any, names: Sequence[str]) -> None:
    """Names below the axis, turned where they are long."""
    turned = max(map(len, names), default=0) > 3
    ax.set_xticks(range(len(names)), names, rotation=60 if turned else 0, ha="right" if turned else "center")


def name_edges(ax: Any, places: Sequence[float], names: Sequence[str]) -> None:
    """Names of some of the numbers between steps, below the axis."""
    some = sorted({round(i * (len(names) - 1) / (_NAMED - 1)) for i in range(_NAMED)})
    turned = max(len(names[i]) for i in some) > _WIDE
    ax.set_xticks([places[i] for i in some], [names[i] for i in some], rotation=30 if turned else 0)


def name_bars(ax: Any, names: Sequence[str]) -> None:
    """Names beside bars, the first one on top."""
    ax.set_yticks(range(len(names)), list(names), fontsize=9, parse_math=False)
    ax.invert_yaxis()


def shortened(text: str, longest: int) -> str:
    """The first letters of a long text."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
