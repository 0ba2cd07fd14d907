"""LevelMeasure: the law of the columns of a table, levels and all, learned from counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import chi2
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import TakesTables, all_or_nothing
from paclearn._parameters import Between, Listed, check, check_choice
from paclearn.counting.bits import BitTable, CodeTable
from paclearn.counting.engine_choice import engine_for
from paclearn.encoding.learning import EncodingRules
from paclearn.encoding.table_codes import learn_and_encode
from paclearn.exceptions import InputError
from paclearn.measures.bit_layout import BitLayout
from paclearn.measures.factored_law import topological_order
from paclearn.measures.families import away_from_roots
from paclearn.measures.known_structures import (
    ChainMeasure,
    GraphMeasure,
    GridMeasure,
    GroupMeasure,
    KnownStructure,
)
from paclearn.measures.level_network import LevelNetwork
from paclearn.tables.table import as_table
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.counting.engines import Engine
    from paclearn.measures.measure import Measure

__all__ = ["LevelMeasure"]

_LEARNED = ("uniform", "product", "tree")
_KNOWN: dict[str, type[KnownStructure]] = {"chain": ChainMeasure, "grid": GridMeasure, "groups": GroupMeasure}
_LEVEL_OF_EDGES = 0.05
Parents = list[tuple[int, ...]]


class LevelMeasure(TakesTables, BaseEstimator):
    """A law of columns with any number of levels; numbers are cut into bins first.

    Parameters
    ----------
    structure : {"uniform", "product", "chain", "tree", "grid", "groups"}, measure or edges, default="product"
        All levels alike; independent columns; each column given the one before it; the forest that fits best (Chow and
        Liu 1968), with the edges that a test at a level of 5 % for all of them supports; the pixels of a square, each
        given the one above it and the one to its left; groups of one column each, which is the same as independent
        ones. Or the graph of a `ChainMeasure`, `GridMeasure`, `GroupMeasure` or `GraphMeasure`, such as
        ``GridMeasure(width=5)``; or a list of edges (parent, child) between columns, by name or place in the table. An
        edge of a column that never varies says nothing.
    smoothing : float, default=1.0
        Rows that are added to every level of every conditional. Without any, a level that no row has is an error.
    n_bins, min_count, max_levels : int, float, int, default=8, 5, 64
        See `BooleanEncoder`.

    Attributes
    ----------
    network_ : LevelNetwork
        The graph and its conditional probabilities.
    domain_ : Domain
        What the levels are.
    names_ : tuple of str
        Names of the columns that vary.

    Examples
    --------
    >>> from paclearn.measures import LevelMeasure
    >>> measure = LevelMeasure(smoothing=0, min_count=0).fit([["red"], ["green"], ["blue"], ["blue"]])
    >>> measure.network_.tables[0]
    array([0.5 , 0.25, 0.25])
    """

    def __init__(
        self,
        structure: str | Measure | Iterable[tuple[Any, Any]] = "product",
        smoothing: float = 1.0,
        n_bins: int = 8,
        min_count: float = 5,
        max_levels: int = 64,
    ) -> None:
        self.structure = structure
        self.smoothing = smoothing
        self.n_bins = n_bins
        self.min_count = min_count
        self.max_levels = max_levels

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn levels, graph and conditional probabilities.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table; what it holds besides levels becomes some (`BooleanEncoder` says how).
        y, sample_weight : None, array-like of shape (n_rows,)
            The first is ignored; how much each row counts, where smoothing adds rows of weight one.

        Returns
        -------
        LevelMeasure
            Itself.
        """
        check("smoothing", self.smoothing, Between(0, np.inf, closed=True))
        rules = EncodingRules(self.n_bins, self.min_count, self.max_levels)
        with all_or_nothing(self):
            table = as_table(self, X, reset=True)
            weights = row_weights(sample_weight, table)
            self.domain_, codes = learn_and_encode(table, rules, weights)
            self.names_ = tuple(column.name for column in self.domain_.columns)
            engine = _engine(codes, [column.n_codes for column in self.domain_.columns], weights)
            self.network_ = self._network(engine, table.names)
        return self

    def _network(self, engine: Engine, table: Sequence[str]) -> LevelNetwork:
        places, sources = zip(*((column.position, column.features) for column in self.domain_.columns), strict=True)
        parents = self._parents(engine, BitLayout(self.names_, self.names_, places, tuple(table), sources))
        tables = tuple(self._table(i, _family_counts(engine, (*above, i))) for i, above in enumerate(parents))
        return LevelNetwork(tuple(parents), tables, topological_order(parents, self.names_, "columns"))

    def _table(self, i: int, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        if isinstance(self.structure, str) and self.structure == "uniform":
            return np.full(counts.shape, 1 / counts.shape[-1])
        smoothed = counts + float(self.smoothing)
        if (smoothed == 0).any():
            raise InputError(
                f"a level of {self.names_[i]!r} has no row, for some levels of its parents; smoothing above 0 gives it "
                f"a probability"
            )
        return np.asarray(smoothed / smoothed.sum(axis=-1, keepdims=True))

    # ---- structure ----

    def _parents(self, engine: Engine, layout: BitLayout) -> Parents:
        if isinstance(self.structure, KnownStructure):
            return clone(self.structure).parents_in(layout)
        if not isinstance(self.structure, str):
            check("structure", self.structure, Listed("pairs of columns, parent and child, or a measure that has them"))
            return GraphMeasure(list(self.structure)).parents_in(layout)
        check_choice("structure", self.structure, (*_LEARNED, *_KNOWN))
        if self.structure in _KNOWN:
            return _KNOWN[self.structure]().parents_in(layout)
        return _forest(engine) if self.structure == "tree" else [()] * engine.n_units

    # ---- rows ----

    def codes(self, X: Any) -> NDArray[np.intp]:
        """Rows as level numbers; a level that was never seen has a number of its own, the largest.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.
        """
        check_is_fitted(self)
        return np.column_stack([c.astype(np.intp) for c in self.domain_.encode(as_table(self, X, reset=False))])

    def log_prob(self, X: Any) -> NDArray[np.float64]:
        """Log probability of every row.

        Parameters
        ----------
        X : table
            See `codes`.
        """
        return self.network_.log_prob(self.codes(X))

    def basis(self, X: Any) -> tuple[NDArray[np.float64], ...]:
        """The orthonormal functions of every column, see `LevelNetwork.basis`.

        Parameters
        ----------
        X : table
            See `codes`.
        """
        return self.network_.basis(self.codes(X))


def _engine(codes: Any, sizes: Sequence[int], weights: NDArray[np.float64] | None) -> Engine:
    columns = list(codes)
    if weights is None:
        return engine_for(BitTable.pack(columns, sizes, np.zeros(len(columns[0]), dtype=np.int32), 1))
    return engine_for(CodeTable.of(columns, sizes, weights[:, None]))


def _family_counts(engine: Engine, family: Sequence[int]) -> NDArray[np.float64]:
    """Rows by the levels of some columns, one axis a column."""
    return engine.counts([family]).table(0)[..., 0].astype(np.float64)


def _forest(engine: Engine) -> Parents:
    """The forest of the largest mutual information, of the edges that a chi-square test supports."""
    d = engine.n_units
    supported = np.zeros((d, d))
    level = _LEVEL_OF_EDGES / max(d * (d - 1) // 2, 1)
    for i in range(d - 1):
        pairs = engine.counts([(i, j) for j in range(i + 1, d)])
        tables = (pairs.table(k)[..., 0].astype(np.float64) for k in range(len(pairs)))
        supported[i, i + 1 :] = [_supported_information(counts, level) for counts in tables]
    # the spanning tree of least weight; weights of edges must be positive
    weights = np.where(supported > 0, supported.max(initial=0) + 1 - supported, 0.0)
    forest = minimum_spanning_tree(weights)
    return away_from_roots(forest + forest.T, d)


def _supported_information(counts: NDArray[np.float64], level: float) -> float:
    """Mutual information of two columns, in nats; nought where it may be chance."""
    joint = counts / counts.sum()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    information = float(np.sum(joint[there] * np.log(joint[there] / apart[there])))
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return information if 2 * counts.sum() * information > chi2.isf(level, freedom) else 0.0
