"""What the rows of every value of a column weigh: sums over blocks of rows, which add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.summaries import DateSummary, NumberSummary, WordSummary
from paclearn.tables.raw import Labels, label_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.summaries import Summary
    from paclearn.tables.dates import Dates
    from paclearn.tables.raw import RawColumn

__all__ = ["counts_of", "is_counted", "values_of", "weights_of_values"]


def is_counted(summary: Summary) -> bool:
    """Whether every value is known for itself."""
    if isinstance(summary, DateSummary):
        return False
    return summary.level == 0 if isinstance(summary, NumberSummary) else summary.counts is not None


def values_of(summary: Summary) -> Any:
    """The different values in their order: an array of numbers, or a list of words."""
    if isinstance(summary, NumberSummary):
        return summary.values
    return sorted(summary.counts or ()) if isinstance(summary, WordSummary) else []


def counts_of(summary: Summary) -> NDArray[Any]:
    """How many rows have each of them."""
    if isinstance(summary, NumberSummary):
        return summary.counts
    return np.array([summary.counts[word] for word in values_of(summary)])  # type: ignore[union-attr,index]


def weights_of_values(raw: RawColumn | Dates, values: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the rows of a block weigh that have each of some values, among which are all of the block.

    Parameters
    ----------
    raw : RawColumn
        The column in a block of rows.
    values : list of str or ndarray of float
        Different values in their order.
    weights : ndarray of float
        Of the rows of the block.
    """
    if isinstance(values, np.ndarray):
        numbers = np.asarray(raw.values, dtype=np.float64)  # type: ignore[union-attr]
        present = ~np.isnan(numbers)
        return np.bincount(np.searchsorted(values, numbers[present]), weights[present], len(values)).astype(np.float64)
    words, sums = _words(raw, weights)
    found, place = np.zeros(len(values)), {word: i for i, word in enumerate(values)}
    for word, weight in zip(words, sums, strict=True):
        if word in place:  # a word of a dictionary that no row has is not
            found[place[word]] += weight
    return found


def _words(raw: Any, weights: NDArray[np.float64]) -> tuple[list[str], list[float]]:
    """The words of a block, and what each weighs; numbers may be words in another block."""
    if isinstance(raw, Labels):
        return list(raw.labels), np.bincount(raw.codes + 1, weights, len(raw.labels) + 1)[1:].tolist()
    present = ~np.isnan(raw.values)
    values, place = np.unique(raw.values[present] + 0.0, return_inverse=True)
    return [label_text(v) for v in values.tolist()], np.bincount(place, weights[present], len(values)).tolist()
