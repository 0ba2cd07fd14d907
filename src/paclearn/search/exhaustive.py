"""Every subset of size k, in blocks."""

from __future__ import annotations

import time
from math import comb
from typing import TYPE_CHECKING

from paclearn._progress import progress
from paclearn.search.limits import block_length
from paclearn.search.result import Ranking, SearchResult
from paclearn.search.subsets import subsets_between

if TYPE_CHECKING:
    from paclearn.counting import Engine
    from paclearn.search.scores import Score

__all__ = ["exhaustive"]


def exhaustive(
    engine: Engine, score: Score, k: int, n_best: int = 100, time_limit: float | None = None
) -> SearchResult:
    """Score every subset of k units and keep the best.

    A time limit or an interrupt (Ctrl-C) ends the search after the block at hand; the result says so.
    """
    total = comb(engine.n_units, k)
    step = block_length(engine.sizes, k, engine.n_channels)
    ranking, started, done, stopped = Ranking(n_best), time.monotonic(), 0, None
    with progress(f"{total:,} subsets of size {k}", total) as advance:
        while done < total and stopped is None:
            try:
                subsets = subsets_between(engine.n_units, k, done, min(done + step, total))
                scores = score(engine.counts(subsets))
            except KeyboardInterrupt:
                if done == 0:
                    raise
                stopped = "an interrupt"
                break
            ranking.add(subsets, scores)
            done += len(subsets)
            advance(len(subsets))
            if time_limit is not None and time.monotonic() - started > time_limit and done < total:
                stopped = f"the time limit of {time_limit:g} s"
    return SearchResult("exhaustive", *ranking.best(), done, total, time.monotonic() - started, stopped)
