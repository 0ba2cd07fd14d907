"""Laws of measures and spectra, and the closed forms of the thesis."""

from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import cube, product_network, random_network, symmetric_chain
from sklearn.base import clone

from paclearn.exceptions import InputError
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
    mutual_information,
)
from paclearn.spectra import Spectrum, functions, inverse_transform, transform

MEASURES = [
    UniformMeasure(),
    ProductMeasure(),
    ChainMeasure(),
    TreeMeasure(level=1),
    GraphMeasure([(2, 0), (2, 1)]),
    GridMeasure(width=2),
    GroupMeasure([0, 1, 0, 1]),
]


# ---- measures --------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), d=st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_the_basis_is_orthonormal_under_its_measure(seed, d):
    network = random_network(np.random.default_rng(seed), d)
    points = cube(d)
    p = np.exp(network.log_prob(points))
    assert p.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(p, network.probabilities().ravel(), atol=1e-14)
    single = network.basis(points)
    subsets = [s for k in range(d + 1) for s in combinations(range(d), k)]
    phi = np.stack([single[:, list(s)].prod(axis=1) for s in subsets])
    np.testing.assert_allclose((phi * p) @ phi.T, np.eye(len(subsets)), atol=1e-10)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_laws_of_every_measure(measure, seed):
    """Orthonormality, Parseval, mean, the transform and its inverse, whatever was learned from whatever rows."""
    rng = np.random.default_rng(seed)
    bits = random_network(rng, 4).sample(int(rng.integers(3, 200)), random_state=seed)
    network = measure.fit(bits).network_
    points, f = cube(4), rng.normal(size=16)
    p, single = network.probabilities().ravel(), network.basis(points)
    phi = np.stack([single[:, list(s)].prod(axis=1) for k in range(5) for s in combinations(range(4), k)])
    np.testing.assert_allclose((phi * p) @ phi.T, np.eye(16), atol=1e-12)
    found = Spectrum.exact(f, network)
    assert found.weight_by_degree().sum() == pytest.approx(p @ f**2, abs=1e-12)
    assert found[()] == pytest.approx(p @ f, abs=1e-12)
    np.testing.assert_allclose(inverse_transform(transform(f, network), network).ravel(), f, atol=1e-12)


@pytest.mark.parametrize("measure", [UniformMeasure(), ChainMeasure()], ids=lambda m: type(m).__name__)
def test_the_transform_of_ten_bits_equals_the_sum(measure):
    rng = np.random.default_rng(0)
    network, f = measure.fit(rng.choice([-1, 1], (300, 10))).network_, rng.normal(size=1024)
    expected = naive.spectrum(f, cube(10), np.exp(network.log_prob(cube(10))), network.basis(cube(10)))
    np.testing.assert_allclose(transform(f, network).ravel(), expected, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)
def test_fitted_measures_sample_what_they_describe(measure):
    rng = np.random.default_rng(0)
    bits = np.where(rng.random((4000, 4)) < [0.2, 0.5, 0.7, 0.4], 1, -1)
    bits[:, 3] = np.where(rng.random(4000) < 0.9, bits[:, 0], bits[:, 3])
    fitted = measure.fit(bits)
    drawn = fitted.sample(20_000, random_state=0)
    points = cube(4)
    p = np.exp(fitted.log_prob(points))
    frequency = [(drawn == point).all(axis=1).mean() for point in points]
    np.testing.assert_allclose(frequency, p, atol=0.015)
    assert fitted.basis(bits).shape == bits.shape
    assert ((fitted.conditional(bits) > 0) & (fitted.conditional(bits) < 1)).all()


def test_a_product_measure_standardises():
    bits = np.where(np.random.default_rng(0).random((500, 3)) < 0.3, 1, -1)
    measure = ProductMeasure(smoothing=0).fit(bits)
    np.testing.assert_allclose(measure.basis(bits), (bits - bits.mean(axis=0)) / bits.std(axis=0), atol=1e-12)
    np.testing.assert_array_equal(UniformMeasure().fit(bits).basis(bits), bits)


