"""Is there anything here at all? The best score beside the best scores of shuffled labels, by the same search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from paclearn._progress import progress
from paclearn.counting import BitTable, engine_for
from paclearn.search.scores import ZeroOneScore, product_marginals
from paclearn.search.traversal import walk_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.counting import Engine

__all__ = ["PermutationTest", "permutation_test"]


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """The best score, and those of the shuffled labels.

    Parameters
    ----------
    observed : float
        The best score.
    shuffled : ndarray of shape (n_permutations,)
        The best score of each shuffle.
    """

    observed: float
    shuffled: NDArray[np.float64]

    @property
    def p_value(self) -> float:
        """Probability of a best score as good as this if the labels had nothing to do with the columns.

        One plus the shuffles that reach it, over one plus all: Phipson and Smyth (2010), equation 2.
        """
        reached = int((np.round(self.shuffled, 12) >= round(self.observed, 12)).sum())
        return (1 + reached) / (1 + len(self.shuffled))

    def __str__(self) -> str:
        typical = float(np.median(self.shuffled))
        return (
            f"The best score is {self.observed:.4f}; with shuffled labels the best is {typical:.4f} in the middle and "
            f"{self.shuffled.max():.4f} at most, over {len(self.shuffled):,} shuffles: p = {self.p_value:.3g}."
        )


def permutation_test(
    columns: Sequence[NDArray[np.unsignedinteger[Any]]],
    sizes: Sequence[int],
    row_class: NDArray[np.integer[Any]],
    k: int,
    *,
    n_permutations: int = 199,
    measure: str = "empirical",
    n_jobs: int | None = None,
    random_state: Any = None,
) -> PermutationTest:
    """Search the best subset of k units again and again, with the classes shuffled among the rows.

    Parameters
    ----------
    columns : sequence of ndarray
        Codes of the units.
    sizes : sequence of int
        How many codes each has.
    row_class : ndarray of int
        The class of every row.
    k : int
        Size of the subsets.
    n_permutations : int, default=199
        How many shuffles. The p-value cannot be smaller than one over this plus one.
    measure : {"empirical", "product"}, default="empirical"
        The score, see `JuntaClassifier`.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the shuffles.

    Returns
    -------
    PermutationTest
        Observed and shuffled best scores, and the p-value of the observed one, which is valid whatever was searched.
    """
    rng = check_random_state(random_state)
    n_classes = int(row_class.max()) + 1

    rows = BitTable.pack(columns, sizes, np.zeros_like(row_class), 1)

    def best(labels: NDArray[np.integer[Any]]) -> float:
        engine = engine_for(rows.sorted_by(labels, n_classes), n_jobs)
        return _best_score(engine, k, n_classes, measure)

    observed = best(row_class)
    shuffled = np.empty(n_permutations)
    with progress(f"{n_permutations:,} shuffles", n_permutations) as advance:
        for i in range(n_permutations):
            shuffled[i] = best(rng.permutation(row_class))
            advance(1)
    return PermutationTest(observed, shuffled)


def _best_score(engine: Engine, k: int, n_classes: int, measure: str) -> float:
    score = ZeroOneScore(n_classes, product_marginals(engine, n_classes) if measure == "product" else None)
    walk = walk_for(engine, score, k, 1)
    best, start = -np.inf, 0
    while start < walk.total:
        stop = walk.end_of(start, walk.total)
        scores = walk.best(start, stop, best)[1]
        best, start = max(best, float(scores.max(initial=-np.inf))), stop
    return best
