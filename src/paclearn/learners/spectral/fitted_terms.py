"""Terms with weights that were fitted to rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.rounding import coarsest_step, to_multiples

if TYPE_CHECKING:
    from paclearn.learners.spectral.long_problem import LongProblem
    from paclearn.learners.spectral.ridge import RidgeProblem
    from paclearn.models.terms import Term

__all__ = ["FittedTerms", "WeightedTerms"]


@dataclass(frozen=True, eq=False)
class WeightedTerms:
    """Terms and their weights, fitted to rows wherever these lie."""

    terms: tuple[Term, ...]
    problem: RidgeProblem | LongProblem
    fit: LinearFit

    @property
    def n_terms(self) -> int:
        return len(self.terms)

    def rounded(self, step: float) -> Self:
        """The same terms, their weights rounded to multiples of a step.

        A level that is rare is false nearly everywhere, and what a thousand of them lose adds up to one shift of all
        rows: the intercept takes back what is lost in the mean.
        """
        weights = to_multiples(self.fit.weights, step)
        lost = self.problem.mean @ (self.fit.weights - weights)
        return replace(self, fit=LinearFit(weights, to_multiples(self.fit.intercept + lost, step)))

    def coarsely(self, steps: int) -> tuple[Self, float]:
        """The same terms with weights as coarse as costs next to nothing, and the step they are multiples of."""
        cost = self.problem.divergence_from(self.fit)
        largest = np.abs(self.fit.weights).max(initial=0.0)
        step = coarsest_step(largest, steps, lambda step: cost(self.rounded(step).fit))
        return self.rounded(step), step


@dataclass(frozen=True, eq=False)
class FittedTerms(WeightedTerms):
    """A model on the way, of rows that are looked at again and again."""

    problem: RidgeProblem
