"""Models at a glance: weights of terms, cells of a truth table, and what certificates promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.inspection.spectrum_plots import Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CellsDisplay", "CertificateDisplay", "TermsDisplay"]

_FOR, _AGAINST, _PALE = "#2166ac", "#b2182b", "#bbbbbb"
_LONGEST = 60


@dataclass
class TermsDisplay(Picture):
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

    def plot(self, ax: Any = None) -> TermsDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        TermsDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        ax = self._axes(ax, (8.0, 0.3 * len(self.names) + 1.2))
        colours = [_FOR if weight > 0 else _AGAINST for weight in self.weights]
        spread = 2 * np.nan_to_num(np.asarray(self.errors, dtype=float))
        ax.barh(range(len(self.names)), self.weights, xerr=spread, color=colours, ecolor="#555555")
        ax.set_yticks(range(len(self.names)), list(map(_short, self.names)), fontsize=9, parse_math=False)
        ax.axvline(0, color="#444444", linewidth=0.8)
        ax.invert_yaxis()
        ax.set_xlabel(self.title, parse_math=False)
        return self


@dataclass
class CellsDisplay(Picture):
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

    def plot(self, ax: Any = None) -> CellsDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        CellsDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        ax = self._axes(ax, (8.0, 0.3 * len(self.names) + 1.2))
        classes = sorted(set(self.said))
        shades = {label: f"C{i % 10}" for i, label in enumerate(classes)}
        ax.barh(range(len(self.names)), self.values, color=[shades[label] for label in self.said])
        for place, (label, rows) in enumerate(zip(self.said, self.rows, strict=True)):
            note = f" {_short(label)} ({rows:,.0f} rows)" if label else f" {rows:,.0f} rows"
            ax.annotate(note, (max(self.values[place], 0), place), va="center", fontsize=8, parse_math=False)
        ax.set_yticks(range(len(self.names)), list(map(_short, self.names)), fontsize=9, parse_math=False)
        ax.invert_yaxis()
        ax.margins(x=0.25)
        ax.set_xlabel(self.what)
        ax.set_title(_short(self.members), fontsize=10, parse_math=False)
        return self


@dataclass
class CertificateDisplay(Picture):
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

    def plot(self, ax: Any = None) -> CertificateDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.

        Returns
        -------
        CertificateDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        ax = self._axes(ax, (7.0, 0.5 * len(self.kinds) + 1.3))
        places = np.arange(len(self.kinds))
        ax.barh(places, self.bounds, color=_PALE, label="promised: at most")
        ax.barh(places, self.observed, color=_FOR, height=0.5, label="observed")
        ax.axvline(self.trivial, color=_AGAINST, linestyle="--", linewidth=1, label="without learning")
        ax.set_yticks(places, list(self.kinds), fontsize=9)
        ax.invert_yaxis()
        ax.set_xlabel(self.quantity)
        ax.legend(fontsize=8)
        return self


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
