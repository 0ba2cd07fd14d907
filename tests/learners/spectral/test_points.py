"""Short models in conditions and conjunctions: what they find, what they say, and what a file may say."""

import json
import pickle
from itertools import combinations, product

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from paclearn import BooleanEncoder, SpectralClassifier, SpectralRegressor
from paclearn.datasets import load_tic_tac_toe, make_parity
from paclearn.exceptions import InputError, ModelFileError
from paclearn.export import from_json, to_json, to_markdown
from paclearn.learners.spectral.phrase_scan import PhraseScan, _best
from paclearn.learners.spectral.phrases import Phrase, Vocabulary
from paclearn.models import LinearModel, PointsModel
from paclearn.models.terms import model_bits, signs_of
from paclearn.tables.table import as_table
from paclearn.views.model_file import _checksum

seeds = st.integers(0, 10**6)


def mixed(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "town": rng.choice(["Bonn", "Ulm", "Kiel", "Trier", "Jena"], n),
            "size": rng.integers(0, 5, n).astype(float),
            "age": rng.normal(40, 12, n).round(0),
            "gaps": np.where(rng.random(n) < 0.2, None, rng.choice(["u", "v", "w"], n)),
            "holes": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(2)),
        }
    )


def scanned(seed, n=80, least_rows=3.0):
    """The codes of a table, and a scan of it."""
    encoder = BooleanEncoder(n_bins=5).fit(mixed(n, seed))
    domain = encoder.domain_
    codes = [np.asarray(c, dtype=int) for c in domain.encode(as_table(encoder, mixed(n, seed), reset=False))]
    bits = model_bits(domain)
    words, signs = Vocabulary(domain, bits), signs_of(domain, bits, codes)
    counts = np.random.default_rng(seed).integers(1, 4, n).astype(float)
    return codes, PhraseScan(words, signs, words.codes(signs), counts, least_rows)


def true_of(phrase, codes):
    """Row by row."""
    held = [[codes[column][i] in wanted for column, wanted in phrase.conditions] for i in range(len(codes[0]))]
    return np.array([all(row) if phrase.join == "and" else sum(row) % 2 == 1 for row in held])


# ---- phrases and the scan --------------------------------------------------------------------------------------------


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_codes_are_read_off_the_answers_to_all_bits(seed):
    codes, scan = scanned(seed)
    for found, wanted in zip(scan.rows.columns, codes, strict=True):
        np.testing.assert_array_equal(found, wanted)


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_truth_and_scores_are_those_of_the_oracle(seed):
    codes, scan = scanned(seed)
    rng = np.random.default_rng(seed)
    residual = rng.normal(size=(len(codes[0]), 2)) * [1, 3]
    literals = [part for pair in scan.vocabulary.literals for part in pair]
    phrases = []
    for i, j, k in rng.integers(0, len(literals), (20, 3)):
        phrase = Phrase((literals[i],)).with_condition(literals[j])
        longer = None if phrase is None else phrase.with_condition(literals[k])
        phrases += [p for p in (phrase, longer) if p is not None]
    odd = [p for p in phrases if len(p) > 1]
    phrases += [Phrase(p.conditions, "odd") for p in odd]
    truth = scan.truth(phrases)
    for phrase, column in zip(phrases, truth.T, strict=True):
        np.testing.assert_array_equal(column > 0, true_of(phrase, codes))
    some = [i for i in range(len(phrases)) if 0 < truth[:, i].sum() < len(truth)]
    found = scan.scores([phrases[i] for i in some], residual)
    wanted = [naive.phrase_score(truth[:, i] > 0, scan.counts, residual) for i in some]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@given(seed=seeds)
@example(seed=2342)
@settings(max_examples=2, deadline=None)
def test_the_best_pair_is_the_best_of_all_pairs(seed):
    codes, scan = scanned(seed)
    residual = np.random.default_rng(seed).normal(size=(len(codes[0]), 1))
    best = max(allowed_pairs(scan, codes), key=lambda p: naive.phrase_score(true_of(p, codes), scan.counts, residual))
    first, *_ = scan.pairs(residual, 3)
    wanted, found = (naive.phrase_score(true_of(p, codes), scan.counts, residual) for p in (best, first))
    assert found == pytest.approx(wanted, rel=1e-4)


