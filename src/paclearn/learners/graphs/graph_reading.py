"""What can be read off fitted graphs, be it one, one a class, or many: effects and importances of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import make_frame
from paclearn._parameters import hint
from paclearn.exceptions import InputError
from paclearn.learners.graphs.partial_dependence import effect_columns, effect_on
from paclearn.learners.predicting import ModelEstimator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Domain
    from paclearn.learners.graphs.partial_dependence import ColumnEffect
    from paclearn.models.graph_sum import SumModel

__all__ = ["ReadsGraphs"]


class ReadsGraphs(ModelEstimator):
    """Effects and importances of columns: of one graph, or averaged over many."""

    model_: SumModel
    domain_: Domain
    n_features_in_: int

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of all splits' gain that each column's splits have."""
        self._check_fitted()
        columns = self.model_.columns
        gains, shares = np.zeros(len(columns)), np.zeros(self.n_features_in_)
        for total in self.model_.totals():
            for graph in total.graphs:
                np.add.at(gains, graph.asks, graph.shape.gain)
        for column, gain in zip(columns, gains, strict=True):
            shares[list(column.features)] += gain / len(column.features)
        return shares / (shares.sum() or 1.0)

    def effect(self, column: str, X: Any, *, output: Any = None, most_rows: int = 1000) -> Any:
        """What the prediction is on average, with one column set to each of its values in turn.

        Parameters
        ----------
        column : str
            Which column.
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            Rows to average over, usually those of ``fit``.
        output : label, default=None
            The class whose probability is meant; needed where there are several graphs.
        most_rows : int, default=1000
            Average over at most this many rows, evenly spaced.

        Returns
        -------
        data frame
            One row a level, or a range between two thresholds that make a difference: ``value``, ``effect`` and, of an
            ensemble, ``deviation``: the standard deviation over its graphs.
        """
        return make_frame(effect_columns(self._effect(column, X, output, most_rows)))

    def plot_effect(self, column: str, X: Any, *, output: Any = None, most_rows: int = 1000, ax: Any = None) -> Any:
        """Draw the effect of a column, as a `EffectDisplay`.

        Parameters
        ----------
        column : str
            Which column.
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            Rows to average over.
        output : label, default=None
            The class whose probability is meant.
        most_rows : int, default=1000
            Average over at most this many rows.
        ax : matplotlib Axes, default=None
            Where to draw.
        """
        from paclearn.inspection import EffectDisplay

        found = self._effect(column, X, output, most_rows)
        return EffectDisplay(column, found.names, found.means, found.deviations, found.edges, found.edge_names).plot(ax)

    def _effect(self, column: str, X: Any, output: Any, most_rows: int) -> ColumnEffect:
        table = self._checked(X)
        dates = {name for c in self.domain_.columns if c.source is not None for name in c.read_from}
        names = list(dict.fromkeys([*(n for n in table.names if n not in dates), *self.domain_.column_names]))
        if column not in names:
            raise InputError(f"there is no column {column!r}{hint(str(column), names)}")
        known = next((c for c in self.domain_.columns if c.name == column), None)
        return effect_on(self.model_, _place_of(output, self.model_.output_names), known, table, most_rows)


def _place_of(output: Any, names: Sequence[str]) -> int:
    if output is None and len(names) == 1:
        return 0
    if str(output) not in names:
        raise InputError(f"output={output!r} must be one of {', '.join(map(repr, names))}")
    return list(names).index(str(output))
