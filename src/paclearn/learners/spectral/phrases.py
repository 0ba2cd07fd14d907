"""What a points model says: conditions, and conjunctions of conditions on different columns.

A condition is a set of codes of one column, which `encoding.conditions` puts into words: ``24 < age <= 41``,
``colour != red``, ``town in {Bonn, Ulm}``. A phrase is true where all its conditions are ("a and b"), or, of the few
that say a parity, where an odd number of them is ("exactly one of a, b"). What is missing answers no to all but the
question whether it is missing, and what was never seen answers no to all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb, lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.conditions import condition, in_order, runs
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Domain
    from paclearn.models.terms import Term

__all__ = ["CodedRows", "Condition", "Phrase", "Vocabulary"]

Condition = tuple[int, tuple[int, ...]]  # a column and some of its codes


_ANSWERS_KEPT = 2**25  # cells: 128 megabytes of single precision
_LENGTHS, _JOINS, _KINDS = 3, 2, 3  # one to three conditions; and, odd; a bit, a run of codes, a list of levels


@dataclass(frozen=True, order=True)
class Phrase:
    """Conditions on different columns, in the order of these, and how they are joined."""

    conditions: tuple[Condition, ...]
    join: str = "and"  # or "odd": true where an odd number of them holds

    def __len__(self) -> int:
        return len(self.conditions)

    @property
    def columns(self) -> tuple[int, ...]:
        """Of its conditions."""
        return tuple(column for column, _ in self.conditions)

    def with_condition(self, new: Condition) -> Phrase | None:
        """One condition more; of a column that is asked twice both must hold, and nothing is left if they cannot."""
        codes = dict(self.conditions)
        column, wanted = new
        both = tuple(sorted(set(codes.get(column, wanted)) & set(wanted)))
        return Phrase(tuple(sorted({**codes, column: both}.items()))) if both else None

    def without(self, column: int) -> Phrase:
        """What is left when a column is not asked."""
        return Phrase(tuple(part for part in self.conditions if part[0] != column))


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows by the codes of their columns; what was asked of them before is not worked out again."""

    columns: list[NDArray[np.intp]]
    n_codes: tuple[int, ...]
    _answers: dict[Condition, NDArray[np.float32]] = field(default_factory=dict)

    def answers(self, part: Condition) -> NDArray[np.float32]:
        """1 where a condition is true, else 0."""
        if part in self._answers:
            return self._answers[part]
        column, wanted = part
        table = np.zeros(self.n_codes[column], dtype=np.float32)
        table[list(wanted)] = 1
        found = table[self.columns[column]]
        if len(self._answers) * len(found) < _ANSWERS_KEPT:
            self._answers[part] = found
        return found

    def truth(self, phrases: Sequence[Phrase]) -> NDArray[np.float32]:
        """Phrases x rows: 1 where a phrase is true, else 0."""
        found = np.empty((len(phrases), len(self.columns[0])), dtype=np.float32)
        for i, phrase in enumerate(phrases):
            first, *others = map(self.answers, phrase.conditions)
            found[i] = first
            for answers in others:
                found[i] = found[i] != answers if phrase.join == "odd" else found[i] * answers
        return found


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Columns and bits of a table, and a number for every phrase that came up: terms of a model are such numbers.

    It learns new phrases as they are looked for, and is shared by all parts of a table.
    """

    domain: Domain
    bits: tuple[Bit, ...]
    _phrases: list[Phrase] = field(default_factory=list)
    _numbers: dict[Phrase, int] = field(default_factory=dict)
    _prices: list[float] = field(default_factory=list)

    def term(self, phrase: Phrase) -> Term:
        """The number of a phrase, as a term."""
        number = self._numbers.setdefault(phrase, len(self._phrases))
        if number == len(self._phrases):
            self._phrases.append(phrase)
            self._prices.append(2 * self.log_choices(phrase))
        return (number,)

    def phrase(self, term: Term) -> Phrase:
        """What a term says."""
        return self._phrases[term[0]]

    def price(self, term: Term) -> float:
        """What the best of as many phrases that explain nothing would reach."""
        return self._prices[term[0]]

    def denial(self, term: Term, others: Sequence[Term] = ()) -> Term | None:
        """The opposite of a single condition, if it is one condition too and no row is without an answer.

        Beside other conditions on its column it stays as it is where that overlaps with less of them.
        """
        (column, codes), *more = self.phrase(term).conditions
        left = tuple(code for code in self.present(column) if code not in codes)
        order = self.order(column)
        if more or not left or self.domain.columns[column].missing:
            return None
        if order is not None and len(runs(order.index(code) for code in left)) > 1:
            return None
        beside = [other for other in others if other != term]
        if self._overlaps(column, left, beside) > self._overlaps(column, codes, beside):
            return None
        return self.term(Phrase(((column, left),)))

    def _overlaps(self, column: int, codes: tuple[int, ...], terms: Sequence[Term]) -> int:
        """With how many codes that single conditions on a column ask for."""
        beside = [self.phrase(term).conditions for term in terms]
        asked = [parts[0][1] for parts in beside if len(parts) == 1 and parts[0][0] == column]
        return sum(len(set(codes) & set(some)) for some in asked)

    def is_plain(self, column: int, codes: tuple[int, ...]) -> bool:
        """Whether a condition is easily said: a run of numbers or all others, a short list of levels or all others."""
        order = self.order(column)
        present = set(self.present(column))
        others = present - set(codes)
        if order is None or not present >= set(codes):
            return min(len(codes), len(others)) <= TUNING.most_listed
        return any(len(runs(order.index(code) for code in some)) == 1 for some in (codes, others))

    def present(self, column: int) -> tuple[int, ...]:
        """The codes of a column that are not missing."""
        known = self.domain.columns[column]
        return tuple(range(known.n_codes - known.missing))

    def order(self, column: int) -> list[int] | None:
        """The codes of a column of numbers, small ones first."""
        return in_order(self.domain.columns[column])

    def log_choices(self, phrase: Phrase) -> float:
        """Nats to say which phrase it is, among all of so many conditions."""
        columns = len(self.domain.columns)
        return log(comb(columns, len(phrase))) + sum(self._log_conditions(part) for part in phrase.conditions)

    def log_choices_of_all(self, terms: Sequence[Term]) -> float:
        """Nats to say which phrases: of each how long, how joined and of what kinds; their order is of no account."""
        phrases = [self.phrase(term) for term in terms]
        kinds = sum(log(_LENGTHS) + log(_JOINS) + len(phrase) * log(_KINDS) for phrase in phrases)
        return kinds + sum(map(self.log_choices, phrases)) - lgamma(len(phrases) + 1)

    def _log_conditions(self, part: Condition) -> float:
        """A bit or its denial, a run of neighbouring codes, or a list of levels."""
        column, codes = part
        if part in self._known:
            return log(max(2 * int(self.n_bits[column]), 1))
        size = len(self.present(column))
        if self.order(column) is not None:
            return log(size * (size + 1) / 2)
        return log(2 * comb(size, min(len(codes), size - len(codes))))

    @cached_property
    def _known(self) -> set[Condition]:
        return {part for pair in self.literals for part in pair}

    @cached_property
    def literals(self) -> tuple[tuple[Condition, Condition], ...]:
        """Every bit as a condition, and its denial, which is the other codes that are not missing."""
        return tuple(
            ((bit.column, bit.codes), (bit.column, tuple(c for c in self.present(bit.column) if c not in bit.codes)))
            for bit in self.bits
        )

    @cached_property
    def n_bits(self) -> NDArray[np.intp]:
        """Bits of every column."""
        return np.bincount([bit.column for bit in self.bits], minlength=len(self.domain.columns))

    # ---- rows ----

    def codes(self, signs: NDArray[np.int8]) -> CodedRows:
        """The codes of all columns, from the answers to all bits."""
        columns = self.domain.columns
        found = [self._codes_of(signs, i) for i in range(len(columns))]
        return CodedRows(found, tuple(column.n_codes for column in columns))

    def _codes_of(self, signs: NDArray[np.int8], column: int) -> NDArray[np.intp]:
        places, marks, order, of_codes = self._marks[column]
        return order[np.searchsorted(of_codes, (signs[:, places] > 0) @ marks)]

    @cached_property
    def _marks(self) -> list[tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.intp], NDArray[np.int64]]]:
        """Of every column: its bits, a number for each, and its codes by the sum of those that it answers yes to."""
        owners = np.array([bit.column for bit in self.bits], dtype=np.intp)
        found = []
        for i, column in enumerate(self.domain.columns):
            places = np.flatnonzero(owners == i)
            marks = np.random.default_rng(0).integers(-(2**52), 2**52, len(places))
            of_codes = np.stack([self.bits[k].answers(column.n_codes)[:-1] for k in places], axis=1) @ marks
            order = np.argsort(of_codes)
            found.append((places, marks, order, of_codes[order]))
        return found

    def truth(self, terms: Sequence[Term], rows: CodedRows) -> NDArray[np.float32]:
        """Rows x terms: 1 where a phrase is true, else 0."""
        return rows.truth([self.phrase(term) for term in terms]).T

    # ---- words ----

    def spelled_out(self, terms: Sequence[Term]) -> tuple[tuple[Bit, ...], tuple[Term, ...], tuple[str, ...]]:
        """Conditions as bits, every term as the bits that it is of, and how these are joined."""
        phrases = [self.phrase(term) for term in terms]
        conditions = sorted({part for phrase in phrases for part in phrase.conditions})
        place = {part: i for i, part in enumerate(conditions)}
        bits = tuple(condition(self.domain.columns[column], column, codes) for column, codes in conditions)
        members = tuple(tuple(place[part] for part in phrase.conditions) for phrase in phrases)
        return bits, members, tuple(phrase.join for phrase in phrases)
