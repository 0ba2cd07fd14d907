"""Effects as pictures and sentences, and truth tables with levels that vote alike in one line."""

from itertools import product
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from paclearn import JuntaClassifier, JuntaRegressor, SpectralClassifier, SpectralRegressor
from paclearn.encoding.domain import BinColumn, LevelColumn
from paclearn.models.explanation import Explanation, Part
from paclearn.report.model_facts import _with_room, describe_effects
from paclearn.views.effect_displays import what_is_added_to
from paclearn.views.effect_pictures import effect_facts
from paclearn.views.effect_sentences import condition_in_words, effect_sentence, odds_in_words
from paclearn.views.effect_svg import effect_picture
from paclearn.views.merged_table import merged_lines
from paclearn.views.text import to_text

NASTY = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(3)>", "x" * 5000, "{{ 7 * 7 }} &amp;"]


def rows(n=200, seed=0):  # judged by five folds, where more of them take fifteen
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            NASTY[0]: rng.choice(NASTY, n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 12, n)),
            "rooms": rng.integers(1, 5, n),
            NASTY[2]: rng.choice(["yes", "no"], n),
        }
    )
    score = 2.0 * (frame[NASTY[0]] == NASTY[1]) + (frame["age"] > 40) * np.where(frame[NASTY[2]] == "yes", 2, -1)
    return frame, score + rng.normal(0, 0.5, n)


def models():
    frame, score = rows()
    three = np.array(NASTY[:3], dtype=object)[np.digitize(score, [0, 1.5])]
    yield SpectralClassifier(2, 8, n_bins=8, random_state=0).fit(frame, score > 1)
    yield SpectralClassifier(3, 8, n_bins=4, random_state=0).fit(frame, three)
    yield SpectralRegressor(2, 8, n_bins=8, random_state=0).fit(frame, score)


@pytest.fixture(scope="module", params=range(3), ids=["two classes", "three classes", "a number"])
def model(request):
    return list(models())[request.param].model_


def test_pictures_are_well_formed_and_names_are_text(model):
    for effect in model.effects().effects:
        facts = effect_facts(model, effect)
        picture = effect_picture(facts, model.output_names)
        ET.fromstring(picture)
        assert "<script" not in picture
        assert "<img" not in picture
        assert len(picture) < 60_000
        assert facts["sentence"].endswith(".")
        assert "XOR" not in facts["sentence"]


def test_a_long_model_is_told_in_effects_and_says_that_this_is_a_summary(model):
    assert len(model.terms) > 4
    text = to_text(model, 2)
    n_effects = len(model.effects().effects)
    assert "XOR" not in text
    assert "This is a summary" in text
    assert f"and {n_effects} effects add up to" in " ".join(text.split())
    assert f"and {n_effects - 2} smaller effect" in text
    for effect in model.effects().effects[:2]:
        output = int(np.argmax(effect.importances))
        assert " ".join(effect_sentence(model, effect, output).split()) in " ".join(text.split())


def test_few_terms_are_listed_and_many_where_they_are_asked_for():
    frame, score = rows(120)
    model = SpectralClassifier(2, 3, n_bins=2, random_state=0).fit(frame, score > 1)
    listed = model.to_text(terms=True)
    assert listed == model.to_text(most=1000)
    assert listed.startswith("The score is the log-odds of 'True': the start plus, for every term, its weight")
    assert ["term", "weight"] in [line.split() for line in listed.splitlines()]
    assert model.to_text(most=1, terms=True) != model.to_text(most=1)
    effects = SpectralClassifier(max_effects=2, random_state=0).fit(frame, score > 1)
    assert effects.to_text(terms=True) == effects.to_text()


def test_the_logarithm_of_a_number_is_called_so():
    frame, score = rows(200)
    model = SpectralRegressor(2, 3, n_bins=2, loss="log", random_state=0).fit(frame, np.exp(score))
    assert what_is_added_to(model.model_, 0).startswith("the logarithm of “")
    assert describe_effects(model.model_)["logarithm"]