def test_of_very_many_bits_a_planted_pair_is_found_to_the_row():
    """Pairs are scanned for some thresholds of each column, and then said as exactly as all of them allow."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((400, 40)).round(3))
    encoder = BooleanEncoder(n_bins=32).fit(frame)
    domain, bits = encoder.domain_, model_bits(encoder.domain_)
    codes = [np.asarray(c, dtype=int) for c in domain.encode(as_table(encoder, frame, reset=False))]
    words, signs = Vocabulary(domain, bits), signs_of(domain, bits, codes)
    scan = PhraseScan(words, signs, words.codes(signs), np.ones(400), 4.0)
    assert len(scan.paired) < len(bits) / 1.5
    high = [tuple(c for c in words.present(i) if c >= 19) for i in (7, 31)]
    planted = Phrase(((7, high[0]), (31, high[1])))
    residual = (true_of(planted, codes) + rng.normal(0, 0.3, 400))[:, None]
    best = max(scan.pairs(residual, 50), key=lambda p: scan.scores([p], residual)[0])
    assert best.columns == (7, 31)
    said_again = scan.scores(scan.reworded(residual, [best]), residual).max()  # as a model does before it takes one
    assert said_again >= scan.scores([planted], residual)[0]


def allowed_pairs(scan, codes):
    """All pairs of two bits or their denials that have rows enough and say something that neither says alone."""

    def rows(phrase):
        return scan.counts[true_of(phrase, codes)].sum()

    alone = {literal: rows(Phrase((literal,))) for pair in scan.vocabulary.literals for literal in pair if literal[1]}
    for one, two in combinations(scan.vocabulary.literals, 2):
        for a, b in product(one, two):
            if not a[1] or not b[1]:
                continue
            both = Phrase((a,)).with_condition(b)
            if both is None or not all(scan.vocabulary.is_plain(*part) for part in both.conditions):
                continue  # all numbers but two, say
            n = rows(both)
            if n >= scan.least_rows and min(alone[a], alone[b]) - n >= scan.least_rows:
                yield both


@given(seed=seeds)
@settings(max_examples=8, deadline=None)
def test_a_run_of_numbers_is_chosen_as_if_all_had_been_tried(seed):
    codes, scan = scanned(seed)
    age = [c.name for c in scan.vocabulary.domain.columns].index("age")
    residual = np.where((codes[age] == 1) | (codes[age] == 2), 1.0, 0.0)[:, None]
    residual = residual + np.random.default_rng(seed).normal(0, 0.1, residual.shape)
    assert scan.reworded(residual, [Phrase(((age, (0,)),))]) == [Phrase(((age, (1, 2)),))]


def test_levels_that_act_alike_are_listed_together():
    codes, scan = scanned(0, n=300)
    town = [c.name for c in scan.vocabulary.domain.columns].index("town")
    residual = np.where(np.isin(codes[town], [1, 3]), 1.0, -0.5)[:, None]
    (found,) = scan.reworded(residual, [Phrase(((town, (0,)),))])
    assert found.conditions[0][1] in {(1, 3), (0, 2, 4)}
    bits, members, joins = scan.vocabulary.spelled_out([scan.vocabulary.term(found)])
    assert bits[0].name in {"town in {Jena, Trier}", "town not in {Jena, Trier}"}, bits[0].name
    assert (members, joins) == (((0,),), ("and",))


def test_a_phrase_that_cannot_be_true_is_none():
    phrase = Phrase(((0, (1, 2)),))
    assert phrase.with_condition((0, (3,))) is None
    assert phrase.with_condition((0, (2, 3))) == Phrase(((0, (2,)),))
    assert phrase.with_condition((1, (0,))).without(0) == Phrase(((1, (0,)),))


# ---- what is found ---------------------------------------------------------------------------------------------------


def planted(n=1500, seed=0):
    X = mixed(n, seed)
    score = 4.0 * ((X["town"] == "Ulm") & (X["size"] > 2)) + 3.0 * X["age"].between(30, 45, inclusive="right") - 3.0
    y = np.random.default_rng(seed).random(n) < 1 / (1 + np.exp(-score))
    return X, np.where(y, "yes", "no")


def test_conjunctions_and_intervals_that_were_planted_are_found():
    X, y = planted()
    model = SpectralClassifier(max_terms=2, random_state=0).fit(X, y)
    first, second = model.terms_["term"]
    assert first == "town = Ulm and size > 2"
    low, high = (float(part.strip("<= ")) for part in second.split("age"))
    assert abs(low - 30) < 3
    assert abs(high - 45) < 3
    assert list(model.terms_.columns) == ["term", "degree", "rows", "weight", "se"]
    assert model.terms_["weight"].tolist() == pytest.approx([4, 3], abs=0.9)
    assert model.terms_["rows"][0] == ((X["town"] == "Ulm") & (X["size"] > 2)).sum()
    assert model.intercept_ == pytest.approx([-3], abs=0.5)


def test_every_line_on_the_board_is_a_conjunction():
    data = load_tic_tac_toe()
    some = np.random.default_rng(0).permutation(958)[:400]
    model = SpectralClassifier(max_terms=8, random_state=0).fit(data.data[some], data.target[some])
    assert model.score(data.data, data.target) > 0.9
    assert model.n_terms_ <= 8
    assert model.degree_ == 3
    assert "XOR" not in to_markdown(model)


@pytest.mark.parametrize("k", [2, 3])
def test_a_parity_is_still_found_and_named(k):
    data = make_parity(1001, n_columns=12, k=k, noise=0.1, random_state=1)
    model = SpectralClassifier(max_terms=4, random_state=0).fit(data.data, data.target)
    listed = ", ".join(f"x{i} = 1" for i in data.relevant)
    assert model.terms_["term"][0] == f"{'exactly one' if k == 2 else 'an odd number'} of {listed}"
    assert model.score(data.data, data.target) > 0.85
    as_before = SpectralClassifier(max_terms=4, terms="xor", random_state=0).fit(data.data, data.target)
    assert as_before.terms_["term"][0] == " XOR ".join(f"x{i}=1" for i in data.relevant)
    assert type(as_before.model_) is LinearModel


def test_noise_is_not_called_a_parity():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(["a", "b"], (300, 8)), columns=list("pqrstuvw"))
    model = SpectralClassifier(max_terms=5, random_state=0).fit(X, rng.choice(["yes", "no"], 300))
    assert set(model.model_.joins) <= {"and"}


def test_single_conditions_win_where_longer_ones_would_learn_noise():
    """Additive, and much noise: forced pairs would lose."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.choice(["a", "b"], (400, 10)), columns=list("klmnopqrst"))
    score = (X.to_numpy() == "a") @ np.linspace(0.1, 0.9, 10) - 2.5
    y = rng.random(400) < 1 / (1 + np.exp(-score))
    assert SpectralClassifier(max_terms=6, random_state=0).fit(X, y).degree_ == 1


