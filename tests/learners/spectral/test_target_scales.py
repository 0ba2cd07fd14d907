"""Numbers on several scales: what losses are, what is chosen, and that predictions are means."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn import SpectralRegressor
from paclearn.datasets import make_gam, make_house_prices, make_store_sales
from paclearn.exceptions import InputError
from paclearn.learners.spectral.losses import GammaLoss, PoissonLoss, SquaredLoss
from paclearn.learners.spectral.target_scales import SCALES, scales_for
from paclearn.views.effect_pictures import effect_facts
from paclearn.views.effect_svg import effect_picture
from paclearn.views.score_words import percent_change, short_percent


@pytest.mark.parametrize("loss", [SquaredLoss(), PoissonLoss(), GammaLoss()], ids=lambda loss: type(loss).__name__)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_residuals_are_minus_the_gradient_and_constants_are_best(loss, seed):
    rng = np.random.default_rng(seed)
    scores, targets = rng.normal(0, 2, (20, 1)), rng.gamma(2, 1, (20, 1))
    step = 1e-6
    slope = (loss.of_rows(scores + step, targets) - loss.of_rows(scores - step, targets)) / (2 * step)
    np.testing.assert_allclose(loss.residuals(scores, targets)[:, 0], -slope, rtol=1e-4, atol=1e-5)
    best = loss.intercept(targets.mean(axis=0))
    at_best = loss.of_rows(np.tile(best, (20, 1)), targets).mean()
    assert all(loss.of_rows(np.tile(best + by, (20, 1)), targets).mean() >= at_best - 1e-12 for by in (-0.01, 0.01))


@pytest.mark.parametrize("name", SCALES)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_scales_there_and_back_and_means_of_means(name, seed):
    rng = np.random.default_rng(seed)
    numbers, shares = rng.gamma(1, 50, 30) + 1e-3, rng.dirichlet(np.ones(30))
    (scale,) = scales_for(name, numbers, shares, (numbers.min(), numbers.max()))
    np.testing.assert_allclose(scale.numbers(scale.targets(numbers)), numbers, rtol=1e-9)
    scores = scale.scores(rng.normal(0, 1, 30))
    if scale.logarithmic:
        means = np.exp(scores + scale.shift(scores, numbers, shares))
        assert shares @ means == pytest.approx(shares @ numbers)


@pytest.mark.parametrize("make", [make_house_prices, make_store_sales])
def test_numbers_that_grow_by_percents_are_learned_on_their_scale(make):
    """Chosen without being told, better than by units, and unbiased."""
    known, new = make(1100, random_state=0), make(4000, random_state=1)
    few = {"degree": 1, "n_bins": 8, "random_state": 0}
    auto = SpectralRegressor(**few).fit(known.data, known.target)
    plain = SpectralRegressor(loss="squared", **few).fit(known.data, known.target)
    assert auto.loss_ != "squared"
    assert auto.model_.link == "log"
    assert auto.score(new.data, new.target) > plain.score(new.data, new.target) + 0.01
    assert auto.predict(known.data).mean() == pytest.approx(known.target.mean(), rel=0.01)
    assert auto.predict(new.data).mean() == pytest.approx(plain.predict(new.data).mean(), rel=0.02)


def garden_prices(n=1001):  # judged by three folds: fewer rows take fifteen
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"garden": rng.choice(["yes", "no"], n), "rooms": rng.integers(1, 4, n)})
    return frame, np.exp(11 + np.log(1.16) * (frame.garden == "yes") + 0.2 * frame.rooms + rng.normal(0, 0.02, n))


def test_effects_of_logarithms_are_read_as_percents():
    """A garden adds 16 %, however the model is written."""
    X, y = garden_prices()
    rich = SpectralRegressor(loss="log", degree=1, random_state=0).fit(X, y)
    assert "“garden” being yes instead of no adds 16 % to “value”." in rich.to_text()
    assert "logarithm" not in rich.to_text()
    short = SpectralRegressor(loss="log", max_terms=4, degree=1, random_state=0).fit(X, y)
    assert re.search(r"garden = yes +\+16 %", short.to_text()) or re.search(r"garden = no +-14 %", short.to_text())
    effect = next(e for e in rich.model_.effects().effects if len(e.columns) == 1 and e.cells.shape[0] == 3)
    assert " %" in effect_picture(effect_facts(rich.model_, effect), rich.model_.output_names)


@pytest.mark.parametrize(
    ("value", "told", "short"),
    [
        (np.log(1.16), "adds 16 % to it", "+16 %"),
        (np.log(0.86), "takes 14 % off it", "-14 %"),
        (np.log(1.004), "adds 0.4 % to it", "+0.4 %"),
        (np.log(4.0), "multiplies it by 4", "×4"),
        (5000.0, "multiplies it by 1e+304", "×1e+304"),
    ],
)
def test_percents_in_words(value, told, short):
    assert (percent_change(value, "it"), short_percent(value)) == (told, short)


def test_the_scale_of_the_best_models_is_taken():
    """Interactions that rows of a product do not have say nothing against its scale."""
    known = make_house_prices(500, random_state=3)
    assert SpectralRegressor(n_bins=16, random_state=0).fit(known.data, known.target).loss_ != "squared"


@pytest.mark.parametrize("make", [make_house_prices, make_store_sales])
def test_no_model_of_these_tables_is_asked_for_more_than_there_is(make):
    """The figures that were asked of such tables can be had: the expected numbers explain more."""
    drawn = make(20_000, random_state=0)
    explained = 1 - np.mean((drawn.target - drawn.mean) ** 2) / drawn.target.var()
    assert explained > {make_house_prices: 0.865, make_store_sales: 0.825}[make]


@pytest.mark.parametrize("loss", ["poisson", "gamma"])
def test_short_models_say_what_there_is_to_say_on_every_scale(loss):
    """A loss that cannot be nought is no yardstick of how little is worth another line."""
    known, new = make_house_prices(600, noise=0.05, random_state=0), make_house_prices(2000, noise=0.05, random_state=1)
    columns, settings = ["area", "year", "floor"], {"max_terms": 15, "degree": 1, "n_bins": 8, "random_state": 0}
    X, asked = (pd.DataFrame(drawn.data)[columns] for drawn in (known, new))
    short = SpectralRegressor(loss=loss, **settings).fit(X, known.target)
    plain = SpectralRegressor(loss="log", **settings).fit(X, known.target)
    assert short.score(asked, new.target) > plain.score(asked, new.target) - 0.03


@pytest.mark.parametrize("loss", [SquaredLoss(), PoissonLoss(), GammaLoss()], ids=lambda loss: type(loss).__name__)
def test_nothing_loses_less_than_the_truth_itself(loss):
    rng = np.random.default_rng(0)
    targets, scores = rng.gamma(2, 1, (50, 1)), rng.normal(0, 2, (50, 1))
    truth = targets if isinstance(loss, SquaredLoss) else np.log(targets)
    np.testing.assert_allclose(loss.of_rows(truth, targets), loss.least_of_rows(targets), atol=1e-12)
    assert (loss.of_rows(scores, targets) >= loss.least_of_rows(targets) - 1e-12).all()


def test_sums_stay_sums():
    """What adds up is learned as it is, though all numbers are above nought."""
    data = make_gam(1100, 3, link="identity", noise="none", random_state=0)
    y = 10 + data.target + np.random.default_rng(0).normal(0, 0.05, 1100)
    assert SpectralRegressor(degree=1, n_bins=16, random_state=0).fit(data.data, y).loss_ == "squared"


@pytest.mark.parametrize(
    ("loss", "numbers", "wish"),
    [
        ("log", [0.0, 1.0], "numbers above nought"),
        ("gamma", [-1.0, 2.0], "numbers above"),
        ("poisson", [-1.0, 2.0], "no number below"),
    ],
)
def test_a_loss_that_the_target_does_not_admit(loss, numbers, wish):
    X = np.arange(20.0)[:, None]
    with pytest.raises(InputError, match=f"loss='{loss}' needs {wish}.*'squared' takes any"):
        SpectralRegressor(loss=loss).fit(X, np.tile(numbers, 10))


def test_an_unknown_loss():
    with pytest.raises(InputError, match="loss=.absolute. is not known"):
        SpectralRegressor(loss="absolute").fit([[0], [1]] * 5, [0.0, 1.0] * 5)


@pytest.mark.parametrize("loss", SCALES)
def test_all_numbers_alike(loss):
    model = SpectralRegressor(loss=loss, random_state=0).fit(np.arange(30.0)[:, None], np.full(30, 7.0))
    np.testing.assert_allclose(model.predict([[3.0]]), 7.0)