def test_the_first_pictures_have_room_on_two_small_screens(model):
    facts = describe_effects(model)
    tall = [
        {**facts["effects"][0], "kind": "bars", "bars": facts["effects"][0]["bars"][:1] * n} for n in (30, 30, 30, 1)
    ]
    assert _with_room(tall) == 3  # never fewer, however high
    assert _with_room([{**one, "bars": one["bars"][:1]} for one in tall]) == 4
    assert facts["shown_small"] <= min(facts["shown"], max(3, _with_room(facts["effects"])))


def test_facts_of_effects_add_up_to_the_model(model):
    """What the page's panel does: the cell of a row by the places of its codes."""
    frame, _ = rows(100, 1)
    codes = model.encode(model.table(frame))
    total = np.tile(model.effects().start, (len(frame), 1))
    for effect in model.effects().effects:
        facts = effect_facts(model, effect)
        cell = np.zeros(len(frame), dtype=int)
        for number, place in zip(facts["numbers"], facts["places"], strict=True):
            cell = cell * (max(place) + 1) + np.array(place)[codes[number]]
        total += np.array(facts["values"])[cell]
    np.testing.assert_allclose(total, model.scores(codes), atol=1e-9)


def test_every_row_of_the_fit_stands_somewhere_in_the_pictures(model):
    """Cells that have rows are drawn, unless there are more bars than a picture has room for."""
    for effect in model.effects().effects:
        facts = effect_facts(model, effect)
        drawn = {cell for bar in facts["bars"] for cell in bar["cells"]}
        assert facts["hidden"] or set(np.flatnonzero(effect.masses)) <= drawn
        shown = sum(bar["rows"] for bar in facts["bars"])
        assert shown == pytest.approx(effect.masses.sum()) or facts["hidden"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.01, "hardly a change of the odds"),
        (np.log(2), "about twice the odds"),
        (1.4, "about four times the odds"),
        (-1.4, "about a quarter of the odds"),
        (-np.log(2), "about half the odds"),
        (0.4, "about 1.5 times the odds"),
        (-0.4, "about 67 % of the odds"),
        (np.log(40), "about 40 times the odds"),
        (-np.log(40), "about 1/40 of the odds"),
        (50.0, "more than a thousand times the odds"),
        (-50.0, "less than a thousandth of the odds"),
    ],
)
def test_odds_in_words(value, words):
    assert odds_in_words(value) == words


def test_an_explanation_ends_with_what_it_adds_up_to():
    parts = [Part("age > 41", (-0.25,)), Part("town = Ulm", (1.5,), holds=True)]
    found = Explanation.of(("good",), (0.5,), parts)
    assert [line.split()[-1] for line in str(found).splitlines()] == ["good", "+0.500", "+1.500", "-0.250", "+1.750"]
    assert found._repr_html_().count("+1.750") == 1


AGE = BinColumn("age", 0, True, (20.0, 40.0))
TOWN = LevelColumn("town", 0, True, ("Bonn", "Ulm", "Oslo", "Rome", "Kiel", "Bern"))


@pytest.mark.parametrize(
    ("column", "codes", "words"),
    [
        (AGE, [0], "up to 20"),
        (AGE, [1], "above 20 and up to 40"),
        (AGE, [2], "above 40"),
        (AGE, [0, 2], "up to 20 or above 40"),
        (AGE, [3], "being missing"),
        (AGE, [2, 3], "above 40 or being missing"),
        (AGE, [4], "being missing"),
        (TOWN, [0], "being Bonn"),
        (LevelColumn("note", 0, False, ("", "gift", "urgent")), [0], "being ''"),
        (TOWN, [0, 1, 3], "being Bonn, Ulm or Rome"),
        (TOWN, [0, 1, 3, 4], "other than Oslo or Bern"),
        (LevelColumn("n", 0, False, ("3", "1", "2"), numeric=True), [0, 2], "above 1"),
        (LevelColumn("n", 0, False, ("3", "1", "2"), numeric=True), [1], "being 1"),
    ],
)
def test_conditions_as_one_says_them(column, codes, words):
    assert condition_in_words(column, codes) == words


# ---- truth tables ----


