"""Weights of rows: how often each counts, and sums of weights that are exact."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import check_sample_weight
from paclearn.exceptions import InputError
from paclearn.tables.table import refuse_uncollected, without_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = [
    "are_counts",
    "countable",
    "counts_or_shares",
    "effective_rows",
    "multiples",
    "own_weights",
    "relative_weights",
    "row_weights",
    "say_how_often",
    "step_of",
    "summable",
    "summable_steps",
    "weights_of",
]

_FINEST = 2.0**-40
_MORE = 1 + 2.0**-20  # in another order the sum may be a little larger
_LEAST = 2.0**-1074  # of which all floats are multiples
_MOST_ROWS = 2.0**31  # of a table


def row_weights(sample_weight: Any, table: Table) -> NDArray[np.float64] | None:
    """Checked weights, or None where all rows count once.

    Whole numbers say how many times a row occurs. Other weights, and whole numbers that no table has rows for, are
    relative and are scaled to one a row on average.
    """
    weights = weights_of(sample_weight, table.n_rows)
    return None if weights is None else counts_or_shares(weights)


def counts_or_shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights as they are where they say how many times a row occurs, and in proportion where they do not."""
    return weights if say_how_often(are_counts(weights), _total(weights)) else relative_weights(weights)


def say_how_often(whole: bool, total: float) -> bool:
    """Whether weights, whole or not, of such a sum say how many times each row occurs."""
    return whole and total <= _MOST_ROWS


def _total(weights: NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):
        return float(weights.sum())


def relative_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same weights in proportion, one a row on average, their sums exact; rows of no weight are not counted."""
    # exact, and then the sum is neither nought nor infinite; rows too light to count beside the others are gone
    weights = summable(np.ldexp(weights, -np.frexp(weights.max())[1]))
    return summable(weights * (np.count_nonzero(weights) / weights.sum()))


def weights_of(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Checked weights of so many rows, as they are."""
    if sample_weight is None:
        return None
    refuse_uncollected(sample_weight, "sample_weight")
    weights = _checked(without_mask(sample_weight), n_rows)
    if not weights.any():
        raise InputError("sample_weight is zero everywhere; at least one row must count")
    return weights


def _checked(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    rows = np.empty((n_rows, 1))
    try:
        return np.asarray(check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True))
    except (TypeError, ValueError) as error:
        said = str(error).splitlines()
        if not said or re.search("sample.weight", said[0], re.IGNORECASE):
            raise
        raise InputError(
            f"sample_weight must be numbers: {said[0]}"
        ) from error  # whose words do not say whose they are


def are_counts(weights: NDArray[np.float64]) -> bool:
    """Whether weights are whole numbers and so say how many times a row occurs."""
    return bool(np.array_equal(weights, np.round(weights)))


def own_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight that a row has in its own vote, times its weight: what a leave-one-out correction takes off.

    A row that occurs w times is w rows of weight one; a row of relative weight w is one row.
    """
    return weights if are_counts(weights) else weights**2


def effective_rows(weights: NDArray[np.float64] | None, n_rows: int) -> float:
    """How many rows of equal weight say as much: all of them where none has a weight of its own."""
    return float(n_rows if weights is None else weights.sum() ** 2 / own_weights(weights).sum())


def step_of(total: float) -> float:
    """A power of two so large that sums of its multiples, up to the total, are exact."""
    return float(max(2.0 ** (np.ceil(np.log2(max(total, 1.0))) - 52), _FINEST))


def countable(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights rounded to multiples of such a step; nought where a row is too light to count beside the others.

    Whole numbers that no table has rows for say how much rows count in proportion, like weights that are not whole.
    """
    total = _total(weights)
    if total > _MOST_ROWS:
        return countable(relative_weights(weights))
    step = step_of(total)
    rounded = np.round(weights / step) * step
    if np.count_nonzero(rounded) == np.count_nonzero(weights):
        return rounded
    return countable(relative_weights(rounded))  # one a row on average, of the rows that are left


def summable(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers rounded to multiples of a power of two, each column to its own, so that sums of them are exact.

    The order of the rows is then of no account. What is lost is what a sum of all of them would lose.
    """
    return multiples(values, summable_steps(np.abs(values).sum(axis=0)))


def summable_steps(total: Any) -> NDArray[np.float64]:
    """Steps of which numbers are to be multiples, from the sums of their sizes; those of blocks of rows add up."""
    return np.asarray(np.maximum(np.ldexp(1.0, np.frexp(total * _MORE)[1] - 53), _LEAST))


def multiples(values: NDArray[np.float64], step: Any) -> NDArray[np.float64]:
    """Numbers rounded to multiples of a step, or of one for each column."""
    return np.asarray(np.round(values / step) * step)
