"""A model in points: every term is true or not, and adds its points where it is true."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paclearn.encoding.domain import Domain
from paclearn.models.explanation import Explanation, Part
from paclearn.models.linear import LinearModel
from paclearn.models.term_tables import TermTables
from paclearn.models.terms import answers_of, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models import checked
    from paclearn.models.model import About
    from paclearn.models.terms import Term

__all__ = ["JOINS", "PointsModel", "truth_of"]

JOINS = ("and", "odd")


@dataclass(frozen=True, eq=False, repr=False)
class PointsModel(LinearModel):
    """Weights of conditions and of conjunctions of them, each 1 where it is true and 0 where it is not.

    The score of a row is the intercept plus the weights of all terms that are true of it. The rest is as in
    `LinearModel`, whose terms are products of signs.

    Parameters
    ----------
    about, columns, bits, terms : About, tuple of Column, tuple of Bit, tuple of tuple of int
        As of `LinearModel`: what is predicted, the columns, the questions about them, and the bits of every term.
    weights : ndarray of shape (n_terms, n_scores)
        What a term adds where it is true.
    intercept, errors : ndarray
        What scores start from, and standard errors of the weights.
    limits, calibrated, logarithmic, masses, cell_errors, ladder : optional
        As of `LinearModel`.
    joins : tuple of str
        For every term ``"and"``, true where all its bits are, or ``"odd"``, true where an odd number of them is.
    rows : ndarray or None
        In how many rows of the fit every term was true.
    """

    kind: ClassVar[str] = "points"

    joins: tuple[str, ...] = ()
    rows: NDArray[np.float64] | None = None

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        step = max(1, 2**24 // max(len(self.terms), 1))
        some = (slice(begin, begin + step) for begin in range(0, len(codes[0]), step))
        blocks = [self.truth([column[part] for column in codes]) @ self.weights for part in some]
        return np.concatenate(blocks or [np.zeros((0, self.n_scores))]) + self.intercept

    def truth(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Rows x terms: whether each is true.

        Parameters
        ----------
        codes : sequence of ndarray
            Codes of the columns of the model.
        """
        return truth_of(answers_of(Domain(self.columns), self.bits, codes), self.terms, self.joins)

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """Every term, with its weight where it is true and nought where it is not."""
        names = self.term_names
        return [
            Explanation.of(
                self.output_names,
                self.intercept,
                [
                    Part(name, tuple((weights * holds).tolist()), bool(holds))
                    for name, weights, holds in zip(names, self.weights, row, strict=True)
                ],
            )
            for row in self.truth(codes)
        ]

    @property
    def term_names(self) -> list[str]:
        """For example ``age > 41 and town in {Bonn, Ulm}``."""
        return [
            joined([self.bits[i].name for i in term], join) for term, join in zip(self.terms, self.joins, strict=True)
        ]

    @property
    def true_weights(self) -> NDArray[np.float64]:
        return self.weights

    @property
    def added_where_true(self) -> NDArray[np.float64]:
        """Its weight."""
        return self.weights

    @property
    def where_none_is_true(self) -> NDArray[np.float64]:
        """The intercept."""
        return self.intercept

    def payload(self) -> dict[str, Any]:
        rows = None if self.rows is None else self.rows.tolist()
        return {**super().payload(), "joins": list(self.joins), "rows": rows}

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        model = super().read(about, columns, part)
        asked = [[model.bits[i].column for i in term] for term in model.terms]
        part["terms"].need(all(len(set(some)) == len(some) for some in asked), "terms of bits of different columns")
        joins = part["joins"].each(lambda p: p.one_of(*JOINS))
        part["joins"].need(len(joins) == len(model.terms), "one word a term")
        rows = part["rows"]
        known = None if rows.value is None else rows.counts(len(model.terms))
        return replace(model, joins=joins, rows=known)

    @cached_property
    def _tables(self) -> TermTables:
        return TermTables(self.columns, self.bits, self.terms, self.joins or ("and",) * len(self.terms))


def truth_of(answers: NDArray[np.bool_], terms: Sequence[Term], joins: Sequence[str]) -> NDArray[np.bool_]:
    """Rows x terms, from rows x bits."""
    found = np.empty((len(answers), len(terms)), dtype=bool)
    for place, (term, join) in enumerate(zip(terms, joins, strict=True)):
        combined = np.logical_and if join == "and" else np.logical_xor
        found[:, place] = combined.reduce(answers[:, list(term)], axis=1)
    return found