def test_merged_lines_say_what_the_cells_say():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(list("uvwxyz"), 3000), "b": rng.integers(0, 40, 3000), "c": rng.random(3000)})
    y = np.where(frame["a"].isin(list("uv")), frame["b"] > 15, frame["a"] == "w")
    model = JuntaClassifier(k=2).fit(frame[["a", "b"]], y)
    table, lines = model.truth_table_, merged_lines(model.model_)
    seen = {}
    for line in lines:
        for place in product(*line.codes):
            assert place not in seen
            seen[place] = line.prediction
    votes = table.seen_predictions.argmax(axis=-1)
    assert {place: table.classes[votes[place]] for place in np.ndindex(*table.sizes)} == seen
    assert sum(line.rows for line in lines) == table.counts.sum()
    assert len(lines) < 8 < table.n_cells
    said = [line.said for line in lines]
    assert any("any" in words for words in said)
    assert any("u or v" in words for words in said)


def test_tables_of_numbers_are_not_merged():
    frame, score = rows()
    assert merged_lines(JuntaRegressor(k=1).fit(frame, score).model_) == []


def test_a_notebook_shows_pictures(model):
    from paclearn.views.text import to_html

    shown = to_html(model)
    assert shown.count("<figure>") == min(9, len(model.effects().effects))
    assert "<script>" not in shown
    assert " XOR " not in shown


def test_what_is_missing_is_told_with_the_numbers_that_act_like_it():
    """It was told alone: “days” being missing adds 1.3, as if small numbers did not."""
    rng = np.random.default_rng(0)
    days = np.where(rng.random(600) < 0.2, np.nan, rng.integers(0, 100, 600))
    y = np.where(days > 50, rng.random(600) < 0.1, rng.random(600) < 0.8)
    model = SpectralClassifier(max_terms=1, random_state=0).fit(pd.DataFrame({"days": days}), y).model_
    (effect,) = model.effects().effects
    said = effect_sentence(model, effect, 0)
    assert "“days” above 50 takes" in said
    assert "; up to 50 or being missing adds" in said


def test_a_pair_is_said_beyond_what_each_adds_alone():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(["p", "q"], 400), "b": rng.choice(["r", "s"], 400)})
    y = np.where((frame["a"] == "p") ^ (frame["b"] == "r"), rng.random(400) < 0.9, rng.random(400) < 0.1)
    found = SpectralClassifier(max_effects=1, random_state=0).fit(frame, y).model_
    said = effect_sentence(found, found.effects().effects[0], 0)
    assert "to the log-odds of “True” beyond what each adds alone, about " in said.replace("from", "to")


def test_of_many_cells_a_text_tells_the_weightiest():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 24, 1500), "b": rng.integers(0, 2, 1500)})
    y = np.sin(2 * np.pi * frame["a"] / 6) * (2 * frame["b"] - 1) + 0.1 * rng.normal(size=1500)
    model = SpectralRegressor(max_effects=1, random_state=0).fit(frame, y)
    assert len(model.effect("a", "b")) > 40
    text = model.to_text()
    assert "a × b (curves, 9 of 48 cells, the weightiest)" in text
    assert sum(line.startswith("  ") for line in text.splitlines()) == 9


def test_a_line_is_told_by_its_ends_and_its_slope():
    """Whatever the unit: the slope between the ends is that of the numbers, and a date rises by days."""
    rng = np.random.default_rng(0)
    for size, unit in ((1.0, "0.1"), (30_000.0, "10,000")):
        frame = pd.DataFrame({"x": rng.uniform(0, size, 600).round(4)})
        model = SpectralRegressor(max_effects=1, random_state=0).fit(frame, 8 * frame["x"] / size)
        assert model.model_.shapes == ("line",)
        (said,) = [line for line in model.to_text().splitlines() if f"in between, for every {unit} more" in line]
        assert float(said.split()[-1]) == pytest.approx(8 * float(unit.replace(",", "")) / size, rel=0.01)
    days = rng.integers(0, 3000, 600)
    frame = pd.DataFrame({"day": pd.Timestamp("2015-01-01") + pd.to_timedelta(days, unit="D")})
    model = SpectralRegressor(max_effects=1, random_state=0).fit(frame, days / 100)
    (said,) = [line for line in model.to_text().splitlines() if "in between, for every 1,000 days later" in line]
    assert float(said.split()[-1]) == pytest.approx(10, rel=0.01)
    assert "day <= 2015-0" in model.to_text()
