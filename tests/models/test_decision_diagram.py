"""Graphs in fewer nodes: the same function, and as few nodes as an order of the columns allows."""

from itertools import product
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners.graphs.test_graph_ensembles import check_nodes
from learners.graphs.test_graphs import table_of

from paclearn import RegressionGraphClassifier, RegressionGraphRegressor
from paclearn.encoding.bins import learn_bins
from paclearn.learners.graphs.graph_rows import RowsHereToGrow, grown_graph
from paclearn.learners.graphs.graph_stopping import Recipe
from paclearn.learners.graphs.scaled_target import ScaledTarget
from paclearn.models import decision_diagram
from paclearn.models.decision_diagram import smaller_wiring
from paclearn.tables.table import as_table

SEEDS = st.integers(0, 10_000)
WAYS = st.sampled_from([0, 1000])  # cell by cell, or node by node


def grown(frame, y, rounds=40, merge=1 / 3):
    """A graph as it grew, and the codes of its rows."""
    table = learn_bins(as_table(RegressionGraphRegressor(), frame, reset=True), 254)
    target = ScaledTarget(np.asarray(y, dtype=float), np.ones(len(y)))
    recipe = Recipe("theorem", rounds, None, merge, 1, 5, 30)
    graph, leaf = grown_graph(RowsHereToGrow(table, target).growth(recipe, rounds, 1).run(), table)
    graph = graph.with_targets(leaf, target.values, target.weights, target.low, target.unit)
    return graph, table.codes_of(graph.columns)


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from([0.0, 1 / 3, 0.9]), WAYS)
def test_the_function_stays_what_it_is(seed, merge, many):
    frame, y = table_of(seed, n=120, d=2)
    frame = frame.round({"number 0": 0, "number 1": 0})
    y = frame["number 1"] + frame["bit"] + frame["level"].isin(["a", "c"]) + 2 * frame["number 0"].isna()
    graph, codes = grown(frame, y, merge=merge)
    with patch.object(decision_diagram, "_MANY_NODES", many):
        smaller = graph.reduced(codes, y.to_numpy(dtype=float), np.ones(len(y)))
    assert smaller.n_nodes <= graph.n_nodes
    assert smaller.n_leaves == graph.n_leaves
    new = table_of(seed + 1, n=300, d=2)[0]
    every = as_table(RegressionGraphRegressor(), pd.concat([frame, new]), reset=True)
    assert np.array_equal(smaller.predict(every), graph.predict(every))
    kept = [i for i, column in enumerate(graph.columns) if column in smaller.columns]
    check_nodes(smaller, list(codes[kept]), y.to_numpy(dtype=float)) if smaller is not graph else None


def fewest(function, order, n_bits):
    """Inner nodes of the smallest diagram that asks bits in an order: parts that differ and depend on their first."""
    table = {row: function(row) for row in product((0, 1), repeat=n_bits)}
    count = 0
    for level, bit in enumerate(order):
        parts = set()
        for known in product((0, 1), repeat=level):
            fixed = dict(zip(order, known, strict=False))
            left = [row for row in table if all(row[b] == v for b, v in fixed.items())]
            sides = tuple(tuple(table[row] for row in left if row[bit] == value) for value in (0, 1))
            if sides[0] != sides[1]:
                parts.add(sides)
        count += len(parts)
    return count


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(2, 5), st.integers(2, 4), WAYS)
def test_as_few_nodes_as_an_order_allows(seed, n_bits, n_values, many):
    rng = np.random.default_rng(seed)
    cube = np.array(list(product((0, 1), repeat=n_bits)))
    values = rng.integers(0, n_values, len(cube)).astype(float)
    frame = pd.DataFrame(cube)
    graph, _ = grown(frame, values, 10**6)  # which need not learn all of it: single bits say nothing of a parity
    said = graph.predict(as_table(RegressionGraphRegressor(), frame, reset=True))
    truth = dict(zip(map(tuple, cube.tolist()), said, strict=True))
    columns = [column.position for column in graph.columns]
    found = [fewest(truth.get, [columns[i] for i in order], n_bits) for order in decision_diagram._orders(graph)]
    with patch.object(decision_diagram, "_MANY_NODES", many):
        wiring = smaller_wiring(graph)
    inner = graph.shape.n_inner if wiring is None else len(wiring.asks)
    assert inner == min([graph.shape.n_inner, *found])


@pytest.mark.parametrize("d", [3, 5, 8, 10])
def test_the_mean_of_bits_takes_as_few_nodes_as_there_can_be(d):
    cube = np.array(list(product((0, 1), repeat=d)))
    model = RegressionGraphRegressor(max_splits=10**6).fit(cube, cube.mean(axis=1))
    assert model.n_nodes_ == (d + 1) * (d + 2) // 2
    np.testing.assert_allclose(model.predict(cube), cube.mean(axis=1))
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_a_large_graph_of_few_cells_is_written_down_cell_by_cell(monkeypatch):
    """Of nine bits: to put the functions of the nodes together would be beyond the effort allowed."""
    monkeypatch.setattr(decision_diagram, "_LEAST_EFFORT", 1500)
    monkeypatch.setattr(decision_diagram, "_EFFORT", 0)
    cube = np.array(list(product((0, 1), repeat=9)))
    graph, codes = grown(pd.DataFrame(cube), cube.mean(axis=1), 10**6)
    assert graph.reduced(codes, cube.mean(axis=1), np.ones(512)) is graph
    monkeypatch.setattr(decision_diagram, "_MANY_NODES", 100)
    smaller = graph.reduced(codes, cube.mean(axis=1), np.ones(512))
    assert smaller.n_nodes == 10 * 11 // 2 < graph.n_nodes
    np.testing.assert_allclose(smaller.values_of_codes(codes), cube.mean(axis=1))


def test_sets_of_levels_and_levels_never_seen():
    """Exactly two of six columns have their first level, the second of Thrun's (1991) problems of the monks."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(list("pqr"), (1500, 6)), columns=list("abcdef"))
    y = (frame == "p").sum(axis=1) == 2
    graph, codes = grown(frame, y, 10**6)
    smaller = graph.reduced(codes, y.to_numpy(dtype=float), np.ones(len(y)))
    assert smaller.n_nodes < graph.n_nodes
    model = RegressionGraphClassifier(max_splits=10**6).fit(frame, y)
    assert model.n_nodes_ == smaller.n_nodes
    assert model.score(frame, y) == 1.0
    for node, (low, high) in enumerate(smaller.shape.edge_weight):  # codes never seen go where most rows go
        asked = smaller.columns[smaller.asks[node]]
        assert set(smaller.goes_low[node, asked.n_codes :]) == {int(low >= high)}


def test_what_takes_too_long_is_left_as_it_is(monkeypatch):
    monkeypatch.setattr(decision_diagram, "_LEAST_EFFORT", 10)
    monkeypatch.setattr(decision_diagram, "_EFFORT", 0)
    cube = np.array(list(product((0, 1), repeat=6)))
    graph, codes = grown(pd.DataFrame(cube), cube.mean(axis=1), 10**6)
    assert graph.reduced(codes, cube.mean(axis=1), np.ones(64)) is graph
    monkeypatch.setattr(decision_diagram, "_MOST_COLUMNS", 3)
    assert smaller_wiring(graph) is None
