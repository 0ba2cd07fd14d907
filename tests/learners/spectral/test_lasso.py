"""Terms that an absolute penalty leaves: the minimum is one, and the learner takes them where greed fails."""

import numpy as np
import pytest

from paclearn import SpectralClassifier
from paclearn.datasets import load_tic_tac_toe
from paclearn.learners.spectral.forward import Design
from paclearn.learners.spectral.lasso import Lasso, grow_lasso
from paclearn.learners.spectral.losses import LogLoss, SoftmaxLoss, SquaredLoss


def design_of(loss, n=300, d=8, seed=0):
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], (n, d)).astype(np.int8)
    score = 1.5 * signs[:, 0] * signs[:, 1] * signs[:, 2] + signs[:, 3] + rng.logistic(size=n)
    targets = {
        LogLoss: (score > 0).astype(float)[:, None],
        SoftmaxLoss: np.eye(3)[np.digitize(score, [-1, 1])],
        SquaredLoss: score[:, None],
    }[loss]
    values, counts = signs.astype(np.float32), rng.integers(1, 4, n).astype(float)
    return Design(signs, values, values, np.arange(d), targets, counts, loss(), degree=3)


@pytest.mark.parametrize("loss", [LogLoss, SoftmaxLoss, SquaredLoss])
@pytest.mark.parametrize("penalty", [0.1, 0.03])
def test_at_the_minimum_no_weight_wants_to_move(loss, penalty):
    """Karush, Kuhn and Tucker: the slope of a term with weights is the penalty along them, of others no more."""
    design = design_of(loss)
    terms = [(i,) for i in range(8)] + [(i, j) for i in range(8) for j in range(i)] + [(0, 1, 2), (3, 4, 5)]
    columns = design.products(terms)
    lasso = Lasso(columns, design)
    kept = lasso.at(penalty)
    weights, intercept = lasso.model
    residual = design.residual(columns @ weights + intercept) * design.shares[:, None]
    slopes = columns.T @ residual
    sizes = np.sqrt((weights**2).sum(axis=1))
    assert set(kept) == set(np.flatnonzero(sizes))
    assert {terms.index((3,)), terms.index((0, 1, 2))} <= set(kept)
    np.testing.assert_allclose(residual.sum(axis=0), 0, atol=0.02 * penalty)
    assert (np.sqrt((slopes**2).sum(axis=1)) <= 1.06 * penalty).all()
    np.testing.assert_allclose(slopes[kept], penalty * weights[kept] / sizes[kept, None], atol=0.06 * penalty)


def test_models_have_at_most_as_many_terms_as_asked():
    sizes = (1, 4, 16)
    found = list(grow_lasso(design_of(LogLoss), 1e-3, sizes))
    assert [model.n_terms <= size for model, size in zip(found, sizes, strict=True)] == [True] * 3
    assert {(3,), (0, 1, 2)} <= set(found[1].terms)


def test_lines_of_a_board_are_found_where_greed_stops():
    """Eight products of three squares, none of which helps by itself: ridge on single bits was right on 98 of 100."""
    data = load_tic_tac_toe()
    rows = np.random.default_rng(0).permutation(len(data.target))
    known, new = rows[:862], rows[862:]
    model = SpectralClassifier(degree=3, random_state=0).fit(data.data[known], data.target[known])
    assert model.degree_ == 3
    assert (model.predict(data.data[new]) == data.target[new]).all()
