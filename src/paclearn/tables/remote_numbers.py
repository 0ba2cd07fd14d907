"""Numbers of the rows of a table on a cluster, and their weights: arrays that workers keep, and sums of them.

What is summed are multiples of one step, so sums are exact: in what parts and in what order rows come is of no account.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from paclearn._compat import check_sample_weight
from paclearn.exceptions import InputError, InputTypeError, TargetError
from paclearn.tables.remote import active_client, delayed_by_dask, is_remote, remote_parts, summed
from paclearn.tables.target import numeric_target
from paclearn.tables.weights import multiples, say_how_often, summable_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["RemoteArrays", "RemoteNumbers", "RemoteWeights", "column_of", "counted", "parts_beside"]
__all__ += ["remote_numbers", "remote_weights"]


def parts_beside(X: Any, column: Any, name: str) -> tuple[Any, ...]:
    """The parts of a column that lies on a cluster beside a table.

    Parameters
    ----------
    X : frame, array or list of delayed parts
        The table.
    column : frame, array or list of delayed parts
        The column.
    name : str
        What it is called in error texts.
    """
    if not is_remote(column):
        raise InputTypeError(
            f"X lies on a Dask cluster and {name} does not ({type(column).__name__}); pass a column of the same table, "
            f"table[{name!r}]"
        )
    parts, others = remote_parts(column), remote_parts(X)
    if len(parts) != len(others):
        raise TargetError(
            f"{name} has {len(parts)} partitions and X {len(others)}; take both from one table, or repartition one"
        )
    return parts


def column_of(part: Any) -> Any:
    """A part of a column as a series, or as an array."""
    is_series = isinstance(nw.from_native(part, pass_through=True, allow_series=True), nw.Series)
    return part if is_series else np.asarray(part)


@dataclass(frozen=True, eq=False)
class RemoteArrays:
    """An array, or several, for every part. Workers keep them; what is lost is made again from the user's own graph."""

    parts: tuple[Any, ...]

    @classmethod
    def made(cls, function: Callable[..., Any], *parts: tuple[Any, ...]) -> RemoteArrays:
        delayed = delayed_by_dask()
        lazy = [delayed(function, pure=False)(*each) for each in zip(*parts, strict=True)]
        return cls(tuple(active_client().persist(lazy)))

    def summed(
        self, function: Callable[..., Any], *others: RemoteArrays, add: Callable[[Any, Any], Any] = np.add
    ) -> Any:
        each = list(zip(self.parts, *(other.parts for other in others), strict=True))
        return summed(lambda parts: (function, *parts), each, add)


# ---- weights ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RemoteWeights:
    """How often each row counts. ``whole`` says that weights are whole numbers, ``total`` is their sum."""

    arrays: RemoteArrays
    n_rows: int  # of positive weight
    whole: bool
    total: float

    def __len__(self) -> int:
        return self.n_rows


def remote_weights(X: Any, sample_weight: Any) -> RemoteWeights | None:
    """What `row_weights` makes of weights, where they lie.

    Parameters
    ----------
    X, sample_weight : frames, arrays or lists of delayed parts
        The table and its weights.
    """
    if sample_weight is None:
        return None
    given = RemoteArrays.made(_checked_weights, parts_beside(X, sample_weight, "sample_weight"))
    largest = given.summed(_largest, add=max)
    if largest == 0:
        raise InputError("sample_weight is zero everywhere; at least one row must count")
    n_rows, fractions, total = given.summed(_facts)
    arrays = given if say_how_often(fractions == 0, total) else _relative(given, largest)
    n_rows, fractions, total = arrays.summed(_facts)
    return RemoteWeights(arrays, int(n_rows), fractions == 0, float(total))


def _relative(given: RemoteArrays, largest: float) -> RemoteArrays:
    """As `relative_weights`: one a row on average, their sums exact."""
    scaled = RemoteArrays.made(partial(_times_power, exponent=-int(np.frexp(largest)[1])), given.parts)
    exact = _rounded(scaled)
    n_rows, _, total = exact.summed(_facts)
    return _rounded(RemoteArrays.made(partial(np.multiply, n_rows / total), exact.parts))


