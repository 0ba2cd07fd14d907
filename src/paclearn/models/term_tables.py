"""Terms that look at the same columns, as one table: what they add in each cell of groups of codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paclearn.models.effects import Effect, check_size, group_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Column
    from paclearn.models.terms import Term

__all__ = ["TermTables"]


@dataclass(frozen=True, eq=False)
class TermTables:
    """Terms over bits of columns, sorted by the columns they look at."""

    columns: tuple[Column, ...]
    bits: tuple[Bit, ...]
    terms: tuple[Term, ...]
    joins: tuple[str, ...] | None = None  # of terms that are true or not; otherwise they are products of signs

    @cached_property
    def by_columns(self) -> dict[tuple[int, ...], list[int]]:
        """The terms of every set of columns."""
        found: dict[tuple[int, ...], list[int]] = {}
        for i, term in enumerate(self.terms):
            found.setdefault(tuple(sorted({self.bits[b].column for b in term})), []).append(i)
        return found

    def effect(self, columns: tuple[int, ...], weights: NDArray[np.float64]) -> Effect:
        """What the terms of a set of columns add with some weights, terms x outputs."""
        terms = [self.terms[i] for i in self.by_columns[columns]]
        parts = [self._of_column(column, terms) for column in columns]
        sizes = [part.shape[1] for _, part in parts]
        check_size(sizes, "terms of " + ", ".join(self.columns[c].name for c in columns))
        cells = self._cells([signs for _, signs in parts], self._joins(columns))
        return Effect(columns, tuple(groups for groups, _ in parts), (cells.T @ weights).reshape(*sizes, -1))

    def _joins(self, columns: tuple[int, ...]) -> NDArray[np.str_] | None:
        return None if self.joins is None else np.array([self.joins[i] for i in self.by_columns[columns]])[:, None]

    def _cells(self, parts: list[NDArray[np.float64]], joins: NDArray[np.str_] | None) -> NDArray[np.float64]:
        """Terms x cells, from terms x groups of every column: products of signs, or 1 where a term is true, else 0."""
        cells = np.ones((len(parts[0]), 1))
        for signs in parts:
            values = signs if joins is None else np.where(joins == "and", (signs + 1) / 2, -signs)
            cells = (cells[:, :, None] * values[:, None, :]).reshape(len(signs), -1)
        return cells if joins is None else np.where(joins == "and", cells, (1 - cells) / 2)

    def _of_column(self, column: int, terms: Sequence[Term]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Groups of the codes of a column, and the product of each term's signs of this column in every group."""
        asked = [tuple(b for b in term if self.bits[b].column == column) for term in terms]
        bits = tuple(sorted({b for some in asked for b in some}))
        groups, signs = self._groups(column, bits)
        if all(len(some) == 1 for some in asked):
            return groups, signs[[bits.index(some[0]) for some in asked]]
        return groups, np.stack([signs[[bits.index(b) for b in some]].prod(axis=0) for some in asked])

    def _groups(self, column: int, bits: tuple[int, ...]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Codes that answer all these bits alike, and the signs of the bits in every group; looked up if asked for."""
        key = column, bits
        if key not in self._known:
            answers = np.stack([self._answers[b] for b in bits])
            groups, firsts = group_codes(answers.T)
            self._known[key] = groups, np.where(answers[:, firsts], 1.0, -1.0)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[int, tuple[int, ...]], tuple[NDArray[np.intp], NDArray[np.float64]]]:
        return {}

    @cached_property
    def _answers(self) -> list[NDArray[np.bool_]]:
        return [bit.answers(self.columns[bit.column].n_codes) for bit in self.bits]