def test_a_planted_tree_is_found_and_independent_bits_have_none():
    rng = np.random.default_rng(1)
    d = 30
    parent = [rng.integers(0, i) if i else None for i in range(d)]
    bits = np.empty((5000, d), dtype=int)
    for i in range(d):
        fresh = rng.choice([-1, 1], 5000)
        bits[:, i] = fresh if parent[i] is None else np.where(rng.random(5000) < 0.7, bits[:, parent[i]], fresh)
    found = TreeMeasure().fit(bits).network_
    assert {frozenset(e) for e in found.edges} == {
        frozenset((i, int(p))) for i, p in enumerate(parent) if p is not None
    }
    assert TreeMeasure().fit(rng.choice([-1, 1], (2000, 40))).network_.edges == []


@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_mutual_information_equals_the_oracle(seed):
    bits = (np.random.default_rng(seed).random((60, 4)) < [0.1, 0.5, 0.8, 0.5]).astype(np.intp)
    np.testing.assert_allclose(mutual_information(bits), naive.mutual_information(bits), atol=1e-6)


def test_measures_refuse_what_has_no_basis():
    with pytest.raises(InputError, match="bit 'x1' takes one value only"):
        ProductMeasure(smoothing=0).fit([[1, 1], [-1, 1]])
    assert ProductMeasure().fit([[1, 1], [-1, 1]]).network_.d == 2
    with pytest.raises(InputError, match="the graph has a cycle"):
        GraphMeasure([(0, 1), (1, 0)]).fit([[1, 1], [-1, 1]])
    with pytest.raises(InputError, match="an edge names 5, which is no column; the columns are 0 to 1, or x0, x1"):
        GraphMeasure([(0, 5)]).fit([[1, 1], [-1, 1]])
    with pytest.raises(InputError, match="smoothing=-1 must be"):
        ProductMeasure(smoothing=-1).fit([[1, 1], [-1, 1]])
    with pytest.raises(InputError, match="a table with rows and columns"):
        ProductMeasure().fit([1, -1])
    with pytest.raises(InputError, match="has a probability of 0 or 1"):
        product_network(2, 1.0)


def test_grids_and_groups():
    bits = np.random.default_rng(0).choice([-1, 1], (50, 6))
    assert GridMeasure(width=3).fit(bits).network_.parents == ((), (0,), (1,), (0,), (1, 3), (2, 4))
    assert GroupMeasure(list("abaabb")).fit(bits).network_.parents == ((), (), (0,), (2,), (1,), (4,))
    with pytest.raises(InputError, match="width=4 must divide the number of columns, which is 6"):
        GridMeasure(width=4).fit(bits)
    with pytest.raises(InputError, match="groups has 2 entries for 6 columns"):
        GroupMeasure([0, 1]).fit(bits)


@pytest.mark.parametrize("measure", [ProductMeasure(), ChainMeasure(), TreeMeasure(), GridMeasure(3), UniformMeasure()])
def test_a_row_of_weight_three_is_three_rows(measure):
    rng = np.random.default_rng(0)
    bits, weights = symmetric_chain(6, 0.3).sample(60, random_state=0), rng.integers(0, 4, 60)
    y = rng.normal(size=(60, 2))
    rows = np.repeat(np.arange(60), weights)
    weighted, repeated = clone(measure).fit(bits, None, weights), clone(measure).fit(bits[rows])
    assert [a.tolist() for a in weighted.counts_] == [a.tolist() for a in repeated.counts_]
    np.testing.assert_allclose(weighted.basis(bits), repeated.basis(bits))
    for asked in ({"degree": 3}, {"degree": 1}, {"subsets": [(), (0, 3), (1, 2, 4, 5)]}):
        for target in (y, np.sign(y[:, :1])):
            found = Spectrum.estimate(bits, target, weighted, sample_weight=weights, **asked)
            expected = Spectrum.estimate(bits[rows], target[rows], repeated, **asked)
            np.testing.assert_allclose(found.values, expected.values, atol=1e-12)
            np.testing.assert_allclose(found.se, expected.se, atol=1e-12)


