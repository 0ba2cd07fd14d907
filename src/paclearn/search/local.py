"""Searches that look at a few subsets only: greedy, beam, and swaps. Fast, and each misses what its docstring says."""

from __future__ import annotations

import time
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.exceptions import SearchTooLongError
from paclearn.search.limits import block_length, check_search
from paclearn.search.result import Ranking, SearchResult

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting import Engine
    from paclearn.search.scores import Score

__all__ = ["beam", "greedy", "swaps"]

_BEAM_WIDTH = 50


class _Trail:
    """Scores what it is given, once each, and keeps the best of the size asked for."""

    def __init__(self, engine: Engine, score: Score, k: int, n_best: int, time_limit: float | None) -> None:
        check_search(engine.n_units, k, n_best)
        self.engine, self.score, self.k, self.time_limit = engine, score, k, time_limit
        self.ranking = Ranking(n_best)
        self.seen: set[bytes] = set()
        self.started = time.monotonic()

    @property
    def late(self) -> bool:
        return self.time_limit is not None and time.monotonic() - self.started > self.time_limit

    def try_all(self, subsets: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The subsets in order, each once, and their scores; as many as there is time for."""
        subsets = np.unique(np.sort(subsets, axis=1), axis=0).astype(np.int32)
        step = block_length(self.engine.sizes, subsets.shape[1], self.engine.n_channels)
        scores = np.empty(0)
        while len(scores) < len(subsets) and not self._must_end(subsets.shape[1], len(scores)):
            block = subsets[len(scores) : len(scores) + step]
            scores = np.concatenate([scores, self.score(self.engine.counts(block))])
        subsets = subsets[: len(scores)]
        if subsets.shape[1] == self.k:
            new = np.array([row.tobytes() not in self.seen for row in subsets])
            self.seen.update(row.tobytes() for row in subsets)
            if new.any():
                self.ranking.add(subsets[new], scores[new])
        return subsets, scores

    def _must_end(self, k: int, done: int) -> bool:
        """Whether it is late; a search that has found nothing until then has been in vain."""
        if not self.late:
            return False
        if self.ranking.scores or (k == self.k and done):
            return True
        raise SearchTooLongError(
            f"after the {self.time_limit:g} s of time_limit, subsets of size {k} were still to be looked at, "
            f"and none of size {self.k} had been; raise the limit, or take a smaller k or fewer levels a column"
        )

    def extensions(self, subsets: NDArray[np.int32]) -> NDArray[np.int32]:
        """Every subset with one unit more."""
        d = self.engine.n_units
        grown = np.column_stack([np.repeat(subsets, d, axis=0), np.tile(np.arange(d), len(subsets))])
        new = (grown[:, :-1] != grown[:, -1:]).all(axis=1)
        return grown[new].astype(np.int32)

    def result(self, kind: str) -> SearchResult:
        stopped = f"the time limit of {self.time_limit:g} s" if self.late else None
        total = comb(self.engine.n_units, self.k)
        seconds = time.monotonic() - self.started
        return SearchResult(kind, *self.ranking.best(), len(self.seen), total, seconds, stopped)


def _best_few(subsets: NDArray[np.int32], scores: NDArray[np.float64], most: int) -> NDArray[np.int32]:
    ranking = Ranking(most)
    ranking.add(subsets, scores)
    return ranking.best()[0]


def _grow(trail: _Trail, width: int, label: str) -> None:
    front = np.empty((1, 0), dtype=np.int32)
    with progress(label, trail.k) as advance:
        for _ in range(trail.k):
            front = _best_few(*trail.try_all(trail.extensions(front)), width)
            advance(1)


def greedy(
    engine: Engine, score: Score, k: int, n_best: int = 100, time_limit: float | None = None, checkpoint: Any = None
) -> SearchResult:
    """The best unit, then the best one to add to it, and so on.

    Looks at about ``k * d`` subsets instead of ``C(d, k)``, and misses whatever shows in no smaller subset: of a parity
    of three units, no single unit and no pair carries anything, so greedy search cannot find it but by luck.

    Parameters
    ----------
    engine, score, k, n_best : Engine, Score, int, int
        See `exhaustive`.
    time_limit : float, default=None
        Seconds. A search that has looked at no subset of size k by then is refused; another is ended, and says so.
    checkpoint : None
        Ignored: there is little to wait for.
    """
    del checkpoint
    trail = _Trail(engine, score, k, n_best, time_limit)
    _grow(trail, 1, "greedy")
    return trail.result("greedy")


def beam(
    engine: Engine, score: Score, k: int, n_best: int = 100, time_limit: float | None = None, checkpoint: Any = None
) -> SearchResult:
    """Like greedy, but the 50 best subsets of every size go on.

    Looks at up to ``50 * k * d`` subsets. It finds what greedy loses by a narrow margin; a parity of three units still
    hides from it unless one of its pairs is among the best by luck.

    Parameters
    ----------
    engine, score, k, n_best, time_limit, checkpoint : Engine, Score, int, int, float, None
        See `greedy`.
    """
    del checkpoint
    trail = _Trail(engine, score, k, n_best, time_limit)
    _grow(trail, _BEAM_WIDTH, "beam")
    return trail.result("beam")


def swaps(
    engine: Engine, score: Score, k: int, n_best: int = 100, time_limit: float | None = None, checkpoint: Any = None
) -> SearchResult:
    """From the greedy subset, exchange one member for any other unit as long as that helps.

    Ends at a subset that no single exchange improves. From there a better one may be two exchanges away.

    Parameters
    ----------
    engine, score, k, n_best, time_limit : Engine, Score, int, int, float
        See `greedy`.
    checkpoint : None
        Ignored.
    """
    del checkpoint
    trail = _Trail(engine, score, k, n_best, time_limit)
    _grow(trail, 1, "greedy start")
    current, best = (part[0] for part in trail.ranking.best())
    while not trail.late:
        smaller = np.array([np.delete(current, i) for i in range(k)], dtype=np.int32).reshape(k, k - 1)
        subsets, scores = trail.try_all(trail.extensions(smaller))
        if not len(scores):
            break
        top = int(np.argmax(np.round(scores, 12)))
        if round(float(scores[top]), 12) <= round(float(best), 12):
            break
        current, best = subsets[top], scores[top]
    return trail.result("swaps")
