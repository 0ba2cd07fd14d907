"""What a growing graph says of rows it does not learn from, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.learners.graphs.growth import Growth

__all__ = ["Onlookers"]


class Onlookers:
    """Rows that follow the growth of a graph.

    Parameters
    ----------
    growth : Growth
        The graph.
    goes_low : callable
        Takes a question and row numbers, and says which of them go low.
    targets, weights : ndarray of shape (n_rows,)
        Scaled targets, and how much each row counts.
    """

    def __init__(
        self,
        growth: Growth,
        goes_low: Callable[[Any, NDArray[np.intp]], NDArray[np.bool_]],
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        self._growth, self._goes_low = growth, goes_low
        self._targets, self._weights = targets, weights
        self._rows: dict[int, NDArray[np.intp]] = {0: np.arange(len(targets))}
        self.predictions = np.full(len(targets), self._value(0))
        self.error = self._error(self._rows[0])
        self.seen = 0

    def _value(self, node: int) -> float:
        return self._growth.nodes[node].total / self._growth.nodes[node].weight

    def _error(self, rows: NDArray[np.intp]) -> float:
        return float(self._weights[rows] @ (self._targets[rows] - self.predictions[rows]) ** 2)

    def advance(self) -> bool:
        """Let the graph grow by a round and follow; says whether it did grow."""
        if not self._growth.round():
            return False
        self.follow()
        return True

    def follow(self) -> None:
        """Take the next round."""
        happened = self._growth.rounds[self.seen]
        self.seen += 1
        node, rows = self._growth.nodes[happened.split], self._rows.pop(happened.split)
        low = self._goes_low(node.question, rows)
        self._move(node.low, rows[low])
        self._move(node.high, rows[~low])
        for members, merged in happened.merges:
            self._move(merged, np.concatenate([self._rows.pop(member) for member in members]))

    def _move(self, node: int, rows: NDArray[np.intp]) -> None:
        self.error -= self._error(rows)
        self.predictions[rows] = self._value(node)
        self.error += self._error(rows)
        self._rows[node] = rows
