"""The best unit, then the best one to add to it, and so on."""

from __future__ import annotations

import time
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from paclearn.search.limits import block_length
from paclearn.search.result import Ranking, SearchResult

if TYPE_CHECKING:
    from paclearn.counting import Engine
    from paclearn.search.scores import Score

__all__ = ["greedy"]


def greedy(engine: Engine, score: Score, k: int, n_best: int = 100, time_limit: float | None = None) -> SearchResult:
    """Grow one subset, a unit at a time.

    Looks at about ``k * d`` subsets instead of ``C(d, k)``, and misses whatever shows in no smaller subset: of a parity
    of three units, no single unit and no pair carries anything, so greedy search cannot find it but by luck. The time
    limit is ignored: there is nothing to wait for.
    """
    del time_limit
    started, chosen = time.monotonic(), np.empty(0, dtype=np.int32)
    for size in range(1, k + 1):
        free = np.setdiff1d(np.arange(engine.n_units, dtype=np.int32), chosen)
        grown = np.sort(np.column_stack([np.tile(chosen, (len(free), 1)), free]), axis=1).astype(np.int32)
        grown = grown[np.lexsort(grown.T[::-1])]
        step = block_length(engine.sizes, size, engine.n_channels)
        ranking = Ranking(n_best)
        for block in (grown[i : i + step] for i in range(0, len(grown), step)):
            ranking.add(block, score(engine.counts(block)))
        subsets, scores = ranking.best()
        chosen = subsets[0]
    total = comb(engine.n_units, k)
    return SearchResult("greedy", subsets, scores, len(grown), total, time.monotonic() - started)
