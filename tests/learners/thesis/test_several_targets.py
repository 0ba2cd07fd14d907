"""Several targets at once: what is predicted of each is what a fit to it alone says, and one spectrum serves all."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from paclearn import DirectSpectrumClassifier, DirectSpectrumRegressor, PolynomialL2Classifier, SpectralFeatures, export
from paclearn.exceptions import InputError, TargetError
from paclearn.spectra import Spectrum

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"a": RNG.choice(list("uvw"), 300), "b": RNG.normal(size=300), "c": RNG.integers(0, 2, 300)})
NUMBERS = pd.DataFrame(
    {
        "one": TABLE["b"] + TABLE["c"] + RNG.normal(size=300),
        "two": 2.0 * (TABLE["a"] == "u") + RNG.normal(size=300),
    }
)
CLASSES = pd.DataFrame({"p": np.where(TABLE["c"] == 1, "yes", "no"), "q": TABLE["a"], "r": TABLE["b"] > 0})
WEIGHTS = RNG.integers(0, 3, 300)
SETTINGS = ({}, {"n_terms": 4, "threshold": 0.05, "measure": "tree"})


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_numbers_are_those_of_a_fit_to_each(settings, weights):
    model = DirectSpectrumRegressor(**settings).fit(TABLE, NUMBERS, sample_weight=weights)
    each = [DirectSpectrumRegressor(**settings).fit(TABLE, NUMBERS[name], sample_weight=weights) for name in NUMBERS]
    for answer in ("predict", "predict_std"):
        alone = np.column_stack([getattr(one, answer)(TABLE) for one in each])
        np.testing.assert_allclose(getattr(model, answer)(TABLE), alone, rtol=1e-10)
    assert [part.model_.about.target for part in model.estimators_] == ["one", "two"]
    assert [part.spectrum_.subsets for part in model.estimators_] == [one.spectrum_.subsets for one in each]


@pytest.mark.parametrize("settings", SETTINGS)
def test_classes_are_those_of_a_fit_to_each(settings):
    model = DirectSpectrumClassifier(**settings).fit(TABLE, CLASSES)
    each = [DirectSpectrumClassifier(**settings).fit(TABLE, CLASSES[name]) for name in CLASSES]
    assert [labels.tolist() for labels in model.classes_] == [one.classes_.tolist() for one in each]
    said, scores = model.predict(TABLE), model.decision_function(TABLE)
    for k, one in enumerate(each):
        assert said[:, k].tolist() == one.predict(TABLE).tolist()  # text beside truth values
        np.testing.assert_allclose(scores[k], one.decision_function(TABLE), rtol=1e-10, atol=1e-12)
    right = (said == CLASSES.to_numpy()).all(axis=1)
    assert model.score(TABLE, CLASSES) == pytest.approx(right.mean())
    assert model.score(TABLE, CLASSES, WEIGHTS) == pytest.approx(np.average(right, weights=WEIGHTS))


def test_two_classes_each_have_a_column_of_scores():
    bits = RNG.integers(0, 2, (200, 4))
    both = np.column_stack([bits[:, 0] ^ bits[:, 1], bits[:, 2]])
    for given in (both, both.tolist()):
        model = DirectSpectrumClassifier(n_terms=2).fit(bits, given)
        np.testing.assert_array_equal(model.predict(bits), both)
        np.testing.assert_array_equal(model.decision_function(bits) > 0, both == 1)
    assert [part.model_.about.target for part in model.estimators_] == ["y0", "y1"]


def test_the_coefficients_of_all_are_one_spectrum():
    bits = RNG.choice([-1, 1], (200, 5))
    both = np.column_stack([bits[:, 0] * bits[:, 1], RNG.normal(size=200)])
    model = DirectSpectrumRegressor().fit(bits, both)
    found = Spectrum.estimate(bits, both, model.measure_, degree=2)
    assert len(model.spectrum_.subsets) == 16
    for subset in found.subsets:
        np.testing.assert_allclose(model.spectrum_[subset], found[subset], atol=1e-12)


def test_what_has_one_model_only_says_whom_to_ask():
    model = DirectSpectrumRegressor().fit(TABLE, NUMBERS)
    with pytest.raises(InputError, match=r"has a model for each: export estimators_\[0\]"):
        export.to_json(model)
    for question in (lambda: model.explain(TABLE), lambda: model.effects_):
        with pytest.raises(InputError, match=r"was fitted to 2 targets and has a model for each: ask estimators_\[0\]"):
            question()
    assert export.from_json(export.to_json(model.estimators_[1])).predict(TABLE).tolist() == pytest.approx(
        model.predict(TABLE)[:, 1].tolist()
    )
    text = model.to_text()
    assert "one\n\nA start" in text
    assert "two\n\nA start" in text
    assert model._repr_html_().count("<p><b>") == 2


def test_one_target_again_and_a_fit_that_fails():
    model = DirectSpectrumRegressor().fit(TABLE, NUMBERS)
    with pytest.raises(TargetError, match="y"):
        model.fit(TABLE, NUMBERS.assign(two="text"))
    assert model.predict(TABLE).shape == (300, 2)
    assert model.fit(TABLE, NUMBERS["one"]).predict(TABLE).shape == (300,)
    assert not hasattr(model, "estimators_")
    assert not hasattr(model.fit(TABLE, NUMBERS), "model_")
    with pytest.raises(InputError, match="2 targets"):
        model.explain(TABLE)


def test_a_table_that_was_copied_is_the_table():
    once = DirectSpectrumRegressor().fit(TABLE, NUMBERS)
    twice = DirectSpectrumRegressor().fit(pd.concat([TABLE, TABLE]), pd.concat([NUMBERS, NUMBERS]))
    np.testing.assert_allclose(twice.predict_std(TABLE), once.predict_std(TABLE), rtol=1e-10)


def test_features_for_several_targets_are_the_largest_of_any():
    bits = RNG.choice([-1, 1], (400, 6))
    both = np.column_stack([bits[:, 0] * bits[:, 1] + 0.0, 10.0 * bits[:, 2] * bits[:, 3]])
    features = SpectralFeatures(n_terms=2).fit(bits, both)
    assert set(features.spectrum_.subsets) == {(0, 1), (2, 3)}
    assert LinearRegression().fit(features.transform(bits), both).score(features.transform(bits), both) > 0.999


def test_terms_of_plain_learners_are_listed_when_asked_for():
    bits = RNG.choice([-1, 1], (300, 8))
    label = np.where(bits[:, 0] * bits[:, 1] > 0, "yes", "no")
    for model in (DirectSpectrumClassifier(), PolynomialL2Classifier()):
        assert "x0=1 XOR x1=1" in model.fit(bits, label).to_text(2, terms=True)
    assert "x0=1 XOR x1=1" in export.portable(model).to_text(2, terms=True)
