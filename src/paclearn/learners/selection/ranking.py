"""The ranking of subsets, and the walk down it that collects the columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from paclearn.counting import engine_for
from paclearn.exceptions import InputError, TooManyCellsError
from paclearn.learners.selection.numeric_measure import PolynomialScore
from paclearn.learners.selection.selection_target import table_to_count
from paclearn.search import CentredScore, L2Score, SquaredErrorScore, ZeroOneScore, exhaustive, subsets_between
from paclearn.search.limits import check_cells
from paclearn.search.result import Ranking
from paclearn.search.scores import class_counts, own_counts
from paclearn.search.scores import product_marginals as marginals_of
from paclearn.tables.lazy_columns import picked
from paclearn.tables.weights import are_counts, effective_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from numpy.typing import NDArray

    from paclearn.counting import Engine
    from paclearn.learners.selection.selection_units import UnitRows
    from paclearn.search import Score
    from paclearn.tables.target import Target

    _Ranked: TypeAlias = tuple[NDArray[np.intp], NDArray[np.float64], bool]

__all__ = ["Found", "Wanted", "in_order", "in_order_of_entry", "own_scores", "select", "telling"]

_FIRST_RANKING = 2000
_MOST_RANKED = 2**22
_CELLS_AT_ONCE = 2**20
_MOST_POLYNOMIALS = 50_000


@dataclass(frozen=True)
class Wanted:
    """What a selection asks for; see `FourierSelector`."""

    n_features: int
    depth: int
    norm: str  # or "centred": see `telling`
    n_candidates: int | None
    n_jobs: int | None


@dataclass(frozen=True, eq=False)
class Found:
    """Units in the order in which they came, and the ranked subsets they came from."""

    units: list[int]
    subsets: NDArray[np.intp]
    scores: NDArray[np.float64]


def _scorer(rows: UnitRows, asked: Wanted) -> _Cells | _Polynomials:
    return _Polynomials(rows, asked) if rows.numbers else _Cells(rows, asked)


def own_scores(rows: UnitRows, asked: Wanted) -> NDArray[np.float64]:
    """Scores of the units by themselves."""
    return _scorer(rows, asked).own()


def telling(rows: UnitRows, asked: Wanted) -> Wanted:
    """The same with a measure that sees a rare class, where votes do not: every column's is for the frequent one.

    That is, none does better than that vote by more than two standard errors of it, which itself is beyond noise.
    """
    if asked.norm != "l1" or rows.target.classes is None or rows.target.n_classes != 2:
        return asked
    scorer = _scorer(rows, asked)
    share, n = scorer.frequency_of_first()
    lead = abs(2 * share - 1)
    noise = 2 * np.sqrt((1 - lead**2) / n)
    rare = lead > noise and scorer.own().max(initial=0) <= lead + noise
    return replace(asked, norm="centred") if rare else asked


def in_order(own: NDArray[np.float64]) -> list[int]:
    """Units by their scores, the best first; of equals the first."""
    return np.argsort(-np.round(own, 12), kind="stable").tolist()


def select(rows: UnitRows, asked: Wanted) -> Found:
    """Rank the subsets and collect the units."""
    scorer = _scorer(rows, asked)
    n_units = len(rows.names)
    own = scorer.own()
    best = np.sort(in_order(own)[: asked.n_candidates or scorer.most_candidates(asked.depth)])
    depth, wanted = min(asked.depth, len(best)), min(asked.n_features, n_units)
    for ranking in scorer.rankings(best, depth):
        subsets, scores, complete = ranking
        units = in_order_of_entry(subsets, own, wanted)
        if len(units) == wanted or complete:
            break
    if len(units) < wanted:  # candidates first, then the rest by themselves
        rest = [u for u in in_order(own) if u not in set(units)]
        units += rest[: wanted - len(units)]
    return Found(units, subsets, scores)


def in_order_of_entry(subsets: NDArray[np.intp], own: NDArray[np.float64], wanted: int) -> list[int]:
    """The union of the subsets, in order; members that come together are ordered by their own scores."""
    units: list[int] = []
    known: set[int] = set()
    for subset in subsets.tolist():
        fresh = [u for u in subset if u not in known]
        for unit in sorted(fresh, key=lambda u: -own[u]):
            if len(units) == wanted:
                return units
            units.append(unit)
            known.add(unit)
    return units


class _Cells:
    """Scores from counts of cells."""

    def __init__(self, rows: UnitRows, asked: Wanted) -> None:
        self.rows, self.asked = rows, asked
        check_cells(rows.sizes, min(asked.depth, len(rows.names)), 2 * rows.target.n_classes)
        self.engine = self._engine_of(np.arange(len(rows.names)))

    def _engine_of(self, units: NDArray[np.intp]) -> Engine:
        codes, sizes = picked(self.rows.codes, units.tolist()), [self.rows.sizes[u] for u in units]
        return engine_for(table_to_count(self.rows.target, codes, sizes), self.asked.n_jobs)

    def _score(self, engine: Engine) -> Score:
        n_classes = self.rows.target.n_classes
        if self.rows.target.classes is None:
            return SquaredErrorScore(weighted=True)
        if self._is_l2:
            return L2Score(n_classes, marginals_of(engine, n_classes))
        return ZeroOneScore(n_classes) if n_classes == 2 and self.asked.norm == "l1" else CentredScore(n_classes)

    @property
    def _is_l2(self) -> bool:
        return self.asked.norm == "l2"

    def frequency_of_first(self) -> tuple[float, float]:
        """Of the first class, and of how many rows of one weight."""
        shares, n = self._frequencies()
        return float(shares[0]), n

    def _frequencies(self) -> tuple[NDArray[np.float64], float]:
        values, n_classes = self.engine.counts(np.zeros((1, 1), dtype=np.intp)).values, self.rows.target.n_classes
        rows, own = class_counts(values, n_classes).sum(axis=1)[0], own_counts(values, n_classes).sum()
        return rows / rows.sum(), float(rows.sum() ** 2 / own)

    def own(self) -> NDArray[np.float64]:
        return self._score(self.engine)(self.engine.counts(np.arange(self.engine.n_units)[:, None]))

    def most_candidates(self, depth: int) -> int | None:  # noqa: ARG002
        """All: a subset is counted in no time."""
        return None

    def scores(self, subsets: NDArray[np.intp]) -> NDArray[np.float64]:
        """Of some subsets, some of them at a time."""
        score, cells = self._score(self.engine), max(self.rows.sizes) ** subsets.shape[1]
        step = max(1, _CELLS_AT_ONCE // cells)
        parts = [score(self.engine.counts(subsets[i : i + step])) for i in range(0, len(subsets), step)]
        return np.concatenate([np.empty(0), *parts])

    def rankings(self, units: NDArray[np.intp], depth: int) -> Iterator[_Ranked]:
        """Longer and longer rankings: subsets, scores, and whether these are all of them."""
        engine = self.engine if len(units) == self.engine.n_units else self._engine_of(units)
        score = self._score(engine)
        total, length = comb(len(units), depth), _FIRST_RANKING
        empty = self._norm_of_the_mean()
        while True:
            found = exhaustive(engine, score, depth, min(length, total))
            yield units[found.subsets], found.scores - empty, length >= min(total, _MOST_RANKED)
            length *= 16

    def _norm_of_the_mean(self) -> float:
        """What the empty set adds to the sum of squares."""
        if not self._is_l2 or self.rows.target.classes is None:
            return 0.0
        mean = 2 * self._frequencies()[0] - 1  # of +1 for a class and -1 for the rest
        return float((mean[1 if len(mean) == 2 else 0 :] ** 2).mean())


def _alike(target: Target) -> bool:
    """Whether cells score exactly as their functions do."""
    return target.classes is not None and (target.weights is None or are_counts(target.weights))


def _few_cells(rows: UnitRows, units: list[int], asked: Wanted) -> bool:
    """Whether cells of these units can be counted at all."""
    try:
        check_cells(tuple(rows.sizes[u] for u in units), min(asked.depth, len(units)), 2 * rows.target.n_classes)
    except TooManyCellsError:
        return False
    return True


class _Polynomials:
    """Scores with numbers among the columns; everything is scored, so the first ranking is the whole one.

    For classes, subsets without numbers are counted: their functions span all functions of the cells, so the score is
    that of cells, at a fraction of the work. (For numbers, and for relative weights, the two correct in other ways.)
    """

    def __init__(self, rows: UnitRows, asked: Wanted) -> None:
        self.polynomial = PolynomialScore(rows.blocks(), rows.target, asked.norm)
        levels = [unit for unit in range(len(rows.names)) if unit not in rows.numbers]
        self.place = np.full(len(rows.names), -1)
        self.cells = None
        if levels and asked.norm != "l2" and _alike(rows.target) and _few_cells(rows, levels, asked):
            self.place[levels] = np.arange(len(levels))
            self.cells = _Cells(rows.of_units(levels), asked)

    def most_candidates(self, depth: int) -> int | None:
        """As many as make some ten thousands of subsets; by themselves all are scored."""
        return None if depth == 1 else next(m for m in count(depth) if comb(m + 1, depth) > _MOST_POLYNOMIALS)

    def score(self, subsets: NDArray[np.int32]) -> NDArray[np.float64]:
        """The score of every subset."""
        places = self.place[subsets]
        counted = (places >= 0).all(axis=1)
        scores = np.empty(len(subsets))
        scores[~counted] = self.polynomial(subsets[~counted])
        if self.cells is not None:
            scores[counted] = self.cells.scores(places[counted])
        return scores

    def frequency_of_first(self) -> tuple[float, float]:
        """Of the first class, and of how many rows of one weight."""
        target = self.polynomial.target
        first = np.average(np.asarray(target.values) == 0, weights=target.weights)
        return float(first), effective_rows(target.weights, len(target.values))

    def own(self) -> NDArray[np.float64]:
        return self.score(np.arange(len(self.place), dtype=np.int32)[:, None])

    def rankings(self, units: NDArray[np.intp], depth: int) -> Iterator[_Ranked]:
        total = comb(len(units), depth)
        if total > _MOST_RANKED:
            raise InputError(
                f"{total:,} subsets of {depth} of {len(units):,} columns with numbers among them are too many; "
                "choose a smaller depth, n_candidates=200, or numeric='bins'"
            )
        ranking = Ranking(total)
        subsets = units[subsets_between(len(units), depth, 0, total)].astype(np.int32)
        ranking.add(subsets, self.score(subsets))
        best, scores = ranking.best()
        yield best.astype(np.intp), scores, True
