"""RedundancyFilter: leave out the columns that others reproduce, and say how they do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import TakesTables, all_or_nothing, make_frame
from paclearn._parameters import Between, Flag, OneOf, Rule, Seed, Whole, check_parameters
from paclearn._progress import progress
from paclearn.encoding import EncodingRules
from paclearn.encoding.block_passes import FileBlocks
from paclearn.encoding.remote_columns import RemoteBlocks
from paclearn.learners.footprints import check_room
from paclearn.learners.selection.chance import Chance, log_choices
from paclearn.learners.selection.column_functions import Functions, functions_of, standardise
from paclearn.learners.selection.equations import Asked, Equation, Kept, explain
from paclearn.learners.selection.near_copies import copies, explained_by_pairs
from paclearn.learners.selection.orthogonal import fourier_orth, largest_group
from paclearn.learners.selection.redundancy_check import WholeTable, residuals_of, still_constant
from paclearn.learners.selection.selected_columns import SelectsColumns
from paclearn.tables.blocks import comes_in_blocks
from paclearn.tables.remote import count_rows, is_remote, remote_table
from paclearn.tables.sampled_rows import FirstByHash
from paclearn.tables.table import as_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.selection.redundancy_check import RowPasses
    from paclearn.tables.table import Table

__all__ = ["DEEPEST", "RedundancyFilter"]

DEEPEST = 4  # products of more columns fit anything

_FEWEST_ROWS, _MOST_ROWS = 2000, 50_000  # that equations are looked for in; they are held against all rows,
_MOST_CELLS = 2 * 10**7  # and so many cells
_MOST_WORK_AT_ONCE = 3e11  # additions: some seconds
_MOST_FUNCTIONS_IN_TRIPLES = 640
_RULES = EncodingRules(8, 5, 64)
_FEWEST_FREE = 8
Witnesses = dict[int, tuple[int, "NDArray[np.intp]"]]  # column -> depth, functions that were looked at before it
_NOBODY = np.empty(0, dtype=np.intp)


@dataclass(eq=False, repr=False)
class RedundancyFilter(TakesTables, SelectsColumns, BaseEstimator):
    """Leave out columns that are sums or products of other ones (FOURIER-ORTH).

    No target is looked at. Numeric columns count as numbers; text and boolean columns as one yes-or-no function a
    level, and such a column is redundant if all its levels are. First, all columns together are searched for copies and
    sums; then all triples for a column that is a polynomial of two others (of up to 640 columns); then groups of
    columns, drawn at random, for sums of products of up to ``depth`` columns. Of more than 50 000 rows, or 20 million
    cells, some are looked at, the first by a hash of what they hold, and what they show is held against all rows.

    Parameters
    ----------
    depth : int, default=2
        1 finds copies, negations and sums; 2 finds products such as an exclusive or; 3 takes longer.
    threshold : float, default=0.05
        A column is redundant if what the others leave of it has at most this standard deviation, as a share of its
        own. At 0.05 they explain 99.75 % of its variance.
    group_size : int, default=40
        Functions that are looked at together; fewer where there would be too many products.
    order : {"given", "random"}, default="given"
        Of columns that reproduce each other the first is kept: the first in the table, or in a random order.
    correct : bool, default=True
        Judge what is left by the rows that the functions before leave free, and ask that it is too little to be chance:
        a column of the same values that is independent of all others would not be reproduced as well. Without it, as in
        the paper, a column is redundant as soon as there are as many functions as rows, whatever the column holds.
    random_state : int, RandomState instance or None, default=None
        Draws the groups and the random order.

    Attributes
    ----------
    redundancies_ : data frame
        One row a column that was left out: ``feature``, ``equation`` and ``residual``.
    equations_ : dict of str to tuple of Equation
        The same, to compute with: one equation a function of the column.
    support_ : ndarray of bool
        Which columns stay.

    Examples
    --------
    >>> import numpy as np
    >>> from paclearn import RedundancyFilter
    >>> bits = np.random.default_rng(0).choice([-1, 1], (200, 3))
    >>> table = np.column_stack([bits, bits[:, 0] * bits[:, 2]])
    >>> RedundancyFilter().fit(table).redundancies_["equation"][0]
    'x3 = x0*x2'
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        "depth": Whole(1, DEEPEST),
        "threshold": Between(0, 1),
        "group_size": Whole(2),
        "order": OneOf("given", "random"),
        "correct": Flag(),
        "random_state": Seed(),
    }

    depth: int = 2
    threshold: float = 0.05
    group_size: int = 40
    order: str = "given"
    correct: bool = True
    random_state: Any = None

    def fit(self, X: Any, y: Any = None) -> RedundancyFilter:  # noqa: ARG002
        """Find the redundant columns.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table.
        y : None
            Ignored.
        """
        with all_or_nothing(self):
            rows, names = self._read(X)
            some = FirstByHash(_most_rows(len(names)))
            drawn = rows.summed(some, range(len(names)), some.add).drawn(some.most)
            functions, witnesses = self.search(drawn)
            explained = self._explain(functions, witnesses)
            if rows.n_rows > some.most:
                explained, functions = self._held_against(rows, explained, functions)
            self.support_ = np.ones(len(names), dtype=bool)
            self.support_[[*explained, *functions.constants]] = False
            self.equations_ = {names[c]: e for c, e in explained.items()}
            self.redundancies_ = self._frame(functions)
        return self

    def _read(self, X: Any) -> tuple[RowPasses, tuple[str, ...]]:
        """The rows, here or on a cluster, and the names of the columns."""
        if is_remote(X):
            far = remote_table(X, count_rows(X)).remembered_by(self)
            return RemoteBlocks(far), far.names
        table = as_table(self, X, reset=True)
        check_room(type(self).__name__, table)
        return FileBlocks(table) if comes_in_blocks(table) else WholeTable(table), table.names

    def _held_against(
        self, rows: RowPasses, explained: dict[int, tuple[Equation, ...]], functions: Functions
    ) -> tuple[dict[int, tuple[Equation, ...]], Functions]:
        """What some rows showed and all of them bear out, with what equations leave in these."""
        left = iter(residuals_of([e for found in explained.values() for e in found], functions, rows))
        every = {c: tuple(replace(e, residual=next(left)) for e in found) for c, found in explained.items()}
        kept = {c: found for c, found in every.items() if max(e.residual for e in found) <= self.threshold}
        constant = {c: functions.constants[c] for c in still_constant(list(functions.constants), rows)}
        return kept, replace(functions, constants=constant)

    def search(self, table: Table) -> tuple[Functions, Witnesses]:
        """The functions of a table, and the redundant columns, each with what showed it to be.

        Parameters
        ----------
        table : Table
            Columns with names.

        Returns
        -------
        functions, witnesses
            The functions (and which columns have none), and for every redundant column the depth and the functions
            that were looked at when it turned out to be.
        """
        check_parameters(self, self._parameters)
        functions = functions_of(table, _RULES)
        return functions, _Search(functions, self, check_random_state(self.random_state)).run()

    def _explain(self, functions: Functions, witnesses: Witnesses) -> dict[int, tuple[Equation, ...]]:
        """What explained a column may have been left out after it: then the column stays after all."""
        kept = Kept(functions, np.flatnonzero(~np.isin(functions.owner, list(witnesses))))
        asked = Asked(kept, self.threshold, Chance(functions, self.correct))
        equations: dict[int, tuple[Equation, ...]] = {}
        with progress("equations", len(witnesses)) as advance:
            for column, (depth, seen) in sorted(witnesses.items()):
                mine = np.flatnonzero(functions.owner == column)
                stayed = np.intersect1d(seen, kept.numbers)
                found = tuple(explain(asked, int(f), depth, stayed) for f in mine)
                if asked.holds(found):
                    equations[column] = found
                advance(1)
        return equations

    def _frame(self, functions: Functions) -> Any:
        rows = [(name, f"{name} is constant", 0.0) for name in functions.constants.values()]
        for name, equations in self.equations_.items():
            rows.append((name, "; ".join(map(str, equations)), max(e.residual for e in equations)))
        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        return make_frame(dict(zip(("feature", "equation", "residual"), map(list, columns), strict=True)))

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_


