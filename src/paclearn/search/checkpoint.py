"""A search on file: what was scanned so far and the best of it, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import CheckpointError
from paclearn.tables.files import write_atomically

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting import Engine
    from paclearn.search.result import Ranking
    from paclearn.search.scores import Score

__all__ = ["Checkpoint"]

_FORMAT = "paclearn search checkpoint, version 1"
_SECONDS_BETWEEN_WRITES = 1.0


@dataclass
class Checkpoint:
    """Where a search writes how far it is. A process that is killed loses what it did since the last write, no more."""

    path: Path
    search: str  # which table, score, size and number of best: another search may not go on from here
    n_units: int
    k: int
    n_best: int
    written: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, path: Any, engine: Engine, score: Score, k: int, n_best: int) -> Checkpoint:
        """The checkpoint of one search."""
        parts = [engine.fingerprint(), type(score).__name__, k, n_best]
        parts += [np.asarray(value).tolist() for value in vars(score).values() if value is not None]
        search = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return cls(Path(path), search, int(engine.n_units), k, n_best)

    def load(self, ranking: Ranking) -> int:
        """Fill a ranking with what the file holds, and say how many subsets were done."""
        if not self.path.exists():
            return 0
        try:
            state = json.loads(self.path.read_text(encoding="utf-8"))
            done, subsets = int(state["done"]), np.array(state["subsets"], dtype=np.int32)
            scores = np.array([float.fromhex(score) for score in state["scores"]])
            known = state["format"] == _FORMAT and state["search"] == self.search
        except (ValueError, KeyError, TypeError, OSError, OverflowError, RecursionError) as error:
            raise CheckpointError(f"{self.path} is no checkpoint of a search; name another file") from error
        if not known:
            raise CheckpointError(
                f"{self.path} belongs to another search (of other data, score, k or n_best); name another file"
            )
        if not self._could_be(done, subsets, scores):
            raise CheckpointError(f"{self.path} holds what no search has found; name another file")
        if len(scores):
            ranking.add(subsets, scores)
        return done

    def _could_be(self, done: int, subsets: NDArray[np.int32], scores: NDArray[np.float64]) -> bool:
        """Whether so many subsets, each of different units, in order, may be the best of so many."""
        if not 0 <= done <= comb(self.n_units, self.k) or len(scores) != min(done, self.n_best):
            return False
        if not len(scores):
            return True
        if subsets.shape != (len(scores), self.k) or np.isnan(scores).any():
            return False
        in_order = (np.diff(subsets, axis=1, prepend=-1) > 0).all() and subsets.max() < self.n_units
        return bool(in_order and len(np.unique(subsets, axis=0)) == len(subsets))

    def save(self, ranking: Ranking, done: int, *, now: bool = False) -> None:
        """Write the state, at most once a second unless it has to be now."""
        if not now and time.monotonic() - self.written < _SECONDS_BETWEEN_WRITES:
            return
        subsets, scores = ranking.best() if ranking.scores else (np.empty((0, 0)), np.empty(0))
        state = {
            "format": _FORMAT,
            "search": self.search,
            "done": done,
            "subsets": subsets.tolist(),
            "scores": [float(score).hex() for score in scores],
        }
        write_atomically(self.path, json.dumps(state))
        self.written = time.monotonic()
