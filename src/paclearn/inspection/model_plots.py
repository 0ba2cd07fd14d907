"""Models at a glance: weights of terms, cells of a truth table, and what certificates promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.inspection.display import BLUE, GREY, RED, Display, name_bars, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CellsDisplay", "CertificateDisplay", "TermsDisplay"]

_LONGEST = 60


@dataclass
class TermsDisplay(Display):
    """A bar a term, to the right where it speaks for the output, with two standard errors where they are known.

    Parameters
    ----------
    names : sequence of str
        The terms, the weightiest first.
    weights : sequence of float
        What each adds where it is true.
    errors : sequence of float
        Standard errors; not a number where they are unknown.
    title : str
        What the weights add up to.
    """

    names: Sequence[str]
    weights: Sequence[float]
    errors: Sequence[float]
    title: str

    def _size(self) -> tuple[float, float]:
        return 8.0, 0.3 * len(self.names) + 1.2

    def _draw(self, ax: Any) -> None:
        colours = [BLUE if weight > 0 else RED for weight in self.weights]
        two_errors = 2 * np.nan_to_num(np.asarray(self.errors, dtype=float))
        ax.barh(range(len(self.names)), self.weights, xerr=two_errors, color=colours, ecolor="#555555")
        name_bars(ax, [_short(name) for name in self.names])
        ax.axvline(0, color=GREY, linewidth=0.8)
        ax.set_xlabel(self.title, parse_math=False)


@dataclass
class CellsDisplay(Display):
    """A bar a cell of a truth table, with the class that is predicted and the number of rows.

    Parameters
    ----------
    names : sequence of str
        Codes of the cells.
    values : sequence of float
        Probability of what is predicted, or the mean.
    said : sequence of str
        The class that is predicted; empty for a number.
    rows : sequence of float
        How many rows a cell has.
    members : str
        The columns.
    what : str
        What the values are.
    """

    names: Sequence[str]
    values: Sequence[float]
    said: Sequence[str]
    rows: Sequence[float]
    members: str
    what: str

    def _size(self) -> tuple[float, float]:
        return 8.0, 0.3 * len(self.names) + 1.2

    def _draw(self, ax: Any) -> None:
        classes = sorted(set(self.said))
        shades = {label: f"C{i % 10}" for i, label in enumerate(classes)}
        ax.barh(range(len(self.names)), self.values, color=[shades[label] for label in self.said])
        for place, (label, rows) in enumerate(zip(self.said, self.rows, strict=True)):
            note = f" {_short(label)} ({rows:,.0f} rows)" if label else f" {rows:,.0f} rows"
            ax.annotate(note, (max(self.values[place], 0), place), va="center", fontsize=8, parse_math=False)
        name_bars(ax, [_short(name) for name in self.names])
        ax.margins(x=0.25)
        ax.set_xlabel(self.what)
        ax.set_title(_short(self.members), fontsize=10, parse_math=False)


@dataclass
class CertificateDisplay(Display):
    """What was observed and what is promised, beside what a model that learned nothing can promise.

    Parameters
    ----------
    kinds : sequence of str
        Where the bounds come from.
    observed : sequence of float
        Errors on the rows they were computed from.
    bounds : sequence of float
        The bounds.
    trivial : float
        What no learning at all can promise.
    quantity : str
        What is bounded.
    """

    kinds: Sequence[str]
    observed: Sequence[float]
    bounds: Sequence[float]
    trivial: float
    quantity: str

    def _size(self) -> tuple[float, float]:
        return 7.0, 0.5 * len(self.kinds) + 1.3

    def _draw(self, ax: Any) -> None:
        places = np.arange(len(self.kinds))
        ax.barh(places, self.bounds, color="#bbbbbb", label="promised: at most")
        ax.barh(places, self.observed, color=BLUE, height=0.5, label="observed")
        ax.axvline(self.trivial, color=RED, linestyle="--", linewidth=1, label="without learning")
        ax.set_yticks(places, list(self.kinds), fontsize=9)
        ax.invert_yaxis()
        ax.set_xlabel(self.quantity)
        ax.legend(fontsize=8)


def _short(text: str) -> str:
    return shortened(text, _LONGEST)