def _most_rows(n_columns: int) -> int:
    """How many rows equations are looked for in."""
    return int(np.clip(_MOST_CELLS // max(n_columns, 1), _FEWEST_ROWS, _MOST_ROWS))


class _Search:
    """Columns are dropped stage by stage, each stage on what the last one left."""

    def __init__(self, functions: Functions, parameters: RedundancyFilter, rng: np.random.RandomState) -> None:
        self.functions, self.parameters, self.rng = functions, parameters, rng
        columns = np.unique(functions.owner)
        self.columns = rng.permutation(columns) if parameters.order == "random" else columns
        self.chance = Chance(functions, parameters.correct)
        self.needed: set[int] = set()  # columns that are all another one has for an explanation
        self.witnesses: Witnesses = {}

    def run(self) -> Witnesses:
        """All redundant columns, each with the depth and the functions that showed it to be."""
        if len(self.functions.values) > 1 and len(self.columns):
            for depth in range(1, self.parameters.depth + 1):
                if depth <= 2:
                    found = self._copies() if depth == 1 else self._explained_by_pairs()
                    self._drop(dict.fromkeys(found, (depth, _NOBODY)))
                for group in self._groups(depth):
                    self._drop_from_group(group, depth)
        return self.witnesses

    def _drop(self, found: Witnesses) -> None:
        self.witnesses.update(found)
        self.columns = self.columns[~np.isin(self.columns, list(found))]

    def _drop_from_group(self, group: NDArray[np.intp], depth: int) -> None:
        mine = self.functions.of_columns(group)
        standard, owner = standardise(self.functions.values[:, mine]), self.functions.owner[mine]
        threshold, correct = self.parameters.threshold, self.parameters.correct
        found = fourier_orth(
            standard,
            owner,
            depth,
            threshold,
            correct=correct,
            keep=self.needed,
            excludes_chance=lambda f, *found: self.chance.excludes(int(mine[f]), *found),
        )
        self._drop({column: (depth, mine[: int(np.argmax(owner == column))]) for column in found})

    def _groups(self, depth: int) -> Iterator[NDArray[np.intp]]:
        """All columns at once where that is no work; otherwise random groups, each in the order of the columns."""
        n_rows, n_functions = self.functions.values.shape
        if depth == 1 and float(n_rows) * min(n_rows, n_functions) * n_functions <= _MOST_WORK_AT_ONCE:
            yield self.columns
            return
        room = largest_group(depth, self.parameters.group_size)
        size = {int(c): int((self.functions.owner == c).sum()) for c in self.columns}
        place = {int(c): i for i, c in enumerate(self.columns)}
        groups: list[list[int]] = [[]]
        for column in self.rng.permutation(self.columns).tolist():
            if groups[-1] and sum(size[c] for c in groups[-1]) + size[column] > room:
                groups.append([])
            groups[-1].append(column)
        with progress(f"groups of columns at depth {depth}", len(groups)) as advance:
            for group in groups:
                yield np.array(sorted(group, key=place.__getitem__), dtype=np.intp)
                advance(1)

    def _columns_of_one_function(self) -> NDArray[np.intp]:
        columns, functions = np.unique(self.functions.owner, return_counts=True)
        return self.columns[np.isin(self.columns, columns[functions == 1])]

    def _copies(self) -> list[int]:
        single = self._columns_of_one_function()
        work = float(len(single)) ** 2 * len(self.functions.values)
        if not len(single) or work > _MOST_WORK_AT_ONCE or not self._has_rows_for(2):
            return []
        mine = self.functions.of_columns(single)
        looks = float(np.log(len(mine)))
        found = copies(
            standardise(self.functions.values[:, mine]),
            self._threshold_with(2, looks),
            lambda k, share: self.chance.excludes(int(mine[k]), share, 2, looks),
        )
        return [int(single[k]) for k in found]

    def _threshold_with(self, rank: int, log_looks: float) -> float:
        """The largest residual, given how many functions it is what is left of, and how many times one looked."""
        n = len(self.functions.values)
        asked = self.parameters.threshold**2 * ((n - rank) / n if self.parameters.correct else 1.0)
        return float(np.sqrt(min(asked, self.chance.largest_share(rank, log_looks))))

    def _has_rows_for(self, n_functions: int) -> bool:
        """With a few rows only, so many candidates fit by chance that what fits says nothing."""
        return not self.parameters.correct or len(self.functions.values) >= n_functions + _FEWEST_FREE

    def _explained_by_pairs(self) -> list[int]:
        """Columns of one function that two others make up; of three that make up each other the last one goes."""
        single = self._columns_of_one_function()
        if not 3 <= len(single) <= _MOST_FUNCTIONS_IN_TRIPLES or not self._has_rows_for(4):
            return []
        mine, looks = self.functions.of_columns(single), log_choices(len(single) - 1, 2)
        threshold = self._threshold_with(4, looks)
        found = explained_by_pairs(standardise(self.functions.values[:, mine]), threshold, self.rng)
        found = {k: pairs for k, pairs in found.items() if self.chance.excludes(int(mine[k]), threshold**2, 4, looks)}
        gone: set[int] = set()
        needed: set[int] = set()
        for k in sorted(set(found), reverse=True):
            pair = next(((i, j) for i, j in found[k] if i not in gone and j not in gone), None)
            if pair is not None and k not in needed:
                gone.add(k)
                needed.update(pair)
        self.needed.update(int(single[k]) for k in needed)
        return [int(single[k]) for k in gone]
