"""What can be read off fitted graphs, be it one, one a class, or many."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import ShowsItself, make_frame
from paclearn._parameters import hint
from paclearn.exceptions import InputError
from paclearn.learners.graphs.partial_dependence import effect_columns, effect_of
from paclearn.tables.table import as_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.graphs.partial_dependence import Effect
    from paclearn.learners.graphs.regression_graph import RegressionGraph
    from paclearn.models.graph_mean import GraphSum

__all__ = ["ReadsGraphs", "ShowsGraph"]


class ReadsGraphs:
    """Effects and importances of columns: of one graph, or averaged over many."""

    domain_: Any
    n_features_in_: int

    def _sums(self) -> dict[str, GraphSum]:
        """The graphs of every output; an output without a name is called ''."""
        raise NotImplementedError

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of all splits' gain that each column's splits have."""
        shares = np.zeros(self.n_features_in_)
        for total in self._sums().values():
            for graph in total.graphs:
                positions = np.array([column.position for column in graph.columns], dtype=np.intp)
                np.add.at(shares, positions[graph.asks], graph.shape.gain)
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
            ensemble, ``spread``: the standard deviation over its graphs.
        """
        return make_frame(effect_columns(self._effect(column, X, output, most_rows)))

    def plot_effect(self, column: str, X: Any, *, output: Any = None, most_rows: int = 1000, ax: Any = None) -> Any:
        """Draw the effect of a column.

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

        Returns
        -------
        EffectDisplay
            With ``ax_`` and ``figure_``.
        """
        from paclearn.inspection import EffectDisplay

        found = self._effect(column, X, output, most_rows)
        return EffectDisplay(column, found.names, found.means, found.spreads, found.edges).plot(ax)

    def _effect(self, column: str, X: Any, output: Any, most_rows: int) -> Effect:
        outputs = self._sums()
        table = as_table(self, X, reset=False)
        if column not in table.names:
            raise InputError(f"there is no column {column!r}{hint(str(column), table.names)}")
        return effect_of(_of_output(outputs, output), self.domain_, column, table, most_rows)


def _of_output(outputs: dict[str, Any], output: Any) -> Any:
    if output is None and len(outputs) == 1:
        return next(iter(outputs.values()))
    if str(output) not in outputs:
        raise InputError(f"output={output!r} must be one of {', '.join(map(repr, outputs))}")
    return outputs[str(output)]


class ShowsGraph(ShowsItself, ReadsGraphs):
    """Text and the ways of rows, for one graph or one graph a class."""

    certificate_: Any

    def _one_each(self) -> dict[str, RegressionGraph]:
        return {label: total.graphs[0] for label, total in self._sums().items()}

    def to_text(self) -> str:
        """The model in words.

        Returns
        -------
        str
            Every graph as a list of questions and leaves, and the certificate.
        """
        parts = []
        for label, graph in self._one_each().items():
            parts += [f"{label}:", graph.to_text()] if label else [graph.to_text()]
        return "\n\n".join([*parts, str(self.certificate_)])

    def _in_notebook(self) -> str | None:
        if not hasattr(self, "n_leaves_"):
            return None
        return f"<pre>{escape(self.to_text())}</pre>"

    def explain(self, X: Any) -> list[str] | list[dict[str, str]]:
        """Every row's way through the graph in words.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        list of str, or list of dict
            One sentence a row; where there is one graph a class, one sentence for each.
        """
        outputs = self._one_each()
        table = as_table(self, X, reset=False)
        told = {label: [graph.path_in_words(path) for path in graph.paths(table)] for label, graph in outputs.items()}
        if "" in told:
            return told[""]
        return [{label: told[label][row] for label in told} for row in range(table.n_rows)]
