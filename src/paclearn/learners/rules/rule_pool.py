"""Conditions and their answers on the rows at hand: what rules are made of while they are looked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.comparisons import Comparison, columns_of
from paclearn.encoding.conditions import runs
from paclearn.encoding.domain import BinColumn, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column, Domain
    from paclearn.encoding.comparisons import Condition

__all__ = ["Pool", "literals_of", "thresholds_of"]

_HARDER = 0.02


@dataclass(frozen=True, eq=False)
class Pool:
    """Conditions (places of the first axis) and their answers on rows.

    ``apart`` says which two of them may stand in one rule: those that read no column in common. ``literals`` is what
    a person reads in each, and ``prices`` settle what is to be read where as few literals say the same: a level rather
    than all but one, a column rather than two.
    """

    conditions: tuple[Condition, ...]
    answers: NDArray[np.bool_]
    apart: NDArray[np.bool_]
    literals: NDArray[np.float64]
    prices: NDArray[np.float64]
    left_out: tuple[str, ...] = ()  # conditions that were not looked at, in words

    @classmethod
    def of(
        cls,
        domain: Domain,
        asked: Iterable[tuple[Condition, NDArray[np.bool_]]],
        n_rows: int,
        left_out: tuple[str, ...] = (),
    ) -> Pool:
        """Those that are true of some rows and false of others; of several with the same answers the shortest."""
        by_length = sorted(asked, key=lambda pair: literals_of(pair[0], domain) + _extra(pair[0], domain))
        kept: dict[bytes, tuple[Condition, NDArray[np.bool_]]] = {}
        for condition, found in by_length:
            if found.any() and not found.all():
                kept.setdefault(np.packbits(found).tobytes(), (condition, found))
        some = tuple(condition for condition, _ in kept.values())
        answers = np.array([found for _, found in kept.values()], dtype=bool).reshape(len(some), n_rows)
        literals = np.array([literals_of(condition, domain) for condition in some], dtype=np.float64)
        extra = np.array([_extra(condition, domain) for condition in some], dtype=np.float64)
        return cls(some, answers, _apart(some), literals, literals + extra, left_out)

    def of_rows(self, rows: NDArray[np.intp]) -> Pool:
        """The same conditions, of some of the rows."""
        return replace(self, answers=self.answers[:, rows])

    def covers(self, rules: Sequence[tuple[int, ...]]) -> NDArray[np.bool_]:
        """Which rules (first axis) apply to which rows."""
        found = np.ones((len(rules), self.answers.shape[1]), dtype=bool)
        for r, rule in enumerate(rules):
            for c in rule:
                found[r] &= self.answers[c]
        return found


def _apart(conditions: Sequence[Condition]) -> NDArray[np.bool_]:
    """Which two read no column in common."""
    ends = np.array([(columns_of(c)[0], columns_of(c)[-1]) for c in conditions], dtype=np.int32).reshape(-1, 2)
    apart = np.ones((len(ends), len(ends)), dtype=bool)
    for mine in ends.T:
        for other in ends.T:
            apart &= mine[:, None] != other
    return apart


def literals_of(condition: Condition, domain: Domain) -> int:
    """One for a level, for all but one and for a threshold, two for an interval, and one a level of a list."""
    if isinstance(condition, Comparison):
        return 1
    column, codes = domain.columns[condition.column], set(condition.codes)
    n_present = column.n_codes - column.missing
    present = {code for code in codes if code < n_present}
    if len(present) in {0, n_present}:
        return 1
    listed, ends = min(len(present), n_present - len(present)), thresholds_of(column, present)
    return (listed if ends is None else min(listed, ends)) + (len(codes) > len(present))


def _extra(condition: Condition, domain: Domain) -> float:
    """What is harder to read costs a little more."""
    if isinstance(condition, Comparison):
        return 2 * _HARDER
    column = domain.columns[condition.column]
    outnumber = 2 * len(condition.codes) > column.n_codes - column.missing
    return _HARDER if outnumber and isinstance(column, LevelColumn) and column.n_codes > 2 else 0.0


def thresholds_of(column: Column, present: set[int]) -> int | None:
    """Ends of the runs of neighbouring numbers that some codes are; None where levels have no order."""
    if isinstance(column, LevelColumn) and (not column.numeric or column.other):
        return None
    place = {code: i for i, code in enumerate(_ordered(column))}
    last = len(place) - 1
    return sum((first > 0) + (end < last) for first, end in runs(place[code] for code in present))


def _ordered(column: Column) -> Sequence[int]:
    if isinstance(column, BinColumn):
        return range(len(column.thresholds) + 1)
    assert isinstance(column, LevelColumn)  # noqa: S101 - there are two kinds of columns
    return [int(i) for i in np.argsort([float(level) for level in column.levels], kind="stable")]
