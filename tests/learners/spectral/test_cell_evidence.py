"""Pairs of columns by all their cells: the sums are those of rows, and what has no corner is found."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from paclearn import SpectralClassifier, SpectralRegressor
from paclearn.learners.spectral import cell_evidence
from paclearn.learners.spectral.cell_evidence import CellEvidence, surprise
from paclearn.learners.spectral.term_scan import Scan


def scan_of(levels, counts):
    """Every level of every column but the last one is a bit."""
    bits = [(c, level) for c, column in enumerate(levels.T) for level in range(int(column.max()))]
    signs = np.stack([np.where(levels[:, c] == level, 1, -1) for c, level in bits], axis=1).astype(np.int8)
    mean = counts @ signs / counts.sum()
    basis = ((signs - mean) / np.sqrt(1 - mean**2)).astype(np.float32)
    return Scan(basis, signs, np.array([c for c, _ in bits]), counts.astype(np.float32), 2.0)


def functions_of(column, shares):
    """Orthonormal under the law of the rows, the constant left out, by Gram and Schmidt."""
    found = [np.ones(len(column))]
    for level in range(int(column.max())):
        new = (column == level).astype(float)
        for old in found:
            new = new - (shares * new) @ old * old
        found.append(new / np.sqrt(shares @ new**2))
    return found[1:]


def test_all_cells_together_are_the_squares_of_any_orthonormal_basis():
    rng = np.random.default_rng(0)
    levels, counts = rng.integers(0, [3, 4, 2], (200, 3)), rng.integers(1, 4, 200).astype(float)
    residual = rng.normal(size=(200, 2))
    scan = scan_of(levels, counts)
    squares = CellEvidence(scan, 3)._squares(scan.sums(residual)).sum(axis=(2, 3))
    weighted = scan._weighted(residual)
    functions = [functions_of(column, counts / counts.sum()) for column in levels.T]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        slow = sum(((weighted.T @ (f * g)) ** 2).sum() for f in functions[a] for g in functions[b]) / counts.sum()
        assert squares[a, b] == pytest.approx(slow, rel=1e-3)


def testsurprise_is_never_above_that_of_the_law():
    freedom = np.array([1, 4, 49])
    for ratio in (0.5, 1.0, 1.5, 4.0):
        bound = surprise(ratio * freedom, freedom)
        assert (bound <= -chi2.logsf(ratio * freedom, freedom) + 1e-12).all()
    assert (surprise(freedom, freedom) == 0).all()


def test_a_wave_along_a_diagonal_comes_first_of_all_pairs():
    """No pair of levels sees much of it, and so bits rank it behind chance."""
    first = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        levels = rng.integers(0, 8, (500, 40))
        wave = np.cos(np.pi * (levels[:, 0] + levels[:, 1]) / 2)
        scan = scan_of(levels, np.ones(500))
        sums = scan.sums((wave + rng.normal(0, 1.4, 500))[:, None])
        first.append(np.unravel_index(CellEvidence(scan, 40).pairs(sums).argmax(), (40, 40)))
    assert first == [(0, 1)] * 4


@pytest.mark.parametrize("kind", ["number", "classes"])
def test_a_table_of_levels_may_have_a_weight_a_cell(kind):
    rng = np.random.default_rng(0)
    said = rng.normal(size=(6, 6))
    said -= said.mean(axis=0) + said.mean(axis=1)[:, None] - said.mean()
    codes = rng.integers(0, 6, (800, 4))
    frame = pd.DataFrame(np.array(list("abcdef"))[codes], columns=["one", "other", "third", "fourth"])
    score = 2 * said[codes[:, 0], codes[:, 1]]
    learner = SpectralRegressor if kind == "number" else SpectralClassifier
    y = score + rng.normal(0, 1, 800) if kind == "number" else score + rng.logistic(0, 0.5, 800) > 0
    model = learner(max_effects=2, random_state=0).fit(frame[:500], y[:500])
    assert ("one", "other") in model.effects_["columns"].tolist()
    truth, lowest = (score, 0.8) if kind == "number" else (score > 0, 0.85)
    assert model.score(frame[500:], truth[500:]) > lowest


def test_wide_tables_are_scanned_by_pairs_of_bits_alone(monkeypatch):
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 3, (200, 3))
    scan = scan_of(levels, np.ones(200))
    sums = scan.sums((levels[:, 0] == levels[:, 1]).astype(float)[:, np.newaxis] - 1 / 3)
    assert CellEvidence(scan, 3).pairs(sums)[0, 1] > 1
    monkeypatch.setattr(cell_evidence, "EFFECTS", replace(cell_evidence.EFFECTS, scanned=5))
    assert not CellEvidence(scan, 3).pairs(sums).any()
