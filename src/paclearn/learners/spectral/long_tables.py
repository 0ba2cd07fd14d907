"""Tables of very many rows: terms are chosen by some of them, their weights are fitted to all, by their codes.

Which rows choose follows from what they hold and from the seed, not from their order or from the files they come in:
the first in the order of a hash. Nothing is kept of a row but its codes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.distinct import DistinctRows
from paclearn.learners.fitting import Learned
from paclearn.learners.spectral.cell_terms import CellTerms, cell_tables
from paclearn.learners.spectral.ridge import RidgeProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Domain
    from paclearn.encoding.folds import Draws
    from paclearn.learners.fitting import Rows
    from paclearn.learners.spectral.forward import Design, FittedTerms
    from paclearn.learners.spectral.losses import Loss
    from paclearn.models import Model

__all__ = ["LongTable"]


@dataclass(frozen=True, eq=False)
class LongTable:
    """Different rows in the order of a hash: codes, targets, the draws that each is, and the kind of every row."""

    codes: list[NDArray[Any]]
    targets: NDArray[np.float64]
    draws: Draws
    kind: NDArray[np.intp]

    @classmethod
    def of(
        cls, train: Rows, codes: Sequence[NDArray[Any]] | NDArray[Any], most: int, rng: np.random.RandomState
    ) -> LongTable | None:
        """The rows that differ, or None where there are not more than so many."""
        if train.n <= most:
            return None
        targets = train.targets.astype(np.float64)
        found = DistinctRows.hashed(codes, targets, train.weights, train.groups, int(rng.randint(0, 2**31 - 1)))
        if len(found.first) <= most:
            return None
        return cls([codes[i][found.first] for i in range(len(codes))], targets[found.first], found.draws, found.kind)

    def first(self, n: int) -> tuple[list[NDArray[Any]], NDArray[np.float64], Draws]:
        """The rows that terms are chosen by: codes, targets and draws."""
        some = np.arange(min(n, len(self.targets)))
        return [column[:n] for column in self.codes], self.targets[:n], self.draws.take(some)

    def rows_where_true(self, problem: RidgeProblem) -> tuple[NDArray[np.float64], float]:
        """In how many rows terms that are 1 where they are true are so, and of how many."""
        counts = self.draws.weights
        rows = problem.matrix.transposed_times(counts[:, None])[:, 0] / problem.matrix.scale
        return rows, float(counts.sum())

    def learned(self, model: Model, domain: Domain, covariance: NDArray[np.float64] | None) -> Learned:
        """The model beside the codes of its columns."""
        found = Learned.of(model, domain, self.codes, len(self.targets), covariance)
        return replace(found, kind=self.kind)

    def problem(self, some: FittedTerms, design: Design, targets: NDArray[np.float64], loss: Loss) -> RidgeProblem:
        """All rows, to be fitted with terms that some of them chose, in a design of these."""
        words = design.words
        said = words.spelled_out(some.terms) if design.in_phrases else (words.bits, some.terms)
        tables = cell_tables(words.domain.columns, *said)
        matrix = some.problem.matrix
        cells = CellTerms(self.codes, tables, matrix.scale, matrix.roots)
        weights = self.draws.weights
        return RidgeProblem(cells, targets, weights / weights.sum(), loss, float(weights.sum()), some.problem)
