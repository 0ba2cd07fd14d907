"""Spectra of columns with several levels: laws of the basis, and what is learned from tables."""

from itertools import product

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import cube, random_network

from paclearn.exceptions import InputError
from paclearn.measures import (
    ChainMeasure,
    GraphMeasure,
    GridMeasure,
    GroupMeasure,
    LevelMeasure,
    LevelNetwork,
    ProductMeasure,
    from_pgmpy,
)
from paclearn.spectra import LevelSpectrum, Spectrum, level_inverse_transform, level_transform

SEEDS = st.integers(0, 10**6)


def random_level_network(rng, d, rate=0.5):
    """Any acyclic graph of columns with one to four levels, numbered against its order."""
    order, sizes = rng.permutation(d), rng.integers(1, 5, d)
    parents = [()] * d
    for place, i in enumerate(order):
        parents[i] = tuple(int(p) for p in order[:place][rng.random(place) < rate])
    shapes = [(*(sizes[p] for p in above), sizes[i]) for i, above in enumerate(parents)]
    laws = [rng.uniform(0.1, 1, shape) for shape in shapes]
    tables = tuple(law / law.sum(axis=-1, keepdims=True) for law in laws)
    return LevelNetwork(tuple(parents), tables, tuple(int(i) for i in order))


def points_of(network):
    return np.array(list(product(*map(range, network.sizes))))


def naive_products(network, points):
    """All products of functions of single columns, one row each, at some points."""
    single = network.basis(points)
    return np.stack([np.prod([single[i][:, a - 1] for i, a in enumerate(index) if a] or [np.ones(len(points))], axis=0)
                     for index in points_of(network)])  # fmt: skip


