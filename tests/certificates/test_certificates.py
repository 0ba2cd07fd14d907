"""Bounds hold as often as they say, and the sharper forms are sharper."""

from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry import ESTIMATORS
from sklearn.base import clone, is_classifier

from paclearn import JuntaClassifier, JuntaRegressor
from paclearn.certificates import (
    Certificate,
    bias_sample_size,
    clopper_pearson,
    clopper_pearson_interval,
    junta_log_size,
    junta_sample_size,
    largest_parity,
    occam,
    occam_kl,
    occam_squared,
    tightest,
)
from paclearn.datasets import make_bits, make_junta
from paclearn.exceptions import InputError
from paclearn.learners.fitting import Learner


@given(n=st.integers(1, 5000), share=st.floats(0, 1), log_size=st.floats(0, 500), delta=st.floats(1e-6, 0.5))
def test_the_kl_form_is_never_worse(n, share, log_size, delta):
    errors = round(share * n)
    plain, sharp = occam(errors, n, log_size, delta), occam_kl(errors, n, log_size, delta)
    assert errors / n <= sharp.bound <= plain.bound + 1e-9
    assert 0 <= sharp.bound <= 1


def test_the_kl_form_inverts_kl():
    bound = occam_kl(100, 1000, 5.0, 0.05).bound
    q = 0.1
    kl = q * log(q / bound) + (1 - q) * log((1 - q) / (1 - bound))
    assert kl == pytest.approx((5.0 + log(20)) / 1000, rel=1e-9)
    assert occam_kl(0, 1000, 5.0, 0.05).bound == pytest.approx(1 - np.exp(-(5.0 + log(20)) / 1000), rel=1e-9)


@given(n=st.integers(1, 300), share=st.floats(0, 1), delta=st.floats(1e-4, 0.5))
def test_clopper_pearson_inverts_the_binomial_tail(n, share, delta):
    errors = round(share * n)
    bound = clopper_pearson(errors, n, delta).bound
    if errors == n:
        assert bound == 1
        return
    tail = sum(comb(n, i) * bound**i * (1 - bound) ** (n - i) for i in range(errors + 1))
    assert tail == pytest.approx(delta, rel=1e-6, abs=1e-12)


def test_two_sided_interval():
    low, high = clopper_pearson_interval(10, 100)
    assert (low, high) == (pytest.approx(0.0490, abs=1e-4), pytest.approx(0.1762, abs=1e-4))
    assert clopper_pearson_interval(0, 50)[0] == 0
    assert clopper_pearson_interval(50, 50)[1] == 1


def test_log_size_counts_subsets_and_tables():
    assert junta_log_size(5, 2, 4, 2) == pytest.approx(log(10 * 16))
    assert junta_log_size(5, 2, 6, 3) == pytest.approx(log(10) + 6 * log(3))


def test_a_certificate_is_one_sentence():
    certificate = occam_kl(100, 1000, 5.0, 0.05)
    sentence = str(certificate)
    assert sentence.startswith("With probability at least 95 %, the error on new rows is at most 1")
    assert "provided that the rows are independent draws" in sentence
    assert sentence.count(".") - sentence.count("0.") >= 1
    assert not certificate.vacuous
    vacuous = occam(450, 1000, 100.0, 0.05)
    assert vacuous.vacuous
    assert "vacuous" in str(vacuous)
    assert tightest([vacuous, certificate]) is certificate
    assert certificate.to_dict()["bound"] == certificate.bound
    with pytest.raises(AttributeError):
        certificate.bound = 0


def test_three_classes_have_another_idea_of_guessing():
    certificate = Certificate(0.6, 0.05, "Occam bound", 0.5, 100, trivial=2 / 3)
    assert not certificate.vacuous


# ---- coverage: over 300 datasets each kind fails at most as often as delta allows --------------------------------

_REPETITIONS = 300
_DELTA = 0.1


def _fails_too_often(failures):
    """More failures than delta explains, at the 0.1 % level."""
    return clopper_pearson(_REPETITIONS - failures, _REPETITIONS, 0.001).bound < 1 - _DELTA


