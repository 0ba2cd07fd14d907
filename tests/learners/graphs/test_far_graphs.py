"""Graphs that grow by histograms of parts of the rows are, to the last byte, those of the same rows in one piece."""

from dataclasses import replace

import numpy as np
import pytest
from encoded_blocks import InBlocks
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn.encoding.bins import BinnedTable
from paclearn.encoding.domain import BinColumn, Domain, LevelColumn
from paclearn.encoding.encoded_rows import RowsHere
from paclearn.learners.graphs import far_splits, graph_rows
from paclearn.learners.graphs.graph_rows import RowsHereToGrow, RowsThereToGrow
from paclearn.learners.graphs.graph_stopping import Recipe, fit_graph
from paclearn.learners.graphs.graph_tuning import TUNING
from paclearn.learners.graphs.scaled_target import FarTarget, ScaledTarget
from paclearn.models.graph_model import graph_to_dict

DOMAIN = Domain(
    (
        BinColumn("x", 0, True, tuple(float(t) for t in range(9))),
        LevelColumn("a", 1, False, tuple("pqrst")),
        LevelColumn("b", 2, True, tuple("klm")),
    )
)
RECIPES = {
    "auto": Recipe("auto", None, None, 1 / 3, None, 5, 30),
    "theorem": Recipe("theorem", 12, None, 1 / 3, None, 5, 30),
    "validation": Recipe("validation", 12, 6, 1 / 3, 5.0, 3, 4),
}


def rows_of(rng, n, *, classes):
    codes = np.array([rng.integers(0, column.n_codes, n) for column in DOMAIN.columns], dtype=np.uint8)
    signal = (codes[0] > 4) * 2.0 + (codes[1] == 2) + (codes[2] == 0) * (codes[0] > 6)
    if classes:
        return codes, (signal + rng.logistic(size=n) > 1.5).astype(np.int32)
    return codes, np.round(signal + rng.normal(size=n), 3)


def grown_here(codes, targets, weights, recipe, *, classes):
    values = (targets == 1).astype(float) if classes else targets
    rows = RowsHereToGrow(BinnedTable(DOMAIN, codes), ScaledTarget(values, weights))
    return graph_to_dict(fit_graph(rows, recipe, np.random.RandomState(0)))


def grown_there(codes, targets, weights, recipe, edges, *, classes):
    low, high = (0.0, 1.0) if classes else (targets.min(), targets.max())
    target = FarTarget(1 if classes else None, float(low), float(high), float(weights.sum()))
    rows = RowsThereToGrow(InBlocks(codes, targets, weights, edges), DOMAIN, target)
    return graph_to_dict(fit_graph(rows, recipe, np.random.RandomState(0)))


def cuts(rng, n, n_blocks):
    return [0, *sorted(rng.integers(0, n + 1, n_blocks - 1).tolist()), n]


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 7, 64]), st.sampled_from(sorted(RECIPES)), st.booleans())
@settings(max_examples=12, deadline=None)
def test_parts_of_any_number_and_order_grow_the_same_graph(seed, n_blocks, name, classes):
    """By folds of different rows, and, as if these were very many, by the hash of each; some parts are empty."""
    rng = np.random.default_rng(seed)
    codes, targets = rows_of(rng, 400, classes=classes)
    weights = rng.integers(1, 4, 400).astype(float)
    order = rng.permutation(400)
    shuffled = codes[:, order], targets[order], weights[order]
    for enough in (10**6, 50):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(graph_rows, "TUNING", replace(TUNING, enough_rows=enough))
            wanted = grown_here(codes, targets, weights, RECIPES[name], classes=classes)
            found = grown_there(*shuffled, RECIPES[name], cuts(rng, 400, n_blocks), classes=classes)
        assert found == wanted


def test_what_a_lost_worker_knew_is_worked_out_again(monkeypatch):
    rng = np.random.default_rng(3)
    codes, targets = rows_of(rng, 900, classes=False)
    weights = np.ones(900)
    monkeypatch.setattr(graph_rows, "TUNING", replace(TUNING, enough_rows=50))
    wanted = grown_here(codes, targets, weights, RECIPES["validation"], classes=False)
    asked = far_splits.FarBranching._asked
    passes = []

    def forgetful(self, leaf, told):
        passes.append(told)
        if len(passes) % 4 == 0:
            far_splits._PARTS.pop(self._rows.blocks[len(passes) % 3], None)
        return asked(self, leaf, told)

    monkeypatch.setattr(far_splits.FarBranching, "_asked", forgetful)
    assert grown_there(codes, targets, weights, RECIPES["validation"], [0, 300, 500, 900], classes=False) == wanted
    assert passes.count(0) > 10, "some were told all of it once more"


def test_a_graph_of_groups_leaves_whole_groups_out(monkeypatch):
    monkeypatch.setattr(graph_rows, "TUNING", replace(TUNING, enough_rows=50))
    rng = np.random.default_rng(4)
    codes, targets = rows_of(rng, 600, classes=False)
    groups = rng.integers(0, 40, 600)
    fold = far_splits.HashedFold(7, 5, 0)
    (out,) = RowsHere(codes, targets, None, groups).summed(graph_rows._OutOf(fold), list.__add__)
    assert 0 < out.sum() < 600
    assert all(out[groups == g].all() or not out[groups == g].any() for g in range(40))
    rows = RowsHereToGrow(BinnedTable(DOMAIN, codes), ScaledTarget(targets, np.ones(600), groups))
    left_out = rows.left_out(RECIPES["auto"], np.random.RandomState(0))
    assert left_out.unit == pytest.approx(600 / 40)
    assert fit_graph(rows, RECIPES["auto"], np.random.RandomState(0)).n_leaves > 1


def test_sums_over_leaves_say_what_rows_say():
    """Errors and gains of rows left out, beside those of each row."""
    rng = np.random.default_rng(5)
    codes, targets = rows_of(rng, 500, classes=False)
    table, out = BinnedTable(DOMAIN, codes), rng.random(500) < 0.3
    target = ScaledTarget(targets, rng.integers(1, 3, 500).astype(float))
    branching = graph_rows.WatchedBranching(table, target.scaled, target.weights, out, 1.0, 1.0)
    growth = graph_rows._growth(branching, RECIPES["theorem"], 8)
    watched = graph_rows.WatchedGrowth(growth)
    constant = growth.nodes[0].total / growth.nodes[0].weight
    for _ in range(8):
        assert watched.advance()
        graph, leaf = graph_rows.grown_graph(growth, table)
        said, weights, wanted = graph.shape.value[leaf][out], target.weights[out], target.scaled[out]
        gains = (wanted - constant) ** 2 - (wanted - said) ** 2
        assert watched.error == pytest.approx(weights @ (wanted - said) ** 2)
        assert watched.gains == pytest.approx((weights @ gains, weights @ gains**2))
