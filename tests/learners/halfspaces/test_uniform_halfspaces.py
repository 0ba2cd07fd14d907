"""Halfspaces under the uniform law of a sphere: Lemmas 1, 6 and 7 and Corollary 1 beside plain numerics."""

from math import factorial

import numpy as np
import pytest
from numpy.polynomial import hermite, polynomial
from scipy.integrate import quad

from paclearn.datasets import make_halfspace
from paclearn.exceptions import InputError
from paclearn.halfspaces import (
    hermite_coefficients,
    hermite_error,
    hermite_polynomial,
    sample_size,
    series_B,
    sphere_error,
    sphere_polynomial,
    uniform_B,
    uniform_sample_size,
)


def gaussian(function):
    """The mean under ``exp(-x^2) / sqrt(pi)``, of a function of both signs of x."""
    return quad(lambda x: (function(x) + function(-x)) * np.exp(-(x**2)) / np.sqrt(np.pi), 0, 9)[0]


@pytest.mark.parametrize("degree", [0, 1, 3, 6, 11])
def test_lemma_6_is_the_hermite_series_of_the_sign(degree):
    norms = np.array([np.sqrt(2.0**i * factorial(i)) for i in range(degree + 1)])
    basis = np.eye(degree + 1) / norms[:, None]
    expected = [gaussian(lambda x, h=h: np.sign(x) * hermite.hermval(x, h)) for h in basis]
    np.testing.assert_allclose(hermite_coefficients(degree), expected, atol=1e-9)
    powers = hermite_polynomial(degree)
    np.testing.assert_allclose(
        powers,
        sum(
            c * np.pad(hermite.herm2poly(h), (0, degree - i))
            for i, (c, h) in enumerate(zip(expected, basis, strict=True))
        ),
        atol=1e-7,
    )
    distance = gaussian(lambda x: (polynomial.polyval(x, powers) - np.sign(x)) ** 2)
    assert hermite_error(degree) == pytest.approx(distance, abs=1e-7)


def test_lemma_6_has_its_rates():
    degrees = np.array([1, 3, 9, 31, 101, 301, 999])
    errors = np.array([hermite_error(d) for d in degrees]) * np.sqrt(degrees)
    assert errors.max() <= 0.51  # O(1 / sqrt d)
    assert abs(errors[-1] / errors[-2] - 1) < 0.01
    for d in (1, 9, 31, 101):
        assert np.abs(hermite_polynomial(d) / 2.0 ** ((np.arange(d + 1) + d) / 2)).max() <= 1


@pytest.mark.parametrize(("degree", "n_columns"), [(1, 4), (3, 10), (9, 10), (15, 40)])
def test_lemma_7_on_the_sphere(degree, n_columns):
    rows = np.random.default_rng(0).normal(size=(200_000, n_columns))
    across = rows[:, 0] / np.linalg.norm(rows, axis=1)
    squares = (polynomial.polyval(across, sphere_polynomial(degree, n_columns)) - (across > 0)) ** 2
    assert sphere_error(degree, n_columns) == pytest.approx(squares.mean(), abs=5 * squares.std() / np.sqrt(200_000))
    assert sphere_error(degree, n_columns) <= hermite_error(degree) / 4 * 1.5


@pytest.mark.parametrize(("n_columns", "eps"), [(5, 0.3), (10, 0.25), (10, 0.2), (50, 0.25)])
def test_lemma_1_some_polynomial_of_the_ball_errs_as_little(n_columns, eps):
    degree = next(d for d in range(1, 200, 2) if np.sqrt(sphere_error(d, n_columns)) <= eps)
    beta = sphere_polynomial(degree, n_columns)
    assert uniform_B(n_columns, eps) == pytest.approx(series_B(beta))
    assert uniform_B(n_columns, eps, nu=0.1) == pytest.approx(series_B(beta, 0.1))
    assert uniform_B(n_columns, eps, log_scale=True) <= degree * np.log(4 * n_columns)  # equation 13
    data = make_halfspace(20_000, n_columns, random_state=0)
    across = data.data @ data.normal
    best, ours = np.mean(data.clean != data.target), np.abs(polynomial.polyval(across, beta) - data.target).mean()
    assert ours <= best + eps


def test_corollary_1_is_lemma_1_and_theorem_1():
    assert uniform_sample_size(10, 0.5, 0.05) == sample_size(uniform_B(10, 0.25), 0.25, 0.05)
    assert uniform_sample_size(10, 0.5, 0.05, nu=0.9) < uniform_sample_size(10, 0.5, 0.05, nu=0.1)
    assert uniform_B(900, 0.08) == np.inf
    assert uniform_sample_size(900, 0.16, 0.05) == np.inf
    assert uniform_B(900, 0.08, log_scale=True) > 700


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="n_columns=3 must be"):
        uniform_B(3, 0.1)
    with pytest.raises(InputError, match="degree=-1 must be"):
        hermite_error(-1)
    with pytest.raises(InputError, match="takes a polynomial of a degree above 4095"):
        uniform_B(10, 0.001)
