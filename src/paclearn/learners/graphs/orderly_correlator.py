"""The weak correlator for orderly regression trees (Kalai, 2005, Figure 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import InputTags

from paclearn._compat import validate_data
from paclearn._parameters import Between, Nothing, Rule
from paclearn.certificates import graph_squared
from paclearn.encoding import BinColumn, Domain, LevelColumn
from paclearn.exceptions import InputError, InputTypeError
from paclearn.learners.fitting import ModelLearner, NumberLearner
from paclearn.learners.graphs.graph_base import deviation_of
from paclearn.learners.graphs.regression_graph import RegressionGraph
from paclearn.learners.graphs.weak_splits import in_clear_words
from paclearn.learners.learned import Learned
from paclearn.models.graph_assembly import Wiring
from paclearn.models.graph_model import GraphModel
from paclearn.models.weak_graph import native_rows
from paclearn.tables.raw import FLAGS, Labels, read_column
from paclearn.tables.table import ArrayTable, Table, as_frame, as_table, fitted_names
from paclearn.tables.weights import weights_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.encoding import Column
    from paclearn.learners.fitting import Rows
    from paclearn.learners.learned import Judged

__all__ = ["OrderlyCorrelator"]


class OrderlyCorrelator(NumberLearner, ModelLearner):
    """One bit, with rare rows set aside: what correlates with an orderly regression tree where no bit does by itself.

    An orderly tree has its leaves in the order of their values. Its first questions may be about bits that are nearly
    always the same; they hide what all later ones say. So rows where a bit has a rare value are set aside, one bit
    after the other, until none is rare any more; then the best bit of the others is taken, with the rows set aside on
    whichever side is better.

    Parameters
    ----------
    epsilon : float, default=None
        Variance the target is supposed to have: values with a share of at most ``epsilon / (8 d)`` are rare, as in
        Kalai (2005). If not given, that share is tried for the target's own variance, and twice, four times, ... as
        much, up to a quarter of the rows; the largest covariance decides.

    Attributes
    ----------
    model_ : GraphModel
        The model, a graph: is a bit rare, the next one, ..., and then the chosen bit.
    graph_ : RegressionGraph
        The graph.
    aside_ : list of (int, bool)
        Columns and values that are set aside.
    column_ : int
        The chosen column; -1 if nothing correlates.
    covariance_ : float
        Covariance with the scaled target.
    thresholds_ : ndarray of shape (n_columns,)
        A bit is true above the middle of its column's range.
    low_, high_, rare_ : float
        What is predicted where the chosen bit is false, where it is true, and for rows set aside: the means of either
        side.
    certificate_ : Certificate
        Theorem 3's bound on the mean squared error, as for any graph.
    certificates_ : list of Certificate
        It alone.
    domain_ : Domain
        What the bits mean.
    """

    _parameters: ClassVar[dict[str, Rule]] = {"epsilon": Between(0, np.inf) | Nothing()}

    model_: GraphModel
    graph_: RegressionGraph
    _flags: frozenset[int]  # columns of True and False

    def __init__(self, epsilon: float | None = None) -> None:
        self.epsilon = epsilon

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = InputTags()  # numbers, and all of them there
        tags.regressor_tags.poor_score = True  # weak is what it is for
        return tags

    # ---- fitting ----

    def _table(self, X: Any, *, reset: bool) -> Table:
        if isinstance(X, Table) or as_frame(X) is not None:  # a data frame is read as everywhere, of whatever library
            table = as_table(self, X, reset=reset)
            columns = [_numbers(table, i) for i in range(len(table.names))]
            self._flags = (
                frozenset(i for i, (_, are_flags) in enumerate(columns) if are_flags) if reset else self._flags
            )
            return ArrayTable(np.column_stack([numbers for numbers, _ in columns]), table.names)
        values = self._array(X, reset=reset)
        self._flags = frozenset() if reset else self._flags
        return ArrayTable(values, fitted_names(self) or tuple(f"x{i}" for i in range(values.shape[1])))

    def _array(self, X: Any, *, reset: bool) -> NDArray[np.float64]:
        try:
            return np.asarray(validate_data(self, X, dtype=np.float64, reset=reset))
        except (TypeError, ValueError) as error:
            of_words = any(words in str(error) for words in ("could not convert", "Cannot cast", "argument must be"))
            kinds = (type(error),) if of_words else ()
            with in_clear_words("the table cannot be read as an array of numbers", *kinds):
                raise

    def _column(self, position: int, name: str, threshold: float) -> Column:
        """Databases compare no flags with numbers, so a column of flags stays one."""
        if position in self._flags:
            return LevelColumn(name, position, missing=False, levels=("False", "True"))
        return BinColumn(name, position, False, (threshold,))

    def _weights(self, sample_weight: Any, table: Table) -> NDArray[np.float64] | None:
        return weights_of(sample_weight, table.n_rows)

    def _learn(self, train: Rows, rng: np.random.RandomState) -> Learned:  # noqa: ARG002
        X = native_rows(train.table)
        self.thresholds_ = X.min(axis=0) / 2 + X.max(axis=0) / 2  # their sum may be too large
        names = enumerate(zip(train.table.names, self.thresholds_.tolist(), strict=True))
        self.domain_ = Domain(tuple(self._column(i, name, threshold) for i, (name, threshold) in names))
        bits = self.thresholds_ < X
        self._choose(bits, train.targets, train.counts / train.counts.sum())
        wiring, leaves = self._wiring()
        codes = bits[:, [column.position for column in wiring.columns]].T.astype(np.uint8)
        known = codes if len(codes) else np.zeros((1, train.n), dtype=np.uint8)
        shape = wiring.measured(known, train.targets, train.counts)
        shape = shape.with_leaf_values(leaves, shape.weight[shape.n_inner :])
        self.graph_ = RegressionGraph(shape, wiring.columns, wiring.asks, wiring.goes_low)
        return Learned(GraphModel(self._about(), wiring.columns, (self.graph_,)), list(known))

    def _certify(self, train: Judged, held: Judged | None) -> list[Certificate]:  # noqa: ARG002 - none are
        """Every row of positive weight counts once."""
        width, trivial = float(np.ptp(train.rows.targets)) or 1.0, float(np.var(train.rows.targets))
        deviation = deviation_of(self.graph_, self.domain_, train.rows, self.delta)
        return [graph_squared(train.squared_error, width, deviation, train.n, self.delta, trivial)]

    def _choose(self, bits: NDArray[np.bool_], targets: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        unit = float(np.ptp(targets)) or 1.0
        pull = shares * (targets - shares @ targets) / unit
        variance = float(shares @ ((targets - shares @ targets) / unit) ** 2)
        best, ones = -1.0, bits.astype(np.float64)  # once: products of numbers and flags would do it every time
        aside = Aside(ones, shares)
        for rare in self._shares_to_try(variance, bits.shape[1]):
            aside.widen(rare)
            covariance, column, joins = _best_bit(ones, pull, aside.rows)
            if covariance > best:
                best, self.column_, self._joins = covariance, column, joins
                self.aside_, rows = list(aside.found), aside.rows.copy()
        self.covariance_ = best
        self._settle(self._high(bits, rows), targets, shares)

    def _shares_to_try(self, variance: float, n_columns: int) -> list[float]:
        """The share of Figure 6, or all from that on, each twice the one before, up to a quarter."""
        first = (variance if self.epsilon is None else self.epsilon) / (8 * n_columns)
        if self.epsilon is not None or first <= 0:
            return [first]
        return [first * 2**k for k in range(max(1, int(np.log2(0.25 / first)) + 1))]

    def _high(self, bits: NDArray[np.bool_], is_aside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.where(is_aside, self._joins, bits[:, self.column_])

    def _settle(self, high: NDArray[np.bool_], targets: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        mean = float(np.average(targets, weights=shares))
        sides = [_mean(targets[side], shares[side], mean) for side in (~high, high)]
        self.low_, self.high_ = sides
        self.rare_ = sides[self._joins]
        if self.low_ == self.high_:
            self.column_ = -1

    def _wiring(self) -> tuple[Wiring, NDArray[np.float64]]:
        """Every value that is set aside is a question of its own, and the last one is about the chosen bit."""
        asked = [] if self.column_ < 0 else [*self.aside_, (self.column_, True)]
        used = sorted({column for column, _ in asked})
        inner, up = len(asked), int(self.high_ > self.low_)  # leaves stand in the order of their values
        low_leaf, high_leaf = inner + 1 - up, inner + up
        aside = high_leaf if self._joins else low_leaf
        children = [(k + 1, aside) if value else (aside, k + 1) for k, (_, value) in enumerate(asked)]
        children[-1:] = [(low_leaf, high_leaf)] if asked else []
        goes_low = np.zeros((inner, 256), dtype=np.uint8)
        goes_low[:, 0] = 1
        wiring = Wiring(
            tuple(self.domain_.columns[column] for column in used),
            np.searchsorted(used, [column for column, _ in asked]).astype(np.int32),
            goes_low,
            np.array(children, dtype=np.int32).reshape(-1, 2),
        )
        return wiring, np.array(sorted({self.low_, self.high_}) if asked else [self.low_])


class Aside:
    """Rows set aside: those where a bit has a value that is rare among the rows that are left, one bit after the
    other.
    """

    def __init__(self, bits: NDArray[np.float64], shares: NDArray[np.float64]) -> None:
        self.found: list[tuple[int, bool]] = []
        self.rows = np.zeros(len(bits), dtype=bool)
        self._bits, self._shares = bits, shares
        self._count()

    def _count(self) -> None:
        left = np.where(self.rows, 0.0, self._shares)
        self._left, self._ones = float(left.sum()), left @ self._bits

    def widen(self, rare: float) -> None:
        """Go on while some value has at most this share of what is left; the rarest first."""
        while not self.rows.all():
            ones = np.round(self._ones / self._left, 12)
            values = np.stack([1 - ones, ones])  # value, column
            values[(values <= 0) | (values > rare)] = np.inf
            value, column = np.unravel_index(int(values.argmin()), values.shape)
            if not np.isfinite(values[value, column]):
                break
            self._set(int(column), bool(value))

    def _set(self, column: int, value: bool) -> None:
        mine = np.flatnonzero((self._bits[:, column] == value) & ~self.rows)
        if not len(mine):  # what seemed to be left was rounding
            self._count()
            return
        self.found.append((column, value))
        self.rows[mine] = True
        self._left -= float(self._shares[mine].sum())
        self._ones = self._ones - self._shares[mine] @ self._bits[mine]


def _best_bit(
    bits: NDArray[np.float64], pull: NDArray[np.float64], is_aside: NDArray[np.bool_]
) -> tuple[float, int, bool]:
    """Covariance and number of the best bit, and whether rows set aside join those where it is true.

    The covariance of one side is minus that of the other, so its sign is of no account.
    """
    without = np.where(is_aside, 0.0, pull) @ bits
    covariances = np.abs(np.stack([without, without + pull[is_aside].sum()]))
    joins, column = np.unravel_index(int(np.argmax(np.round(covariances, 12))), covariances.shape)
    return float(covariances[joins, column]), int(column), bool(joins)


def _numbers(table: Table, position: int) -> tuple[NDArray[np.float64], bool]:
    """A column of numbers, all of them there, and whether it was one of flags."""
    column, name = read_column(table, position), table.names[position]
    if column.missing.any():
        raise InputError(
            f"column {name!r} has missing values (NaN), and OrderlyCorrelator needs them all; fill them first"
        )
    if not isinstance(column, Labels):
        return column.values, False
    if column.exact or not set(column.labels) <= set(FLAGS):
        raise InputTypeError(
            f"column {name!r} holds words, or whole numbers beyond 2^53, and OrderlyCorrelator takes numbers; turn "
            "words and dates into numbers first (BooleanEncoder)"
        )
    return np.array([label == "True" for label in column.labels], dtype=np.float64)[column.codes], True


def _mean(targets: NDArray[np.float64], shares: NDArray[np.float64], otherwise: float) -> float:
    return float(np.average(targets, weights=shares)) if len(targets) else otherwise