def test_weights_that_are_no_counts_are_relative():
    bits, y = symmetric_chain(6, 0.3).sample(60, random_state=0), np.arange(60.0)
    weights = np.random.default_rng(0).random(60)
    measures = [ChainMeasure(smoothing=s).fit(bits, None, s * weights) for s in (1, 10)]
    np.testing.assert_allclose(measures[0].basis(bits), measures[1].basis(bits))
    found = [Spectrum.estimate(bits, y, measures[0], sample_weight=w) for w in (weights, 10 * weights, None)]
    np.testing.assert_allclose(found[0].se, found[1].se)
    assert found[0][()] == pytest.approx(np.average(y, weights=weights))
    assert found[0].se[0] > found[2].se[0]  # rows that count unevenly say less
    for wrong in (np.zeros(60), -weights, weights[:3]):
        with pytest.raises(ValueError):
            TreeMeasure().fit(bits, None, wrong)
        with pytest.raises(ValueError):
            Spectrum.estimate(bits, y, measures[0], sample_weight=wrong)


def test_the_best_measure_takes_weights():
    chain = symmetric_chain(12, 0.2).sample(400, random_state=0)
    noise = np.random.default_rng(0).choice([-1, 1], (400, 12))
    bits = np.concatenate([chain, noise])
    only = [best_measure(bits, sample_weight=w, random_state=0) for w in (np.arange(800) < 400, np.arange(800) >= 400)]
    assert [type(m).__name__ for m in only] == ["ChainMeasure", "UniformMeasure"]
    assert [c.tolist() for c in only[0].counts_] == [c.tolist() for c in ChainMeasure().fit(chain).counts_]
    with pytest.raises(InputError, match="1 row\\(s\\) are too few"):
        best_measure(bits, sample_weight=np.arange(800) < 1)


def test_the_best_measure_depends_on_the_number_of_rows():
    chain = symmetric_chain(12, 0.2)
    many = best_measure(chain.sample(3000, random_state=0), random_state=0)
    assert type(many).__name__ in {"ChainMeasure", "TreeMeasure"}
    assert [name for name, _ in many.validation_] == [
        "UniformMeasure()",
        "ProductMeasure()",
        "ChainMeasure()",
        "TreeMeasure()",
    ]
    uniform = np.random.default_rng(0).choice([-1, 1], (30, 12))
    assert type(best_measure(uniform, random_state=0)).__name__ == "UniformMeasure"
    with pytest.raises(InputError, match="too few to keep"):
        best_measure(uniform[:1])


# ---- spectra ---------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), d=st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_the_transform_equals_the_sum_and_has_an_inverse(seed, d):
    rng = np.random.default_rng(seed)
    network, f = random_network(rng, d), rng.normal(size=2**d)
    spectrum = transform(f, network)
    expected = naive.spectrum(f, cube(d), np.exp(network.log_prob(cube(d))), network.basis(cube(d)))
    np.testing.assert_allclose(spectrum.ravel(), expected, atol=1e-12)
    np.testing.assert_allclose(inverse_transform(spectrum, network).ravel(), f, atol=1e-10)


@given(seed=st.integers(0, 10**6), d=st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_parseval_plancherel_mean_and_variance(seed, d):
    rng = np.random.default_rng(seed)
    network = random_network(rng, d)
    f, g = rng.normal(size=(2, 2**d))
    p = network.probabilities().ravel()
    a, b = (Spectrum.exact(h, network) for h in (f, g))
    assert (a.values * b.values).sum() == pytest.approx((p * f * g).sum(), abs=1e-10)
    assert a.weight_by_degree().sum() == pytest.approx((p * f * f).sum(), abs=1e-10)
    assert a[()] == pytest.approx((p * f).sum(), abs=1e-12)
    assert a.weight_by_degree()[1:].sum() == pytest.approx((p * f * f).sum() - (p * f).sum() ** 2, abs=1e-10)
    np.testing.assert_allclose(a.predict(cube(d)), f, atol=1e-8)
    assert a.influences().sum() == pytest.approx(a.weighted_cardinality(), abs=1e-10)
    assert a.concentration(d) == pytest.approx(1)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.8])
def test_majority_of_three_under_a_product_measure(p):
    found = Spectrum.exact(functions.majority, product_network(3, 1 - p))
    assert found[()] == pytest.approx(1 - 6 * p**2 + 4 * p**3, abs=1e-12)
    for i in range(3):
        assert found[(i,)] == pytest.approx(4 * (p * (1 - p)) ** 1.5, abs=1e-12)
    for pair in combinations(range(3), 2):
        assert found[pair] == pytest.approx(2 * p * (1 - p) * (2 * p - 1), abs=1e-12)
    assert found[(0, 1, 2)] == pytest.approx(-4 * (p * (1 - p)) ** 1.5, abs=1e-12)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.8])
