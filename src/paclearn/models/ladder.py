"""Ordered classes on one score: every class is a rung, and the higher the score, the higher the rung.

The score of class k is its start plus its rank times the score of the row (Agresti 2010, adjacent-categories logits):
whatever adds to the score adds as much to the log-odds of every class against the one below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.models.checked import Part

__all__ = ["Ladder"]


@dataclass(frozen=True)
class Ladder:
    """What turns one score into a score a class.

    Parameters
    ----------
    starts : tuple of float
        Of every class, in the order of the model's classes: its score where that of the row is nought.
    ranks : tuple of int
        Its place among all, from nought, the lowest.
    """

    starts: tuple[float, ...]
    ranks: tuple[int, ...]

    def class_scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows x classes, from rows x 1.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, 1)
            How high every row stands.
        """
        return np.asarray(np.array(self.starts) + np.array(self.ranks, dtype=np.float64) * scores)

    @property
    def rising(self) -> tuple[int, ...]:
        """The numbers of the classes, the lowest first."""
        return tuple(np.argsort(self.ranks).tolist())

    def spans(self) -> list[tuple[int, float]]:
        """Classes that are ever the most probable one, the lowest first, each with the score from which it is."""
        kept: list[tuple[int, float]] = []
        for label in self.rising:
            while kept and (since := self._meeting(kept[-1][0], label)) <= kept[-1][1]:
                kept.pop()
            kept.append((label, since if kept else -np.inf))
        return kept

    def _meeting(self, lower: int, upper: int) -> float:
        """The score at which two classes are as likely."""
        return (self.starts[lower] - self.starts[upper]) / (self.ranks[upper] - self.ranks[lower])

    def payload(self) -> dict[str, Any]:
        """Plain data."""
        return {"starts": list(self.starts), "ranks": list(self.ranks)}

    @classmethod
    def read(cls, part: Part, n_classes: int) -> Ladder:
        """From a file, every value checked.

        Parameters
        ----------
        part : checked.Part
            What `payload` gave.
        n_classes : int
            How many classes there are.
        """
        starts = part["starts"].addends(n_classes)
        ranks = part["ranks"].each(lambda p: p.whole(0, n_classes))
        part["ranks"].need(sorted(ranks) == list(range(n_classes)), f"every number from 0 to {n_classes - 1} once")
        return cls(tuple(starts.tolist()), ranks)
