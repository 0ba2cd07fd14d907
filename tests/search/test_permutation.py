"""The permutation test: small p-values for what is there, uniform ones for nothing."""

import numpy as np
import pytest

from paclearn import JuntaClassifier
from paclearn.datasets import make_bits, make_parity
from paclearn.search import PermutationTest, permutation_test


def test_a_parity_is_something_and_noise_is_nothing():
    data = make_parity(500, 12, 3, noise=0.2, random_state=0)
    model = JuntaClassifier(k=3).fit(data.data, data.target)
    test = model.permutation_test(data.data, data.target, n_permutations=99, random_state=0)
    assert test.p_value == pytest.approx(0.01)
    assert test.observed == pytest.approx(model.score_)
    assert "p = 0.01" in str(test)
    noise = np.random.default_rng(0).integers(0, 2, 500)
    assert model.permutation_test(data.data, noise, n_permutations=99, random_state=0).p_value > 0.01


def test_p_values_of_noise_are_uniform():
    """Over 100 tables without signal, as many p-values below 0.1 as that promises, and not far fewer."""
    p_values = []
    for seed in range(100):
        bits = make_bits(60, 5, bias=0.6, correlation=0.3, random_state=seed)
        y = np.random.default_rng(seed).integers(0, 2, 60)
        codes = [(column > 0).astype(np.uint8) for column in bits.T]
        p_values.append(permutation_test(codes, [2] * 5, y, 2, n_permutations=39, random_state=seed).p_value)
    assert 2 <= (np.array(p_values) <= 0.1).sum() <= 20


def test_every_shuffle_is_the_search_itself():
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, 3, 80).astype(np.uint8) for _ in range(5)]
    y = rng.integers(0, 2, 80)
    test = permutation_test(codes, [3] * 5, y, 2, n_permutations=5, random_state=3)
    shuffles = np.random.RandomState(3)
    X = np.array(codes).T.astype(str).astype(object)
    for score in test.shuffled:
        model = JuntaClassifier(k=2, min_count=0).fit(X, shuffles.permutation(y))
        assert score == pytest.approx(model.score_, abs=1e-12)


def test_levels_never_seen_have_a_code_of_their_own():
    train = np.array([["a"], ["b"], ["c"]] * 20, dtype=object)
    model = JuntaClassifier(k=1).fit(train, [0, 1, 1] * 20)
    new = np.array([["a"], ["b"], ["new"]] * 20, dtype=object)
    assert model.permutation_test(new, [0, 1, 1] * 20, n_permutations=19, random_state=0).p_value == 0.05


def test_the_share_counts_the_observed_itself():
    assert PermutationTest(1.0, np.zeros(99)).p_value == 0.01
    assert PermutationTest(0.0, np.zeros(99)).p_value == 1