@pytest.fixture(scope="module")
def coverage():
    """True error beside every certificate: a 2-junta among 8 biased, dependent bits, 30 % noise, few rows."""
    kinds = {}
    for seed in range(_REPETITIONS):
        data = make_junta(150, 8, 2, noise=0.3, bias=0.6, correlation=0.2, random_state=seed)
        fresh = make_bits(4_000, 8, bias=0.6, correlation=0.2, random_state=10_000 + seed)
        codes = (fresh[:, list(data.relevant)] > 0) @ np.array([2, 1])
        clean = data.truth_table[codes]
        model = JuntaClassifier(k=(1, 2), holdout=0.4, delta=_DELTA, random_state=seed).fit(data.data, data.target)
        wrong = (model.predict(fresh) != clean).mean()
        error = wrong * 0.7 + (1 - wrong) * 0.3
        for certificate in model.certificates_:
            kinds.setdefault(certificate.kind, []).append(error > certificate.bound)
        kinds.setdefault("chosen", []).append(error > model.certificate_.bound)
    return {kind: sum(failed) for kind, failed in kinds.items()}


def test_classification_certificates_cover(coverage):
    assert set(coverage) >= {"Occam bound", "Occam bound (kl form)", "chosen"}
    for kind, failures in coverage.items():
        assert not _fails_too_often(failures), (kind, failures)
        assert failures <= _DELTA * _REPETITIONS, (kind, failures)


def test_a_lone_held_out_bound_covers_and_is_not_loose():
    """The exact bound, at its own delta, fails about as often as it may: the test above could fail, too."""
    rng = np.random.default_rng(0)
    error = 0.2
    bounds = [clopper_pearson(int(e), 200, _DELTA).bound for e in rng.binomial(200, error, 3000)]
    failures = np.mean(np.array(bounds) < error)
    assert 0.5 * _DELTA < failures <= _DELTA + 3 * np.sqrt(_DELTA / 3000)


def test_regression_certificates_cover():
    failures = {}
    for seed in range(_REPETITIONS):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (120, 5))
        y = np.clip(X[:, 0] * 0.2 + 0.2 + rng.normal(0, 0.15, 120), 0, 1)
        model = JuntaRegressor(k=1, holdout=0.4, target_range=(0, 1), delta=_DELTA, random_state=seed).fit(X, y)
        fresh = rng.integers(0, 3, (4_000, 5))
        truth = np.clip(fresh[:, 0] * 0.2 + 0.2 + rng.normal(0, 0.15, 4_000), 0, 1)
        error = np.mean((model.predict(fresh) - truth) ** 2)
        for certificate in model.certificates_:
            failures[certificate.kind] = failures.get(certificate.kind, 0) + (error > certificate.bound)
    assert len(failures) == 2
    assert all(count <= _DELTA * _REPETITIONS for count in failures.values()), failures


def test_the_squared_bound_shrinks_with_rows():
    bounds = [occam_squared(0.01, n, 10, 2, 9, 1.0, 0.05, 0.25).bound for n in (10**3, 10**5, 10**7)]
    assert bounds[0] > bounds[1] > bounds[2] > 0.01
    assert bounds[2] < 0.02


# ---- the paper's sample size -----------------------------------------------------------------------------------------


def test_sample_size_satisfies_both_lemmas():
    epsilon, delta, d, k, c_k = 0.1, 0.05, 30, 2, 1.5
    n = junta_sample_size(epsilon, delta, d, k, c_k)

    def excess(n):
        """Smallest eps_1 + U(eps_2) that both lemmas allow for n rows, with delta halved."""
        eps_1 = np.sqrt(72 * 4**k * c_k**2 * log(2 * comb(d, k) / (delta / 2)) / n) + 2 ** (k / 2) / np.sqrt(n - 1)
        eps_2 = np.sqrt(8 * 2**k * c_k * log(2 * k * d**k / (delta / 2)) / n)
        return eps_1 + eps_2**3 + 1.5 * eps_2**2 + 1.25 * eps_2

    assert excess(n) <= epsilon * (1 + 1e-9)
    assert excess(int(0.999 * n)) > epsilon


def test_sample_size_grows_as_it_should():
    base = junta_sample_size(0.1, 0.05, 20, 2)
    assert junta_sample_size(0.05, 0.05, 20, 2) == pytest.approx(4 * base, rel=0.1)
    assert junta_sample_size(0.1, 0.05, 20, 3) > 3.5 * base
    assert junta_sample_size(0.1, 0.05, 2000, 2) < 2.5 * base
    assert junta_sample_size(0.1, 0.05, 20, 2, c_k=largest_parity([0.5], 2)) > base


def test_largest_parity():
    assert largest_parity([0.0, 0.0], 3) == 1
    assert largest_parity([0.0, -0.6], 2) == pytest.approx((1.6 / 0.8) ** 4)