def test_where_nothing_is_left_to_chance_a_model_ends_when_all_is_said():
    """Losses go on falling with every term, since a model may always be a little surer."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.choice(["u", "v", "w"], (400, 7)), columns=list("abcdefg"))
    y = (table["a"] == "u") | ((table["b"] == "v") & (table["g"] != "w"))
    model = SpectralClassifier(max_terms=20, random_state=0).fit(table, y)
    assert model.score(table, y) == 1.0
    assert model.n_terms_ <= 4


def test_a_limit_of_the_degree_is_kept():
    X, y = planted()
    assert SpectralClassifier(1, max_terms=4, random_state=0).fit(X, y).degree_ == 1
    assert SpectralClassifier(2, max_terms=4, random_state=0).fit(X, y).degree_ == 2


def test_a_row_of_weight_three_is_three_rows():
    X, y = planted(120)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    times = np.repeat(np.arange(len(y)), weights)
    model = SpectralClassifier(max_terms=4, n_bins=6, random_state=0)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(X.iloc[times], y[times])
    pd.testing.assert_frame_equal(weighted.terms_, repeated.terms_)


def test_three_classes_and_numbers():
    X, _ = planted(1100)
    ulm, old = X["town"] == "Ulm", X["age"] > 50
    three = np.where(ulm & (X["size"] > 1), "u", np.where(old, "old", "else"))
    model = SpectralClassifier(max_terms=4, random_state=0).fit(X, three)
    assert model.score(X, three) > 0.95
    assert {"weight[else]", "weight[old]", "weight[u]", "rows"} <= set(model.terms_.columns)
    number = 2.0 * (ulm & (X["size"] > 1)) + 5.0 * old + np.random.default_rng(0).normal(0, 0.1, len(X))
    regressor = SpectralRegressor(2, max_terms=3, loss="squared", random_state=0).fit(X, number)
    assert regressor.score(X, number) > 0.9
    assert isinstance(regressor.model_, PointsModel)


# ---- awkward tables --------------------------------------------------------------------------------------------------


def test_what_is_missing_or_was_never_seen_is_true_of_nothing_but_that_it_is_missing():
    X, y = planted()
    y = np.where(X["gaps"].isna(), "yes", y)
    model = SpectralClassifier(max_terms=5, random_state=0).fit(X, y)
    assert "gaps is missing" in set(model.terms_["term"])
    odd = pd.DataFrame({c: ["never seen"] if X[c].dtype == object else [np.nan] for c in X}).astype(X.dtypes.to_dict())
    (row,) = model.explain(odd)
    assert not any(part.holds for part in row.parts if "missing" not in part.text)
    assert row.score == pytest.approx(model.decision_function(odd))


def test_names_that_look_like_phrases_do_no_harm():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(["x and y", "a, b", "}"], (400, 3)), columns=["a and b", "c in {d}", "e > 5"])
    y = (X["a and b"] == "x and y") & (X["e > 5"] == "}")
    model = SpectralClassifier(max_terms=3, random_state=0).fit(X, y)
    assert model.terms_["term"][0] == "a and b = x and y and e > 5 = }"
    again = from_json(to_json(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("others", [{}, {"half": ["p", "q"] * 30}], ids=["nothing else", "one column"])
def test_constant_columns_and_columns_of_one_level(others):
    y = ["yes", "no", "no"] * 20
    frame = pd.DataFrame({"same": ["s"] * 60, "gap": [None, "one"] * 30, **others})
    model = SpectralClassifier(max_terms=3, random_state=0).fit(frame, y)
    assert len(model.predict(frame)) == 60
    assert set(model.predict(frame)) <= {"yes", "no"}


def test_a_table_that_says_nothing_has_a_model_of_next_to_nothing():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    model = SpectralClassifier(max_terms=3, random_state=0).fit(X, rng.choice([0, 1], 60))
    assert model.n_terms_ <= 3
    assert from_json(to_json(model)).predict(X).tolist() == model.predict(X).tolist()


@pytest.fixture(scope="module")
def two_terms():
    return SpectralClassifier(max_terms=2, random_state=0).fit(*planted(200))


def test_copies_and_pickles_say_the_same(two_terms):
    (X, y), model = planted(200), two_terms
    again = clone(model).fit(X, y)
    pd.testing.assert_frame_equal(again.terms_, model.terms_)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))


def test_terms_are_of_two_kinds():
    X, y = planted(100)
    with pytest.raises(InputError, match="terms='or' is not known; it can be 'auto', 'xor'"):
        SpectralClassifier(max_terms=3, terms="or").fit(X, y)


def test_effects_of_a_points_model_add_up_even_for_parities():
    data = make_parity(500, n_columns=6, k=3, noise=0.1, random_state=0)
    model = SpectralClassifier(max_terms=3, random_state=0).fit(data.data, data.target).model_
    assert "odd" in model.joins
    codes = model.encode(model.table(data.data))
    np.testing.assert_allclose(model.effects().scores(codes), model.scores(codes), atol=1e-9)


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"joins": ["and"]}, "joins must be one word a term"),
        ({"joins": ["and", "or"]}, "must be one of 'and', 'odd'"),
        ({"rows": [1.0]}, "rows"),
        ({"rows": [-1.0, 2.0]}, "rows must be numbers of rows, none below 0"),
        ({"terms": [[0, 1], [0]]}, "terms must be terms of bits of different columns"),
    ],
    ids=str,
)
def test_a_file_that_makes_no_sense_is_refused(two_terms, change, message):
    content = json.loads(to_json(two_terms))
    content["model"] |= (
        {"bits": content["model"]["bits"][:1] * 2 + content["model"]["bits"]} if "terms" in change else {}
    )
    content["model"] |= change | {"masses": None, "cell_errors": None}
    content.pop("checksum")
    with pytest.raises(ModelFileError, match=message):
        from_json(json.dumps(content | {"checksum": _checksum(content)}))


@pytest.mark.parametrize(("shape", "most"), [((4, 30, 30), 20), ((2, 3, 50), 40), ((4, 9, 9), 500), ((1, 1, 5), 3)])
def test_the_best_places_are_those_of_a_sort(shape, most):
    """Lines of little are passed over, and nothing is lost by that."""
    scores = np.maximum(np.random.default_rng(most).normal(size=shape), 0)
    order = np.argsort(-scores.ravel(), kind="stable")
    expected = [place for place in order[:most] if scores.ravel()[place] > 0]
    np.testing.assert_array_equal(_best(scores, most), expected)
    assert len(_best(np.zeros(shape), most)) == 0
