"""Which subset of units is best? Scores from counts, and ways to go through the subsets."""

from paclearn.search.exhaustive import exhaustive
from paclearn.search.greedy import greedy
from paclearn.search.limits import check_cells
from paclearn.search.result import SearchResult
from paclearn.search.scores import (
    AccuracyScore,
    Score,
    SquaredErrorScore,
    ZeroOneScore,
    class_counts,
    product_marginals,
)
from paclearn.search.subsets import subsets_between

SEARCHES = {"exhaustive": exhaustive, "greedy": greedy}

__all__ = [
    "SEARCHES",
    "AccuracyScore",
    "Score",
    "SearchResult",
    "SquaredErrorScore",
    "ZeroOneScore",
    "check_cells",
    "class_counts",
    "exhaustive",
    "greedy",
    "product_marginals",
    "subsets_between",
]
