"""Columns are cut more finely where that says more than chance, and nowhere else."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from paclearn import SpectralRegressor
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.learners.fitting import Rows
from paclearn.learners.spectral import finer_cuts
from paclearn.learners.spectral.finer_cuts import with_finer_cuts
from paclearn.learners.spectral.tuning import TUNING
from paclearn.tables import KnownColumns, as_table

RULES = EncodingRules(32, 1, 500)


def waves(seed, n=4000, columns=4):
    """A number that goes up and down twenty times over the first column, and says nothing of the others."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, columns))
    return X, np.sin(40 * np.pi * X[:, 0]) + X[:, 1] + rng.normal(0, 0.5, n)


def finer(X, y, weights=None):
    """Thresholds of every column before and after."""
    train = Rows(
        as_table(KnownColumns(0, None), pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]), reset=True),
        np.asarray(y, dtype=np.float64),
        weights,
    )
    domain, codes = learn_and_encode(train.table, RULES, weights)
    after, new = with_finer_cuts(domain, codes, train, 128)
    for column, code in zip(after.columns, new, strict=True):
        np.testing.assert_array_equal(code, column.encode(column.read(train.table)))
    return [len(column.thresholds) for column in after.columns]


def test_a_column_of_fine_structure_is_cut_finely_and_others_are_not():
    for seed in range(5):
        assert finer(*waves(seed)) == [127, 31, 31, 31]


@pytest.mark.parametrize("noise", ["normal", "cauchy", "few large ones"])
def test_noise_and_what_few_bins_can_say_ask_for_nothing(noise):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(1500, 5))
        drawn = {"normal": rng.normal(size=1500), "cauchy": rng.standard_cauchy(1500)}
        error = drawn.get(noise, np.exp(3 * rng.normal(size=1500)))
        assert finer(X, X[:, 0] + (X[:, 1] > 0.3) + error) == [31] * 5


def test_a_row_of_weight_two_is_two_rows():
    X, y = waves(1, 900)
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    often = np.repeat(np.arange(len(y)), weights.astype(int))
    assert finer(X, y, weights) == finer(X[often], y[often])


def test_bins_are_no_more_than_there_is_room_for(monkeypatch):
    X, y = waves(0)
    monkeypatch.setattr(finer_cuts, "TUNING", replace(TUNING, most_bits=4 * 32 + 95))
    assert finer(X, y) == [31] * 4


def test_few_rows_are_cut_as_they_were():
    assert finer(*waves(0, 240)) == [31] * 4


def test_a_model_sees_what_few_bins_hide():
    X, y = waves(0, 3000)
    frame = pd.DataFrame(X, columns=list("abcd"))
    learner = SpectralRegressor(random_state=0, loss="squared").fit(frame[:2000], y[:2000])
    assert learner.score(frame[2000:], y[2000:]) > 0.5  # of waves of a bin each, few bins tell little: 0.23
    assert {bit.column for bit in learner._bits if len(learner.domain_.columns[bit.column].thresholds) > 31} == {0}
