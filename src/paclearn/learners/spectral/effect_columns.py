"""Columns as effects read them: all numbers are cut into bins, and every bin knows where its numbers lie.

A number that has not been seen then falls between others, and a line or a monotone curve goes on through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.column_pass import learn_each
from paclearn.encoding.domain import BinColumn, Column, Domain
from paclearn.encoding.learning import EncodingRules, learn_column, learn_cuts
from paclearn.exceptions import ColumnError
from paclearn.tables.raw import Labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.raw import Numbers, RawColumn, SmallIntegers
    from paclearn.tables.table import Table

__all__ = ["EffectColumn", "learn_effect_columns"]


@dataclass(frozen=True, eq=False)
class EffectColumn:
    """A column of codes: numbers have an order and, where their bins lie, a mean; ``sign`` is that of its effects."""

    n_codes: int
    means: NDArray[np.float64] | None = None  # of the bins of a number, in order; what is missing has none
    sign: int = 0

    @property
    def n_bins(self) -> int:
        """Codes in order: all of a number but the one of what is missing."""
        return 0 if self.means is None else len(self.means)

    def coarsely(self, most: int) -> tuple[EffectColumn, NDArray[np.intp]]:
        """The column with no more bins than so many, and the code there of every code here."""
        codes = np.arange(self.n_codes)
        if self.means is None or self.n_bins <= most:
            return self, codes
        coarse = np.where(codes < self.n_bins, codes * most // self.n_bins, codes - self.n_bins + most)
        means = np.bincount(coarse[: self.n_bins], self.means) / np.bincount(coarse[: self.n_bins])
        return EffectColumn(self.n_codes - self.n_bins + most, means, self.sign), coarse


def learn_effect_columns(
    table: Table, rules: EncodingRules, weights: NDArray[np.float64] | None, signs: dict[str, int]
) -> tuple[Domain, tuple[EffectColumn, ...], NDArray[np.intp]]:
    """The domain, its columns, and the codes of the rows (columns x rows)."""
    means: dict[int, NDArray[np.float64]] = {}

    def learn(raw: RawColumn, name: str, position: int) -> Column | str:
        if isinstance(raw, Labels) and name in signs:
            raise ColumnError(f"monotone names {name!r}, a column of categories, which have no order; numbers have")
        if isinstance(raw, Labels):
            return learn_column(raw, name, position, rules, weights)
        found = _cut(raw, name, position, rules.n_bins, weights)
        if isinstance(found, BinColumn):
            means[position] = _bin_means(raw.values, found, weights)
        return found

    learned = learn_each(table, learn)
    learned.refuse_none(table.n_rows)
    domain = Domain(tuple(learned.columns), tuple(learned.dropped))
    columns = tuple(EffectColumn(c.n_codes, means.get(c.position), signs.get(c.name, 0)) for c in domain.columns)
    return domain, columns, np.stack([codes.astype(np.intp) for codes in learned.codes])


def _cut(
    raw: Numbers | SmallIntegers, name: str, position: int, n_bins: int, weights: NDArray[np.float64] | None
) -> BinColumn | str:
    cuts, missing = learn_cuts(raw, n_bins, weights)
    if cuts:
        return BinColumn(name, position, missing, cuts)
    present = raw.values[~raw.missing]
    if len(present) == 0:
        return "every value is missing"
    if not missing:
        return f"constant ({present[0]:g})"
    return BinColumn(name, position, missing, (float(present.max()),))  # one value, or none


def _bin_means(
    values: NDArray[np.float64], column: BinColumn, weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """The mean number of every bin, whatever the order of the rows; of one without rows, what its ends say."""
    here = np.flatnonzero(~np.isnan(values))
    numbers, place = np.unique(values[here], return_inverse=True)
    counts = np.bincount(place, None if weights is None else weights[here], minlength=len(numbers))
    cuts = np.asarray(column.thresholds)
    codes = np.searchsorted(cuts, numbers, side="left")
    mass = np.bincount(codes, counts, minlength=len(cuts) + 1)
    shares = counts / np.where(mass > 0, mass, 1.0)[codes]  # sums of the largest numbers overflow, means do not
    means = np.bincount(codes, shares * numbers, minlength=len(cuts) + 1)
    return np.where(mass > 0, means, np.concatenate([cuts[:1], cuts[1:] / 2 + cuts[:-1] / 2, cuts[-1:]]))
