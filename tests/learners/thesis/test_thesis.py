"""What the thesis proves about measures and spectra (chapters 3 and 4), against enumeration."""

import warnings
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import cube, product_network, random_network, symmetric_forest

from paclearn.measures import (
    ChainMeasure,
    GraphMeasure,
    GridMeasure,
    GroupMeasure,
    Network,
    ProductMeasure,
    TreeMeasure,
    UniformMeasure,
    best_measure,
    from_pgmpy,
)
from paclearn.spectra import (
    Spectrum,
    change_of_measure,
    degrees_of_freedom,
    direct_score,
    functions,
    noisy_copies,
    smoothing_kernel,
)
from paclearn.spectra.parities import in_parities

seeds = st.integers(0, 10**6)


def uniform(d):
    return product_network(d, 0.5)


def sets(d, degree):
    return [s for k in range(degree + 1) for s in combinations(range(d), k)]


def size_of_code(d):
    return np.array([code.bit_count() for code in range(2**d)])


# ---- change of measure -----------------------------------------------------------------------------------------------


@given(seed=seeds, d=st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_a_change_of_measure_is_linear_and_equals_the_spectrum_there(seed, d):
    """Proposition 22."""
    rng = np.random.default_rng(seed)
    f, network = rng.normal(size=2**d), random_network(rng, d)
    plain, there = Spectrum.exact(f, uniform(d)), Spectrum.exact(f, network)
    moved = plain.under(network)
    np.testing.assert_allclose([moved[s] for s in there.subsets], there.values[:, 0], atol=1e-12)
    back = there.under(uniform(d))
    np.testing.assert_allclose([back[s] for s in plain.subsets], plain.values[:, 0], atol=1e-10)
    subsets, matrix = change_of_measure(network, d)
    np.testing.assert_allclose(matrix @ [plain[s] for s in subsets], there.values[:, 0], atol=1e-12)


@given(seed=seeds, d=st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_a_change_between_independent_bits_needs_no_cube(seed, d):
    """Proposition 23, and its form between any two product measures."""
    rng = np.random.default_rng(seed)
    f, (p, q) = rng.normal(size=2**d), rng.uniform(0.1, 0.9, (2, d))
    one, other = (product_network(d, list(up)) for up in (p, q))
    moved, there = Spectrum.exact(f, one).under(other), Spectrum.exact(f, other)
    np.testing.assert_allclose([moved[s] for s in there.subsets], there.values[:, 0], atol=1e-10)
    plain = Spectrum.exact(f, uniform(d))
    for s in there.subsets:
        larger = [t for t in plain.subsets if set(s) <= set(t)]
        total = sum(plain[t] * np.prod([2 * q[i] - 1 for i in set(t) - set(s)]) for t in larger)
        assert there[s] == pytest.approx(np.prod([2 * np.sqrt(q[i] * (1 - q[i])) for i in s]) * total, abs=1e-12)


def test_a_junta_of_many_bits_changes_its_measure():
    wide = product_network(300, 0.5)
    found = Spectrum.exact(functions.majority, wide, members=[3, 100, 299]).under(product_network(300, 0.7))
    small = Spectrum.exact(functions.majority, product_network(3, 0.7))
    assert found[(3, 299)] == pytest.approx(small[(0, 2)], abs=1e-12)
    assert found[()] == pytest.approx(small[()], abs=1e-12)


@given(seed=seeds, d=st.integers(1, 7))
@settings(max_examples=20, deadline=None)
def test_symmetric_forests_keep_the_degree(seed, d):
    """Proposition 24: a subset has nothing of a smaller parity."""
    network = symmetric_forest(np.random.default_rng(seed), d)
    subsets, matrix = change_of_measure(network, d)
    small = np.array([len(t) for t in subsets]) < size_of_code(d)[:, None]
    np.testing.assert_allclose(matrix[small], 0, atol=1e-12)


@given(seed=seeds, d=st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_the_uniform_measure_is_the_hardest_on_average(seed, d):
    """Propositions 25 and 26: coefficients are standard normal, and a row of M has the new variance."""
    network = random_network(np.random.default_rng(seed), d)
    _, matrix = change_of_measure(network, d)
    variance = (matrix**2).sum(axis=1)
    p, basis = network.probabilities().ravel(), network.basis(cube(d))
    by_formula = 0.0
    for s in product((0, 1), repeat=d):
        phi = np.prod(basis[:, np.array(s, dtype=bool)], axis=1)
        by_formula += np.sqrt(2**d * (p**2 * phi**2).sum())
    gap = np.sqrt(2 / np.pi) * (2**d - np.sqrt(variance).sum())
    assert gap == pytest.approx(2**d * np.sqrt(2 / np.pi) * (1 - by_formula / 2**d), abs=1e-9)
    assert gap >= -1e-9
    up = network.conditional(cube(d))
    cardinality = 2 ** (d - 1) * (p[:, None] * (1 - 4 * up * (1 - up))).sum()
    sizes = size_of_code(d)
    assert (sizes * (1 - variance)).sum() == pytest.approx(cardinality, abs=1e-9)
    assert cardinality >= -1e-12


@given(seed=seeds, p=st.floats(0.05, 0.95))
@settings(max_examples=20, deadline=None)
def test_a_perturbation_of_one_bit(seed, p):
    """Equation 4.11."""
    d = 4
    f = np.random.default_rng(seed).normal(size=2**d)
    plain = Spectrum.exact(f, uniform(d))
    moved = Spectrum.exact(f, product_network(d, [1 - p, 0.5, 0.5, 0.5]))
    for s in plain.subsets:
        expected = 2 * np.sqrt(p * (1 - p)) * plain[s] if 0 in s else plain[s] + (1 - 2 * p) * plain[(0, *s)]
        assert moved[s] == pytest.approx(expected, abs=1e-12)


def test_low_degree_survives_and_uniform_is_hardest():
    """What figures 4-1 and 4-3 to 4-5 show, at small size."""
    rng = np.random.default_rng(0)
    sizes, kept = size_of_code(8), []
    for _ in range(30):
        network = random_network(rng, 8, rate=0.15)
        subsets, matrix = change_of_measure(network, 2)
        coefficients = matrix @ rng.normal(size=(len(subsets), 100))
        weights = coefficients**2 / (coefficients**2).sum(axis=0)
        kept.append(weights[sizes <= 2].sum(axis=0).mean())
        assert sizes @ (matrix**2).sum(axis=1) < sum(map(len, subsets))
    assert np.mean(kept) > 0.97
    independent = [product_network(8, rng.beta(1, 1, 8)) for _ in range(15)]
    for network in [*independent, *(symmetric_forest(rng, 8) for _ in range(15))]:
        subsets, matrix = change_of_measure(network, 2)
        variance = (matrix**2).sum(axis=1)
        assert np.sqrt(variance).sum() < len(subsets)
        assert sizes @ variance < sum(map(len, subsets))


def test_the_norm_can_grow_where_edges_are_not_symmetric():
    """Unlike what is said of figure 4-4: an expectation, computed exactly."""
    rng = np.random.default_rng(0)
    parents = ((), *((i - 1,) for i in range(1, 9)))
    chain = Network(parents, (np.array(0.5), *(rng.uniform(0.1, 0.9, 2) for _ in range(8))), tuple(range(9)))
    subsets, matrix = change_of_measure(chain, 2)
    assert np.sqrt((matrix**2).sum(axis=1)).sum() > 1.02 * len(subsets)


def added_up(values, terms, weights):
    products = [values[:, list(s)].prod(axis=1) for s in terms]
    return np.reshape(products, (len(terms), len(values))).T @ weights


@given(seed=seeds, d=st.integers(1, 6), dependent=st.booleans())
@settings(max_examples=30, deadline=None)
def test_sums_of_basis_functions_are_sums_of_parities(seed, d, dependent):
    rng = np.random.default_rng(seed)
    network = random_network(rng, d) if dependent else product_network(d, list(rng.choice([0.2, 0.5, 0.9], d)))
    terms = [s for s in sets(d, 3) if rng.random() < 0.3]
    weights = rng.normal(size=(len(terms), 2))
    constant, parities, found = in_parities(network, terms, weights)
    np.testing.assert_allclose(
        constant + added_up(cube(d), parities, found), added_up(network.basis(cube(d)), terms, weights), atol=1e-10
    )
    assert parities == sorted(set(parities), key=lambda s: (len(s), s))
    assert () not in parities


def test_parities_of_very_many_bits():
    wide = product_network(3000, 0.3)
    constant, parities, weights = in_parities(wide, [(1, 2, 3, 4, 5, 2999)], np.ones((1, 1)))
    small = in_parities(product_network(6, 0.3), [tuple(range(6))], np.ones((1, 1)))
    bits = (1, 2, 3, 4, 5, 2999)
    assert parities == [tuple(bits[i] for i in s) for s in small[1]]
    np.testing.assert_allclose(weights, small[2])
    np.testing.assert_allclose(constant, small[0])


# ---- noise -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sequential", "structured"])
def test_noisy_copies_have_the_law_and_the_stability(kind):
    rng = np.random.default_rng(4)
    network, f = random_network(rng, 5), rng.normal(size=32)
    value = functions.from_table(f)
    rows = network.sample(200_000, random_state=0)
    copies = noisy_copies(rows, network, 0.7, kind, random_state=1)
    frequency = np.bincount((copies > 0) @ (1 << np.arange(5)[::-1]), minlength=32) / len(copies)
    np.testing.assert_allclose(frequency, network.probabilities().ravel(), atol=0.006)
    products = value(rows) * value(copies)
    expected = Spectrum.exact(f, network).noise_stability(0.7, kind)
    assert abs(products.mean() - expected) < 4.5 * products.std() / np.sqrt(len(rows))
    np.testing.assert_array_equal(noisy_copies(rows[:9], network, 1, kind), rows[:9])


# ---- the direct estimator as a smoother ------------------------------------------------------------------------------


@given(seed=seeds, degree=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_predictions_are_weighted_averages_of_labels(seed, degree):
    rng = np.random.default_rng(seed)
    network = random_network(rng, 4)
    rows, points = network.sample(40, random_state=seed), cube(4)
    y = rng.normal(size=40)
    kernel = smoothing_kernel(rows, points, network, sets(4, degree))
    direct = Spectrum.estimate(rows, y, network, degree=degree).predict(points)
    np.testing.assert_allclose(y @ kernel / 40, direct, atol=1e-10)
    trace = np.trace(smoothing_kernel(rows, rows, network, sets(4, degree))) / 40
    assert degrees_of_freedom(rows, network, sets(4, degree)) == pytest.approx(trace)


@given(seed=seeds, degree=st.integers(0, 4))
@settings(max_examples=20, deadline=None)
def test_degrees_of_freedom_are_the_number_of_terms_on_average(seed, degree):
    """Proposition 16: the expectation over a single row."""
    network = random_network(np.random.default_rng(seed), 4)
    subsets = sets(4, degree)
    each = [degrees_of_freedom(point[None], network, subsets) for point in cube(4)]
    assert network.probabilities().ravel() @ each == pytest.approx(len(subsets), abs=1e-10)


@given(seed=seeds, k=st.integers(0, 4), degree=st.integers(0, 4))
@settings(max_examples=20, deadline=None)
def test_similar_rows_count_more(seed, k, degree):
    """Proposition 17: mean and variance of the weight of rows that share the first k bits."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, 4)
    z = cube(4)[rng.integers(16)]
    first, subsets = network.order[:k], sets(4, degree)
    alike = cube(4)[(cube(4)[:, list(first)] == z[list(first)]).all(axis=1)]
    p = np.exp(network.log_prob(alike))
    p /= p.sum()
    weight = smoothing_kernel(alike, z[None], network, subsets)[:, 0]
    squares = {s: np.prod(network.basis(z[None])[0, list(s)] ** 2) for s in sets(4, 4)}
    inside = [s for s in sets(4, 4) if set(s) <= set(first)]
    outside = [r for r in sets(4, 4) if r and not set(r) & set(first)]
    mean = sum(squares[s] for s in inside if s in subsets)
    variance = sum(squares[r] * sum(squares[s] for s in inside if len(s) + len(r) <= degree) ** 2 for r in outside)
    assert p @ weight == pytest.approx(mean, abs=1e-8)
    assert p @ (weight - mean) ** 2 == pytest.approx(variance, rel=1e-8, abs=1e-8)


# ---- influences ------------------------------------------------------------------------------------------------------


@given(seed=seeds, d=st.integers(1, 5), dependent=st.booleans())
@settings(max_examples=20, deadline=None)
def test_conditional_influences_equal_their_definition(seed, d, dependent):
    rng = np.random.default_rng(seed)
    network = random_network(rng, d) if dependent else product_network(d, list(rng.uniform(0.1, 0.9, d)))
    f = rng.normal(size=2**d)
    found = Spectrum.exact(f, network)
    p = network.probabilities().ravel()
    expected = []
    for i in range(d):
        rest = [tuple(x[:i]) + tuple(x[i + 1 :]) for x in cube(d)]
        total = 0.0
        for r in set(rest):
            here = [t for t, other in enumerate(rest) if other == r]
            share = p[here] / p[here].sum()
            total += p[here].sum() * (share @ f[here] ** 2 - (share @ f[here]) ** 2)
        expected.append(total)
    np.testing.assert_allclose(found.influences("conditional"), expected, atol=1e-10)
    if not dependent:
        np.testing.assert_allclose(found.influences(), expected, atol=1e-10)


# ---- other people's code ---------------------------------------------------------------------------------------------


def test_agreement_with_an_independent_implementation():
    """boofun counts a bit 1 as -1 and lists points the other way round."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import boofun

        rng = np.random.default_rng(0)
        for _ in range(50):
            d = int(rng.integers(1, 9))
            table = rng.integers(0, 2, 2**d)
            theirs = boofun.create(table.tolist())
            ours = Spectrum.exact(1.0 - 2 * table[::-1], uniform(d))
            np.testing.assert_allclose(ours.values[:, 0], theirs.fourier(), atol=1e-12)
            assert ours.weighted_cardinality() == pytest.approx(theirs.total_influence(), abs=1e-12)
            np.testing.assert_allclose(ours.influences()[::-1], theirs.influences(), atol=1e-12)
            assert ours.noise_stability(0.3) == pytest.approx(theirs.noise_stability(0.3), abs=1e-12)


def test_graphs_of_networkx_and_pgmpy():
    import networkx as nx
    import pandas as pd
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    model.add_cpds(
        TabularCPD("a", 2, [[0.3], [0.7]]),
        TabularCPD("b", 2, [[0.4], [0.6]]),
        TabularCPD("c", 2, [[0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.7, 0.6]], evidence=["b", "a"], evidence_card=[2, 2]),
    )
    network = from_pgmpy(model, ["a", "b", "c"])
    assert network.parents == ((), (), (1, 0))
    assert network.conditional(np.array([[-1, 1, 1]]))[0].tolist() == pytest.approx([0.7, 0.6, 0.7])
    rows = network.sample(30_000, random_state=0)
    fitted = GraphMeasure(model).fit(pd.DataFrame(rows, columns=["a", "b", "c"])).network_
    np.testing.assert_allclose(fitted.probabilities(), network.probabilities(), atol=0.01)
    assert GraphMeasure(nx.DiGraph([(0, 2), (1, 2)])).fit(rows).network_.parents == ((), (), (0, 1))


# ---- measures add up -------------------------------------------------------------------------------------------------

MERGED = [
    UniformMeasure(),
    ProductMeasure(),
    ChainMeasure(),
    TreeMeasure(),
    GraphMeasure([(2, 0), (1, 3)]),
    GridMeasure(width=5),
    GroupMeasure([0, 1, 0, 1, 1]),
]


@pytest.mark.parametrize("measure", MERGED, ids=lambda m: type(m).__name__)
def test_two_halves_merged_equal_the_whole(measure):
    from sklearn.base import clone

    rng = np.random.default_rng(0)
    rows = random_network(rng, 5).sample(700, random_state=0)
    whole = clone(measure).fit(rows).network_
    merged = clone(measure).fit(rows[:200]).merge(clone(measure).fit(rows[200:])).network_
    grown = clone(measure).partial_fit(rows[:200]).partial_fit(rows[200:]).network_
    for other in (merged, grown):
        assert other.parents == whole.parents
        for a, b in zip(other.tables, whole.tables, strict=True):
            np.testing.assert_array_equal(a, b)


@given(seed=seeds, d=st.integers(1, 6), size=st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_marginals_equal_sums_over_the_cube(seed, d, size):
    rng = np.random.default_rng(seed)
    network = random_network(rng, d)
    subset = [int(i) for i in rng.permutation(d)[:size]]
    others = tuple(i for i in range(d) if i not in subset)
    rest = sorted(subset)
    expected = network.probabilities().sum(axis=others).transpose([rest.index(i) for i in subset])
    np.testing.assert_allclose(network.marginal(subset), expected, atol=1e-12)


def many_parents(rng, d=12, k=5):
    parents = tuple(tuple(int(p) for p in rng.choice(i, min(i, k), replace=False)) if i else () for i in range(d))
    return Network(parents, tuple(np.clip(rng.beta(3, 3, (2,) * len(p)), 0.05, 0.95) for p in parents), tuple(range(d)))


@pytest.mark.parametrize(("n", "smoothing", "true_is_best"), [(60, 0.05, False), (3000, 0.05, True), (400, 1.0, True)])
def test_few_rows_need_a_simple_structure_or_smoothing(n, smoothing, true_is_best):
    """Probabilities of many parents are known badly; a row added to each of them mends that."""
    better = 0
    for seed in range(8):
        network = many_parents(np.random.default_rng(seed))
        candidates = [ProductMeasure(smoothing), GraphMeasure(network.edges, smoothing)]
        found = best_measure(network.sample(n, random_state=seed), candidates, random_state=seed)
        better += isinstance(found, GraphMeasure)
    assert better >= 7 if true_is_best else better <= 1


def test_a_measure_can_be_chosen_by_what_is_built_on_it():
    rows = symmetric_forest(np.random.default_rng(3), 6).sample(2000, random_state=0)
    found = best_measure(rows, score=direct_score(rows, functions.majority(rows)), random_state=0)
    assert len(found.validation_) == 4
    assert max(score for _, score in found.validation_) <= 0
