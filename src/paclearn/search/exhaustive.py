"""Every subset of size k."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.exceptions import SearchTooLongError
from paclearn.search.checkpoint import Checkpoint
from paclearn.search.result import Ranking, SearchResult
from paclearn.search.traversal import Walk, walk_for

if TYPE_CHECKING:
    from paclearn.counting import Engine
    from paclearn.search.scores import Score

__all__ = ["exhaustive"]

_FEWEST_SECONDS_TO_JUDGE = 0.02


def exhaustive(
    engine: Engine,
    score: Score,
    k: int,
    n_best: int = 100,
    time_limit: float | None = None,
    checkpoint: Any = None,
) -> SearchResult:
    """Score every subset of k units and keep the best.

    Parameters
    ----------
    engine : Engine
        What counts.
    score : Score
        What to maximise. `ZeroOneScore` and `L2Score` are fused into the scan where the engine is the compiled core.
    k : int
        Size of the subsets.
    n_best : int, default=100
        How many to keep. Equal scores (to twelve digits) go to the lexicographically first subset.
    time_limit : float, default=None
        Seconds. A search that would take longer is refused as soon as its speed is known, with advice; one that turns
        out to take longer is ended, and the result says so. So does an interrupt (Ctrl-C).
    checkpoint : path, default=None
        A file to write the state to, about once a second. A search that finds its own state there goes on from it, to
        the same result as if it had never stopped.

    Returns
    -------
    SearchResult
        The best subsets, and what was searched.
    """
    walk = walk_for(engine, score, k, n_best, time_limit)
    state = None if checkpoint is None else Checkpoint.of(checkpoint, engine, score, k, n_best)
    return _Search(walk, time_limit, state).run()


class _Search:
    """One search under way."""

    def __init__(self, walk: Walk, time_limit: float | None, checkpoint: Checkpoint | None) -> None:
        self.walk, self.time_limit, self.checkpoint = walk, time_limit, checkpoint
        self.ranking = Ranking(walk.n_best)
        self.done = 0 if checkpoint is None else checkpoint.load(self.ranking)
        self.resumed_at = self.done
        self.started = time.monotonic()
        self.stopped: str | None = None

    def run(self) -> SearchResult:
        if self.time_limit is not None and self.done == 0 and self.walk.least_seconds > 1.5 * self.time_limit:
            raise self._too_long(self.walk.least_seconds, "more than")
        with progress(f"{self.walk.total:,} subsets of size {self.walk.k}", self.walk.total) as advance:
            advance(self.done)
            while self.done < self.walk.total and self.stopped is None:
                advance(self._stretch())
        if self.checkpoint is not None:
            self.checkpoint.save(self.ranking, self.done, now=True)
        return self._result()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def _stretch(self) -> int:
        """Search one stretch, and say how many subsets it had."""
        stop = self.walk.end_of(self.done, self._wanted())
        try:
            self.ranking.add(*self.walk.best(self.done, stop, self.ranking.floor()))
        except KeyboardInterrupt:
            if self.done == 0:
                raise
            self.stopped = "an interrupt"
            return 0
        length, self.done = stop - self.done, stop
        if self.checkpoint is not None:
            self.checkpoint.save(self.ranking, self.done)
        if self.done < self.walk.total:
            self._mind_the_time()
        return length

    def _rate(self) -> float:
        return (self.done - self.resumed_at) / max(self.seconds, 1e-9)

    def _wanted(self) -> int:
        """Subsets for the next stretch: a short one to learn the speed, then a quarter of a second's worth."""
        if self.done > self.resumed_at:
            limit = np.inf if self.time_limit is None else self.time_limit / 10
            return max(1, int(self._rate() * min(self.walk.seconds_a_stretch, limit)))
        return self.walk.first_stretch(self.time_limit)

    def _mind_the_time(self) -> None:
        if self.time_limit is None:
            return
        if self.seconds > min(_FEWEST_SECONDS_TO_JUDGE, self.time_limit / 4):
            self._refuse_if_hopeless()
        if self.seconds > self.time_limit:
            self.stopped = f"the time limit of {self.time_limit:g} s"

    def _refuse_if_hopeless(self) -> None:
        """Only at the start: a search that is nearly through is worth its rest."""
        left = (self.walk.total - self.done) / self._rate()
        share = (self.done - self.resumed_at) / (self.walk.total - self.resumed_at)
        if self.time_limit is None or share > 0.1 or self.seconds + left <= 1.5 * self.time_limit:
            return
        raise self._too_long(self.seconds + left, "about")

    def _too_long(self, seconds: float, at_least: str) -> SearchTooLongError:
        limit = self.time_limit or 0.0
        return SearchTooLongError(
            f"{self.walk.total:,} subsets of size {self.walk.k} of {self.walk.engine.n_units} would take {at_least} "
            f"{_human(seconds)}, and time_limit={limit:g} allows {_human(limit)}; "
            f"raise the limit, take a smaller k or fewer columns, or search='greedy', 'beam' or 'swaps'"
        )

    def _result(self) -> SearchResult:
        subsets, _ = self.ranking.best()
        final = Ranking(self.walk.n_best)
        final.add(subsets, self.walk.rescore(subsets))
        done, total = self.done, self.walk.total
        return SearchResult("exhaustive", *final.best(), done, total, self.seconds, self.stopped)


def _human(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.2g} s"
