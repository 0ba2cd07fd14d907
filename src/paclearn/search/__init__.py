"""Which subset of units is best? Scores from counts, and ways to go through the subsets."""

from paclearn.search.exhaustive import exhaustive
from paclearn.search.local import beam, greedy, swaps
from paclearn.search.permutation import PermutationTest, permutation_test
from paclearn.search.result import SearchResult
from paclearn.search.scores import AccuracyScore, CentredScore, L2Score, Score, SquaredErrorScore, ZeroOneScore
from paclearn.search.subsets import subsets_between

__all__ = [
    "AccuracyScore",
    "CentredScore",
    "L2Score",
    "PermutationTest",
    "Score",
    "SearchResult",
    "SquaredErrorScore",
    "ZeroOneScore",
    "beam",
    "exhaustive",
    "greedy",
    "permutation_test",
    "subsets_between",
    "swaps",
]
