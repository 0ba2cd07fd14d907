"""Structures that users know, in the names of their columns, and how they reach the learners."""

import pickle

import numpy as np
import pandas as pd
import pytest
from laws import cube
from sklearn.base import clone
from sklearn.datasets import load_digits

from paclearn import (
    DirectSpectrumClassifier,
    DirectSpectrumRegressor,
    SpectralClassifier,
    SpectralFeatures,
    SpectralRegressor,
)
from paclearn.exceptions import InputError
from paclearn.measures import ChainMeasure, GraphMeasure, GridMeasure, GroupMeasure, LevelMeasure, best_measure

LEARNERS = [
    DirectSpectrumClassifier(degree=1, n_bins=3),
    DirectSpectrumRegressor(degree=1, n_bins=3),
    SpectralClassifier(degree=2, n_terms=8, n_bins=3, random_state=0),
    SpectralRegressor(degree=2, n_terms=8, n_bins=3, basis="orthonormal", random_state=0),
    SpectralFeatures(degree=2, n_terms=20, n_bins=3),
]


@pytest.fixture(scope="module")
def digits():
    """Nought or one, 8 x 8 pixels, of which those in the corners never vary."""
    X, y = load_digits(n_class=2, return_X_y=True)
    return X[:150], y[:150]


@pytest.fixture(scope="module")
def week():
    """Days that depend on the day before, in an order that is not that of the columns, and a column of three levels."""
    rng = np.random.default_rng(0)
    days = [rng.choice([-1, 1], 400)]
    for _ in range(4):
        days.append(np.where(rng.random(400) < 0.15, -1, 1) * days[-1])
    frame = pd.DataFrame(dict(zip(["mon", "tue", "wed", "thu", "fri"], days, strict=True)))
    frame["town"] = rng.choice(["Bonn", "Ulm", "Trier"], 400)
    frame["never"] = 1
    return frame[["wed", "fri", "town", "mon", "never", "thu", "tue"]], days[4] * days[0]


def columns_of(measure):
    """For every bit the columns of its parents, its own left out."""
    columns, network = measure.layout_.columns, measure.network_
    return [{columns[p] for p in network.parents[i]} - {columns[i]} for i in range(network.d)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_grids_with_holes_reach_every_learner(learner, digits):
    X, y = digits
    fitted = clone(learner).set_params(measure="grid").fit(X, y)
    found = fitted.measure_
    same = clone(LEARNERS[0]).set_params(measure=GridMeasure(8)).fit(X, y).measure_
    assert len(same.network_.edges) >= len(set(found.layout_.places))
    varying = set(np.flatnonzero(X.std(axis=0) > 0))
    for place, parents in zip(found.layout_.places, columns_of(found), strict=True):
        above, left = place - 8, place - 1 if place % 8 else -1
        kept = {p for p in (above, left) if p in set(found.layout_.places)}
        assert kept <= varying
        assert parents == {f"x{p}" for p in kept}
    assert found.names_[0].startswith("x")
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.measure_.network_.order, found.network_.order)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_graphs_are_given_by_the_names_of_columns(learner, week):
    X, y = week
    edges = [("mon", "tue"), ("tue", "wed"), ("town", "fri"), ("never", "thu"), (3, "town")]
    fitted = clone(learner).set_params(measure=GraphMeasure(edges)).fit(X, y)
    parents = dict(zip(fitted.measure_.names_, columns_of(fitted.measure_), strict=True))
    assert (parents["tue=1"], parents["wed=1"], parents["fri=1"]) == ({"mon"}, {"tue"}, {"town"})
    assert parents["thu=1"] == set()  # a column that never varies decides nothing
    assert parents["town=Bonn"] == {"mon"}  # the fourth column
    assert "depends on" in fitted.measure_.describe()


def test_chains_in_an_order_of_their_own(week):
    X, y = week
    order = ["mon", "tue", "wed", "thu", "fri"]
    found = DirectSpectrumClassifier(measure=ChainMeasure(order=order)).fit(X, y).measure_
    parents = dict(zip(found.names_, columns_of(found), strict=True))
    assert [parents[f"{day}=1"] for day in order] == [set(), {"mon"}, {"tue"}, {"wed"}, {"thu"}]
    assert parents["town=Bonn"] == set()
    bits = pd.DataFrame({name: X[name.split("=")[0]] for name in found.names_ if "town" not in name})
    right = ChainMeasure(order=[f"{day}=1" for day in order]).fit(bits)
    assert right.log_prob(bits).mean() > ChainMeasure().fit(bits).log_prob(bits).mean()
    states = ChainMeasure(order=[("mon", "tue"), ("wed", "thu", "fri")])
    hidden = DirectSpectrumClassifier(measure=states).fit(X, y).measure_
    hanging = dict(zip(hidden.names_, columns_of(hidden), strict=True))
    assert [hanging[f"{day}=1"] for day in order] == [set(), {"mon"}, {"mon"}, {"wed"}, {"wed"}]


def test_groups_are_columns_or_lists_of_them(week):
    X, y = week
    own = DirectSpectrumClassifier(measure="groups").fit(X, y).measure_
    assert all(parents == set() for parents in columns_of(own))
    assert len(own.network_.edges) == len([n for n in own.names_ if n.startswith("town")]) - 1
    listed = SpectralFeatures(measure=GroupMeasure([["mon", "tue"], ["town", "fri"]])).fit(X, y).measure_
    assert sum(map(len, columns_of(listed))) == 2
    by_number = SpectralFeatures(measure=GroupMeasure([0, 1, 1, 2, 3, 4, 2])).fit(X, y).measure_
    assert by_number.network_.edges == listed.network_.edges


