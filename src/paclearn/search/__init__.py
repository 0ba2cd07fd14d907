"""Which subset of units is best? Scores from counts, and ways to go through the subsets."""

from paclearn.search.exhaustive import exhaustive
from paclearn.search.limits import block_length, check_cells
from paclearn.search.local import beam, greedy, swaps
from paclearn.search.permutation import PermutationTest, permutation_test
from paclearn.search.result import Ranking, SearchResult
from paclearn.search.scores import (
    AccuracyScore,
    CentredScore,
    L2Score,
    Score,
    SquaredErrorScore,
    ZeroOneScore,
    class_counts,
    product_marginals,
)
from paclearn.search.subsets import subsets_at, subsets_between

SEARCHES = {"exhaustive": exhaustive, "greedy": greedy, "beam": beam, "swaps": swaps}

__all__ = [
    "SEARCHES",
    "AccuracyScore",
    "CentredScore",
    "L2Score",
    "PermutationTest",
    "Ranking",
    "Score",
    "SearchResult",
    "SquaredErrorScore",
    "ZeroOneScore",
    "beam",
    "block_length",
    "check_cells",
    "class_counts",
    "exhaustive",
    "greedy",
    "permutation_test",
    "product_marginals",
    "subsets_at",
    "subsets_between",
    "swaps",
]
