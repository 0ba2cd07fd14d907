"""What short models say, they say plainly: what was planted in one phrase is found as one phrase."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from paclearn import SpectralClassifier, SpectralRegressor
from paclearn.learners.spectral import plainer_phrases
from paclearn.learners.spectral.plainer_phrases import said_plainly
from paclearn.learners.spectral.trials import refit
from paclearn.learners.spectral.tuning import TUNING


def orders(seed, n=4000):
    rng = np.random.default_rng(seed)
    return rng, pd.DataFrame(
        {
            "by": rng.choice(["phone", "web", "shop", "post"], n, p=[0.2, 0.5, 0.2, 0.1]),
            "amount": np.round(np.exp(rng.normal(4.6, 0.7, n)), 2),
            "items": rng.integers(1, 13, n),
            "age": rng.integers(18, 90, n),
            "land": rng.choice(["DE", "AT", "CH"], n),
        }
    )


PLANTED = {  # the share of "yes" where it is true and elsewhere, and the columns that are asked
    "one condition": (lambda t: t["amount"] > 200, 0.3, 0.02, [("amount",)]),
    "a and b": (lambda t: (t["by"] == "phone") & (t["amount"] > 180), 0.6, 0.005, [("by", "amount")]),
    "an interval": (lambda t: (t["age"] > 30) & (t["age"] <= 45), 0.7, 0.2, [("age",)]),
    "two rules": (
        lambda t: ((t["by"] == "phone") & (t["amount"] > 150)) | ((t["age"] <= 25) & (t["items"] > 8)),
        0.7,
        0.03,
        [("by", "amount"), ("items", "age")],
    ),
    "nothing": (lambda t: t["age"] > 0, 0.3, 0.3, []),
}


def asked(model):
    """The columns of every phrase."""
    return sorted(tuple(model.columns[model.bits[bit].column].name for bit in term) for term in model.terms)


@pytest.mark.parametrize("plant", list(PLANTED))
def test_what_was_planted_is_said_in_as_many_phrases(plant):
    """Of four tables three at least: of such choices by rows left out about one in ten keeps a phrase more."""
    rule, inside, outside, columns = PLANTED[plant]
    plain = []
    for seed in range(2, 6):
        rng, frame = orders(seed)
        y = np.where(rng.random(len(frame)) < np.where(rule(frame), inside, outside), "yes", "no")
        model = SpectralClassifier(max_terms=5, random_state=0).fit(frame, y).model_
        plain.append(asked(model) == sorted(columns))
        if columns:  # and is true of the rows of the rule, but for those next to a threshold
            said = model.truth(model.encode(model.table(frame))).any(axis=1)
            assert not plain[-1] or (said != rule(frame)).mean() < 0.02
    assert sum(plain) >= 3


def test_a_model_of_nothing_says_so():
    rng, frame = orders(2)
    y = np.where(rng.random(len(frame)) < 0.3, "yes", "no")
    assert (
        "No condition says more than chance" in SpectralClassifier(max_terms=5, random_state=0).fit(frame, y).to_text()
    )


def test_numbers_are_said_plainly_too():
    rng, frame = orders(3)
    y = 2.0 * ((frame["by"] == "web") & (frame["age"] > 60)) + rng.normal(size=len(frame))
    model = SpectralRegressor(max_terms=5, random_state=0).fit(frame, y).model_
    assert asked(model) == [("by", "age")]


def test_measured_numbers_are_asked_for_by_intervals():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"ph": rng.choice([3.0, 3.1, 3.2, 3.3, 3.4, 3.5], 600), "grade": rng.integers(1, 7, 600)})
    odds = 8 * (frame["ph"] - 3.2) + 0.5 * (frame["grade"] - 3)
    y = rng.random(600) < 1 / (1 + np.exp(-odds))
    found = SpectralClassifier(max_terms=8, random_state=0).fit(frame, y)
    of_ph = [bit.name for bit in found.model_.bits if "ph" in bit.name]
    assert of_ph
    assert not [name for name in of_ph if " = " in name or " in " in name or "!=" in name]


# ---- steps -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def grown(monkeypatch):
    """The rows and the terms that a model had before it was said more plainly."""
    seen = []
    kept = said_plainly

    def spy(design, terms, share):
        seen.append((design, terms))
        return kept(design, terms, share)

    monkeypatch.setattr("paclearn.learners.spectral.trials.said_plainly", spy)
    rng, frame = orders(4, 1500)
    y = rng.random(1500) < np.where((frame["by"] == "phone") & (frame["amount"] > 100), 0.7, 0.2)
    found = SpectralClassifier(max_terms=8, random_state=0)
    found.fit(frame, y)
    design, _ = seen[-1]
    return design, refit(design, replace(found._choice.best, plain=0.0, size=8)).terms


def test_every_share_says_it_in_fewer_nats(grown):
    design, terms = grown
    lengths = [plainer_phrases._length(design, terms)]
    for share in TUNING.plain:
        words = said_plainly(design, terms, share)
        lengths.append(plainer_phrases._length(design, words))
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] < lengths[0]


def test_what_is_paid_is_less_than_what_is_saved(grown):
    design, terms = grown
    before = plainer_phrases._fitted(design, terms)
    for share in TUNING.plain:
        words = said_plainly(design, terms, share)
        paid = plainer_phrases._nats(design, before, plainer_phrases._fitted(design, words))
        assert paid <= share * (plainer_phrases._length(design, terms) - plainer_phrases._length(design, words)) + 1e-6


def test_a_share_of_nought_changes_nothing(grown):
    design, terms = grown
    assert said_plainly(design, terms, 0.0) == terms


def test_the_estimate_of_a_step_is_near_what_it_costs(grown):
    """By least squares in the metric of the loss, against fits: of steps that cost little, which are those taken."""
    design, terms = grown
    model = plainer_phrases._fitted(design, terms)
    steps = list(plainer_phrases._steps(design.words, terms))
    guessed = plainer_phrases._Nearness(design, model, steps).costs
    paid = [
        plainer_phrases._nats(design, model, plainer_phrases._fitted(design, step.of(terms, design.words)))
        for step in steps
    ]
    guessed = guessed * plainer_phrases._in_nats(design, model)
    small = np.array(paid) < 5
    assert small.sum() >= 3
    np.testing.assert_allclose(guessed[small], np.array(paid)[small], rtol=0.5, atol=1.0)