def test_the_bits_of_columns_with_many_depend_on_those_of_their_rank():
    rng = np.random.default_rng(0)
    first = rng.normal(size=300)
    X = pd.DataFrame({"a": first, "b": first + rng.normal(size=300), "c": rng.normal(size=300)})
    found = DirectSpectrumRegressor(degree=1, n_bins=9, measure=GraphMeasure([("a", "b")])).fit(X, first).measure_
    bits = {c: [i for i, of in enumerate(found.layout_.columns) if of == c] for c in "abc"}
    assert [found.network_.parents[i] for i in bits["b"][:2]] == [(bits["a"][0],), (bits["a"][1], bits["b"][0])]
    assert all(found.network_.parents[i] == () for i in bits["c"])
    few = DirectSpectrumRegressor(degree=1, n_bins=3, measure=GraphMeasure([("a", "b")])).fit(X, first).measure_
    assert few.network_.parents == ((), (0,), (0, 1), (0, 1, 2), (), ())


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (
            GraphMeasure([("mon", "sun")]),
            "an edge names 'sun', which is no column; the columns are 0 to 6, or wed, fri, ",
        ),
        (
            GraphMeasure([("mon", "tue"), ("tue", "wed"), ("wed", "mon"), ("wed", "fri")]),
            "the graph has a cycle of columns, mon -> tue -> wed -> mon; a measure needs one without",
        ),
        (GraphMeasure([("mon", "mon")]), "the graph has a cycle of columns, mon -> mon; a measure needs one without"),
        (GraphMeasure([("never", "mon"), (3, "never")]), "a cycle of columns, .*never -> mon"),
        (GraphMeasure([("town", "fri"), ("fri", "town")]), "a cycle of columns, .*town -> fri"),
        (GraphMeasure(3), "edges=3 must be a list of pairs .parent, child."),
        (GraphMeasure([3]), "an edge is a pair .parent, child.; found 3"),
        (ChainMeasure(order="mon"), "order='mon' must be a list of columns"),
        (GroupMeasure(2), "groups=2 must be a list of groups"),
        (GraphMeasure([("mon", "tue", "wed")]), "an edge is a pair .parent, child.; found"),
        (GraphMeasure(["mon"]), "an edge is a pair .parent, child.; found 'mon'"),
        (GridMeasure(5), "width=5 must divide the number of columns, which is 7"),
        (GridMeasure(0), "width=0 must divide the number of columns"),
        ("grid", "7 columns are no square grid; give its width, as in GridMeasure.width=7."),
        (ChainMeasure(order=["mon", "someday"]), "order names 'someday', which is no column"),
        (ChainMeasure(order=["mon", "tue", "mon"]), "order names a column twice"),
        (ChainMeasure(order=["mon", ()]), "order has an empty entry"),
        (GroupMeasure([["mon"], ["mon", "tue"]]), "groups has 'mon' in two groups"),
        (GroupMeasure([["mon", 99]]), "groups names 99, which is no column"),
        (GroupMeasure([0, 1]), "groups has 2 entries for 7 columns; give the group of every column"),
        (
            LevelMeasure(),
            r"measure=LevelMeasure\(\) must be 'uniform', .*, 'auto', a Measure of bits, or a list of such",
        ),
        (["product", "gird"], "measure='gird' is not known; it can be 'uniform'"),
        ([], r"measure=\[\] must be 'uniform'"),
        (GroupMeasure(smoothing=0), "bit 'town=.*' takes one value only for some state of its parents .'town="),
    ],
    ids=lambda each: str(each)[:60],
)
def test_structures_that_do_not_fit_say_so(measure, message, week):
    X, y = week
    with pytest.raises(InputError, match=message):
        DirectSpectrumClassifier(measure=measure).fit(X, y)


def test_an_edge_of_a_date_is_one_of_all_that_is_made_of_it():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=200, freq="D"), "x": rng.integers(0, 2, 200)})
    law = DirectSpectrumClassifier(degree=1, measure=GraphMeasure([("when", "x")])).fit(frame, frame["x"]).measure_
    parents = dict(zip(law.layout_.columns, columns_of(law), strict=True))["x"]
    assert parents
    assert all("when" in column for column in parents)
    levels = LevelMeasure([("when", "x")]).fit(frame)
    of_x = levels.network_.parents[levels.names_.index("x")]
    assert {levels.names_[i] for i in of_x} == {name for name in levels.names_ if "when" in name}


def test_odd_requests_to_laws_get_one_clear_line():
    bits = cube(3)
    law = ChainMeasure().fit(bits)
    for n in (-1, "many", 2.5):
        with pytest.raises(InputError, match="n=.* must be a whole number >= 0"):
            law.sample(n)
        with pytest.raises(InputError, match="n=.* must be a whole number >= 0"):
            LevelMeasure().fit(bits).network_.sample(n)
    with pytest.raises(InputError, match="a subset lists different bits from 0 to 2; found 1"):
        law.marginal(1)
    with pytest.raises(InputError, match="candidates are measures, such as ProductMeasure"):
        best_measure(bits, ["product"])


def test_structures_of_plain_bits_are_as_before():
    bits = cube(4)
    assert GridMeasure().fit(bits).network_.parents == ((), (0,), (0,), (1, 2))
    assert GroupMeasure().fit(bits).network_.edges == []
    assert GraphMeasure(edge for edge in [(0, 3)]).fit(bits).network_.parents[3] == (0,)
    assert GraphMeasure([("x0", "x3")]).fit(bits).partial_fit(bits).network_.parents[3] == (0,)
    assert ChainMeasure(order=[3, 0]).fit(bits).network_.parents == ((3,), (), (), ())
