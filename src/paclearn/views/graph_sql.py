"""A graph as SQL: a query with one CASE a node, or, where the graph is small, one expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.encoding import BinColumn, LevelColumn
from paclearn.encoding.bins import n_present
from paclearn.exceptions import InputError
from paclearn.views import sql_words as sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.models.regression_graph import RegressionGraph

__all__ = ["to_expression", "to_query"]

_MOST_CASES = 500


def to_query(graph: RegressionGraph, table: str, keys: Sequence[str], name: str) -> str:
    """Rows step from node to node until they are at a leaf: as long as the graph, however its ways cross."""
    carried = list(dict.fromkeys([*keys, *(column.name for column in graph.columns)]))
    node, walk = (sql.identifier(*sql.fresh(wish, 1, [table, name, *carried])) for wish in ("node", "walk"))
    names = "".join(f"{sql.identifier(column)}, " for column in carried)
    inner = graph.shape.n_inner
    steps = [
        f"      WHEN {i} THEN CASE WHEN {_goes_low(graph, i)} THEN {a} ELSE {b} END" for i, (a, b) in _edges(graph)
    ]
    values = [f"  WHEN {i} THEN {sql.number(graph.shape.value[i])}" for i in range(inner, graph.shape.n_nodes)]
    chosen = "".join(f"{sql.identifier(key)}, " for key in keys)
    lines = [
        f"WITH RECURSIVE {walk} ({names}{node}) AS (",
        f"  SELECT {names}0 FROM {sql.identifier(table)}",  # noqa: S608 - quoted
        *_step(names, node, walk, steps, inner),
        ")",
        f"SELECT {chosen}CASE {node}",
        *values,
        f"END AS {sql.identifier(name)}",
        f"FROM {walk} WHERE {node} >= {inner}",
    ]
    return "\n".join(lines)


def _step(names: str, node: str, walk: str, steps: list[str], inner: int) -> list[str]:
    if not inner:  # nothing is asked
        return []
    return ["  UNION ALL", f"  SELECT {names}CASE {node}", *steps, "    END", f"  FROM {walk} WHERE {node} < {inner}"]


def _edges(graph: RegressionGraph) -> list[tuple[int, tuple[int, int]]]:
    return [(i, (int(low), int(high))) for i, (low, high) in enumerate(graph.shape.children)]


def to_expression(graph: RegressionGraph) -> str:
    """Nested CASE; a node that several ways lead to is written once for each of them."""
    size = [1] * graph.shape.n_nodes
    for i, sides in reversed(_edges(graph)):
        size[i] = 1 + sum(size[side] for side in sides)
    if size[0] > _MOST_CASES:
        raise InputError(
            f"as one expression the graph would take {size[0]:,} cases (at most {_MOST_CASES}); name a table to get a "
            "query, which takes one for each node, or prune the graph"
        )
    written = [sql.number(value) for value in graph.shape.value]
    for i, (low, high) in reversed(_edges(graph)):
        written[i] = f"CASE WHEN {_goes_low(graph, i)} THEN {written[low]} ELSE {written[high]} END"
    return written[0]


def _goes_low(graph: RegressionGraph, node: int) -> str:
    """True of rows that go low; of the others false or unknown, which is the same to a CASE."""
    column, low = graph.columns[graph.asks[node]], graph.goes_low[node]
    if isinstance(column, BinColumn):
        return _number_goes_low(column, low)
    assert isinstance(column, LevelColumn)  # noqa: S101 - there are two kinds of columns
    rest_low = bool(low[len(column.levels) if column.other else column.n_codes])
    null_low = bool(low[column.n_codes - 1 if column.missing else column.n_codes])
    listed = [level for level, is_low in zip(column.levels, low, strict=False) if bool(is_low) is not rest_low]
    literals = sql.level_texts(listed, column.levels)
    return sql.among(column.name, sql.as_text(column.name), literals, inside=not rest_low, null=null_low)


def _number_goes_low(column: BinColumn, low: object) -> str:
    name, present = sql.identifier(column.name), n_present(column)
    codes = list(low)  # type: ignore[call-overload]
    cut, null_low = sum(codes[:present]), bool(codes[present])
    if cut == present:
        return f"{name} IS NOT NULL"
    found = f"{name} <= {sql.number(column.thresholds[int(cut) - 1])}"
    return f"({name} IS NULL OR {found})" if null_low else found