@given(seed=SEEDS, d=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_the_products_are_orthonormal(seed, d):
    network = random_level_network(np.random.default_rng(seed), d)
    points = points_of(network)
    p = np.exp(network.log_prob(points))
    assert p.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(network.probabilities().ravel(), p, atol=1e-14)
    phi = naive_products(network, points)
    np.testing.assert_allclose((phi * p) @ phi.T, np.eye(len(points)), atol=1e-9)


@given(seed=SEEDS, d=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_parseval_plancherel_mean_variance_and_the_inverse(seed, d):
    rng = np.random.default_rng(seed)
    network = random_level_network(rng, d)
    f, g = rng.normal(size=(2, *network.sizes))
    p = network.probabilities()
    found, other = level_transform(f, network), level_transform(g, network)
    assert (found * other).sum() == pytest.approx((p * f * g).sum(), abs=1e-10)
    assert found.ravel()[0] == pytest.approx((p * f).sum(), abs=1e-12)
    np.testing.assert_allclose(level_inverse_transform(found, network), f, atol=1e-10)
    spectrum = LevelSpectrum.exact(f, network)
    assert spectrum.weight_by_degree().sum() == pytest.approx((p * f**2).sum(), abs=1e-10)
    variance = (p * f**2).sum() - (p * f).sum() ** 2
    assert spectrum.by_columns()["weight"].sum() == pytest.approx(variance, abs=1e-10)
    np.testing.assert_allclose(spectrum.predict(points_of(network)), f.ravel(), atol=1e-10)


@pytest.mark.parametrize("kind", ["sequential", "structured"])
@pytest.mark.parametrize("seed", range(3))
def test_noise_stability_equals_its_definition(kind, seed):
    rng = np.random.default_rng(seed)
    network = random_level_network(rng, 3)
    f = rng.normal(size=network.sizes)
    found = LevelSpectrum.exact(f, network).noise_stability(0.6, kind)
    assert found == pytest.approx(naive.level_noise_stability(f, network, 0.6, kind), abs=1e-10)


@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_bits_are_columns_of_two_levels(seed):
    rng = np.random.default_rng(seed)
    bits = random_network(rng, 4)
    levels, f = LevelNetwork.of_bits(bits), rng.normal(size=16)
    codes = (cube(4) > 0).astype(int)
    np.testing.assert_allclose(np.column_stack(levels.basis(codes)), bits.basis(cube(4)), atol=1e-12)
    expected, found = Spectrum.exact(f, bits), LevelSpectrum.exact(f, levels)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-12)
    np.testing.assert_allclose(found.influences(), expected.influences(), atol=1e-12)
    for kind in ("uniform", "sequential", "structured"):
        assert found.noise_stability(0.3, kind) == pytest.approx(expected.noise_stability(0.3, kind), abs=1e-12)


@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_independent_columns_give_the_effects_of_efron_and_stein(seed):
    """The weight of a set of columns is the variance of its effect, whatever functions of a column are taken."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, 3)
    laws = [rng.dirichlet(np.ones(q) * 3) + 0.01 for q in sizes]
    laws = [law / law.sum() for law in laws]
    network, f = LevelNetwork(((),) * 3, tuple(laws), (0, 1, 2)), rng.normal(size=sizes)
    found = LevelSpectrum.exact(f, network, ["a", "b", "c"]).by_columns()
    expected = naive.efron_stein(f, laws)
    for columns, weight in zip(found["columns"], found["weight"], strict=True):
        assert weight == pytest.approx(expected[tuple("abc".index(c) for c in columns)], abs=1e-10)


def test_estimates_are_within_their_errors():
    rng = np.random.default_rng(0)
    network = random_level_network(rng, 3)
    f = rng.normal(size=network.sizes)
    codes = network.sample(20_000, random_state=0)
    found, exact = LevelSpectrum.estimate(codes, f[tuple(codes.T)], network, 3), LevelSpectrum.exact(f, network)
    expected = np.array([exact[index] for index in found.indices])
    z = (found.values - expected[:, None]) / np.maximum(found.se, 1e-9)  # noqa: PD011 - no frame
    assert np.abs(z).max() < 4.5
    assert len(z) == f.size


def test_sampling_follows_the_law():
    network = random_level_network(np.random.default_rng(3), 3)
    drawn = network.sample(40_000, random_state=1)
    frequency = [(drawn == point).all(axis=1).mean() for point in points_of(network)]
    np.testing.assert_allclose(frequency, network.probabilities().ravel(), atol=0.012)


# ---- tables ----------------------------------------------------------------------------------------------------------


def a_table(n=3000):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], n, p=[0.5, 0.3, 0.2])
    copied = np.where(rng.random(n) < 0.8, colour, rng.choice(["red", "green", "blue"], n))
    return pd.DataFrame({"colour": colour, "door": copied, "size": rng.choice(["S", "M", "L", "XL"], n)})


def test_a_product_counts_and_a_tree_finds_what_hangs_together():
    frame = a_table()
    measure = LevelMeasure(smoothing=0).fit(frame)
    np.testing.assert_allclose(measure.network_.tables[0], frame["colour"].value_counts(normalize=True).sort_index())
    assert LevelMeasure("tree").fit(frame).network_.edges == [(0, 1)]
    assert LevelMeasure("chain").fit(frame).network_.edges == [(0, 1), (1, 2)]
    named = LevelMeasure([("size", "colour"), (2, "door")]).fit(frame)
    assert named.network_.parents == ((2,), (2,), ())
    joint = LevelMeasure([("colour", "door")], smoothing=0).fit(frame).network_.tables[1]
    np.testing.assert_allclose(joint, pd.crosstab(frame["colour"], frame["door"], normalize="index"), atol=1e-12)


def test_weights_are_rows():
    frame = a_table(200)
    counts = np.random.default_rng(1).integers(1, 4, 200)
    weighted = LevelMeasure("tree", min_count=0).fit(frame, sample_weight=counts)
    repeated = LevelMeasure("tree", min_count=0).fit(frame.loc[np.repeat(np.arange(200), counts)])
    assert weighted.network_.equals(repeated.network_)
    found = LevelSpectrum.estimate(frame, frame["size"] == "S", weighted, 1, sample_weight=counts)
    again = LevelSpectrum.estimate(
        frame.loc[np.repeat(np.arange(200), counts)], np.repeat(frame["size"] == "S", counts), repeated, 1
    )
    np.testing.assert_allclose(found.values, again.values, atol=1e-12)
    np.testing.assert_allclose(found.se, again.se, atol=1e-12)


def test_the_columns_that_decide_are_told():
    frame = a_table()
    y = ((frame["colour"] == "red") ^ (frame["size"] == "S")).to_numpy()
    found = LevelSpectrum.estimate(frame, y, LevelMeasure("tree").fit(frame)).by_columns()
    assert found["columns"][0] == ("colour", "size")
    new = a_table(10).replace({"colour": {"red": "violet"}})
    measure = LevelMeasure().fit(frame)
    basis = measure.basis(new)
    assert not basis[0][(new["colour"] == "violet").to_numpy()].any()


def test_networks_of_pgmpy_with_levels():
    pytest.importorskip("pgmpy")
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork([("a", "b")])
    above = TabularCPD("a", 2, [[0.3], [0.7]])
    below = TabularCPD("b", 3, [[0.2, 0.5], [0.3, 0.4], [0.5, 0.1]], ["a"], [2])
    model.add_cpds(above, below)
    network = from_pgmpy(model, ["b", "a"])
    assert isinstance(network, LevelNetwork)
    np.testing.assert_allclose(network.probabilities(), [[0.06, 0.35], [0.09, 0.28], [0.15, 0.07]], atol=1e-12)
    with pytest.raises(InputError, match="'b' depends on 'a', which is not among the names"):
        from_pgmpy(model, ["b"])


class Law:
    """As pgmpy's: the variable and its parents, and the chance of every level by those of the parents."""

    def __init__(self, variables, values):
        self.variables, self.values = variables, np.array(values)


class Model(dict):
    """As pgmpy's networks, of laws that pgmpy itself might refuse."""

    get_cpds = dict.get


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (Model(a=Law(["a"], [0.0, 1.0])), "a state of 'a' has probability 0 given its parents"),
        (Model(a=Law(["a"], [0.2, 0.2])), "column 0 must have probabilities above 0 that add up to 1"),
        (Model(), "the model has no conditional probabilities for 'a'"),
        (Model(a=Law(["a", "z"], np.ones((2, 2)) / 2)), "'a' depends on 'z', which is not among the names"),
        (
            Model(a=Law(["a", "b"], np.ones((2, 2)) / 2), b=Law(["b", "a"], np.ones((2, 2)) / 2)),
            "the graph has a cycle of variables, a -> b -> a",
        ),
    ],
)
def test_networks_of_others_that_are_none(model, says):
    with pytest.raises(InputError, match=says):
        from_pgmpy(model, ["a", "b"] if "b" in model else ["a"])
    with pytest.raises(InputError, match="a variable stands twice among the names"):
        from_pgmpy(model, ["a", "a"])


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        (LevelMeasure([("colour", "cost")]), "an edge names 'cost', which is no column; the columns are 0 to"),
        (LevelMeasure([("colour", "door"), ("door", "colour")]), "a cycle of columns, .*colour -> door"),
        (LevelMeasure(7), "structure=7 must be a list of pairs of columns"),
        (LevelMeasure([7]), "an edge is a pair .parent, child.; found 7"),
        (LevelMeasure([("colour", "door", "size")]), "an edge is a pair .parent, child.; found"),
        (LevelMeasure("star"), "structure='star' is not known; it can be 'uniform', "),
        (LevelMeasure(smoothing=-1), "smoothing=-1 must be a number >= 0"),
        (LevelMeasure("chain", smoothing=0), "a level of 'b' has no row, for some levels of its parents"),
    ],
    ids=str,
)
def test_structures_that_do_not_fit(measure, says):
    frame = a_table(60)
    if measure.smoothing == 0:
        frame = pd.DataFrame({"a": ["x", "y"] * 10, "b": ["u", "v"] * 10})
    with pytest.raises(InputError, match=says):
        measure.fit(frame)


