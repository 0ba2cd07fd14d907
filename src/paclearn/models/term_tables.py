"""Terms that look at the same columns, as one table: what they add in each cell of groups of codes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paclearn.models.cell_grids import CodeGroups
from paclearn.models.effects import Effect, check_size, group_codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Column
    from paclearn.models.terms import Term

__all__ = ["TermTables"]


@dataclass(frozen=True, eq=False)
class TermTables:
    """Terms over bits of columns, sorted by the columns they look at.

    A term is a product of signs, -1 where a bit is false and +1 where it is true. With ``joins``, a word a term, it is
    1 or 0: ``"and"`` is 1 where all bits are true, ``"odd"`` where an odd number of them is.
    """

    columns: tuple[Column, ...]
    bits: tuple[Bit, ...]
    terms: tuple[Term, ...]
    joins: tuple[str, ...] = ()

    @cached_property
    def by_columns(self) -> dict[tuple[int, ...], list[int]]:
        """The terms of every set of columns."""
        by_asked: dict[tuple[int, ...], list[int]] = defaultdict(list)
        column_of = self._column_of.__getitem__
        for i, term in enumerate(self.terms):
            by_asked[tuple(map(column_of, term))].append(i)
        found: dict[tuple[int, ...], list[int]] = {}
        for asked, numbers in by_asked.items():
            found.setdefault(tuple(sorted(set(asked))), []).extend(numbers)
        return {columns: sorted(numbers) for columns, numbers in found.items()}

    @cached_property
    def _column_of(self) -> list[int]:
        return [bit.column for bit in self.bits]

    @cached_property
    def _asked(self) -> list[dict[int, Term]]:
        """The bits of every term, by their columns."""
        column = self._column_of
        found: list[dict[int, Term]] = [{} for _ in self.terms]
        for asked, term in zip(found, self.terms, strict=True):
            for b in term:
                asked[column[b]] = (*asked.get(column[b], ()), b)
        return found

    def code_groups(self) -> Iterator[CodeGroups]:
        """The groups of codes of every set of columns, whatever its terms weigh."""
        for columns, numbers in self.by_columns.items():
            asked: dict[int, list[int]] = {column: [] for column in columns}
            for b in sorted(set().union(*map(self.terms.__getitem__, numbers))):
                asked[self._column_of[b]].append(b)
            groups, signs = zip(*(self._groups(column, tuple(bits)) for column, bits in asked.items()), strict=True)
            self._refuse_large([each.shape[1] for each in signs], columns)
            yield CodeGroups(columns, groups)

    def effect(self, columns: tuple[int, ...], weights: NDArray[np.float64]) -> Effect:
        """What the terms of a set of columns add with some weights, terms x outputs."""
        numbers = self.by_columns[columns]
        parts = [self._of_column(column, numbers) for column in columns]
        sizes = [part.shape[1] for _, part in parts]
        self._refuse_large(sizes, columns)
        cells = np.ones((len(numbers), 1))
        for _, signs in parts:
            cells = (cells[:, :, None] * signs[:, None, :]).reshape(len(numbers), -1)
        cells = self._as_truth(cells, numbers)
        return Effect(columns, tuple(groups for groups, _ in parts), (cells.T @ weights).reshape(*sizes, -1))

    def _refuse_large(self, sizes: Sequence[int], columns: tuple[int, ...]) -> None:
        check_size(sizes, "terms of " + ", ".join(self.columns[c].name for c in columns))

    def _bits_of(self, column: int, numbers: Sequence[int]) -> Term:
        return tuple(sorted({b for i in numbers for b in self._asked[i][column]}))

    def _of_column(self, column: int, numbers: Sequence[int]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Groups of the codes of a column, and the product of each term's bits of this column in every group."""
        asked, bits = [self._asked[i][column] for i in numbers], self._bits_of(column, numbers)
        groups, signs = self._groups(column, bits)
        if all(len(some) == 1 for some in asked):
            factors = signs[[bits.index(some[0]) for some in asked]]
        else:
            rows = [[bits.index(b) for b in some] for some in asked]
            factors = np.stack([self._multiplied(signs[row], i) for row, i in zip(rows, numbers, strict=True)])
        return groups, np.maximum(factors, self._least(numbers)[:, None])

    def _multiplied(self, signs: NDArray[np.float64], number: int) -> NDArray[np.float64]:
        """Bits of one column in one term: all of them, or the product of their signs."""
        return signs.min(axis=0) if self.joins and self.joins[number] == "and" else signs.prod(axis=0)

    def _least(self, numbers: Sequence[int]) -> NDArray[np.float64]:
        """What a bit that is false counts for: nought where a term asks for all."""
        return np.array([0.0 if self.joins and self.joins[i] == "and" else -1.0 for i in numbers])

    def _as_truth(self, products: NDArray[np.float64], numbers: Sequence[int]) -> NDArray[np.float64]:
        """Products of signs of k bits are (-1)^(k - 1) where an odd number of them is true."""
        if not self.joins:
            return products
        odd = np.array([self.joins[i] == "odd" for i in numbers])[:, None]
        turn = np.array([1.0 if len(self.terms[i]) % 2 else -1.0 for i in numbers])[:, None]
        return np.where(odd, (1 + turn * products) / 2, products)

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
