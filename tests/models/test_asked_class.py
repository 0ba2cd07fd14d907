"""Of two classes, words speak of the one that a person asks about; what is computed goes by the order of classes_."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from paclearn import RuleClassifier, SpectralClassifier
from paclearn.export import from_json, to_json, to_markdown, to_scorecard
from paclearn.models.asked_class import asked_class, of_asked_class


@pytest.mark.parametrize(
    ("classes", "rows", "asked"),
    [
        (["ja", "nein"], [30, 970], 0),
        (["ja", "nein"], [970, 30], 0),  # what is called yes, however many there are
        (["Non", "Oui"], [970, 30], 1),
        ([" YES", "no "], [500, 500], 0),
        ([False, True], [10, 990], 1),
        ([0, 1], [10, 990], 1),
        ([-1, 1], [10, 990], 1),
        (["negative", "positive"], [10, 990], 1),
        (["nicht krank", "krank"], [10, 990], 1),
        (["no treatment", "treatment"], [10, 990], 1),
        (["bad", "good"], [300, 700], 0),  # otherwise the rarer one,
        (["bad", "good"], [700, 300], 1),
        ([1, 2], [300, 700], 0),
        (["e", "p"], [495, 505], 1),  # if that is no chance
        (["e", "p"], [0.3, 0.7], 1),
        (["a", "b", "c"], [1, 2, 3], 2),
    ],
)
def test_the_class_that_is_called_yes_or_else_the_rarer_one(classes, rows, asked):
    assert asked_class(classes, rows) == asked


@pytest.fixture(scope="module")
def orders():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"by": rng.choice(["phone", "web"], 2000), "amount": rng.gamma(2, 50, 2000).round(2)})
    fraud = (frame["by"] == "phone") & (frame["amount"] > 150) & (rng.random(2000) < 0.8)
    return frame, np.where(fraud, "ja", "nein")


MODELS = {
    "points": {"max_terms": 4},
    "effects": {"max_effects": 3},
    "terms": {"n_terms": 8},
}


@pytest.mark.parametrize("how", list(MODELS))
def test_a_model_of_the_class_that_is_asked_about_says_the_same(orders, how):
    frame, y = orders
    found = SpectralClassifier(**MODELS[how], random_state=0).fit(frame, y)
    model, asked = found.model_, of_asked_class(found.model_)
    codes = model.encode(model.table(frame))
    assert asked.about.classes == ("nein", "ja")
    np.testing.assert_array_equal(asked.scores(codes), -model.scores(codes))
    np.testing.assert_allclose(asked.predictions(codes)[:, ::-1], model.predictions(codes), atol=1e-15)
    assert of_asked_class(asked) is asked
    for one, other in zip(model.effects().effects, asked.effects().effects, strict=True):
        np.testing.assert_allclose(one.cells, -other.cells, atol=1e-12)
    np.testing.assert_array_equal(found.classes_, ["ja", "nein"])  # and nothing that is computed is turned round
    np.testing.assert_array_equal(found.decision_function(frame) > 0, found.predict(frame) == "nein")
    assert found.explain(frame[:1])[0].outputs == ("nein",)
    weighed = found.explain(frame[:1], most=100)[0].score
    np.testing.assert_allclose(weighed, found.decision_function(frame[:1]), atol=1e-9)


def test_words_are_of_that_class_and_say_so(orders):
    frame, y = orders
    found = SpectralClassifier(max_terms=4, random_state=0).fit(frame, y)
    assert "log-odds of 'ja'" in found.to_text()
    assert "decision_function, terms_ and effects_ go by 'nein'" in found.to_text()
    assert "“ja”" in found._repr_html_()
    assert "log-odds of 'ja'" in to_markdown(found)
    card = to_scorecard(found, frame, y)
    assert card.lines()[0][1] > 0
    assert "mean ja" in card.verdict()
    assert set(card.predict(frame)) == {"ja", "nein"}
    assert "“ja”" in found.plot_effects().displays[0].what
    other = SpectralClassifier(max_terms=4, random_state=0).fit(frame, np.where(y == "ja", "yes", "no"))
    assert "decision_function" not in other.to_text()  # the second of classes_ is the one already


def test_a_file_remembers_it(orders):
    frame, y = orders
    found = SpectralClassifier(max_terms=2, random_state=0).fit(frame, y)
    again = from_json(to_json(found))
    assert again.model_.about.asked == 0
    assert "log-odds of 'ja'" in again.to_text()
    np.testing.assert_array_equal(again.predict_proba(frame), found.predict_proba(frame))
    assert '"asked"' not in to_json(SpectralClassifier(max_terms=2, random_state=0).fit(frame, y == "ja"))


def test_rules_name_their_class_anyway(orders):
    frame, y = orders
    found = RuleClassifier(random_state=0).fit(frame, y)
    assert of_asked_class(found.model_) is found.model_