def test_majority_of_three_on_the_symmetric_chain(p):
    found = Spectrum.exact(functions.majority, symmetric_chain(3, p))
    singles = [1 - 2 * p + 2 * p**2, 2 * p**0.5 * (1 - p) ** 1.5, 2 * p**1.5 * (1 - p) ** 0.5]
    # the spec lists the bits in order; the first coefficient is that of the first bit
    for i, value in enumerate(singles):
        assert found[(i,)] == pytest.approx(value, abs=1e-12)
    for pair in combinations(range(3), 2):
        assert found[pair] == pytest.approx(0, abs=1e-12)
    assert found[(0, 1, 2)] == pytest.approx(-2 * p * (1 - p), abs=1e-12)


@pytest.mark.parametrize("kind", ["sequential", "structured"])
@pytest.mark.parametrize("seed", range(3))
def test_noise_stability_equals_its_definition(kind, seed):
    rng = np.random.default_rng(seed)
    network, f = random_network(rng, 4), rng.normal(size=16)
    found = Spectrum.exact(f, network).noise_stability(0.6, kind=kind)
    assert found == pytest.approx(naive.noise_stability(f, network, 0.6, kind), abs=1e-10)


def test_noise_stability_of_parities_under_the_uniform_measure():
    found = Spectrum.exact(functions.parity([0, 2]), UniformMeasure().fit(cube(3)))
    assert found.noise_stability(0.5) == pytest.approx(0.25)
    with pytest.raises(InputError, match="kind='loud' is not known"):
        found.noise_stability(0.5, kind="loud")


def test_estimated_coefficients_come_with_their_errors():
    rng = np.random.default_rng(0)
    network = random_network(rng, 5)
    exact = Spectrum.exact(functions.tribes(5), network)
    bits = network.sample(4000, random_state=0)
    found = Spectrum.estimate(bits, functions.tribes(5)(bits), network, degree=2, names=list("abcde"))
    z = np.array([(found[s] - exact[s]) / e for s, e in zip(found.subsets, found.se[:, 0], strict=True) if e > 1e-9])
    assert np.abs(z).max() < 4.5
    assert len(found.subsets) == 1 + 5 + 10
    frame = found.top(3).to_frame()
    assert len(frame) == 3
    assert frame["value"].abs().is_monotonic_decreasing
    multi = Spectrum.estimate(bits, np.column_stack([bits[:, 0], bits[:, 1]]), network, subsets=[(0,), (1,)])
    assert multi.values.shape == (2, 2)


@given(seed=st.integers(0, 1000), degree=st.integers(0, 4), signs=st.booleans(), independent=st.booleans())
@settings(max_examples=50, deadline=None)
def test_matrix_products_equal_the_sums(seed, degree, signs, independent):
    rng = np.random.default_rng(seed)
    network = product_network(5, list(rng.uniform(0.1, 0.9, 5))) if independent else random_network(rng, 5)
    bits = network.sample(50, random_state=seed)
    y = rng.choice([-1.0, 1.0], (50, 2)) if signs else rng.normal(size=(50, 2))
    found = Spectrum.estimate(bits, y, network, degree=degree)
    listed = Spectrum.estimate(bits, y, network, subsets=found.subsets)
    assert found.subsets == tuple(s for k in range(degree + 1) for s in combinations(range(5), k))
    np.testing.assert_allclose(found.values, listed.values, atol=1e-12)
    np.testing.assert_allclose(found.se, listed.se, atol=1e-12)


def test_unbiased_labels_have_the_variance_of_the_thesis():
    """For labels -1 and +1 under the uniform measure it is (1 - f^2) / n."""
    bits = np.random.default_rng(1).choice([-1, 1], (500, 3))
    found = Spectrum.estimate(bits, functions.majority(bits), UniformMeasure().fit(bits), degree=1)
    np.testing.assert_allclose(found.se, np.sqrt((1 - found.values**2) / 500), rtol=1e-9)


