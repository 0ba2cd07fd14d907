"""Scans of subsets by sums of numbers: rounded ones find what may be among the best, and exact ones say what is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.counting.bits import BitTable
from paclearn.counting.fixed_point import FixedPoint
from paclearn.kernels import dispatch as native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting.bits import CodeTable
    from paclearn.kernels.dispatch import SumScan

__all__ = ["scan_of_squares", "scan_of_votes"]

_WORD_BITS = 64
# Errors that let a few times as many subsets through as none would, some hundreds of millions; twice the bits take
# twice the time. Of what is summed and squared, or voted by, a tenth of the standard deviation of a sum over all rows;
# of what is divided by the rows of a cell, a share of the mean.
_OF_DEVIATION, _OF_MEAN = 0.1, 0.003


def scan_of_squares(table: CodeTable, n_threads: int, *, weighted: bool) -> SumScan | None:
    """A scan by `SquaredErrorScore`; None where the target does not vary, and so every subset is as good.

    Parameters
    ----------
    table : CodeTable
        Codes of one class, and sums as that score has them.
    n_threads : int
        Threads.
    weighted : bool
        Whether rows have weights in their own means.
    """
    values = np.ascontiguousarray(table.values[:, : 5 if weighted else 3])
    weight, total, square = values[:, :3].T
    own, own_square = values[:, 3:].T if weighted else (weight, square)
    squares = float(square.sum())
    if not squares > 0:
        return None
    plain = bool((weight == 1).all() and (own == 1).all())
    fine = _OF_DEVIATION / float(np.sqrt(len(total)))
    channels = [(total, fine), (own_square, _OF_MEAN)]
    if not plain:
        channels.insert(0, (weight, _OF_MEAN))
    peak = float(np.square(_ratio(total, weight)).max(initial=0.0))
    return _scan(table, channels, values, (_most(own, weight), peak), ("squares", 1 / squares), n_threads)


def scan_of_votes(table: CodeTable, n_threads: int) -> SumScan | None:
    """A scan by `ZeroOneScore` with weights; None where a single row has all the weight.

    Parameters
    ----------
    table : CodeTable
        Codes and classes, with weights and those in rows' own votes.
    n_threads : int
        Threads.
    """
    values = np.ascontiguousarray(table.values[:, :2])
    weight, own = values[:, 0], values[:, -1]
    without_own = float(weight.sum() - own.sum() / weight.sum())
    if not without_own > 0:
        return None
    scale = 1 / without_own / (1 if table.n_classes == 2 else table.n_classes)
    channels = [(weight, _OF_DEVIATION / float(np.sqrt(len(weight))))]
    if not np.array_equal(weight, own):
        channels.append((own, _OF_MEAN))
    return _scan(table, channels, values, (_most(own, weight), 0.0), ("votes", scale), n_threads)


def _scan(
    table: CodeTable,
    channels: list[tuple[NDArray[np.float64], float]],
    values: NDArray[np.float64],
    ends: tuple[float, float],
    score: tuple[str, float],
    n_threads: int,
) -> SumScan:
    bits = BitTable.pack(table.codes, table.sizes, table.row_class, table.n_classes)  # type: ignore[arg-type]
    rounded = FixedPoint.of(*zip(*channels, strict=True)).at(
        _places(bits, table.row_class), _WORD_BITS * bits.words.shape[1]
    )
    return native.SumScan(
        bits.words,
        bits.sizes,
        bits.class_starts,
        bits.class_rows,
        rounded.numbers,
        rounded.steps,
        rounded.errors,
        *ends,
        table.codes,
        table.row_class,
        values,
        *score,
        n_threads,
    )


def _places(bits: BitTable, row_class: NDArray[np.int32]) -> NDArray[np.intp]:
    """The bit of every row: rows of a class lie side by side, in their own order."""
    order = np.argsort(row_class, kind="stable")
    behind = np.arange(len(order)) - np.repeat(np.cumsum(bits.class_rows) - bits.class_rows, bits.class_rows)
    places = np.empty(len(order), dtype=np.intp)
    places[order] = np.repeat(_WORD_BITS * bits.class_starts[:-1], bits.class_rows) + behind
    return places


def _most(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> float:
    return float(_ratio(top, bottom).max(initial=0.0))


def _ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
