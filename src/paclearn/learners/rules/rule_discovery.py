"""find_rules(): the few rules that say most about a target, out of all there are, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from paclearn.encoding import Domain, learn_and_encode, learn_and_encode_compared
from paclearn.encoding.compared_numbers import compared
from paclearn.encoding.encoded_rows import RowsElsewhere
from paclearn.encoding.remote_columns import remote_target
from paclearn.learners.footprints import check_room
from paclearn.learners.rules.rule_scans import scan_rules, warn_if_stopped
from paclearn.learners.rules.rule_settings import RuleSettings
from paclearn.tables.remote import is_remote
from paclearn.tables.table import as_table
from paclearn.tables.target import Target, read_target
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.encoded_rows import EncodedBlock
    from paclearn.learners.rules.rule_settings import RuleDiscovery

__all__ = ["discover_rules", "find_rules"]

_COPIES, _BYTES_A_ROW = 3, 200  # of codes that are joined; answers, weights and the like


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


def discover_rules(
    X: Any, y: Any, asked: RuleSettings, sample_weight: Any = None, only: str | None = None
) -> RuleDiscovery:
    """The same as `find_rules`, with all there is to tell; of one class alone, where it is named."""
    if is_remote(X):
        return _discovered_there(X, y, asked, sample_weight, only)
    table = as_table(_Reader(), X, reset=True)
    check_room("find_rules", table)
    target = read_target(y, table.n_rows, asked.task, row_weights(sample_weight, table)).counted()
    table = target.rows_of(table)
    return scan_rules(*learn_and_encode_compared(table, asked.rules, target.weights), target, asked, only)


def _discovered_there(X: Any, y: Any, asked: RuleSettings, sample_weight: Any, only: str | None) -> RuleDiscovery:
    """Of a table on a cluster: rows are encoded where they lie, and one worker joins the codes and looks for rules."""
    table, target = remote_target(X, y, asked.task, sample_weight)
    domain, columns = learn_and_encode(table.remembered_by(_Reader()), asked.rules.keeping_few)
    rows = RowsElsewhere(columns, target.values)  # type: ignore[arg-type]
    n_bytes = rows.n * (_COPIES * sum(np.dtype(column.dtype).itemsize for column in domain.columns) + _BYTES_A_ROW)
    found = rows.joined(_Discovers(domain, target.classes, asked, only), n_bytes, "find_rules")
    warn_if_stopped(found)
    return found


@dataclass(frozen=True, eq=False)
class _Discovers:
    """Rules of rows that are all here."""

    domain: Domain
    classes: NDArray[Any] | None
    asked: RuleSettings
    only: str | None

    def __call__(self, block: EncodedBlock) -> RuleDiscovery:
        target = Target(block.targets, self.classes, block.weights)
        domain, codes = compared(self.domain, block.codes, self.asked.rules, block.weights)
        return scan_rules(domain, codes, target, self.asked, self.only)


class _Reader(BaseEstimator):
    """Somebody has to remember the names of the columns while the table is read."""