def test_edges_name_columns_by_their_place_in_the_table():
    """As in `GraphMeasure`: a column that never varies has a place, too, and an edge of it says nothing."""
    rng = np.random.default_rng(0)
    table = np.column_stack([np.ones(90), rng.integers(0, 3, 90), rng.integers(0, 2, 90), rng.integers(0, 4, 90)])
    measure = LevelMeasure([(1, 3), (0, 2), ("x3", "x2")]).fit(table)
    assert measure.names_ == ("x1", "x2", "x3")
    assert measure.network_.parents == ((), (2,), (0,))
    with pytest.raises(InputError, match="an edge names 4, which is no column; the columns are 0 to 3, or x0, x1"):
        LevelMeasure([(4, 1)]).fit(table)


@pytest.mark.parametrize(
    "structure",
    [
        *("uniform", "product", "chain", "tree", "grid", "groups"),
        [(0, 3), (1, 3), (3, 2)],
        GridMeasure(width=4),
        GroupMeasure([["x0", "x3"], [1, 2]]),
        ChainMeasure(order=["x3", ("x0", "x1")]),
        GraphMeasure([("x0", "x3"), (3, 2)]),
    ],
    ids=str,
)
def test_every_law_that_is_learned_has_its_basis(structure):
    """Orthonormal, complete, its coefficients those of the sums; for columns that depend on each other, too."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, [3, 2, 4, 2], (150, 4))
    table[:, 3] = (table[:, 0] > 0) ^ (rng.random(150) < 0.2)
    network = LevelMeasure(structure, min_count=0).fit(table).network_
    points, f = points_of(network), rng.normal(size=len(points_of(network)))
    p = np.exp(network.log_prob(points))
    phi = naive_products(network, points)
    np.testing.assert_allclose((phi * p) @ phi.T, np.eye(len(points)), atol=1e-9)
    spectrum = LevelSpectrum.exact(f, network)
    np.testing.assert_allclose([spectrum[index] for index in spectrum.indices], (phi * p) @ f, atol=1e-9)
    assert spectrum.weight_by_degree().sum() == pytest.approx(p @ f**2)
    assert spectrum.noise_stability(1) == pytest.approx(p @ f**2)
    assert spectrum.noise_stability(0, "structured") == pytest.approx((p @ f) ** 2)
    rows = network.sample(4000, 0)
    found = LevelSpectrum.estimate(rows, f[[points.tolist().index(row) for row in rows.tolist()]], network, degree=1)
    wanted = [spectrum[index] for index in found.indices]
    assert np.abs((found.values[:, 0] - wanted) / found.se[:, 0]).max() < 4.5  # noqa: PD011 - no frame


@pytest.mark.parametrize(
    ("structure", "parents"),
    [
        (GridMeasure(width=2), ((), (0,), (0,), (1, 2), (3,))),  # x4 never varies: a hole
        (GroupMeasure([["x0", "x5"], ["x1", "x2"]]), ((), (), (1,), (), (0,))),
        (ChainMeasure(order=["x5", ("x0", "x1")]), ((4,), (0,), (), (), ())),
        (GraphMeasure([("x4", "x0"), (5, 3)]), ((), (), (), (4,), ())),
    ],
    ids=str,
)
def test_columns_with_levels_take_the_graph_of_a_measure(structure, parents):
    table = np.random.default_rng(0).integers(0, 3, (80, 6))
    table[:, 4] = 1
    assert LevelMeasure(structure).fit(table).network_.parents == parents


def test_products_of_columns_with_levels_are_concentrated_where_they_are():
    """Definition 2 of the thesis: a function of two columns and one of a third."""
    rng = np.random.default_rng(1)
    laws = tuple(rng.dirichlet(np.ones(3)) for _ in range(3))
    network = LevelNetwork(((), (), ()), laws, (0, 1, 2))
    p = network.probabilities()
    third = np.arange(3.0)
    f = LevelSpectrum.exact(lambda x: x[:, 0] * x[:, 1] + third[x[:, 2]], network)
    of_third = laws[2] @ third**2 - (laws[2] @ third) ** 2  # its variance
    a, b = (law @ third for law in laws[:2])
    both = (p * ((third[:, None, None] - a) * (third[:, None] - b)) ** 2).sum()
    everything = sum(f.weight_by_degree())
    assert f.weight_outside([("x0", "x1"), (2,)]) == pytest.approx(everything - both - of_third)
    assert f.weight_outside(1) == pytest.approx(both)
    assert f.concentration(1) == pytest.approx(1 - both / everything)
    assert f.concentration([]) == 0
    with pytest.raises(InputError, match="'z' is no column of the spectrum; the columns are x0, x1, x2"):
        f.concentration([("z",)])
    with pytest.raises(InputError, match="within=1.5 must be a whole number >= 0, or a list of sets of columns"):
        f.concentration(1.5)
    with pytest.raises(InputError, match="rho='much' must be a number from 0 to 1"):
        f.noise_stability("much")


def test_grids_of_columns_with_levels_have_holes_and_uniform_laws_look_at_nothing():
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 3, (60, 9))
    pixels[:, 4] = 1
    grid = LevelMeasure("grid").fit(pixels)
    assert grid.names_ == ("x0", "x1", "x2", "x3", "x5", "x6", "x7", "x8")
    assert grid.network_.parents == ((), (0,), (1,), (0,), (2,), (3,), (5,), (4, 6))
    uniform = LevelMeasure("uniform").fit(pixels)
    np.testing.assert_allclose(uniform.log_prob(pixels), 8 * np.log(1 / 3))
    with pytest.raises(InputError, match="8 columns are no square grid"):
        LevelMeasure("grid").fit(pixels[:, :8])


def test_laws_that_are_none():
    with pytest.raises(InputError, match=r"no coefficient of \(1,\) is there"):
        LevelSpectrum.exact(np.arange(4.0), LevelNetwork(((), ()), (np.ones(2) / 2,) * 2, (0, 1)))[1,]
    with pytest.raises(InputError, match="is a law of bits, for Spectrum"):
        LevelSpectrum.exact(np.ones(4), ProductMeasure().fit([[1, -1], [-1, 1]]))
    with pytest.raises(InputError, match="must have probabilities above 0 that add up to 1"):
        LevelNetwork(((),), (np.array([0.5, 0.6]),), (0,))
    with pytest.raises(InputError, match="must have shape"):
        LevelNetwork(((), (0,)), (np.ones(2) / 2, np.ones((3, 2)) / 2), (0, 1))
    with pytest.raises(InputError, match="the parents .1. of column 0 must differ and stand before it"):
        LevelNetwork(((1,), ()), (np.ones((2, 2)) / 2, np.ones(2) / 2), (0, 1))
    network = LevelNetwork(((),), (np.ones(3) / 3,), (0,))
    with pytest.raises(InputError, match="levels must be whole numbers in rows of 1 columns"):
        network.basis([[0.5]])
    with pytest.raises(InputError, match="found others"):
        network.log_prob([[3]])
    with pytest.raises(InputError, match="has not been fitted"):
        LevelSpectrum.exact(lambda codes: codes[:, 0], LevelMeasure())
