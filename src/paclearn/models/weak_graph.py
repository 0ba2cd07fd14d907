"""A graph whose questions are what some regressor predicts: it predicts and explains, but cannot be written down."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, Self

import numpy as np
from sklearn.utils import _safe_indexing

from paclearn.encoding import BinColumn
from paclearn.exceptions import InputTypeError
from paclearn.models.decision_graph import DecisionGraph
from paclearn.models.explanation import Explanation, Part
from paclearn.models.graph_model import steps
from paclearn.models.graph_sum import GraphSum, effects_of, stacked
from paclearn.models.model import Model
from paclearn.tables.read_once import ReadOnce
from paclearn.tables.table import ArrayTable, KnownColumns, RowSubset, as_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models import checked
    from paclearn.models.effects import Effects
    from paclearn.models.graph_shape import GraphShape
    from paclearn.models.model import About
    from paclearn.tables.table import Table

__all__ = [
    "NativeTable",
    "Regressor",
    "WeakGraphModel",
    "WeakQuestion",
    "answers_of",
    "graph_over_answers",
    "native_rows",
    "refuse_to_leave",
]

_NOT_ASKED = 2


class Regressor(Protocol):
    """Whatever predicts numbers."""

    def predict(self, X: Any) -> Any:
        """One number a row."""
        ...


@dataclass(frozen=True, eq=False)
class WeakQuestion:
    """Whether a regressor's prediction is at most a threshold; and how it correlates with the target at its node."""

    model: Regressor
    threshold: float
    correlation: float = float("nan")

    def goes_low(self, X: Any) -> NDArray[np.bool_]:
        """The answer for some rows."""
        return np.asarray(self.model.predict(X), dtype=np.float64) <= self.threshold


@dataclass(frozen=True, eq=False)
class NativeTable:
    """A table as the user has it, for regressors that read it in their own way."""

    native: Any
    names: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        return int(self.native.shape[0])

    @cached_property
    def _read(self) -> Table:
        return as_table(KnownColumns(len(self.names), None), self.native, reset=True)

    def column(self, position: int) -> Any:
        """A column, for models that read columns."""
        return self._read.column(position)


def native_rows(table: Table) -> Any:
    """Rows of a table as the user has them."""
    if isinstance(table, RowSubset):
        return _safe_indexing(native_rows(table.table), table.rows)
    if isinstance(table, ReadOnce):
        return native_rows(table.table)
    if isinstance(table, NativeTable):
        return table.native
    if isinstance(table, ArrayTable):
        return table.values
    raise InputTypeError("regressors that are asked read whole tables; pass a data frame or an array to the estimator")


def answers_of(shape: GraphShape, questions: Sequence[WeakQuestion], X: Any) -> NDArray[np.uint8]:
    """What every question (a row each) is answered by the rows that come to it: 0 for low, 1 for high, 2 by others.

    All rows at a node answer its question at once; parents come before children.
    """
    n = int(X.shape[0])
    answers = np.full((max(1, len(questions)), n), _NOT_ASKED, dtype=np.uint8)
    rows: list[list[NDArray[np.intp]]] = [[np.arange(n)], *([] for _ in range(1, shape.n_nodes))]
    for node, question in enumerate(questions):
        mine = np.concatenate(rows[node]) if rows[node] else np.arange(0)
        if not len(mine):
            continue
        low = question.goes_low(_safe_indexing(X, mine))
        answers[node, mine] = ~low
        for side, taken in zip(shape.children[node], (mine[low], mine[~low]), strict=True):
            rows[side].append(taken)
    return answers


def graph_over_answers(shape: GraphShape, questions: Sequence[WeakQuestion]) -> DecisionGraph:
    """A graph whose columns are the questions: what a regressor predicts, cut at a threshold."""
    columns = tuple(
        BinColumn(f"{type(question.model).__name__} {i + 1}", i, False, (question.threshold,))
        for i, question in enumerate(questions)
    )
    goes_low = np.zeros((len(columns), 256), dtype=np.uint8)
    goes_low[:, 0] = 1
    return DecisionGraph(shape, columns, np.arange(len(columns), dtype=np.int32), goes_low)


@dataclass(frozen=True, eq=False, repr=False)
class WeakGraphModel(Model):
    """A graph over answers: its columns are the questions, cut at their thresholds.

    Regressors of any kind are asked, and they keep their own counsel: so there is no model file, no SQL and no plain
    Python of it. Where all of them are graphs of this library, their graphs in one are a `GraphModel`, which has
    all that.

    Parameters
    ----------
    about, columns : About, tuple of Column
        What is predicted from which table, and what the regressors predict, each cut at its threshold.
    graph : DecisionGraph
        The graph over them.
    questions : tuple of WeakQuestion
        The regressors and their thresholds, one an inner node.
    """

    kind: ClassVar[str] = "weak graph"

    graph: DecisionGraph
    questions: tuple[WeakQuestion, ...]

    # ---- the four questions ----

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        return self.graph.values_of_codes(stacked(codes))[:, None]

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """Every answer on a row's way changes the mean of the rows that took it: that is its part."""
        start = self.graph.shape.value[:1]
        return [
            Explanation.of(self.output_names, start, (Part(text, (change,)) for text, change in steps(self.graph, row)))
            for row in stacked(codes).T
        ]

    def effects(self) -> Effects:
        """One effect of all answers, where they are few."""
        return effects_of([GraphSum.alone(self.graph)])

    def payload(self) -> dict[str, Any]:
        self.refuse("no model file can hold")

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:  # noqa: ARG003
        raise InputTypeError("no model file holds a graph that asks regressors")

    # ---- what follows ----

    def encode(self, table: Table) -> list[NDArray[Any]]:
        """The answers of the rows."""
        try:
            return list(answers_of(self.graph.shape, self.questions, native_rows(table)))
        except TypeError as error:
            said = str(error).splitlines()[0]
            raise InputTypeError(f"the regressors that are asked cannot read these rows: {said}") from error

    def refuse(self, what: str) -> NoReturn:
        """Say why it cannot leave."""
        refuse_to_leave(self.questions, what)


def refuse_to_leave(questions: Sequence[WeakQuestion], what: str) -> NoReturn:
    """Say why a graph that asks regressors cannot be written down."""
    asked = ", ".join(sorted({type(question.model).__name__ for question in questions})) or "nothing"
    raise InputTypeError(
        f"the questions of this graph are what regressors predict ({asked}), which {what}; with graphs as weak "
        "regressors (OrderlyCorrelator, RegressionGraphRegressor) it can be saved and exported"
    )
