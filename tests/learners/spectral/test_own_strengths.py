"""Effects that are held back as their own weights ask for: against the likelihood itself, and interactions alone."""

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import helmert
from scipy.stats import multivariate_normal

from paclearn import SpectralClassifier, SpectralRegressor
from paclearn.learners.spectral.effect_columns import EffectColumn
from paclearn.learners.spectral.effect_fit import EffectRows, fit_pieces, held_by_themselves
from paclearn.learners.spectral.effect_recipes import FoldFit, Recipe, _likeliest_strength
from paclearn.learners.spectral.effect_search import Found
from paclearn.learners.spectral.effect_shapes import curve, partition
from paclearn.learners.spectral.losses import LogLoss, SquaredLoss

STRENGTHS = np.geomspace(0.02, 5000, 12)


def two_effects(seed, n=150):
    """A column with much to say and one with next to nothing."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, 12, n), rng.integers(0, 8, n)])
    number, levels = EffectColumn(12, np.arange(12.0)), EffectColumn(8)
    mass = [np.bincount(c, minlength=k).astype(float) for c, k in zip(codes, (12, 8), strict=True)]
    pieces = (
        curve(0, number, mass[0], 6).centred(mass[0]),
        partition(1, levels, np.arange(8), "levels").centred(mass[1]),
    )
    score = np.sin(codes[0]) * 1.5 + 0.05 * rng.normal(size=8)[codes[1]]
    return rng, codes, pieces, score


def restricted_likelihood(y, designs, penalties, strengths):
    """Of the differences between rows, in which the start has no part; the variance of the noise at its best."""
    n = len(y)
    contrasts = helmert(n).T
    covariance = np.eye(n) + sum(
        (B / (strength * p)) @ B.T for B, p, strength in zip(designs, penalties, strengths, strict=True)
    )
    inner, left = contrasts.T @ covariance @ contrasts, contrasts.T @ y
    noise = left @ np.linalg.solve(inner, left) / (n - 1)
    return -(np.linalg.slogdet(noise * inner)[1] + n - 1) / 2


@pytest.mark.parametrize("seed", range(3))
def test_strengths_of_a_number_are_the_likeliest(seed):
    rng, codes, pieces, score = two_effects(seed)
    y = score + rng.normal(size=len(score))
    rows = EffectRows(codes, y[:, None], np.ones(len(y)), SquaredLoss())
    start = fit_pieces(rows, pieces, 3.0)
    found, fit = held_by_themselves(rows, pieces, 3.0, start)
    designs = [p.basis[p.cells(codes)] for p in pieces]
    penalties = [p.penalty for p in pieces]
    chosen = [3.0 * p.held for p in found]
    best = max(restricted_likelihood(y, designs, penalties, (a, b)) for a in STRENGTHS for b in STRENGTHS)
    assert restricted_likelihood(y, designs, penalties, chosen) > best - 0.1
    assert found[0].held < found[1].held  # who says little is held back more
    np.testing.assert_allclose(fit.weights[0], fit_pieces(rows, found, 3.0).weights[0], atol=1e-4)


def test_one_effect_alone_by_one_step_is_the_same():
    rng, codes, pieces, score = two_effects(5)
    y = score - score.mean() + rng.normal(size=len(score))
    y -= y.mean()
    rows = EffectRows(codes, y[:, None], np.ones(len(y)), SquaredLoss())
    fold = FoldFit.first(rows, rows)
    piece = pieces[0]
    G, H = fold.sums(rows.cells(piece), len(piece.basis))
    found = _likeliest_strength(piece, G, H, 1.0)
    design = piece.basis[piece.cells(codes)]
    grid = np.array([0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0])
    exact = [
        multivariate_normal(cov=np.eye(len(y)) + (design / (s * piece.penalty)) @ design.T).logpdf(y) for s in grid
    ]
    assert found == grid[int(np.argmax(exact))]


@pytest.mark.parametrize("loss", [LogLoss()])
def test_classes_too_hold_back_what_says_nothing(loss):
    rng, codes, pieces, score = two_effects(1, n=2000)
    y = (rng.random(len(score)) < 1 / (1 + np.exp(-score))).astype(float)
    rows = EffectRows(codes, y[:, None], np.ones(len(y)), loss)
    found, _ = held_by_themselves(rows, pieces, 3.0, fit_pieces(rows, pieces, 3.0))
    assert 3 * found[0].held < 10  # of 2000 rows
    assert found[1].held > 30 * found[0].held


def test_rows_left_out_have_no_say_in_what_holds_back_the_models_they_judge():
    rng, codes, pieces, score = two_effects(2, n=300)
    y = (rng.random(len(score)) < 1 / (1 + np.exp(-score))).astype(float)

    def strengths(targets):
        rows = [EffectRows(codes[:, part], targets[part, None], np.ones(150), LogLoss()) for part in (train, held)]
        every = EffectRows(codes, targets[:, None], np.ones(300), LogLoss())
        folds = [FoldFit.first(*rows), FoldFit.first(every, every)]
        recipes = Recipe((0,), "curve", 6), Recipe((1,), "groups", 8)
        found = Found(recipes, tuple(f.fitted(pieces, 3.0, f.fit) for f in folds), 3.0).held_by_themselves()
        return [[piece.held for piece in fold.pieces] for fold in found.folds]

    train, held = np.arange(150), np.arange(150, 300)
    others = np.append(y[train], 1 - y[held])
    assert strengths(y)[0] == strengths(others)[0]
    assert strengths(y)[1] != strengths(others)[1]


# ---- interactions of which neither column says anything alone --------------------------------------------------------


def of_two_numbers(rng, X):
    a, b = (rng.normal(size=len(X)) for _ in range(2))
    return X.assign(a=a, b=b), np.sign(a * b)


def of_a_product(rng, X):
    a, b = (rng.normal(size=len(X)) for _ in range(2))
    return X.assign(a=a, b=b), a * b


def of_two_waves(rng, X):
    a, b = (rng.uniform(size=len(X)) for _ in range(2))
    return X.assign(a=a, b=b), 2 * np.cos(2 * np.pi * a) * np.cos(2 * np.pi * b)


def of_two_categories(rng, X):
    a, b = (rng.choice(list("pqrs"), len(X)) for _ in range(2))
    return X.assign(a=a, b=b), np.where(np.isin(a, ["p", "q"]) ^ np.isin(b, ["p", "r"]), 1.0, -1.0)


def of_a_square(rng, X):
    """A Latin square: no cut into two of either column says anything of the cells."""
    a, b = (rng.integers(0, 4, len(X)) for _ in range(2))
    words = np.array(list("pqrs"))
    return X.assign(a=words[a], b=words[b]), np.array([0.0, 1.0, 3.0, -4.0])[(a + b) % 4] / 2.55


def of_both_kinds(rng, X):
    a, b = rng.choice(["p", "q"], len(X)), rng.normal(size=len(X))
    return X.assign(a=a, b=b), np.where((a == "p") ^ (b > 0), 1.0, -1.0)


def of_a_wave_and_a_switch(rng, X):
    a, b = rng.integers(0, 24, len(X)), rng.integers(0, 2, len(X))
    return X.assign(a=a, b=b), np.sqrt(2) * np.sin(2 * np.pi * a / 6) * (2 * b - 1)


PURE = [
    of_two_numbers,
    of_a_product,
    of_two_waves,
    of_two_categories,
    of_a_square,
    of_both_kinds,
    of_a_wave_and_a_switch,
]


@pytest.mark.parametrize("make", PURE)
def test_an_interaction_alone_is_found_and_believed(make):
    rng = np.random.default_rng(0)
    columns = {f"n{i}": rng.normal(size=2500) for i in range(9)} | {
        f"c{i}": rng.choice(list("uvw"), 2500) for i in range(9)
    }
    X, score = make(rng, pd.DataFrame(columns))
    y = score + 0.3 * rng.normal(size=len(X))
    model = SpectralRegressor(max_effects=2, degree=2, random_state=0).fit(X[:1500], y[:1500])
    assert model.effects_["columns"][0] == ("a", "b")
    assert model.score(X[1500:], score[1500:]) > 0.9
    labels = np.where(y > 0, "up", "down")
    classes = SpectralClassifier(max_effects=2, degree=2, random_state=0).fit(X[:1500], labels[:1500])
    assert classes.effects_["columns"][0] == ("a", "b")
    assert classes.score(X[1500:], labels[1500:]) > np.mean((score[1500:] > 0) == (y[1500:] > 0)) - 0.06


def test_of_noise_alone_no_interaction_is_believed():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{i}": rng.choice(list("uvwx"), 1500) for i in range(12)})
    y = rng.normal(size=1500)
    model = SpectralRegressor(max_effects=3, degree=2, random_state=0).fit(X[:1000], y[:1000])
    assert max(map(len, model.effects_["columns"]), default=0) < 2
    assert model.score(X[1000:], y[1000:]) > -0.04
