"""Terms with their weights as they are kept, and the model of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.spectral.disjoint_terms import exclusive
from paclearn.models.linear import LinearModel
from paclearn.models.points import PointsModel
from paclearn.models.terms import joined, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Domain
    from paclearn.learners.spectral.phrases import Vocabulary
    from paclearn.models.model import About
    from paclearn.models.terms import Term

__all__ = ["Terms", "linear_model", "spelled_out"]


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms with their weights, the intercept, and standard errors and their covariance where they are known."""

    terms: tuple[Term, ...]
    weights: NDArray[np.float64]
    intercept: NDArray[np.float64]
    errors: NDArray[np.float64] | None
    covariance: NDArray[np.float64] | None = None
    bits: tuple[Bit, ...] | None = None  # of phrases: the conditions that they are of,
    joins: tuple[str, ...] | None = None  # how these are joined,
    rows: NDArray[np.float64] | None = None  # and of how many rows each is true

    @property
    def true_weights(self) -> NDArray[np.float64]:
        """What is added where a term is true; of a product of signs, minus that where it is false."""
        if self.joins is not None:
            return self.weights
        return self.weights * np.array([1.0 if len(t) % 2 else -1.0 for t in self.terms])[:, None]

    def names(self, bits: Sequence[Bit]) -> list[str]:
        """In words, over the bits of a table or those that phrases bring along."""
        if self.joins is None or self.bits is None:
            return [name_of(term, bits) for term in self.terms]
        names = [bit.name for bit in self.bits]
        return [joined([names[i] for i in t], join) for t, join in zip(self.terms, self.joins, strict=True)]


def linear_model(about: About, domain: Domain, bits: Sequence[Bit], terms: Terms, **more: Any) -> LinearModel:
    """A sum of products of signs, or of points of phrases."""
    parts = about, domain, bits, terms.terms, terms.weights, terms.intercept
    if terms.joins is None:
        return LinearModel.of_terms(*parts, errors=terms.errors, **more)
    return PointsModel.of_terms(*parts, errors=terms.errors, joins=terms.joins, rows=terms.rows, **more)


def spelled_out(found: Terms, words: Vocabulary, rows: NDArray[np.float64], n_rows: float) -> Terms:
    """Phrases as the conditions that they are of, with the rows, of so many, of which they are true."""
    found, rows = exclusive(found, words, rows, n_rows)
    often = rows > n_rows / 2
    denials = [words.denial(term, found.terms) if often[i] else None for i, term in enumerate(found.terms)]
    denied = np.array([new is not None for new in denials], dtype=bool)
    found = _denied(found, denied)
    terms = tuple(new or term for new, term in zip(denials, found.terms, strict=True))
    bits, members, joins = words.spelled_out(terms)
    held = np.where(denied, n_rows - rows, rows).astype(np.float64)
    return replace(found, terms=members, bits=bits, joins=joins, rows=held)


def _denied(found: Terms, denied: NDArray[np.bool_]) -> Terms:
    """The same sum, where some terms are said the other way round: points are for what is rare."""
    turn = np.where(denied, -1.0, 1.0)
    intercept = found.intercept + found.weights[denied].sum(axis=0)
    covariance = None if found.covariance is None else found.covariance * np.outer(turn, turn)
    return replace(found, weights=found.weights * turn[:, None], intercept=intercept, covariance=covariance)
