"""Objects that the papers define, against oracles written from their text."""

from itertools import combinations
from math import inf, pi, sqrt

import naive
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import cube, product_network, random_network
from scipy.stats import kstest
from sklearn.datasets import make_classification

from paclearn import DirectSpectrumClassifier, DirectSpectrumRegressor
from paclearn.exceptions import InputError
from paclearn.measures import ChainMeasure, LevelMeasure, Network, ProductMeasure
from paclearn.spectra import (
    CorrelatedExpansion,
    Spectrum,
    degrees_of_freedom,
    functions,
    kernel_moments,
    normal_form_sizes,
    prediction_std,
)

seeds = st.integers(0, 10**6)


def law_of(network):
    return np.exp(network.log_prob(cube(network.d)))


def sets(d, degree):
    return [s for k in range(degree + 1) for s in combinations(range(d), k)]


# ---- paper 1: projections, norms, the least error --------------------------------------------------------------------


@given(seed=seeds, size=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_projections_and_the_least_error_of_independent_bits(seed, size):
    """Definition 1, Proposition 2 and Lemma 2 of the universal learning paper."""
    rng = np.random.default_rng(seed)
    network = product_network(4, rng.uniform(0.2, 0.8, 4))
    f, p = rng.choice([-1.0, 1.0], 16), law_of(network)
    J = tuple(sorted(rng.permutation(4)[:size].tolist()))
    spectrum = Spectrum.exact(f, network)
    wanted = naive.projection(f, cube(4), p, J)
    found = spectrum.onto(J)
    np.testing.assert_allclose(found.predict(cube(4)), wanted, atol=1e-10)
    for order, norm in ((1, p @ np.abs(wanted)), (2, sqrt(p @ wanted**2)), (inf, np.abs(wanted).max())):
        assert found.norm(order) == pytest.approx(norm, abs=1e-10)
    assert spectrum.popt(J) == pytest.approx(naive.least_error(f, cube(4), p, J), abs=1e-10)
    errors = [naive.least_error(f, cube(4), p, j) for j in combinations(range(4), size)]
    assert spectrum.popt(spectrum.best_members(size)) == pytest.approx(min(errors), abs=1e-10)


@given(seed=seeds, size=st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_projections_of_correlated_bits_are_conditional_means(seed, size):
    """Lemma 1 and Theorem 1 of the selection paper: the basis is orthonormalised within J."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, 4)
    f, p = rng.choice([-1.0, 1.0], 16), law_of(network)
    J = tuple(sorted(rng.permutation(4)[:size].tolist()))
    same = (cube(4)[:, None, J] == cube(4)[None][:, :, J]).all(axis=2) * p
    spectrum = Spectrum.exact(f, network)
    np.testing.assert_allclose(spectrum.onto(J).predict(cube(4)), same @ f / same.sum(axis=1), atol=1e-9)
    assert spectrum.popt(J) == pytest.approx(naive.least_error(f, cube(4), p, J), abs=1e-9)


def test_projections_by_name_of_estimates_and_of_several_targets():
    rng = np.random.default_rng(0)
    bits = rng.choice([-1, 1], (500, 4))
    labels = np.where(rng.random(500) < 0.1, -1, 1) * bits[:, 1] * bits[:, 3]
    measure = ProductMeasure().fit(bits)
    found = Spectrum.estimate(bits, labels, measure, degree=2, names=list("abcd"))
    assert found.onto(["b", "d"]).subsets == ((), (1,), (3,), (1, 3))
    assert found.best_members(2) == (1, 3)
    assert found.popt(["b", "d"]) == pytest.approx(0.1, abs=0.04)
    assert found.onto(["b", "d"]).se.shape == (4, 1)
    two = Spectrum.estimate(bits, np.column_stack([labels, 2 * labels]), measure)
    np.testing.assert_allclose(two.norm(1)[1], 2 * two.norm(1)[0])
    for call, message in (
        (lambda: found.onto([0, "b", 2]), "no coefficient of a × b × c was estimated; degree=3"),
        (lambda: found.onto(["e"]), "'e' is no bit of the spectrum; the bits are a, b, c, d"),
        (lambda: found.onto([7]), "different bits from 0 to 3"),
        (lambda: found.norm(3), "order=3 must be 1, 2 or infinity"),
        (lambda: two.popt([0]), "the least error is that of one label"),
        (lambda: Spectrum.exact(np.arange(4.0), product_network(2, 0.5)).popt([0]), "of one label of -1 and"),
        (lambda: found.best_members(5), "k=5 must be a whole number from 0 to the number of bits, 4"),
    ):
        with pytest.raises(InputError, match=message):
            call()


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_what_the_sign_of_another_function_costs(seed):
    """Lemma 3 of the universal learning paper, and Facts 2, 3 and 4."""
    rng = np.random.default_rng(seed)
    network = product_network(4, rng.uniform(0.2, 0.8, 4))
    f, p, J = rng.choice([-1.0, 1.0], 16), law_of(network), (0, 2)
    projection = Spectrum.exact(f, network).onto(J)
    h = projection + Spectrum.exact(rng.normal(size=4), network, members=J) * rng.choice([0.01, 0.1, 1.0])
    sign = np.where(h.predict(cube(4)) > 0, 1, -1)
    far = (h - projection).norm(2)
    error = p @ (sign != f)
    assert error == pytest.approx((1 - p @ (f * sign)) / 2)
    assert error <= (1 - projection.norm(1)) / 2 + far**3 + 1.5 * far**2 + 1.25 * far + 1e-12
    assert projection.norm(2) <= 1 + 1e-12
    assert projection.norm(2) ** 2 - 1e-12 <= projection.norm(1) <= projection.norm(2) + 1e-12
    to_sign = (projection - Spectrum.exact(sign.astype(float), network)).norm(2)
    assert p @ (f - sign) ** 2 == pytest.approx(1 - projection.norm(2) ** 2 + to_sign**2)


def test_score_1_is_nearly_unbiased():
    """Lemmas 1 and 9 of the universal learning paper: off by at most 2^(k/2) / sqrt(n - 1) and what means cost."""
    network = product_network(3, [0.3, 0.5, 0.6])
    f = np.array([1.0, -1, -1, 1, 1, 1, -1, 1])
    norm, scores = Spectrum.exact(f, network).onto([0, 1]).norm(1), []
    for seed in range(60):
        rows = network.sample(80, seed)
        scores.append(naive.score_1(rows, f[(rows > 0) @ [4, 2, 1]], [0, 1]))
    assert abs(np.mean(scores) - norm) <= 2 / sqrt(79)


# ---- paper 2: the correlated expansion -------------------------------------------------------------------------------


@given(seed=seeds, d=st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_the_correlated_expansion_equals_the_oracle_and_spans_all_functions(seed, d):
    """Proposition 1 of the selection paper, under a law that has all points and one that has a few."""
    rng = np.random.default_rng(seed)
    network = random_network(rng, d)
    points, p, f = cube(d), law_of(network), rng.normal(size=2**d)
    found = CorrelatedExpansion.under(network)
    order, basis, norms = naive.correlated_expansion(points.astype(float), p, d, 1e-7)
    assert list(found.subsets) == order
    assert found.trivial == ()
    np.testing.assert_allclose(found.basis(points), basis, atol=1e-7)
    np.testing.assert_allclose(found.norms, norms, atol=1e-9)
    np.testing.assert_allclose(basis.T @ (p[:, None] * basis), np.eye(2**d), atol=1e-9)
    np.testing.assert_allclose(found.basis(points) @ found.coefficients(points, f, p), f, atol=1e-6)
    some = points[rng.integers(2**d, size=6)]
    few = CorrelatedExpansion.fit(some)
    assert len(few.subsets) - len(few.trivial) == len(np.unique(some, axis=0))
    y = f[(some > 0) @ (1 << np.arange(d)[::-1])]
    np.testing.assert_allclose(few.basis(some) @ few.coefficients(some, y), y, atol=1e-6)


def test_coefficients_of_the_correlated_expansion_are_of_labels_classes_and_several_targets():
    rng = np.random.default_rng(0)
    bits = rng.choice([-1, 1], (60, 3))
    found, y = CorrelatedExpansion.fit(bits), bits[:, 0] * bits[:, 1]
    expected = (found.basis(bits) * y[:, None]).mean(axis=0)
    np.testing.assert_allclose(found.coefficients(bits, y), expected, atol=1e-12)
    np.testing.assert_allclose(found.coefficients(bits, np.where(y > 0, "yes", "no")), expected, atol=1e-12)
    both = found.coefficients(bits, np.column_stack([y, 2 * y]))
    np.testing.assert_allclose(both, np.column_stack([expected, 2 * expected]), atol=1e-12)
    named = CorrelatedExpansion.fit(pl.DataFrame(bits, schema=["a", "b", "c"]))
    assert named.norm(["a", "c"]) == named.norm([2, 0]) == pytest.approx(found.norm(("x0", "x2")))
    assert named.norm("b") == named.norm(1) == pytest.approx(found.norm("x1"))
    with pytest.raises(InputError, match="'d' is no column of the spectrum; the columns are a, b, c"):
        named.norm("d")
    with pytest.raises(InputError, match="a subset lists different columns from 0 to 2; found .3,."):
        named.norm(3)
    with pytest.raises(InputError, match="labels must not be missing; found NaN in row 3"):
        found.coefficients(bits, np.where(np.arange(60) == 3, np.nan, y))
    for threshold in ("small", None, 1):
        with pytest.raises(InputError, match="threshold=.* must be a number from 0 to below 1"):
            CorrelatedExpansion.fit(bits, threshold=threshold)


def test_norms_of_fourier_orth_and_example_1():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 2))
    table = np.column_stack([x, x[:, 0] * x[:, 1]])
    found = CorrelatedExpansion.fit(table)
    assert found.trivial == ((2,), (0, 2), (1, 2), (0, 1, 2))
    assert found.redundant == (2,)
    assert found.norm(2) == pytest.approx(0, abs=1e-7)
    assert CorrelatedExpansion.fit(table, depth=1).trivial == ()
    letter = CorrelatedExpansion.fit(table, with_redundant=True)
    share = np.full(len(x), 1 / len(x))
    _, _, norms = naive.correlated_expansion(table, share, 3, 1e-7)
    np.testing.assert_allclose(letter.norms, norms, atol=1e-6)
    assert letter.trivial == ((2,),)  # x0 * x2 is a square of x0 times x1, which the paper overlooks
    table[:, 2] = np.sign(table[:, 2])
    signs = CorrelatedExpansion.fit(table)
    assert signs.trivial == ()
    assert signs.norm([2]) == pytest.approx(sqrt(1 - 4 / pi**2), abs=0.03)
    noisy = np.column_stack([x, x[:, 0] + 0.1 * rng.normal(size=4000), np.ones(4000)])
    assert CorrelatedExpansion.fit(noisy, depth=2, threshold=0.05).redundant == (3,)
    assert CorrelatedExpansion.fit(noisy, depth=2, threshold=0.15).redundant == (2, 3)


def test_the_expansion_takes_weights_and_says_what_is_wrong():
    rng = np.random.default_rng(0)
    rows, counts = rng.normal(size=(30, 3)), rng.integers(0, 4, 30)
    weighted = CorrelatedExpansion.fit(rows, sample_weight=counts)
    repeated = CorrelatedExpansion.fit(np.repeat(rows, counts, axis=0))
    np.testing.assert_allclose(weighted.norms, repeated.norms, atol=1e-10)
    for call, message in (
        (lambda: CorrelatedExpansion.fit(np.ones((3, 20))), "20 columns have too many products"),
        (lambda: CorrelatedExpansion.fit([[1.0, np.nan]]), "found nan in row 0, column 1"),
        (lambda: CorrelatedExpansion.fit(np.empty((0, 2))), "found shape"),
        (lambda: CorrelatedExpansion.fit(rows, depth=0), "depth=0 must be a whole number >= 1"),
        (lambda: CorrelatedExpansion.fit(rows, threshold=1), "threshold=1 must be a number"),
        (lambda: weighted.norm(9), "a subset lists different columns from 0 to 2; found .9,."),
        (lambda: CorrelatedExpansion.fit(rows, depth=1).norm([0, 1]), "not among the 4 sets"),
        (lambda: weighted.basis(rows[:, :2]), "of 3 columns; the table has 2"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_the_measure_of_correlated_bits_is_nearly_unbiased():
    """Lemma D.1 of the selection paper: what M_n is off by on average comes down with the number of rows."""
    network = Network(((), (0,), (1,)), (np.array(0.6), np.array([0.3, 0.8]), np.array([0.4, 0.7])), (0, 1, 2))
    labels, J = np.array([1.0, -1, -1, 1, 1, 1, -1, 1]), (0, 2)
    norm = Spectrum.exact(labels, network).onto(J).norm(1)
    off = []
    for n, draws in ((20, 400), (80, 400), (1280, 60)):
        tables = [network.sample(n, seed) for seed in range(draws)]
        off.append(np.mean([naive.measure_m(rows, labels[(rows > 0) @ [4, 2, 1]], J) for rows in tables]) - norm)
    assert abs(off[0]) > abs(off[1]) > abs(off[2])
    assert abs(off[2]) < 0.01


# ---- the thesis ------------------------------------------------------------------------------------------------------


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_no_functions_of_single_bits_make_a_basis_of_dependent_ones(seed):
    """Proposition 10: what is orthonormal in each of two bits is up to sign, and its product has a mean."""
    rng = np.random.default_rng(seed)
    first, given = rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8, 2)
    network = Network(((), (0,)), (np.array(first), given), (0, 1))
    p, bits = law_of(network), cube(2)
    single = (bits - p @ bits) / np.sqrt(p @ bits**2 - (p @ bits) ** 2)
    product = p @ single.prod(axis=1)
    second = (1 - first) * given[0] + first * given[1]
    slope = (given[1] - given[0]) * sqrt(first * (1 - first) / (second * (1 - second)))  # nought for independent bits
    assert product == pytest.approx(slope, abs=1e-10)
    np.testing.assert_allclose(p @ network.basis(bits).prod(axis=1), 0, atol=1e-12)


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_given_the_bits_before_it_a_function_of_a_bit_is_the_only_one(seed):
    """Proposition 11: of mean 0 and variance 1 whatever the bits before are, which leaves only a sign."""
    network = random_network(np.random.default_rng(seed), 4)
    bits = cube(4)
    p, phi = law_of(network), network.basis(bits)
    for place, i in enumerate(network.order):
        before = bits[:, list(network.order[:place])]
        for past in np.unique(before, axis=0):
            mine = (before == past).all(axis=1)
            up = p[mine & (bits[:, i] > 0)].sum() / p[mine].sum()
            wanted = np.where(bits[mine, i] > 0, sqrt((1 - up) / up), -sqrt(up / (1 - up)))
            np.testing.assert_allclose(phi[mine, i], wanted, atol=1e-9)


def test_the_least_error_is_that_of_labels_of_minus_one_and_one():
    """Labels of 0 and 1 have another mean, and no least error comes of it."""
    rng = np.random.default_rng(0)
    bits = rng.choice([-1, 1], (200, 3))
    y = np.where(rng.random(200) < 0.2, -1, 1) * bits[:, 0]
    law = ProductMeasure().fit(bits)
    found = Spectrum.estimate(bits, y, law)
    wrong = np.mean(y != bits[:, 0])
    assert found.popt([0]) == pytest.approx(wrong, abs=0.01)
    assert Spectrum.estimate(bits, y > 0, law).popt([0]) == found.popt([0]) == (found * -1).popt([0])
    for other in (Spectrum.estimate(bits, (y > 0).astype(int), law), Spectrum.estimate(bits, 3 * y, law), found * 0.5):
        with pytest.raises(InputError, match="the least error is that of one label of -1 and \\+1"):
            other.popt([0])
    with pytest.raises(InputError, match="the least error is that of one label"):
        Spectrum.estimate(bits, np.column_stack([y, y]), law).popt([0])


def test_concentration_on_any_collection():
    """Definition 2."""
    network = random_network(np.random.default_rng(0), 4)
    found = Spectrum.exact(functions.majority, network, names=list("abcd"))
    weights = {s: found[s] ** 2 for s in found.subsets}
    some = [(), ("a",), (1, 2), (3, 0)]
    outside = sum(w for s, w in weights.items() if s not in [(), (0,), (1, 2), (0, 3)])
    assert found.weight_outside(some) == pytest.approx(outside)
    assert found.concentration(some) == pytest.approx(1 - outside)  # the squares of a Boolean function add up to one
    assert found.weight_outside(2) == pytest.approx(sum(w for s, w in weights.items() if len(s) > 2))
    assert found.concentration(-1) == pytest.approx(0)


@given(seed=seeds, epsilon=st.floats(0.05, 0.9))
@settings(max_examples=20, deadline=None)
def test_near_functions_have_near_signs_and_little_influence_means_low_degree(seed, epsilon):
    """Propositions 5 and 7."""
    rng = np.random.default_rng(seed)
    f, network = rng.choice([-1.0, 1.0], 16), product_network(4, 0.5)
    found = Spectrum.exact(f, network)
    near = found + Spectrum.exact(rng.normal(size=16) * epsilon, network)
    wrong = np.mean(np.where(near.predict(cube(4)) > 0, 1, -1) != f)
    assert wrong <= (near - found).norm(2) ** 2 + 1e-12
    assert found.weight_outside(int(found.influences().sum() / epsilon)) <= epsilon + 1e-12


def test_noise_in_labels_shows_in_the_standard_errors():
    """Proposition 29: additive noise and random flips widen a coefficient's spread, and the errors say by how much."""
    network = product_network(3, [0.3, 0.5, 0.6])
    rng = np.random.RandomState(0)
    for noisy in (
        lambda y: y + rng.normal(0, 2, len(y)),
        lambda y: y * np.where(rng.random_sample(len(y)) < 0.8, 1, -1),
    ):
        found = []
        for _ in range(200):
            rows = network.sample(200, rng)
            found.append(Spectrum.estimate(rows, noisy(functions.majority(rows)), network, degree=1))
        spread = np.std([s.values[:, 0] for s in found], axis=0)
        np.testing.assert_allclose(np.mean([s.se[:, 0] for s in found], axis=0), spread, rtol=0.2)


def test_coefficients_under_a_learned_law_are_normal_in_the_limit():
    """Proposition 31: off by 1/n on average, with a deviation of one over the root of n."""
    network = Network(((), (0,), (1,)), (np.array(0.6), np.array([0.3, 0.8]), np.array([0.4, 0.7])), (0, 1, 2))
    f, subsets, draws = np.array([1.0, -1, -1, 1, 1, 1, -1, 1]), [(0,), (1, 2), (0, 2)], 400
    truth = np.array([Spectrum.exact(f, network)[s] for s in subsets])
    deviations = []
    for n in (100, 1600):
        found = []
        for seed in range(draws):
            rows = network.sample(n, seed)
            learned = ChainMeasure(smoothing=0).fit(rows).basis(rows)
            labels = f[(rows > 0) @ [4, 2, 1]]
            found.append([np.mean(labels * learned[:, list(s)].prod(axis=1)) for s in subsets])
        deviation = np.std(found, axis=0)
        assert (np.abs(np.mean(found, axis=0) - truth) < 3 / n + 4 * deviation / sqrt(draws)).all()
        deviations.append(deviation * sqrt(n))
    np.testing.assert_allclose(deviations[0], deviations[1], rtol=0.2)
    assert min(kstest(z, "norm").pvalue for z in ((np.array(found) - truth) / deviation).T) > 1e-3


@given(seed=seeds, k=st.integers(0, 4))
@settings(max_examples=20, deadline=None)
def test_moments_of_the_kernel(seed, k):
    """Proposition 17, and Example 3: of all subsets the mean is one over the chance of the bits that are shared."""
    rng = np.random.default_rng(seed)
    network, points = random_network(rng, 4), cube(4)
    z, every = points[rng.integers(16)], sets(4, 4)
    some = [every[i] for i in rng.permutation(16)[:8]]
    mean, variance = kernel_moments(z[None], network, some, k)
    assert (mean[0], variance[0]) == pytest.approx(naive.kernel_moments(network, z, some, k), rel=1e-8, abs=1e-8)
    shared = (points[:, network.order[:k]] == z[list(network.order[:k])]).all(axis=1)
    assert kernel_moments(z[None], network, every, k)[0][0] == pytest.approx(1 / law_of(network)[shared].sum())
    with pytest.raises(InputError, match="shared=5 must be a whole number from 0 to the number of bits, 4"):
        kernel_moments(z[None], network, some, 5)


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_the_bound_on_the_variance_at_a_point(seed):
    """Theorem 2, equation 5.11: equal to the mean square that the proof bounds the variance by."""
    rng = np.random.default_rng(seed)
    network, f = random_network(rng, 4), rng.choice([-1.0, 1.0], 16)
    z, some = cube(4)[rng.integers(16)], sets(4, 2)
    wanted = naive.mean_square_of_one_vote(f, network, z, some) / 50
    assert prediction_std(z[None], network, some, 50)[0] ** 2 == pytest.approx(wanted)


def test_predictions_of_the_direct_learners_vary_as_little_as_they_say():
    """The deviation of scores over many samples, at all points, stays below the bound and not far below."""
    network = product_network(4, [0.3, 0.5, 0.6, 0.7])
    rng = np.random.RandomState(0)
    scores, bounds = [], []
    for _ in range(60):
        bits = network.sample(300, rng)
        labels = functions.majority(bits[:, :3])
        model = DirectSpectrumClassifier(degree=1, min_count=1).fit(bits, labels)
        scores.append(model.decision_function(cube(4)))
        bounds.append(model.predict_std(cube(4)))
    ratio = np.std(scores, axis=0) / np.mean(bounds, axis=0)
    assert ratio.max() < 1.1
    assert ratio.mean() > 0.3


def test_deviations_of_predictions_take_weights_classes_and_numbers():
    X, y = make_classification(n_samples=120, n_features=4, n_informative=3, n_redundant=0, n_classes=3, random_state=0)
    model = DirectSpectrumClassifier(n_bins=2).fit(X, y)
    twice = DirectSpectrumClassifier(n_bins=2).fit(X, y, sample_weight=np.full(120, 2))
    np.testing.assert_allclose(model.predict_std(X), twice.predict_std(X))  # a table that was copied is one table
    weights = np.where(np.arange(120) < 60, 1, 3)
    heavier = DirectSpectrumClassifier(n_bins=2).fit(X, y, sample_weight=weights)
    assert heavier.predict_std(X).mean() < model.predict_std(X).mean()
    number = DirectSpectrumRegressor(n_bins=2).fit(X, y)
    np.testing.assert_allclose(number.predict_std(X), 2 * model.predict_std(X))
    assert DirectSpectrumClassifier(n_terms=0).fit(X, y).predict_std(X).max() == 0


@given(seed=seeds, n=st.integers(1, 40))
@settings(max_examples=20, deadline=None)
def test_a_function_of_small_norm_explains_any_labels(seed, n):
    """Proposition 19."""
    rng = np.random.default_rng(seed)
    bits = cube(7)[rng.permutation(128)[:n]]
    labels = rng.choice([-1, 1], n)
    memory = functions.from_rows(bits, labels)
    np.testing.assert_array_equal(memory(bits), labels)
    assert Spectrum.exact(memory, product_network(7, 0.5)).l1_norm() <= 1 + sqrt(2 * n) + 1e-9
    with pytest.raises(InputError, match="equal rows have different labels"):
        functions.from_rows(bits[[0, 0]], [-1, 1])
    with pytest.raises(InputError, match="the rows have 7 bits; found 2"):
        memory(bits[:, :2])


@given(values=st.lists(st.sampled_from([-1, 1]), min_size=8, max_size=8))
@settings(max_examples=15, deadline=None)
def test_sizes_of_normal_forms_equal_the_oracle(values):
    """Section 4.1.1.3 and Table 4.1."""
    found = normal_form_sizes(values, 3)
    true = [v > 0 for v in values]
    assert found.dnf == naive.fewest_conjunctions(true)
    assert found.cnf == naive.fewest_conjunctions([not t for t in true])
    assert found.ring_sum == naive.ring_sum_size(true)


def test_normal_forms_do_not_agree_on_what_is_simple():
    def any_of(bits):
        return np.where((bits > 0).any(axis=1), 1, -1)

    parity, some = normal_form_sizes(functions.parity(range(5)), 5), normal_form_sizes(any_of, 5)
    assert (parity.dnf, parity.cnf, parity.ring_sum) == (16, 16, 5)
    assert (some.dnf, some.cnf, some.ring_sum) == (5, 1, 31)
    with pytest.raises(InputError, match="n_bits=11 must be a whole number from 1 to 10"):
        normal_form_sizes(functions.majority, 11)
    with pytest.raises(InputError, match="a Boolean function has values -1 and"):
        normal_form_sizes([0, 1], 1)


# ---- what is asked of them wrongly -----------------------------------------------------------------------------------

LAW = product_network(3, [0.3, 0.5, 0.6])
ODD_EVEN = Spectrum.exact(lambda bits: bits[:, 0] * bits[:, 1], LAW)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ODD_EVEN.onto(3), "members=3 must be a list of numbers or names of bits"),
        (lambda: ODD_EVEN.popt(None), "members=None must be a list"),
        (lambda: ODD_EVEN.best_members(1.5), "k=1.5 must be a whole number from 0 to the number of bits, 3"),
        (lambda: ODD_EVEN.concentration(1.5), "within=1.5 must be a whole number >= 0, or a list of subsets"),
        (lambda: ODD_EVEN.concentration("x0"), "within='x0' must be a whole number >= 0, or a list of subsets"),
        (lambda: ODD_EVEN.weight_outside([0, 1]), "members=0 must be a list of numbers or names of bits"),
        (lambda: Spectrum.exact([np.nan] * 8, LAW), "the values of a function must be finite; found nan"),
        (lambda: Spectrum.exact(np.ones(8), LAW, names=["a", "a", "b"]), "two bits have the same name"),
        (
            lambda: Spectrum.exact(np.ones(6), LevelMeasure().fit([["a"], ["b"]] * 5)),
            "a law of columns with levels, for",
        ),
        (lambda: Spectrum.estimate(np.ones((0, 3)), [], LAW), "there are 0 rows of bits and 0 labels"),
        (lambda: CorrelatedExpansion.fit(cube(3)).coefficients(cube(3), [1.0]), "there are 8 rows and 1 labels"),
        (lambda: prediction_std(cube(3), LAW, [()], 0), "n_rows=0 must be a number between 0 and inf"),
        (lambda: prediction_std(cube(3), LAW, [()], 9, -1), "largest=-1 must be a number >= 0"),
        (lambda: degrees_of_freedom(cube(3)[:0], LAW, [()]), "there are no rows"),
        (lambda: normal_form_sizes([1, -1], 1.0), "n_bits=1.0 must be a whole number from 1 to 10"),
        (lambda: functions.from_rows([[1], [-1]], [1]), "2 rows need a label of -1 or .1 each; found .1."),
        (lambda: functions.from_rows([[1], [-1]], [0, 1]), "2 rows need a label of -1 or .1 each; found .0, 1."),
    ],
)
def test_odd_requests_get_one_clear_line(call, says):
    with pytest.raises(InputError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_the_least_error_of_a_function_on_its_own_bits_is_nought():
    assert ODD_EVEN.popt([0, 1]) == 0
    assert ODD_EVEN.popt([]) == pytest.approx(0.5)