@pytest.mark.parametrize("bad", [{"epsilon": 0}, {"delta": 1}, {"k": 0}, {"k": 31}])
def test_sample_size_checks_its_arguments(bad):
    with pytest.raises(InputError):
        junta_sample_size(**{"epsilon": 0.1, "delta": 0.1, "n_bits": 30, "k": 2, **bad})


def test_logarithms_of_tails_go_on_where_probabilities_end():
    from scipy import stats

    from paclearn.certificates.tails import log_f_tail, log_gamma_tail

    x = np.array([0.5, 30.0, 300.0])
    np.testing.assert_allclose(log_gamma_tail(x, 2.5), stats.gamma.logsf(x, 2.5))
    np.testing.assert_allclose(log_f_tail(x, 3, 40.0), stats.f.logsf(x, 3, 40.0))
    far = log_gamma_tail(np.array([700.0, 800.0, 5000.0, 50_000.0]), 0.5)
    assert np.isfinite(far).all()
    # a Gamma of shape one half is half a squared normal variable
    np.testing.assert_allclose(
        far, np.log(2) + stats.norm.logsf(np.sqrt(2 * np.array([700.0, 800, 5000, 50_000]))), rtol=1e-3
    )
    assert (np.diff(log_f_tail(np.array([10.0, 1e3, 1e5, 1e7]), 2, 1000.0)) < 0).all()


def test_means_are_accurate_from_so_many_rows():
    """Lemma 8, for biased bits: means, and deviations that are estimated from them."""
    epsilon, delta, d = 0.1, 0.1, 10
    n = bias_sample_size(epsilon, delta, d)
    assert n == np.ceil(8 / epsilon**2 * np.log(2 * d / delta))
    rng = np.random.default_rng(0)
    mu = rng.uniform(-0.6, 0.6, d)  # a variance of 0.64 or more, so that epsilon is at most a sixth of it
    found = 2 * rng.binomial(n, (1 + mu) / 2, (2000, d)) / n - 1
    sigma, estimate = np.sqrt(1 - mu**2), np.sqrt(1 - found**2)
    off = (np.abs(found - mu) > epsilon) | (np.abs(sigma / estimate - 1) > 2 * epsilon / sigma**2)
    assert off.any(axis=1).mean() <= delta
    with pytest.raises(InputError, match="epsilon=0 must be a number between 0 and 1"):
        bias_sample_size(0, 0.1, 3)
    with pytest.raises(InputError, match="n_bits=1.5 must be a whole number >= 1"):
        bias_sample_size(0.1, 0.1, 1.5)


def test_sample_sizes_of_the_universal_learning_paper_refuse_what_is_none():
    with pytest.raises(InputError, match="c_k=-1 must be a number >= 1"):
        junta_sample_size(0.1, 0.1, 8, 2, c_k=-1)
    with pytest.raises(InputError, match="k=9 must be a whole number from 1 to 8"):
        junta_sample_size(0.1, 0.1, 8, 9)
    with pytest.raises(InputError, match="no means were given"):
        largest_parity([], 2)
    few, many = (junta_sample_size(epsilon, 0.1, 8, 2) for epsilon in (1e-3, 1e-7))
    assert many / few == pytest.approx(1e8, rel=0.05)


@pytest.mark.parametrize("holdout", [None, 0.3])
@pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if "holdout" in e.get_params()], ids=lambda e: type(e).__name__
)
def test_all_bounds_together_fail_with_delta_at_most(estimator, holdout, monkeypatch):
    """Two forms of one bound fail together; a bound from the rows of the fit and one from rows held out need not."""
    given = []
    monkeypatch.setattr(Learner, "_keep_certified", lambda _, model, some, rows=None: given.append((model, some, rows)))
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 4))
    y = (X[:, 0] > 0) ^ (rng.random(200) < 0.1) if is_classifier(estimator) else X[:, 0] + rng.normal(size=200)
    learner = clone(estimator).set_params(holdout=holdout, delta=0.2)
    learner._examine = lambda _: None
    learner.fit(X, y)
    ((_, bounds, _),) = given
    shares = {}
    for bound in bounds:
        source = "held out" if "held-out" in bound.kind else "fit"
        shares[source] = max(shares.get(source, 0), bound.delta)
    assert sum(shares.values()) <= 0.2 + 1e-12
    assert holdout is None or not shares or "held out" in shares