def _rounded(arrays: RemoteArrays) -> RemoteArrays:
    return RemoteArrays.made(partial(multiples, step=summable_steps(arrays.summed(_sizes))), arrays.parts)


def _checked_weights(part: Any) -> NDArray[np.float64]:
    """Those of a part may all be nought, and there may be none."""
    given, n_rows = np.asarray(column_of(part)), len(part)
    if n_rows == 0 or (given.dtype.kind in "biuf" and not given.any()):
        return np.zeros(n_rows)
    return np.asarray(check_sample_weight(given, np.empty((n_rows, 1)), dtype=np.float64, ensure_non_negative=True))


def _times_power(weights: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    return np.ldexp(weights, exponent)


def _sizes(values: NDArray[np.float64]) -> Any:
    return np.abs(values).sum(axis=0)


def _largest(weights: NDArray[np.float64]) -> float:
    return float(weights.max(initial=0.0))


def _facts(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows that count, weights that are no whole numbers, and the sum."""
    return np.array([np.count_nonzero(weights), (weights != np.round(weights)).sum(), weights.sum()])


# ---- targets ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RemoteNumbers:
    """A numeric target of which the rows that count go from ``low`` to ``high``; ``centre`` is to be taken off it."""

    arrays: RemoteArrays
    weights: RemoteWeights | None
    n_rows: int
    low: float
    high: float
    centre: float = 0.0

    def __len__(self) -> int:
        return self.n_rows

    @cached_property
    def mean(self) -> float:
        """As it is summed up in memory."""
        total, weight = (self._exact_sum(work) for work in (_weighted, _weights))
        return float(total / weight)

    def _exact_sum(self, work: Callable[..., NDArray[np.float64]]) -> Any:
        beside = () if self.weights is None else (self.weights.arrays,)
        step = summable_steps(self.arrays.summed(partial(_sizes_of, work), *beside))
        return self.arrays.summed(partial(_sum_of, work, step), *beside)


def remote_numbers(X: Any, y: Any, weights: RemoteWeights | None) -> RemoteNumbers:
    """A numeric target of a table on a cluster.

    Parameters
    ----------
    X, y : frames, arrays or lists of delayed parts
        The table and its target.
    weights : RemoteWeights or None
        Of the rows.
    """
    arrays = RemoteArrays.made(_numbers, parts_beside(X, y, "y"))
    beside = () if weights is None else (weights.arrays,)
    n_rows, low, high = arrays.summed(_range, *beside, add=_wider)
    return RemoteNumbers(arrays, weights, int(n_rows), float(low), float(high))


def _numbers(part: Any) -> NDArray[np.float64]:
    return numeric_target(column_of(part), len(part)) if len(part) else np.zeros(0)


def counted(values: NDArray[Any], weights: NDArray[np.float64] | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The rows that count, and their weights.

    Parameters
    ----------
    values, weights : ndarray
        Of all rows of a part.
    """
    if weights is None:
        return values, None
    if len(weights) != len(values):
        raise InputError(f"a partition of y has {len(values)} rows and that of sample_weight {len(weights)}")
    return values[weights > 0], weights[weights > 0]


def _range(values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> tuple[int, float, float]:
    some = counted(values, weights)[0]
    return len(some), float(some.min(initial=np.inf)), float(some.max(initial=-np.inf))


def _wider(one: tuple[int, float, float], other: tuple[int, float, float]) -> tuple[int, float, float]:
    return one[0] + other[0], min(one[1], other[1]), max(one[2], other[2])


def _weights(values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    some, theirs = counted(values, weights)
    return np.ones(len(some)) if theirs is None else theirs


def _weighted(values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    return np.asarray(_weights(values, weights) * counted(values, weights)[0])


def _sizes_of(work: Callable[..., NDArray[np.float64]], *arrays: NDArray[np.float64]) -> Any:
    return _sizes(work(*arrays))


def _sum_of(work: Callable[..., NDArray[np.float64]], step: Any, *arrays: NDArray[np.float64]) -> Any:
    return multiples(work(*arrays), step).sum(axis=0)
