"""Scans of subsets by sums of numbers: rounded ones find what may be among the best, and exact ones say what is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn.counting.bits import BitTable
from paclearn.counting.fixed_point import FixedPoint
from paclearn.kernels import dispatch as native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting.bits import CodeTable
    from paclearn.counting.engines import Fused
    from paclearn.kernels.dispatch import SumScan

__all__ = ["RoundedSums"]

_WORD_BITS = 64
# Errors that let a few times as many subsets through as none would, some hundreds of millions; twice the bits take
# twice the time. Of what is summed and squared, or voted by, a tenth of the standard deviation of a sum over all rows;
# of what is divided by the rows of a cell, a share of the mean.
_OF_DEVIATION, _OF_MEAN = 0.1, 0.003


@dataclass(frozen=True, eq=False)
class RoundedSums:
    """A table whose rows have whole numbers in the place of their own, and the score that is found from sums of them.

    Parameters
    ----------
    table : CodeTable
        Codes, and the rows' own numbers.
    bits : BitTable
        The same codes, packed.
    rounded : FixedPoint
        Whole numbers, one for every bit of a plane.
    values : ndarray of shape (n_rows, n_values)
        Those of the rows' own numbers that the score is of.
    own, peak : float
        The most that a row's weight is in its own vote or mean, and the largest square of a number.
    kind : str
        squares or votes.
    scale : float
        What the score is multiplied with.
    """

    table: CodeTable
    bits: BitTable
    rounded: FixedPoint
    values: NDArray[np.float64]
    own: float
    peak: float
    kind: str
    scale: float

    @classmethod
    def of(cls, table: CodeTable, fused: Fused) -> RoundedSums | None:
        """None where no scan knows the score, or every subset is as good.

        Parameters
        ----------
        table : CodeTable
            Codes, and sums as the score has them.
        fused : Fused
            The score.
        """
        if fused.kind == "empirical":
            return _of_votes(table)
        if table.n_classes > 1 or fused.kind not in {"squares", "weighted squares"}:
            return None
        return _of_squares(table, weighted=fused.kind == "weighted squares")

    def scan(self, n_threads: int) -> SumScan:
        """What the compiled core scans."""
        return native.SumScan(
            self.bits.words,
            self.bits.sizes,
            self.bits.class_starts,
            self.bits.class_rows,
            self.rounded.numbers,
            self.rounded.steps,
            self.rounded.errors,
            self.own,
            self.peak,
            self.table.codes,
            self.table.row_class,
            self.values,
            self.kind,
            self.scale,
            n_threads,
        )


def _of_squares(table: CodeTable, *, weighted: bool) -> RoundedSums | None:
    """Nothing where the target does not vary."""
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
    return _rounded(table, channels, values, (_most(own, weight), peak, "squares", 1 / squares))


def _of_votes(table: CodeTable) -> RoundedSums | None:
    """Nothing where a single row has all the weight."""
    values = np.ascontiguousarray(table.values[:, :2])
    weight, own = values[:, 0], values[:, -1]
    without_own = float(weight.sum() - own.sum() / weight.sum())
    if not without_own > 0:
        return None
    scale = 1 / without_own / (1 if table.n_classes == 2 else table.n_classes)
    channels = [(weight, _OF_DEVIATION / float(np.sqrt(len(weight))))]
    if not np.array_equal(weight, own):
        channels.append((own, _OF_MEAN))
    return _rounded(table, channels, values, (_most(own, weight), 0.0, "votes", scale))


def _rounded(
    table: CodeTable,
    channels: list[tuple[NDArray[np.float64], float]],
    values: NDArray[np.float64],
    score: tuple[float, float, str, float],
) -> RoundedSums:
    bits = BitTable.pack(table.codes, table.sizes, table.row_class, table.n_classes)  # type: ignore[arg-type]
    places = _places(bits, table.row_class)
    rounded = FixedPoint.of(*zip(*channels, strict=True)).at(places, _WORD_BITS * bits.words.shape[1])
    return RoundedSums(table, bits, rounded, values, *score)


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
