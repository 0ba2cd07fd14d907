"""A graph as SQL: a query with one CASE a node, or, where the graph is small, one expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.encoding import BinColumn, LevelColumn
from paclearn.encoding.bins import n_present
from paclearn.exceptions import InputError
from paclearn.views import sql_words as words
from paclearn.views.sql_tree import Node, Select, Table, Walk, WalkedGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.graph_sum import GraphSum

__all__ = ["columns_of", "to_expression", "to_query", "walk_of_sums", "walked_graph"]

_MOST_CASES = 500
_MOST_GRAPHS, _MOST_QUESTIONS = 200, 10_000  # DuckDB plans 200 graphs in ten seconds, SQLite in one


def walked_graph(graph: DecisionGraph, name: str, share: float = 1.0) -> WalkedGraph:
    """A graph to be walked: as long as itself, however its ways cross."""
    return WalkedGraph(
        tuple((_goes_low(graph, i), low, high) for i, (low, high) in _edges(graph)),
        tuple(words.number(share * value) for value in graph.shape.value[graph.shape.n_inner :]),
        name,
    )


def columns_of(graph: DecisionGraph) -> tuple[str, ...]:
    """Names of the columns that a graph asks about."""
    return tuple(dict.fromkeys(graph.columns[i].own_name for i in graph.asks))


def walk_of_sums(sums: Sequence[GraphSum], origin: Node, keys: Sequence[str], names: Sequence[str]) -> Node:
    """Every graph is walked and adds to its sum, in the order in which the model adds."""
    n_graphs = sum(len(total.graphs) for total in sums)
    n_questions = sum(graph.shape.n_inner for total in sums for graph in total.graphs)
    if n_graphs > _MOST_GRAPHS or n_questions > _MOST_QUESTIONS:
        raise InputError(
            f"{n_graphs:,} graphs with {n_questions:,} questions are too many for one query (at most {_MOST_GRAPHS} "
            f"and {_MOST_QUESTIONS:,}); fit fewer or smaller graphs (n_estimators, max_splits), or export Python"
        )
    every = [(graph, name, total.share) for total, name in zip(sums, names, strict=True) for graph in total.graphs]
    asked = dict.fromkeys(column for graph, _, _ in every for column in columns_of(graph))
    starts = tuple((words.number(total.base), name) for total, name in zip(sums, names, strict=True))
    if not every:
        return Select.of(origin, keys, starts)
    return Walk(origin, tuple(keys), tuple(asked), tuple(walked_graph(*one) for one in every), starts)


def to_query(graph: DecisionGraph, table: str, keys: Sequence[str], name: str) -> str:
    """A query that gives the value of every row's leaf."""
    asked = columns_of(graph)
    return Walk(Table.of(table, [*keys, *asked]), tuple(keys), asked, (walked_graph(graph, name),)).text()


def _edges(graph: DecisionGraph) -> list[tuple[int, tuple[int, int]]]:
    return [(i, (int(low), int(high))) for i, (low, high) in enumerate(graph.shape.children)]


def to_expression(graph: DecisionGraph) -> str:
    """Nested CASE; a node that several ways lead to is written once for each of them."""
    size = [1] * graph.shape.n_nodes
    for i, sides in reversed(_edges(graph)):
        size[i] = 1 + sum(size[side] for side in sides)
    if size[0] > _MOST_CASES:
        raise InputError(
            f"as one expression the graph would take {size[0]:,} cases (at most {_MOST_CASES}); name a table to get a "
            "query, which takes one for each node, or prune the graph"
        )
    written = [words.number(value) for value in graph.shape.value]
    for i, (low, high) in reversed(_edges(graph)):
        written[i] = f"CASE WHEN {_goes_low(graph, i)} THEN {written[low]} ELSE {written[high]} END"
    return written[0]


def _goes_low(graph: DecisionGraph, node: int) -> str:
    """True of rows that go low; of the others false or unknown, which is the same to a CASE."""
    column, low = graph.columns[graph.asks[node]], graph.goes_low[node]
    if isinstance(column, BinColumn):
        return _number_goes_low(column, low)
    assert isinstance(column, LevelColumn)  # noqa: S101 - there are two kinds of columns
    rest_low = bool(low[len(column.levels) if column.other else column.n_codes])
    null_low = bool(low[column.n_codes - 1 if column.missing else column.n_codes])
    listed = [level for level, is_low in zip(column.levels, low, strict=False) if bool(is_low) is not rest_low]
    said = [word for level in listed for word in column.words_for(level)]
    return words.among_words(column.own_name, said, inside=not rest_low, null=null_low)


def _number_goes_low(column: BinColumn, low: object) -> str:
    name, present = words.identifier(column.own_name), n_present(column)
    codes = list(low)  # type: ignore[call-overload]
    cut, null_low = sum(codes[:present]), bool(codes[present])
    if cut == present:
        return "1 = 1" if null_low else f"{name} IS NOT NULL"
    if cut == 0:
        return f"{name} IS NULL" if null_low else "1 = 0"
    found = f"{name} <= {words.number(column.thresholds[int(cut) - 1])}"
    return f"({name} IS NULL OR {found})" if null_low else found
