"""find_rules(): the few rules that say most about a target, out of all there are, and how sure they are."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from paclearn._compat import make_frame
from paclearn._parameters import Between, Cores, Nothing, OneOf, Rule, Whole, check_parameters
from paclearn.encoding import Domain, EncodingRules, learn_and_encode_compared
from paclearn.exceptions import IncompleteSearchWarning, InputError
from paclearn.learners.footprints import check_room
from paclearn.learners.rules.nonredundant_rules import Candidate, RuleChoice
from paclearn.learners.rules.rule_evidence import Aim, ConditionRows, Evidence
from paclearn.search.condition_pool import PoolLimits, condition_pool
from paclearn.search.conjunctions import best_conjunctions
from paclearn.search.qualities import QUALITIES, Quality, quality_of
from paclearn.tables.table import as_table
from paclearn.tables.target import read_target
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.rules.found_rule import FoundRule
    from paclearn.search.condition_pool import ConditionPool
    from paclearn.tables.target import Target

__all__ = ["RuleDiscovery", "RuleSettings", "discover_rules", "find_rules"]


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


def find_rules(
    X: Any,
    y: Any,
    n_rules: int = 20,
    max_conditions: int = 3,
    quality: str = "auto",
    min_rows: float = 0.01,
    fdr: float = 0.1,
    *,
    task: str = "auto",
    n_bins: int = 8,
    min_count: float = 5,
    max_levels: int = 32,
    time_limit: float | None = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """Find the rules that say most about a target, out of every conjunction of up to three conditions.

    A condition is ``=``, ``!=`` or ``in {...}`` for levels, ``<=``, ``>`` or an interval for numbers, ``is missing``,
    or a comparison of two columns that share three or more levels. All conjunctions of them are looked at. A rule is
    reported if each of its conditions matters among the rows for which the others hold, and clearly so beside all rules
    it was chosen from. Rules that others make redundant are left out: those of nearly the same rows, and those that say
    nothing about the rows that the rules above them do not hold for.

    Parameters
    ----------
    X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
        The table.
    y : array-like of shape (n_rows,)
        The target: classes or numbers.
    n_rules : int, default=20
        How many rules at most.
    max_conditions : int, default=3
        How many conditions a rule may have: 1, 2, 3 or 4. Four take hundreds of times as long as three: give a
        ``time_limit`` where columns are many.
    quality : str, default="auto"
        What rules are ranked by: ``"likelihood_ratio"`` (auto for classes), ``"chi_square"``, ``"wracc"`` (weighted
        relative accuracy), ``"precision"``, ``"lift"``; ``"shift"`` (auto for numbers) or ``"wracc"`` for numbers.
    min_rows : int or float, default=0.01
        A rule holds for so many rows at least (or, below 1, for this share of them).
    fdr : float, default=0.1
        The share of false rules that is allowed on average, a false rule being one with a condition that is of no use.
        The probability that there is any is not larger, whatever the law of the columns.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target is; auto takes fractions, and more than 20 different whole numbers, for numbers.
    n_bins, min_count, max_levels : int
        See `BooleanEncoder`.
    time_limit : float, default=None
        Seconds for scans, after which what was found is reported, with a warning.
    sample_weight : array-like of shape (n_rows,), default=None
        How many times each row counts, if all are whole numbers; otherwise relative weights.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.

    Returns
    -------
    data frame
        A row a rule, best first: ``rule`` in words; ``class``; ``rows`` it holds for; the ``share`` of the class among
        them and its ``lift`` (for numbers the ``mean``); the ``effect``, which is the difference to all other rows,
        with an interval of 95 % from ``low`` to ``high``; ``p``, the probability of such a difference for the least of
        its conditions by chance, and ``q``, the same for any of the rules it was chosen from; and ``beyond``, the rows
        that no rule above it holds for.

    Notes
    -----
    P-values are exact for classes (Fisher's test) and bounds for numbers and relative weights (Chernoff's). Intervals
    are those of a single rule. In a table of many numeric columns fewer intervals are looked at, the longest ones.

    Examples
    --------
    >>> import numpy as np
    >>> from paclearn import find_rules
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (1000, 8))
    >>> y = (X[:, 1] & X[:, 4]) ^ (rng.random(1000) < 0.1)
    >>> found = find_rules(X, y)
    >>> found["rule"][0]
    'x1 = 1 and x4 = 1'
    """
    asked = RuleSettings(
        n_rules, max_conditions, quality, min_rows, fdr, task, n_bins, min_count, max_levels, time_limit, n_jobs
    )
    return discover_rules(X, y, asked, sample_weight).to_frame()


@dataclass(frozen=True, eq=False)
class RuleDiscovery:
    """What was found, and of how much.

    Parameters
    ----------
    rules : tuple of FoundRule
        The rules, best first.
    numbers : bool
        Whether the target is a number.
    n_rows, looked_at : int
        Rows of the table, and how many conjunctions were looked at in the first place.
    fdr : float
        The rate of false reports that was allowed.
    left_out : tuple of str
        Conditions that were not looked at, in words.
    complete : bool
        Whether no time limit ended a scan.
    """

    rules: tuple[FoundRule, ...]
    numbers: bool
    n_rows: int
    looked_at: int
    fdr: float
    left_out: tuple[str, ...]
    complete: bool

    def columns(self) -> dict[str, list[Any]]:
        """The rules as columns."""
        mean = "mean" if self.numbers else "share"
        names = {"rule": "rule", "class": "label", "rows": "rows", mean: "share", "lift": "lift"}
        names |= {name: name for name in ("effect", "low", "high", "p", "q", "beyond")}
        if self.numbers:
            del names["class"], names["lift"]
        return {name: [getattr(rule, field) for rule in self.rules] for name, field in names.items()}

    def to_frame(self) -> Any:
        """A data frame, a row a rule."""
        return make_frame(self.columns())

    def facts(self, target_name: str) -> dict[str, Any]:
        """Plain data: what was looked at, and a dictionary a rule."""
        columns = self.columns()
        rules = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        about = {"target": target_name, "rows": self.n_rows, "conjunctions": self.looked_at, "fdr": self.fdr}
        return about | {"complete": self.complete, "left_out": list(self.left_out), "rules": rules}

    def to_text(self, target_name: str) -> str:
        """Two lines a rule, and what was looked at."""
        n = len(self.rules)
        ending = "" if self.complete else ", until the time was over"
        what = f"{self.looked_at:,} conjunctions in {self.n_rows:,} rows were looked at{ending}"
        first = f"{n} {'rule' if n == 1 else 'rules'} for {target_name}; {what}."
        lines = [first] + [line for rule in self.rules for line in ("", *rule.lines(target_name))]
        if self.left_out:
            lines += ["", f"Not looked at: {', '.join(self.left_out)}."]
        return "\n".join(lines)


_PARAMETERS: dict[str, Rule] = {
    "n_rules": Whole(1),
    "max_conditions": Whole(1, 4),
    "quality": OneOf("auto", *QUALITIES),
    "min_rows": Between(0, np.inf),
    "fdr": Between(0, 1),
    "time_limit": Nothing() | Between(0, np.inf),
    "n_jobs": Cores(),
}


@dataclass(frozen=True)
class RuleSettings:
    """What is asked for; see `find_rules` for what each means."""

    n_rules: int = 20
    max_conditions: int = 3
    quality: str = "auto"
    min_rows: float = 0.01
    fdr: float = 0.1
    task: str = "auto"
    n_bins: int = 8
    min_count: float = 5
    max_levels: int = 32
    time_limit: float | None = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_parameters(self, _PARAMETERS)


def discover_rules(
    X: Any, y: Any, asked: RuleSettings, sample_weight: Any = None, only: str | None = None
) -> RuleDiscovery:
    """The same as `find_rules`, with all there is to tell; of one class alone, where it is named."""
    table = as_table(_Reader(), X, reset=True)
    check_room("find_rules", table)
    target = read_target(y, table.n_rows, asked.task, row_weights(sample_weight, table)).counted()
    table = target.rows_of(table)
    rules = EncodingRules(asked.n_bins, asked.min_count, asked.max_levels)
    domain, codes = learn_and_encode_compared(table, rules, target.weights)
    usual = "likelihood_ratio" if target.classify else "shift"
    quality = quality_of(usual if asked.quality == "auto" else asked.quality, numbers=not target.classify)
    search = _Search(
        domain, codes, quality, min(asked.max_conditions, len(domain.columns)),
        _fewest(asked.min_rows, target), _Clock.of(asked.time_limit), asked.n_jobs,
    )  # fmt: skip
    aims = [aim for aim in _aims(target) if only is None or aim.label == only]
    return search.run(aims, asked.n_rules, asked.fdr)


class _Reader(BaseEstimator):
    """Somebody has to remember the names of the columns while the table is read."""


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
        if not self.clock.complete:
            warnings.warn(
                f"the time limit ended the scan of conjunctions early; {looked_at:,} were looked at",
                IncompleteSearchWarning,
                stacklevel=4,
            )
        aim, left_out = evidence[0].aim, evidence[0].rows.pool.left_out
        n = len(aim.values)
        return RuleDiscovery(tuple(choice.facts), aim.numbers, n, looked_at, choice.fdr, left_out, self.clock.complete)


def _answers(pool: ConditionPool, codes: Sequence[NDArray[np.unsignedinteger[Any]]]) -> Any:
    """Of small tables all at once, rows x conditions, which are packed in one go; else one after another."""
    if len(pool) * len(codes[0]) > _TUNING.answers:
        return pool.columns(codes)
    return np.ascontiguousarray(pool.answers(codes))
