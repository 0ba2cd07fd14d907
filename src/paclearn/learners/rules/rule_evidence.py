"""What speaks for a rule: each of its conditions must matter among the rows for which the others hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from math import exp, factorial, log
from typing import TYPE_CHECKING

import numpy as np

from paclearn.certificates.random_subsets import log_tail_of_count, log_tail_of_sum
from paclearn.encoding.comparisons import columns_of, holds
from paclearn.kernels.numpy_conjunctions import Totals
from paclearn.tables.weights import are_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from paclearn.search.condition_pool import ConditionPool
    from paclearn.search.qualities import Quality

__all__ = ["Aim", "ConditionRows", "Evidence"]

_KEPT_BYTES = 2**23  # of answers to conditions, a bit each
_ROUNDING = 1e-9  # of logarithms


@dataclass(frozen=True, eq=False)
class Aim:
    """What rules are looked for: a class that is frequent among their rows, or numbers that are large or small there.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        1 for rows of the class and 0 for others; or numbers, with their sign changed where small ones are wanted.
    weights : ndarray of shape (n_rows,) or None
        How many times each row counts.
    label : object
        The class, or None for numbers.
    """

    values: NDArray[Any]
    weights: NDArray[np.float64] | None
    label: Any = None

    @property
    def numbers(self) -> bool:
        """Whether the target is a number."""
        return self.values.dtype.kind == "f"

    @cached_property
    def mass(self) -> NDArray[np.float64]:
        """The weight of every row."""
        return np.broadcast_to(1.0, len(self.values)) if self.weights is None else self.weights

    def rows_and_sum(self, rows: NDArray[np.bool_]) -> tuple[float, float]:
        """Weight and sum of some rows."""
        if self.weights is None and not self.numbers:
            return self._count(rows), self._count(rows & self.positive)
        weights = self.mass[rows]
        return float(weights.sum()), float(weights @ self.values[rows])

    def totals(self, rows: NDArray[np.bool_]) -> Totals:
        """Weight, sum and sum of squares about the mean of some rows."""
        weights, values = self.mass[rows], self.values[rows]
        total = float(weights.sum())
        mean = float(weights @ values) / total if total else 0.0
        return Totals(total, mean * total, float(weights @ (values - mean) ** 2))

    @cached_property
    def counted(self) -> bool:
        """Whether rows of a class are counted, not numbers summed."""
        return not self.numbers and (self.weights is None or are_counts(self.weights))

    @cached_property
    def positive(self) -> NDArray[np.bool_]:
        """Which rows are of the class."""
        return self.values != 0

    def log_tail(self, drawn: NDArray[np.bool_], parent: NDArray[np.bool_], wanted: float = np.inf) -> float:
        """Log probability that rows drawn at random from some others aim as high as these do.

        Where it is seen at once that it is above the one that is wanted, 0 may stand for it.
        """
        if self.counted:
            parts = (drawn & self.positive, drawn, parent & self.positive, parent)
            return log_tail_of_count(*map(self._count, parts))
        weights, values = self.mass[parent], self.values[parent].astype(np.float64)
        return log_tail_of_sum(weights * (values - weights @ values / weights.sum()), drawn[parent], wanted)

    def _count(self, rows: NDArray[np.bool_]) -> float:
        return float(np.count_nonzero(rows) if self.weights is None else self.weights[rows].sum())


@dataclass(frozen=True, eq=False)
class ConditionRows:
    """Which rows the conditions of a pool, and rules made of them, hold for."""

    pool: ConditionPool
    codes: Sequence[NDArray[np.unsignedinteger[Any]]]

    @cached_property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.codes[0])

    @cached_property
    def of_condition(self) -> Callable[[int], NDArray[np.uint8]]:
        """Whether a condition holds, a bit a row; what was asked before is kept, if it is not too much."""
        most = int(np.clip(8 * _KEPT_BYTES // max(self.n_rows, 1), 8, 1024))
        return lru_cache(maxsize=most)(self._of_condition)

    def _of_condition(self, number: int) -> NDArray[np.uint8]:
        return np.packbits(holds(self.pool.conditions[number], self.codes, self.pool.sizes))

    def apart(self, members: Sequence[int]) -> bool:
        """Whether no column occurs twice: ``a = b and a = red`` is a longer way to say what two columns are."""
        columns = [column for number in members for column in columns_of(self.pool.conditions[number])]
        return len(set(columns)) == len(columns)

    def of_rule(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Whether all of some conditions hold; of none, every row."""
        if not members:
            return np.ones(self.n_rows, dtype=bool)
        bits = reduce(np.bitwise_and, map(self.of_condition, members))
        return np.unpackbits(bits, count=self.n_rows).view(np.bool_)


@dataclass(frozen=True, eq=False)
class Evidence:
    r"""P- and q-values of rules.

    A rule is as good as its least condition: for each of them, the rows of the rule are compared with those of its
    shorter form without it, and the largest of those probabilities is the p-value of "some condition is of no use". It
    holds whatever the other conditions do (Berger 1982). Rules are chosen among all there are; with the share
    :math:`k! \prod_i s_i` of the choice that the conditions of a rule have, and K numbers of conditions,
    :math:`q = p K / (k! \prod_i s_i)` is Bonferroni's correction by weights (Genovese, Roeder and Wasserman 2006): with
    probability 1 - f, no rule with q of at most f has a condition that is of no use. No false report at all is more
    than a small share of them.

    Parameters
    ----------
    aim : Aim
        What the rules are for.
    rows : ConditionRows
        Which rows they hold for.
    n_choices : float
        Aims times numbers of conditions that were tried.
    """

    aim: Aim
    rows: ConditionRows
    n_choices: float

    def log_p(self, members: Sequence[int], wanted: float = np.inf) -> float:
        """The p-value of a rule, as a logarithm; 0 may stand for one above that which is wanted."""
        drawn, worst = self.rows.of_rule(members), -np.inf
        for left_out in members:
            parent = self.rows.of_rule([m for m in members if m != left_out])
            worst = max(worst, self.aim.log_tail(drawn, parent, wanted))
            if worst > wanted:
                return 0.0
        return worst

    def log_choices(self, members: Sequence[int]) -> float:
        """How many rules it was chosen from, as a logarithm."""
        shares = self.rows.pool.shares[list(members)]
        return log(self.n_choices) - float(np.log(shares).sum()) - log(factorial(len(members)))

    def p_and_q(self, members: Sequence[int], fdr: float = 1.0) -> tuple[float, float]:
        """The p-value, and q; ones may stand for those of a rule whose q is above a rate of false discoveries."""
        log_choices = self.log_choices(members)
        log_p = self.log_p(members, log(fdr) - log_choices + _ROUNDING if fdr < 1 else np.inf)
        return exp(log_p), exp(min(0.0, log_p + log_choices))

    @cached_property
    def whole(self) -> Totals:
        """Of all rows."""
        return self.aim.totals(self.rows.of_rule(()))

    def ranked(self, rules: Sequence[tuple[int, ...]], quality: Quality) -> Iterator[tuple[tuple[int, ...], float]]:
        """Rules that aim higher than the whole table, and what they are ranked by."""
        rows, sums = np.array([self._rows_and_sum(members) for members in rules]).reshape(-1, 2).T
        measures = quality.measure(rows, sums, self.whole).tolist()
        higher = (sums > rows * self.whole.mean).tolist()
        return (
            (members, value) for members, value, is_higher in zip(rules, measures, higher, strict=True) if is_higher
        )

    def _rows_and_sum(self, members: Sequence[int]) -> tuple[float, float]:
        return self.aim.rows_and_sum(self.rows.of_rule(members))
