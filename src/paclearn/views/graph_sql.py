"""A graph as SQL: a query with one CASE a node, or, where the graph is small, one expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.encoding import BinColumn, LevelColumn
from paclearn.encoding.bins import n_present
from paclearn.exceptions import InputError
from paclearn.views import sql_words as words
from paclearn.views.sql_tree import Node, Table, Walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.models.decision_graph import DecisionGraph

__all__ = ["to_expression", "to_query", "walk_of"]

_MOST_CASES = 500


def walk_of(graph: DecisionGraph, origin: Node, keys: Sequence[str], name: str) -> Walk:
    """Rows step from node to node until they are at a leaf: as long as the graph, however its ways cross."""
    shape = graph.shape
    return Walk(
        origin,
        tuple(keys),
        tuple(dict.fromkeys(graph.columns[i].name for i in graph.asks)),
        tuple((_goes_low(graph, i), low, high) for i, (low, high) in _edges(graph)),
        tuple(words.number(value) for value in shape.value[shape.n_inner :]),
        name,
        (origin.name,) if isinstance(origin, Table) else (),
    )


def to_query(graph: DecisionGraph, table: str, keys: Sequence[str], name: str) -> str:
    """A query that gives the value of every row's leaf."""
    return walk_of(graph, Table(table), keys, name).text()


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
    literals = words.level_texts(listed, column.levels)
    return words.among(column.name, words.as_text(column.name), literals, inside=not rest_low, null=null_low)


def _number_goes_low(column: BinColumn, low: object) -> str:
    name, present = words.identifier(column.name), n_present(column)
    codes = list(low)  # type: ignore[call-overload]
    cut, null_low = sum(codes[:present]), bool(codes[present])
    if cut == present:
        return f"{name} IS NOT NULL"
    found = f"{name} <= {words.number(column.thresholds[int(cut) - 1])}"
    return f"({name} IS NULL OR {found})" if null_low else found
