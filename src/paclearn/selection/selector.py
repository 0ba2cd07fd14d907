"""FourierSelector: the columns that matter, judged together and not one by one (SFFS)."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import make_frame
from paclearn._files import ColumnSubset
from paclearn._progress import progress
from paclearn._validation import (
    RowSubset,
    all_or_nothing,
    are_counts,
    as_table,
    check_choice,
    is_whole,
    row_numbers,
    row_weights,
)
from paclearn.counting import bit_codes, engine_for
from paclearn.encoding import BinColumn, Domain, EncodingRules, learn_and_encode, read_column
from paclearn.exceptions import InputError
from paclearn.search import (
    CentredScore,
    L2Score,
    Ranking,
    SquaredErrorScore,
    ZeroOneScore,
    check_cells,
    exhaustive,
    subsets_between,
)
from paclearn.search import product_marginals as marginals_of
from paclearn.selection._columns import ColumnSelector
from paclearn.selection.polynomial import PolynomialScore
from paclearn.selection.redundancy import RedundancyFilter
from paclearn.selection.target import Target, read_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from numpy.typing import NDArray

    from paclearn._validation import Table
    from paclearn.counting import Engine
    from paclearn.search import Score

    _Ranked: TypeAlias = tuple[NDArray[np.intp], NDArray[np.float64], bool]

__all__ = ["FourierSelector"]

_FIRST_RANKING = 2000
_SHOWN = 1000
_MOST_RANKED = 2**22


class FourierSelector(ColumnSelector, SelectorMixin, BaseEstimator):
    """Select columns by how well the best subsets of ``depth`` columns predict the target (SFFS).

    Every subset of ``depth`` columns is scored by how well the majority vote in each of its cells does, corrected for
    each row's part in its own vote (the measure M_n). Walking down the ranking, columns are collected until there are
    ``n_features``. Redundant columns are left out before. Numeric columns are not cut into bins: the vote is that of
    the best multilinear polynomial of the subset.

    Parameters
    ----------
    n_features : int, default=10
        How many columns (or bits) to select; fewer if no more are left.
    depth : int, default=2
        Size of the subsets: 1 ranks columns one by one, 2 sees pairs that matter only together, 3 triples.
    unit : {"column", "bit"}, default="column"
        What is counted: columns with all their levels, or single questions about them (``colour=red``), in which case
        the support is the columns that the selected bits belong to.
    redundancy : bool or RedundancyFilter, default=True
        Leave out columns that better ones reproduce, as the filter given (or its default at this depth) finds them. A
        filter with a large threshold, such as ``RedundancyFilter(depth=1, threshold=0.5)``, leaves out columns that say
        little that is new.
    norm : {"l1", "l2"}, default="l1"
        The measure M_n of the paper, or the sum of squared coefficients that the authors' published code computes. With
        more than two classes, l1 is the mean over the classes of how far cells are from the class's frequency in the
        table: the vote for one of ten classes against the rest hardly ever changes.
    numeric : {"polynomial", "bins"}, default="polynomial"
        How numeric columns with more than ``n_bins`` different values enter: as numbers, or cut into bins.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target is; auto takes fractions, and integers with many different values, for numbers.
    n_candidates : int, default=None
        Only so many columns, the best ones by themselves, take part in larger subsets. All by default; numbers are
        slower than levels, and with thousands of numeric columns this keeps pairs within reach, at the price of
        missing columns that matter only together.
    n_bins, min_count, max_levels : int
        See `BooleanEncoder`.
    n_bootstrap : int, default=0
        Repeat the selection on this many samples of the rows, drawn with replacement; see ``stability_``.
    n_jobs : int, default=None
        Threads for counting.
    random_state : int, RandomState instance or None, default=None
        Draws groups of the redundancy filter and bootstrap samples.

    Attributes
    ----------
    support_ : ndarray of bool
        Which columns are selected.
    ranking_ : ndarray of int
        1 for the column that came first, and so on; columns that were not selected share the last rank.
    subsets_ : data frame
        The best subsets, ranked: ``members`` and ``score``.
    selected_ : tuple of str
        Names of the selected columns, or bits, in the order in which they came.
    redundant_ : tuple of str
        Columns that were left out as redundant; `RedundancyFilter` says why.
    stability_ : ndarray of float
        Share of the bootstrap samples in which each column was selected (with ``n_bootstrap``).
    domain_ : Domain
        What the codes of the columns mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.

    Examples
    --------
    >>> from paclearn import FourierSelector
    >>> from paclearn.datasets import make_parity
    >>> data = make_parity(n_rows=500, n_columns=12, k=2, random_state=0)
    >>> selector = FourierSelector(n_features=2).fit(data.data, data.target)
    >>> sorted(selector.get_support(indices=True)) == sorted(data.relevant)
    True
    """

    def __init__(
        self,
        n_features: int = 10,
        depth: int = 2,
        unit: str = "column",
        redundancy: Any = True,
        norm: str = "l1",
        numeric: str = "polynomial",
        task: str = "auto",
        n_candidates: int | None = None,
        n_bins: int = 8,
        min_count: float = 5,
        max_levels: int = 64,
        n_bootstrap: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.depth = depth
        self.unit = unit
        self.redundancy = redundancy
        self.norm = norm
        self.numeric = numeric
        self.task = task
        self.n_candidates = n_candidates
        self.n_bins = n_bins
        self.min_count = min_count
        self.max_levels = max_levels
        self.n_bootstrap = n_bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FourierSelector:
        """Rank the subsets and select the columns.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The target: classes or numbers.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        FourierSelector
            The fitted selector.
        """
        self._check_parameters()
        with all_or_nothing(self):
            table = as_table(self, X, reset=True)
            target = read_target(y, table.n_rows, row_weights(sample_weight, table), self.task)
            if target.weights is not None and (target.weights == 0).any():
                counted = np.flatnonzero(target.weights)
                table, target = RowSubset(table, counted), target.take(counted)
            rng = check_random_state(self.random_state)
            rows = _Rows.read(table, target, self)
            rows = rows.of_columns(self._non_redundant(table, rows, rng))
            found = _select(rows, self)
            self._keep(found, rows, len(table.names))
            if self.n_bootstrap:
                self.stability_ = self._stability(rows, rng, len(table.names))
        return self

    def _check_parameters(self) -> None:
        for name, least in (("n_features", 1), ("depth", 1), ("n_candidates", 1), ("n_bootstrap", 0)):
            value = getattr(self, name)
            if name == "n_candidates" and value is None:
                continue
            if not is_whole(value) or value < least:
                raise InputError(f"{name}={value!r} must be a whole number >= {least}")
        check_choice("unit", self.unit, ("column", "bit"))
        check_choice("norm", self.norm, ("l1", "l2"))
        check_choice("numeric", self.numeric, ("polynomial", "bins"))
        if not isinstance(self.redundancy, bool | RedundancyFilter):
            raise InputError(f"redundancy={self.redundancy!r} must be True, False or a RedundancyFilter")

    def _non_redundant(self, table: Table, rows: _Rows, rng: np.random.RandomState) -> NDArray[np.intp]:
        """Positions of the columns to choose from; of columns that reproduce each other the best one stays."""
        self.redundant_: tuple[str, ...] = ()
        if self.redundancy is False:
            return np.arange(len(table.names))
        order = rows.columns_by_score(_scorer(rows, self).own())
        weights = rows.target.weights
        if weights is not None and are_counts(weights):
            table = RowSubset(table, np.repeat(np.arange(table.n_rows), weights.astype(np.intp)))
        rule = self.redundancy
        if rule is True:
            rule = RedundancyFilter(depth=min(self.depth, 2), random_state=rng.randint(2**31 - 1))
        functions, witnesses = rule.search(ColumnSubset(table, tuple(order.tolist())))
        gone = order[[*witnesses, *functions.constants]]
        self.redundant_ = tuple(table.names[i] for i in sorted(gone))
        return np.setdiff1d(order, gone)

    def _keep(self, found: _Found, rows: _Rows, n_columns: int) -> None:
        self.domain_ = rows.domain
        self.support_ = np.zeros(n_columns, dtype=bool)
        self.ranking_ = np.full(n_columns, len(found.units) + 1)
        for rank, unit in reversed(list(enumerate(found.units, start=1))):
            self.support_[rows.position[unit]] = True
            self.ranking_[rows.position[unit]] = rank
        self.selected_ = tuple(rows.names[unit] for unit in found.units)
        members = [tuple(rows.names[u] for u in subset) for subset in found.subsets[:_SHOWN]]
        self.subsets_ = make_frame({"members": members, "score": found.scores[:_SHOWN].tolist()})

    def _stability(self, rows: _Rows, rng: np.random.RandomState, n_columns: int) -> NDArray[np.float64]:
        chosen = np.zeros(n_columns)
        n = len(rows.target.values)
        with progress(f"{self.n_bootstrap} bootstrap samples", self.n_bootstrap) as advance:
            for _ in range(self.n_bootstrap):
                found = _select(rows.take(rng.randint(n, size=n)), self)
                chosen[np.unique(rows.position[found.units])] += 1
                advance(1)
        return chosen / self.n_bootstrap

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@dataclass(frozen=True, eq=False)
class _Found:
    units: list[int]
    subsets: NDArray[np.intp]
    scores: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Rows:
    """The units to choose from: their codes, and the numbers behind those that are not cut into bins."""

    domain: Domain
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    position: NDArray[np.intp]  # the column of the table that a unit belongs to
    codes: list[NDArray[np.unsignedinteger[Any]]]
    numbers: dict[int, NDArray[np.float64]]
    target: Target

    @classmethod
    def read(cls, table: Table, target: Target, parameters: FourierSelector) -> _Rows:
        rules = EncodingRules(parameters.n_bins, parameters.min_count, parameters.max_levels)
        domain, columns = learn_and_encode(table, rules, target.weights)
        codes = list(columns)
        place = np.array([c.position for c in domain.columns], dtype=np.intp)
        if parameters.unit == "bit":
            owner = place[[bit.column for bit in domain.bits]]
            bits: list[NDArray[np.unsignedinteger[Any]]] = list(bit_codes(codes, domain.bits, domain.sizes))
            return cls(domain, domain.bit_names, (2,) * len(bits), owner, bits, {}, target)
        numbers = {}
        if parameters.numeric == "polynomial":
            numbers = {i: _numbers(table, c.position) for i, c in enumerate(domain.columns) if isinstance(c, BinColumn)}
        return cls(domain, domain.column_names, domain.sizes, place, codes, numbers, target)

    def of_columns(self, positions: NDArray[np.intp]) -> _Rows:
        """The units of some columns of the table."""
        units = np.flatnonzero(np.isin(self.position, positions)).tolist()
        return _Rows(
            self.domain,
            tuple(self.names[u] for u in units),
            tuple(self.sizes[u] for u in units),
            self.position[units],
            [self.codes[u] for u in units],
            {i: self.numbers[u] for i, u in enumerate(units) if u in self.numbers},
            self.target,
        )

    def columns_by_score(self, own: NDArray[np.float64]) -> NDArray[np.intp]:
        """Columns of the table that vary, the one with the best unit first."""
        best: dict[int, float] = {}
        for position, score in zip(self.position.tolist(), np.round(own, 12).tolist(), strict=True):
            best[position] = max(score, best.get(position, -np.inf))
        return np.array(sorted(best, key=lambda p: (-best[p], p)), dtype=np.intp)

    def take(self, rows: NDArray[np.intp]) -> _Rows:
        codes = [c[rows] for c in self.codes]
        numbers = {i: values[rows] for i, values in self.numbers.items()}
        return _Rows(self.domain, self.names, self.sizes, self.position, codes, numbers, self.target.take(rows))

    def blocks(self) -> list[NDArray[np.float64]]:
        """Standardised functions of every unit, functions x rows."""
        raw = [
            self.numbers[i][None] if i in self.numbers else (self.codes[i] == np.arange(1, size)[:, None])
            for i, size in enumerate(self.sizes)
        ]
        return [_standardise(values.astype(np.float64)) for values in raw]


def _numbers(table: Table, position: int) -> NDArray[np.float64]:
    raw = read_column(table.column(position), table.names[position], row_numbers(table))
    values = np.asarray(raw.values, dtype=np.float64)  # type: ignore[union-attr]
    absent = np.isnan(values)
    return np.where(absent, values[~absent].mean(), values)


def _standardise(values: NDArray[np.float64]) -> NDArray[np.float64]:
    deviations = values - values.mean(axis=1, keepdims=True)
    spread = deviations.std(axis=1, keepdims=True)
    return deviations / np.where(spread > 0, spread, 1.0)


# ---- the walk down the ranking ---------------------------------------------------------------------------------------


def _scorer(rows: _Rows, parameters: FourierSelector) -> _Cells | _Polynomials:
    return _Polynomials(rows, parameters) if rows.numbers else _Cells(rows, parameters)


def _select(rows: _Rows, parameters: FourierSelector) -> _Found:
    scorer = _scorer(rows, parameters)
    n_units = len(rows.names)
    own = scorer.own()
    best = np.sort(np.argsort(-np.round(own, 12), kind="stable")[: parameters.n_candidates])
    depth, wanted = min(parameters.depth, len(best)), min(parameters.n_features, n_units)
    for ranking in scorer.rankings(best, depth):
        subsets, scores, complete = ranking
        units = _in_order_of_entry(subsets, own, wanted)
        if len(units) == wanted or complete:
            break
    if len(units) < wanted:  # candidates first, then the rest by themselves
        rest = [int(u) for u in np.argsort(-np.round(own, 12), kind="stable") if u not in set(units)]
        units += rest[: wanted - len(units)]
    return _Found(units, subsets, scores)


def _in_order_of_entry(subsets: NDArray[np.intp], own: NDArray[np.float64], wanted: int) -> list[int]:
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

    def __init__(self, rows: _Rows, parameters: FourierSelector) -> None:
        self.rows, self.parameters = rows, parameters
        check_cells(rows.sizes, min(parameters.depth, len(rows.names)), 2 * rows.target.n_classes)
        self.engine = self._engine_of(np.arange(len(rows.names)))

    def _engine_of(self, units: NDArray[np.intp]) -> Engine:
        table = self.rows.target.table((self.rows.codes[u] for u in units), [self.rows.sizes[u] for u in units])
        return engine_for(table, self.parameters.n_jobs)

    def _score(self, engine: Engine) -> Score:
        n_classes = self.rows.target.n_classes
        if self.rows.target.classes is None:
            return SquaredErrorScore(weighted=True)
        if self._is_l2:
            return L2Score(n_classes, marginals_of(engine, n_classes))
        return ZeroOneScore(n_classes) if n_classes == 2 else CentredScore(n_classes)

    @property
    def _is_l2(self) -> bool:
        return self.parameters.norm == "l2"

    def own(self) -> NDArray[np.float64]:
        return self._score(self.engine)(self.engine.counts(np.arange(self.engine.n_units)[:, None]))

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
        labels = np.arange(1 if self.rows.target.n_classes == 2 else 0, self.rows.target.n_classes)
        signs = np.where(self.rows.target.values[:, None] == labels, 1.0, -1.0)
        return float((np.average(signs, axis=0, weights=self.rows.target.weights) ** 2).mean())


class _Polynomials:
    """Scores with numbers among the columns; everything is scored, so the first ranking is the whole one."""

    def __init__(self, rows: _Rows, parameters: FourierSelector) -> None:
        self.score = PolynomialScore(rows.blocks(), rows.target, parameters.norm)

    def own(self) -> NDArray[np.float64]:
        return self.score(np.arange(len(self.score.blocks), dtype=np.int32)[:, None])

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