def test_functions():
    points = cube(3)
    assert functions.dictator(1)(points).tolist() == points[:, 1].tolist()
    assert functions.majority(points).sum() == 0
    assert functions.threshold([1, 1, 1], 2.5)(points).tolist() == [-1] + [1] * 7
    assert functions.address(1)(points).tolist() == [p[1] if p[0] < 0 else p[2] for p in points.tolist()]
    assert (functions.tribes(3)(points) > 0).sum() == 1


def test_functions_from_text_and_tables():
    points = cube(3)
    found = functions.dnf("a & !b | not c and a | ~~b & c", names=["a", "b", "c"])(points)
    expected = [1 if (a > 0 > b) or (c < 0 < a) or (b > 0 and c > 0) else -1 for a, b, c in points]
    assert found.tolist() == expected
    assert functions.from_table(found)(points).tolist() == expected
    with pytest.raises(InputError, match="'d' in 'a & d' is no bit; the bits are a, b, c"):
        functions.dnf("a & d", names=["a", "b", "c"])
    with pytest.raises(InputError, match="2, 4, 8"):
        functions.from_table([1, 2, 3])
    with pytest.raises(InputError, match="takes 3 bits; found 2"):
        functions.from_table(found)(points[:, :2])


def test_the_algebra_of_spectra():
    rng = np.random.default_rng(0)
    network = random_network(rng, 4)
    f, g = rng.normal(size=(2, 16))
    a, b = Spectrum.exact(f, network), Spectrum.exact(g, network)
    np.testing.assert_allclose((a + 2 * b).predict(cube(4)), f + 2 * g, atol=1e-10)
    np.testing.assert_allclose((a - b).predict(cube(4)), f - g, atol=1e-10)
    low = a.up_to(1)
    assert {len(s) for s in low.subsets} == {0, 1}
    np.testing.assert_allclose((low + (a - low)).predict(cube(4)), f, atol=1e-10)
    assert len(a.above(0.1).subsets) == (np.abs(a.values) > 0.1).sum()
    assert repr(a).startswith("<Spectrum: 16 subsets of 4 bits")
    with pytest.raises(InputError, match="under one measure"):
        a + Spectrum.exact(g, product_network(4, 0.5))
    with pytest.raises(InputError, match="the measure has 3 bits, the spectrum 4"):
        a.under(product_network(3, 0.5))


def test_a_junta_on_a_long_chain_is_exact():
    chain = symmetric_chain(9, 0.2)
    found = Spectrum.exact(functions.parity([0, 1]), chain, members=[2, 5])
    whole = Spectrum.exact(functions.parity([2, 5]), chain)
    for subset in whole.subsets:
        assert whole[subset] == pytest.approx(found[subset] if subset in found.subsets else 0.0, abs=1e-12)
    swapped = Spectrum.exact([0, 1, 2, 3], product_network(9, 0.5), members=[5, 2])
    assert swapped[(5,)] == pytest.approx(1.0)
    assert swapped[(2,)] == pytest.approx(0.5)


def test_measures_describe_and_draw_themselves():
    import pandas as pd

    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    rng = np.random.default_rng(0)
    rain = rng.random(2000) < 0.3
    wet = np.where(rng.random(2000) < 0.95, rain, ~rain)
    frame = pd.DataFrame({"rain": rain, "wet": wet, "monday": rng.random(2000) < 0.5})
    measure = TreeMeasure().fit(frame)
    assert measure.describe().splitlines()[0] == "A tree measure of 3 bits, 1 dependence; 2 depend on no other bit."
    assert "wet depends on rain: +1 with probability 0.0" in measure.describe()
    np.testing.assert_allclose(measure.marginal([1]), [1 - wet.mean(), wet.mean()], atol=1e-3)
    display = measure.plot()
    assert {t.get_text() for t in display.ax_.texts} >= {"rain", "wet"}
    assert display.ax_.get_title(loc="left") == "without dependences: monday"
    plt.close(display.figure_)
    with pytest.raises(InputError, match="different measures"):
        measure.merge(ProductMeasure().fit(frame))
    with pytest.raises(InputError, match="different measures"):
        measure.merge(TreeMeasure().fit(frame[["rain", "wet"]]))
    with pytest.raises(InputError, match="NaN in row 0, column 1"):
        ProductMeasure().fit([[1.0, np.nan]])
    with pytest.raises(InputError, match="must be numbers or booleans"):
        ProductMeasure().fit([["a", "b"]])


