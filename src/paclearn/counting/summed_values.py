"""What is summed over cells where counts of rows do not say enough: of weights, and of numbers and their squares.

Each is a piece of work that goes to where the rows are, and gives a matrix with a row for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn.tables.weights import are_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SquareValues", "SummedValues", "VoteValues", "whole_weights"]


class SummedValues(Protocol):
    """The values of some rows, from their targets and their weights."""

    @property
    def n_values(self) -> int:
        """Columns of the matrix."""
        ...

    def __call__(self, targets: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """A row for every row of the table."""
        ...


def whole_weights(weights: Any) -> bool:
    """Whether weights, wherever they lie, say how many times each row occurs."""
    return weights is None or (are_counts(weights) if isinstance(weights, np.ndarray) else bool(weights.whole))


@dataclass(frozen=True)
class VoteValues:
    """The weight of a row, its weight in its own vote, and, where that is wanted, 1: for certificates.

    Parameters
    ----------
    whole : bool
        Whether weights say how many times a row occurs; see `own_weights`.
    once : bool
        Whether rows are counted, too.
    """

    whole: bool
    once: bool

    @property
    def n_values(self) -> int:
        """Columns of the matrix."""
        return 2 + self.once

    def __call__(self, targets: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """A row for every row of the table."""
        every = np.ones(len(targets)) if weights is None else weights
        return np.column_stack([every, _own(every, self.whole), *([np.ones(len(targets))] if self.once else [])])


@dataclass(frozen=True)
class SquareValues:
    """Weight, weighted number and square; the same by own weights; and, where that is wanted, of rows that count once.

    Parameters
    ----------
    centre : float
        What is taken off the numbers.
    whole, once : bool
        See `VoteValues`.
    weighted : bool
        Whether rows have weights; of those that have none, the sums of rows that count once are all there are.
    """

    centre: float
    whole: bool
    once: bool
    weighted: bool

    @property
    def n_values(self) -> int:
        """Columns of the matrix."""
        return (5 if self.weighted else 0) + (3 if self.once else 0)

    def __call__(self, targets: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """A row for every row of the table."""
        y = targets - self.centre
        once = np.column_stack([np.ones(len(y)), y, y * y])
        if not self.weighted:
            return once
        every = np.ones(len(y)) if weights is None else weights
        own = _own(every, self.whole)
        return np.column_stack([once * every[:, None], own, own * y * y, *([once] if self.once else [])])


def _own(weights: NDArray[np.float64], whole: bool) -> NDArray[np.float64]:
    return weights if whole else weights**2
