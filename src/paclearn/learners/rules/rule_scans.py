"""Scans of all conjunctions, round after round, for rows that no rule holds for yet."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import IncompleteSearchWarning, InputError
from paclearn.learners.rules.nonredundant_rules import Candidate, RuleChoice
from paclearn.learners.rules.rule_evidence import Aim, ConditionRows, Evidence
from paclearn.learners.rules.rule_settings import RuleDiscovery
from paclearn.search.condition_pool import PoolLimits, condition_pool
from paclearn.search.conjunctions import best_conjunctions
from paclearn.search.qualities import Quality, quality_of
from paclearn.tables.lazy_columns import LazyColumns
from paclearn.tables.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Domain
    from paclearn.learners.rules.rule_settings import RuleSettings
    from paclearn.search.condition_pool import ConditionPool

__all__ = ["scan_rules", "warn_if_stopped"]


@dataclass(frozen=True)
class _Tuning:
    """What was tried on made-up tables with planted rules, and on tables of noise.

    Parameters
    ----------
    proposals : int
        Conjunctions of each size that a scan proposes; most are near copies of the best.
    rounds : int
        How often the rows that no rule holds for are scanned again.
    alike : float
        Rules that share this much of the rows that either holds for are one.
    planes : int
        Intervals are taken up until there are about so many questions: 36 million triples, a second or two.
    answers : int
        Answers, conditions times rows, that are packed in one go: some tens of megabytes.
    """

    proposals: int = 400
    rounds: int = 5
    alike: float = 0.8
    planes: int = 600
    answers: int = 32_000_000


_TUNING = _Tuning()


def _in_order(
    codes: Sequence[NDArray[Any]], target: Target
) -> tuple[Sequence[NDArray[np.unsignedinteger[Any]]], Target]:
    """Rows in the order of their numbers, so that sums over any of them are the same in whatever order they came."""
    if target.classes is not None:
        return codes, target
    weights = target.weights
    order = np.lexsort((target.values,) if weights is None else (weights, target.values))
    weights = None if weights is None else weights[order]
    return LazyColumns(len(codes), lambda i: codes[i][order]), Target(target.values[order], None, weights)


def scan_rules(
    domain: Domain, found: Sequence[NDArray[Any]], given: Target, asked: RuleSettings, only: str | None
) -> RuleDiscovery:
    """The rules of rows that are here; of one class alone, where it is named."""
    codes, target = _in_order(found, given)
    usual = "likelihood_ratio" if target.classify else "shift"
    quality = quality_of(usual if asked.quality == "auto" else asked.quality, numbers=not target.classify)
    search = _Search(
        domain, codes, quality, min(asked.max_conditions, len(domain.columns)),
        _fewest(asked.min_rows, target), _Clock.of(asked.time_limit), asked.n_jobs,
    )  # fmt: skip
    aims = [aim for aim in _aims(target) if only is None or aim.label == only]
    return search.run(aims, asked.n_rules, asked.fdr)


def _fewest(min_rows: float, target: Target) -> float:
    """The rows that a rule needs."""
    n = float(len(target.values) if target.weights is None else target.weights.sum())
    fewest = min_rows * n if min_rows < 1 else float(min_rows)
    if fewest > n / 2:
        raise InputError(f"min_rows={min_rows!r} is more than half of the {n:g} rows; no rule could tell them apart")
    return max(fewest, 1.0)


def _aims(target: Target) -> list[Aim]:
    """Every class against the rest, the last (True, 1, yes) first; large numbers, and small ones."""
    if target.classes is None:
        values = target.values.astype(np.float64)
        return [Aim(values, target.weights, "large"), Aim(-values, target.weights, "small")]
    names = target.classes.tolist()
    return [
        Aim((target.values == c).astype(np.int8), target.weights, name) for c, name in reversed([*enumerate(names)])
    ]


@dataclass
class _Clock:
    """Seconds that are left."""

    end: float | None
    complete: bool = True

    @classmethod
    def of(cls, time_limit: float | None) -> _Clock:
        return cls(None if time_limit is None else time.monotonic() + time_limit)

    @property
    def left(self) -> float | None:
        return None if self.end is None else max(self.end - time.monotonic(), 1e-3)

    @property
    def over(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end


@dataclass(frozen=True, eq=False)
class _Search:
    domain: Domain
    codes: Sequence[NDArray[np.unsignedinteger[Any]]]
    quality: Quality
    max_conditions: int
    min_rows: float
    clock: _Clock
    n_jobs: int | None

    def run(self, aims: Sequence[Aim], n_rules: int, fdr: float) -> RuleDiscovery:
        evidence = [self._evidence(aim, len(aims)) for aim in aims]
        choice = self._choice(n_rules, fdr)
        looked_at, candidates = 0, dict[tuple[int, tuple[int, ...]], Candidate]()
        for number in range(_TUNING.rounds):
            before = len(candidates)
            for place, one in enumerate(evidence):
                for members, n in self._propose(one, choice.left) if not (number and self.clock.over) else ():
                    looked_at += n if number == 0 else 0
                    self._take_up(candidates, place, one, members)
            found = len(choice.chosen)
            choice = self._choice(n_rules, fdr).fill(candidates.values())
            if len(candidates) == before or (number and len(choice.chosen) <= found) or self.clock.over:
                break
        return self._discovery(choice, evidence, looked_at)

    def _choice(self, n_rules: int, fdr: float) -> RuleChoice:
        return RuleChoice(n_rules, fdr, len(self.codes[0]), _TUNING.alike)

    def _evidence(self, aim: Aim, n_aims: int) -> Evidence:
        limits = PoolLimits.within(self.domain, _TUNING.planes)
        pool = condition_pool(self.domain, self.codes, aim.values, aim.weights, limits)
        return Evidence(aim, ConditionRows(pool, self.codes), float(n_aims * self.max_conditions))

    def _propose(self, one: Evidence, rest: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.int32], int]]:
        """The best conjunctions of each size, for the rows that no rule holds for yet."""
        pool, aim = one.rows.pool, one.aim
        weights = None if aim.weights is None else aim.weights[rest]
        if not rest.any() or np.ptp(aim.values[rest]) == 0 or aim.mass[rest].sum() < 2 * self.min_rows:
            return
        some = self.codes if rest.all() else [column[rest] for column in self.codes]
        for k in range(1, self.max_conditions + 1):
            if k > 1 and self.clock.over:
                self.clock.complete = False
                return
            found = best_conjunctions(
                _answers(pool, some), pool.groups, aim.values[rest], weights,
                quality=self.quality.name, k=k, n_best=_TUNING.proposals, min_rows=self.min_rows, minimal=True,
                time_limit=self.clock.left, n_jobs=self.n_jobs,
            )  # fmt: skip
            self.clock.complete &= found.complete
            yield found.members, found.looked_at

    def _take_up(
        self,
        candidates: dict[tuple[int, tuple[int, ...]], Candidate],
        place: int,
        one: Evidence,
        proposed: NDArray[np.int32],
    ) -> None:
        every = (tuple(row) for row in proposed.tolist())
        new = [members for members in every if (place, members) not in candidates and one.rows.apart(members)]
        for members, quality in one.ranked(new, self.quality):
            candidates[place, members] = Candidate(one, members, (-round(quality, 12), place, len(members)))

    def _discovery(self, choice: RuleChoice, evidence: list[Evidence], looked_at: int) -> RuleDiscovery:
        aim, left_out = evidence[0].aim, evidence[0].rows.pool.left_out
        n, complete = len(aim.values), self.clock.complete
        found = RuleDiscovery(tuple(choice.facts), aim.numbers, n, looked_at, choice.fdr, left_out, complete)
        warn_if_stopped(found)
        return found


def warn_if_stopped(found: RuleDiscovery) -> None:
    if not found.complete:
        warnings.warn(
            f"the time limit ended the scan of conjunctions early; {found.looked_at:,} were looked at",
            IncompleteSearchWarning,
            stacklevel=4,
        )


def _answers(pool: ConditionPool, codes: Sequence[NDArray[np.unsignedinteger[Any]]]) -> Any:
    """Of small tables all at once, rows x conditions, which are packed in one go; else one after another."""
    if len(pool) * len(codes[0]) > _TUNING.answers:
        return pool.columns(codes)
    return np.ascontiguousarray(pool.answers(codes))
