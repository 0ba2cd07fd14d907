"""Cases of a column that exclude each other, in place of conditions that overlap: the same sum, no more lines."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn import BooleanEncoder, SpectralClassifier, SpectralRegressor
from paclearn.export import to_scorecard
from paclearn.learners.spectral.disjoint_terms import exclusive
from paclearn.learners.spectral.phrases import Phrase, Vocabulary
from paclearn.learners.spectral.weighted_terms import Terms
from paclearn.models.terms import model_bits, signs_of
from paclearn.tables.table import as_table

seeds = st.integers(0, 10**6)


def words_and_rows(n, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "calls": rng.poisson(1.5, n),
            "town": rng.choice(["Bonn", "Ulm", "Kiel", "Trier", "Jena", "Graz"], n),
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(1)),
        }
    )
    encoder = BooleanEncoder(n_bins=6).fit(frame)
    codes = [np.asarray(c, dtype=int) for c in encoder.domain_.encode(as_table(encoder, frame, reset=False))]
    words = Vocabulary(encoder.domain_, model_bits(encoder.domain_))
    return words, words.codes(signs_of(encoder.domain_, words.bits, codes))


def some_phrases(words, rng, most):
    """Bits and denials, alone and in pairs, so that some ask about the same column."""
    conditions = [part for pair in words.literals for part in pair if part[1]]
    found = {}
    while len(found) < most:
        phrase = Phrase(())
        for place in rng.choice(len(conditions), rng.integers(1, 3)):
            phrase = phrase.with_condition(conditions[place]) or phrase
        found[Phrase(phrase.conditions, "odd" if len(phrase) > 1 and rng.random() < 0.2 else "and")] = None
    return list(found)


@given(seed=seeds, outputs=st.integers(1, 3), most=st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_the_sum_is_the_same_and_no_longer(seed, outputs, most):
    rng = np.random.default_rng(seed)
    words, rows = words_and_rows(120, seed)
    phrases = some_phrases(words, rng, most)
    root = rng.normal(size=(outputs, most, most))
    covariance = root @ root.transpose(0, 2, 1)
    found = Terms(
        tuple(words.term(p) for p in phrases),
        rng.normal(size=(most, outputs)),
        rng.normal(size=outputs),
        None,
        covariance,
    )
    before = words.truth(found.terms, rows)
    new, sizes = exclusive(found, words, before.sum(axis=0).astype(float), float(len(before)))
    after = words.truth(new.terms, rows)
    assert len(new.terms) <= len(found.terms)
    np.testing.assert_allclose(after @ new.weights + new.intercept, before @ found.weights + found.intercept, atol=1e-6)
    np.testing.assert_allclose(sizes, after.sum(axis=0), atol=1e-6)
    if new.errors is not None:  # the sum is the same, and so is its variance, but for what the start has taken
        variances = np.diagonal(new.covariance, axis1=1, axis2=2)
        np.testing.assert_allclose(new.errors.T**2, variances, atol=1e-9)
    for term in new.terms:
        assert all(words.is_plain(*part) for part in words.phrase(term).conditions) or term in found.terms


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["> 30", "> 50"], ["30 < age <= 50", "age > 50"]),
        (["<= 30", "<= 50", "> 60"], ["30 < age <= 50", "age <= 30", "age > 60"]),
        (["<= 50", "> 30"], ["age <= 30", "age > 50"]),  # what both are true of needs no line
        (["<= 30", "> 60"], ["age <= 30", "age > 60"]),
    ],
)
def test_intervals_of_a_number(asked, said):
    frame = pd.DataFrame({"age": np.repeat([20, 40, 40, 40, 55, 70], 10)})
    encoder = BooleanEncoder(n_bins=8).fit(frame)
    words = Vocabulary(encoder.domain_, model_bits(encoder.domain_))
    values = np.array([20, 40, 55, 70])
    codes = next(iter(encoder.domain_.encode(as_table(encoder, pd.DataFrame({"age": values}), reset=False))))
    holds = {
        "> 30": values > 30,
        "> 50": values > 50,
        "> 60": values > 60,
        "<= 30": values <= 30,
        "<= 50": values <= 50,
    }
    parts = [(0, tuple(sorted(codes[holds[text]].tolist()))) for text in asked]
    terms = tuple(words.term(Phrase((part,))) for part in parts)
    counts = {20: 10, 40: 30, 55: 10, 70: 10}
    sizes = np.array([sum(counts[v] for v in values[holds[text]]) for text in asked], dtype=float)
    found = Terms(terms, np.arange(1.0, len(terms) + 1)[:, None], np.zeros(1), None)
    new, _ = exclusive(found, words, sizes, 60.0)
    told = {tuple(np.isin(codes, words.phrase(t).conditions[0][1])) for t in new.terms}
    between = {"30 < age <= 50": (values > 30) & (values <= 50), "age > 50": values > 50, "age <= 30": values <= 30}
    between["age > 60"] = values > 60
    assert told == {tuple(between[text]) for text in said}


@pytest.mark.parametrize("kind", ["classes", "number"])
def test_no_two_lines_of_a_model_ask_the_same_column_alone_and_overlap(kind):
    rng = np.random.default_rng(0)
    n = 1500
    frame = pd.DataFrame(
        {"years": rng.integers(0, 40, n), "late": rng.poisson(0.7, n), "home": rng.choice(["own", "rent"], n)}
    )
    score = 0.08 * frame["years"] - 0.9 * frame["late"] + (frame["home"] == "own") - 1.0
    noisy = score + rng.logistic(0, 0.6, n)
    y = noisy if kind == "number" else np.where(noisy > 0, "paid", "default")
    model = (SpectralRegressor if kind == "number" else SpectralClassifier)(max_terms=8, random_state=0).fit(frame, y)
    found = model.model_
    truth = found.truth(found.encode(found.table(frame)))
    alone = [i for i, term in enumerate(found.terms) if len(term) == 1]
    for i, j in combinations(alone, 2):
        if found.bits[found.terms[i][0]].column == found.bits[found.terms[j][0]].column:
            assert not (truth[:, i] & truth[:, j]).any()
    assert len(alone) > len({found.bits[found.terms[i][0]].column for i in alone})  # else nothing was tried
    np.testing.assert_array_equal(found.rows, truth.sum(axis=0))
    card = to_scorecard(model, frame, y)
    names = [name for name, _ in card.lines()]
    years = [i for i, name in enumerate(names) if "years" in name and " and " not in name]
    assert years == list(range(years[0], years[0] + len(years)))  # cases of a column stand together
    if kind == "classes":
        totals = card.total(frame)
        least, most = card._ends
        assert least <= totals.min()
        assert totals.max() <= most


def test_every_other_number_is_no_condition():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"calls": rng.integers(0, 6, 900), "kind": rng.choice(["u", "v"], 900)})
    y = np.isin(frame["calls"], [0, 2, 4]) & (frame["kind"] == "u") ^ (rng.random(900) < 0.05)
    model = SpectralClassifier(max_terms=6, random_state=0).fit(frame, y)
    assert not any(" or calls" in term for term in model.terms_["term"])
    assert model.score(frame, y) > 0.93  # one after the other they say it too
