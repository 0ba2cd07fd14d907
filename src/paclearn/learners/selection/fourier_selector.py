"""FourierSelector: the columns that matter, judged together and not one by one (SFFS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import TakesTables, all_or_nothing, make_frame
from paclearn._parameters import Cores, Nothing, OneOf, Rule, Seed, Such, Whole, check_parameters
from paclearn._progress import progress
from paclearn.encoding import EncodingRules
from paclearn.encoding.remote_columns import remote_target
from paclearn.learners.footprints import check_room
from paclearn.learners.selection.closer_look import look_at
from paclearn.learners.selection.ranking import Found, Wanted, in_order, own_scores, select, telling
from paclearn.learners.selection.redundancy_choice import chosen_threshold, filled_up, new_units
from paclearn.learners.selection.redundancy_filter import DEEPEST, RedundancyFilter
from paclearn.learners.selection.selected_columns import SelectsColumns
from paclearn.tables.remote import is_remote
from paclearn.tables.table import ColumnSubset, RowSubset, as_table
from paclearn.tables.target import read_target
from paclearn.tables.weights import are_counts, row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.selection.closer_look import LookedAt
    from paclearn.learners.selection.selection_units import UnitRows
    from paclearn.tables.table import Table
    from paclearn.tables.target import Target

__all__ = ["FourierSelector"]

_SHOWN = 1000
_BY_CELLS = "FourierSelector(redundancy=False, numeric='bins')"
_MOST_REPEATED = 20


@dataclass(eq=False, repr=False)
class FourierSelector(TakesTables, SelectsColumns, BaseEstimator):
    """Select columns by how well the best subsets of ``depth`` columns predict the target (SFFS).

    Every subset of ``depth`` columns is scored by how well the majority vote in each of its cells does, corrected for
    each row's part in its own vote (the measure M_n). Walking down the ranking, columns are collected until there are
    ``n_features``. Redundant columns are left out before. Numeric columns are not cut into bins: the vote is that of
    the best multilinear polynomial of the subset. Cells are counted in all rows; where there are numbers among the
    columns, subsets are scored by 50 000 rows (50 million cells) at the most, the first by a hash of what they hold,
    and so many are looked at for redundant columns and drawn from by ``n_bootstrap``.

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
        Leave out columns that better ones reproduce, as the filter given (or its default at this depth) finds them.
        With True, columns that say little that is new come last as well, where that helps neighbours to predict rows
        left out (``threshold_`` says how little). A filter with a large threshold of your own, such as
        ``RedundancyFilter(depth=1, threshold=0.5)``, leaves such columns out.
    norm : {"l1", "l2"}, default="l1"
        The measure M_n of the paper, or the sum of squared coefficients that the authors' published code computes. With
        more than two classes, and where one of two is so rare that every column's vote is for the other, l1 is the mean
        over the classes of how far cells are from the class's frequency in the table: the vote for one of ten classes
        against the rest hardly ever changes.
    numeric : {"polynomial", "bins"}, default="polynomial"
        How numeric columns with more than ``n_bins`` different values enter: as numbers, or cut into bins.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target is; auto takes fractions, and more than 20 different whole numbers, for numbers.
    n_candidates : int, default=None
        Only so many columns, the best ones by themselves, take part in larger subsets, at the price of missing columns
        that matter only together. By default all do, but where there are numbers among more than 316 columns (for
        pairs; 67 for triples), which makes 50 000 subsets.
    n_bins, min_count, max_levels : int
        See `BooleanEncoder`.
    n_bootstrap : int, default=0
        Repeat the selection on this many samples of the rows, drawn with replacement; see ``stability_``.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.
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
    threshold_ : float
        Columns of which better ones leave at most this share of their deviation came last; 0 where none had to.
    stability_ : ndarray of float
        Share of the bootstrap samples in which each column was selected (with ``n_bootstrap``).
    domain_ : Domain
        What the codes of the columns mean.

    Examples
    --------
    >>> from paclearn import FourierSelector
    >>> from paclearn.datasets import make_parity
    >>> data = make_parity(n_rows=500, n_columns=12, k=2, random_state=0)
    >>> selector = FourierSelector(n_features=2).fit(data.data, data.target)
    >>> sorted(selector.get_support(indices=True)) == sorted(data.relevant)
    True
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "n_features": Whole(1),
        "depth": Whole(1),
        "unit": OneOf("column", "bit"),
        "redundancy": Such(lambda r: isinstance(r, bool | RedundancyFilter), "True, False or a RedundancyFilter"),
        "norm": OneOf("l1", "l2"),
        "numeric": OneOf("polynomial", "bins"),
        "task": OneOf("auto", "classification", "regression"),
        "n_candidates": Whole(1) | Nothing(),
        "n_bootstrap": Whole(0),
        "n_jobs": Cores(),
        "random_state": Seed(),
    }

    n_features: int = 10
    depth: int = 2
    unit: str = "column"
    redundancy: Any = True
    norm: str = "l1"
    numeric: str = "polynomial"
    task: str = "auto"
    n_candidates: int | None = None
    n_bins: int = 8
    min_count: float = 5
    max_levels: int = 64
    n_bootstrap: int = 0
    n_jobs: int | None = None
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FourierSelector:
        """Rank the subsets and select the columns.

        Parameters
        ----------
        X, y : data frame, array or sparse matrix, and array-like of shape (n_rows,)
            The table, and its target: classes or numbers.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.
        """
        check_parameters(self, self._parameters)
        with all_or_nothing(self):
            table, target = self._read(X, y, sample_weight)
            rng = check_random_state(self.random_state)
            rules = EncodingRules(self.n_bins, self.min_count, self.max_levels)
            single_rows = self.redundancy is not False or self.n_bootstrap > 0
            looked = look_at(table, target, rules, self.unit, self.numeric, single_rows=single_rows)
            wanted = Wanted(self.n_features, self.depth, self.norm, self.n_candidates, self.n_jobs)
            asked = telling(looked.judged, wanted)
            looked = looked.of_columns(self._non_redundant(looked, asked, rng))
            first = looked.of_units(self._new(looked, asked, rng))
            found = select(first.judged, asked)
            self._keep(self._filled_up(found, first.judged, looked.judged, asked), looked.judged, len(table.names))
            if self.n_bootstrap:
                self.stability_ = self._stability(first.closely, asked, rng, len(table.names))
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Target]:
        """The rows that have a target, here or on a cluster."""
        if is_remote(X):
            table, target = remote_target(X, y, self.task, sample_weight)
            return table.remembered_by(self), target
        read = as_table(self, X, reset=True)
        by_cells = self.redundancy is False and (self.numeric == "bins" or self.unit == "bit")
        check_room(_BY_CELLS if by_cells else "FourierSelector", read)
        target = read_target(y, read.n_rows, self.task, row_weights(sample_weight, read))
        return target.rows_of(read), target

    def _non_redundant(self, looked: LookedAt, asked: Wanted, rng: np.random.RandomState) -> NDArray[np.intp]:
        """Positions of the columns to choose from; of columns that reproduce each other the best one stays."""
        table, rows = looked.table, looked.judged
        self.redundant_: tuple[str, ...] = ()
        if self.redundancy is False:
            return np.arange(len(table.names))
        order = rows.columns_by_score(own_scores(rows, asked))
        weights = looked.closely.target.weights
        if weights is not None and are_counts(weights):
            times = weights.astype(np.int64) // np.gcd.reduce(weights.astype(np.int64))
            if times.sum() <= _MOST_REPEATED * table.n_rows:
                table = RowSubset(table, np.repeat(np.arange(table.n_rows), times))
        rule = self.redundancy
        if rule is True:
            rule = RedundancyFilter(depth=min(self.depth, DEEPEST), random_state=rng.randint(2**31 - 1))
        functions, witnesses = rule.search(ColumnSubset(table, tuple(order.tolist())))
        gone = order[[*witnesses, *functions.constants]]
        self.redundant_ = tuple(table.names[i] for i in sorted(gone))
        return np.setdiff1d(order, gone)

    def _new(self, looked: LookedAt, asked: Wanted, rng: np.random.RandomState) -> list[int]:
        """Units that say enough that is new, beside better ones; how much that is, rows left out decide."""
        self.threshold_, rows = 0.0, looked.closely
        if self.redundancy is True and self.unit == "column":
            self.threshold_ = chosen_threshold(rows, asked, rng)
        if self.threshold_ == 0:
            return list(range(len(rows.names)))
        order, blocks = in_order(own_scores(looked.judged, asked)), rows.blocks()
        return sorted(order[i] for i in new_units((blocks[u] for u in order), len(rows.target.values), self.threshold_))

    def _filled_up(self, found: Found, first: UnitRows, rows: UnitRows, asked: Wanted) -> Found:
        """The same by numbers of all units; where too few were new, the others follow by themselves."""
        number = {name: i for i, name in enumerate(rows.names)}
        known = np.array([number[name] for name in first.names], dtype=np.intp)
        units = known[found.units].tolist()
        if len(units) < min(self.n_features, len(rows.names)):
            order = in_order(own_scores(rows, asked))
            place = {unit: i for i, unit in enumerate(order)}
            units = [order[i] for i in filled_up([place[u] for u in units], len(order), self.n_features)]
        return Found(units, known[found.subsets], found.scores)

    def _keep(self, found: Found, rows: UnitRows, n_columns: int) -> None:
        self.domain_ = rows.domain
        self.support_ = np.zeros(n_columns, dtype=bool)
        self.ranking_ = np.full(n_columns, len(found.units) + 1)
        for rank, unit in reversed(list(enumerate(found.units, start=1))):
            self.support_[rows.position[unit]] = True
            self.ranking_[rows.position[unit]] = rank
        self.selected_ = tuple(rows.names[unit] for unit in found.units)
        for column in rows.domain.columns:  # days from one date to another take both
            if column.name in self.selected_:
                self.support_[list(column.features)] = True
        members = [tuple(rows.names[u] for u in subset) for subset in found.subsets[:_SHOWN]]
        self.subsets_ = make_frame({"members": members, "score": found.scores[:_SHOWN].tolist()})

    def _stability(
        self, rows: UnitRows, asked: Wanted, rng: np.random.RandomState, n_columns: int
    ) -> NDArray[np.float64]:
        chosen = np.zeros(n_columns)
        n = len(rows.target.values)
        with progress(f"{self.n_bootstrap} bootstrap samples", self.n_bootstrap) as advance:
            for _ in range(self.n_bootstrap):
                found = select(rows.take(rng.randint(n, size=n)), asked)
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