def test_rows_of_other_bits_are_refused():
    import pandas as pd

    frame = pd.DataFrame(np.random.default_rng(0).choice([-1, 1], (50, 3)), columns=list("abc"))
    measure = ProductMeasure().fit(frame)
    spectrum = Spectrum.estimate(frame, frame["a"], measure)
    assert spectrum.names == ("a", "b", "c")
    assert spectrum[("a",)] == spectrum[(0,)]
    for call in (measure.log_prob, measure.basis, measure.partial_fit, spectrum.predict):
        with pytest.raises(InputError, match="the measure has 3 bits; the table has 1 columns"):
            call(frame[["a"]].to_numpy())
    with pytest.raises(InputError, match="fitted to"):
        measure.log_prob(frame[["c", "b", "a"]])
    with pytest.raises(InputError, match="a subset lists different bits from 0 to 2"):
        Spectrum.estimate(frame, frame["a"], measure, subsets=[(0, 0)])
    with pytest.raises(InputError, match="listed twice"):
        Spectrum.estimate(frame, frame["a"], measure, subsets=[(0, 1), (1, 0)])
    with pytest.raises(InputError, match="degree=-1"):
        Spectrum.estimate(frame, frame["a"], measure, degree=-1)
    with pytest.raises(InputError, match="labels must not be missing"):
        Spectrum.estimate(frame, [np.nan] * 50, measure)
    with pytest.raises(InputError, match="a cube of 40 bits"):
        Spectrum.exact(functions.majority, product_network(40, 0.5))
    with pytest.raises(InputError, match="same name"):
        ProductMeasure().fit(frame.set_axis(["a", "a", "b"], axis=1))


def test_a_network_checks_its_graph():
    half = np.array(0.5)
    with pytest.raises(InputError, match="stand before it in order"):
        Network(((), (0,)), (half, np.array([0.2, 0.8])), (1, 0))
    with pytest.raises(InputError, match="as many tables"):
        Network(((), ()), (half,), (0, 1))


def test_classes_are_targets():
    bits = np.random.default_rng(0).choice([-1, 1], (300, 3))
    labels = np.where(bits[:, 0] > 0, "yes", "no")
    two = Spectrum.estimate(bits, labels, UniformMeasure().fit(bits))
    assert two.classes == ("no", "yes")
    assert (two.classify(bits) == labels).all()
    three = np.where(bits[:, 0] > 0, "a", np.where(bits[:, 1] > 0, "b", "c"))
    assert (Spectrum.estimate(bits, three, UniformMeasure().fit(bits)).classify(bits) == three).all()
    assert (Spectrum.estimate(bits, bits[:, 0], UniformMeasure().fit(bits)).classify(bits) == bits[:, 0]).all()


def test_spectra_say_what_is_wrong():
    network = product_network(3, 0.5)
    with pytest.raises(InputError, match="a function of 3 bits has 8 values; found 5"):
        transform(np.ones(5), network)
    with pytest.raises(InputError, match="the measure has not been fitted"):
        Spectrum.exact(functions.majority, ProductMeasure())
    with pytest.raises(InputError, match="2 names were given for 3 bits"):
        Spectrum.exact(functions.majority, network, names=["a", "b"])
    with pytest.raises(InputError, match="choose a smaller degree"):
        Spectrum.estimate(np.ones((2, 3000)), [1, 1], product_network(3000, 0.5), degree=2)


@pytest.mark.parametrize("kind", ["stems", "degrees", "influences"])
def test_pictures(kind):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    bits = np.random.default_rng(0).choice([-1, 1], (300, 4))
    found = Spectrum.estimate(bits, bits[:, 0] * bits[:, 2], UniformMeasure().fit(bits), names=["a", "b", "c", "d"])
    display = found.plot(kind, most=5)
    labels = [t.get_text() for t in display.ax_.get_xticklabels()]
    assert labels[0] == {"stems": "a × c", "degrees": "0", "influences": "a"}[kind]
    plt.close(display.figure_)
