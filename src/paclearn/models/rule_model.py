"""Rules as a model: a list of conjunctions, of which the first that applies to a row says its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np

from paclearn.encoding.comparisons import Comparison, columns_of, holds
from paclearn.encoding.domain import Bit
from paclearn.exceptions import InputError
from paclearn.models.explanation import Explanation, Part
from paclearn.models.model import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.encoding.comparisons import Condition
    from paclearn.models import checked
    from paclearn.models.model import About

__all__ = ["Rule", "RuleModel", "cells_of"]

Rule = tuple[int, ...]  # the conditions that all have to hold


@dataclass(frozen=True, eq=False, repr=False)
class RuleModel(Model):
    """The first rule that applies decides; where none does, what is said otherwise.

    With two classes all rules say the same one: yes if any applies. Then their order is of account for the
    probabilities only, which are those of the rows of the fit that a rule was the first to apply to.

    Parameters
    ----------
    about, columns : About, tuple of Column
        What is predicted from which table, and the columns that are read.
    conditions : tuple of Bit or Comparison
        What the rules ask of a column, or of two at once.
    rules : tuple of tuple of int
        The conditions of every rule.
    cells : ndarray of shape (n_rules + 1, n_classes)
        Probabilities of the classes where a rule is the first to apply; the last are those where none does.
    covered : ndarray of shape (n_rules + 1, n_classes)
        How many rows of every class a rule applied to, whatever else did; the last: rows that none applied to.
    """

    kind: ClassVar[str] = "rules"

    conditions: tuple[Condition, ...]
    rules: tuple[Rule, ...]
    cells: NDArray[np.float64]
    covered: NDArray[np.float64]

    # ---- the four questions ----

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        return np.asarray(self.cells[self.first(self.applies(codes))])

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """What is said where no rule applies, and what the first rule that does changes of it."""
        applies, names = self.applies(codes), self.rule_names
        change, nothing = (self.cells - self.cells[-1]).tolist(), (0.0,) * self.n_scores
        return [
            Explanation.of(
                self.output_names,
                self.cells[-1],
                [Part(name, tuple(change[r]) if r == first else nothing, bool(row[r])) for r, name in enumerate(names)],
            )
            for row, first in zip(applies, self.first(applies), strict=True)
        ]

    def effects(self) -> NoReturn:
        raise InputError(
            f"a list of {len(self.rules)} rules is no sum of effects of few columns: a rule is asked only where those "
            "before it do not apply"
        )

    def payload(self) -> dict[str, Any]:
        return {
            "conditions": [
                {"name": c.name, "columns": list(columns_of(c)), "cells": [list(cell) for cell in cells_of(c)]}
                for c in self.conditions
            ],
            "rules": [list(rule) for rule in self.rules],
            "predictions": self.cells.tolist(),
            "covered": self.covered.tolist(),
        }

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        part.need(about.classes is not None, "something else than rules, which tell classes and not numbers")
        conditions = part["conditions"].each(lambda p: _condition(p, columns))
        rules = part["rules"].each(lambda p: _rule(p, len(conditions)))
        shape = len(rules) + 1, len(about.classes or ())
        said, covered = part["predictions"].probabilities(*shape), part["covered"].counts(*shape)
        return cls(about, columns, conditions, rules, said, covered)

    # ---- what follows ----

    def applies(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Which rules (columns) apply to which rows, given by the codes of the columns.

        Parameters
        ----------
        codes : sequence of ndarray
            See `scores`.
        """
        sizes = [column.n_codes for column in self.columns]
        true = [holds(condition, codes, sizes) for condition in self.conditions]
        found = np.ones((len(codes[0]), len(self.rules)), dtype=bool)
        for r, rule in enumerate(self.rules):
            for c in rule:
                found[:, r] &= true[c]
        return found

    @staticmethod
    def first(applies: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The first rule that applies to a row, or, where none does, one more than there are.

        Parameters
        ----------
        applies : ndarray of shape (n_rows, n_rules)
            What `applies` gave.
        """
        always = np.ones((len(applies), 1), dtype=bool)
        return np.concatenate([applies, always], axis=1).argmax(axis=1)

    @property
    def n_scores(self) -> int:
        """Probabilities of all classes."""
        return self.n_outputs

    @property
    def rule_names(self) -> list[str]:
        """For example ``colour = red and 24 < age <= 41``."""
        return [" and ".join(self.conditions[c].name for c in rule) for rule in self.rules]

    @property
    def said(self) -> NDArray[np.intp]:
        """The class that every rule says, and, last, the one that is said where none applies."""
        return self.cells.argmax(axis=1)

    @property
    def n_conditions(self) -> int:
        """Of all rules together."""
        return sum(map(len, self.rules))

    def blocks(self) -> list[tuple[int, list[int]]]:
        """Neighbouring rules that say the same class, which may stand in any order: the class, and the rules."""
        found: list[tuple[int, list[int]]] = []
        for r, said in enumerate(self.said[:-1].tolist()):
            if found and found[-1][0] == said:
                found[-1][1].append(r)
            else:
                found.append((said, [r]))
        return found


def cells_of(condition: Condition) -> tuple[tuple[int, ...], ...]:
    """Codes that mean yes: one of the column, or one of each of the two."""
    return condition.pairs if isinstance(condition, Comparison) else tuple((code,) for code in condition.codes)


def _condition(part: checked.Part, columns: tuple[Column, ...]) -> Condition:
    asked = part["columns"].each(lambda p: p.whole(0, len(columns)))
    part["columns"].need(0 < len(set(asked)) == len(asked) <= 2, "one column, or two different ones")
    cells = part["cells"].each(lambda p: _cell(p, [columns[c].n_codes for c in asked]))
    if len(asked) == 1:
        return Bit(part["name"].text(), asked[0], tuple(code for (code,) in cells))
    return Comparison(part["name"].text(), asked, cells)


def _cell(part: checked.Part, sizes: list[int]) -> tuple[int, ...]:
    part.need(isinstance(part.value, list) and len(part.value) == len(sizes), f"a list of {len(sizes)} code(s)")
    largest = iter(sizes)
    return part.each(lambda p: p.whole(0, next(largest)))


def _rule(part: checked.Part, n_conditions: int) -> Rule:
    asked = part.each(lambda p: p.whole(0, n_conditions))
    part.need(0 < len(set(asked)) == len(asked), "one or more different conditions")
    return asked
