"""Of few rows of classes the model is a mean of several, each with the share that rows left out give it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from paclearn import SpectralClassifier
from paclearn.encoding.folds import Draws
from paclearn.learners.spectral.mixing import mixed, shares_of
from paclearn.learners.spectral.model_choice import Judging
from paclearn.learners.spectral.refitting import refit, refit_all
from paclearn.learners.spectral.tuning import TUNING


def table(n=180, seed=0):
    rng = np.random.default_rng(seed)
    x, level = rng.normal(size=(n, 3)), rng.integers(0, 3, n)
    score = 1.5 * (x[:, 0] > 0) - 0.7 * x[:, 1] + 1.2 * (level == 1)
    frame = pd.DataFrame(x.round(2), columns=["a", "b", "c"]).assign(d=np.array(["p", "q", "r"])[level])
    return frame, np.where(rng.random(n) < expit(score), "yes", "no")


class Remembers(SpectralClassifier):
    """With the rows that its models were fitted to."""

    def _best(self, design, targets, draws, rng):
        self.design = design
        return super()._best(design, targets, draws, rng)


@pytest.fixture(scope="module")
def learner():
    return Remembers(random_state=0).fit(*table())


def judging(n, copies=1, groups=None):
    """Every unit is left out once; only what rows are is asked for."""
    return Judging((), np.full(n, 1 / n), np.ones(n), np.arange(n), np.full(n, float(copies)), groups)


# ---- shares ----------------------------------------------------------------------------------------------------------


def test_what_is_clearly_better_has_it_all_and_equals_share_evenly():
    rng = np.random.default_rng(1)
    lost = rng.exponential(size=400)
    assert shares_of(judging(400), [lost, lost + 0.5])[0] == pytest.approx(1.0, abs=1e-6)
    assert shares_of(judging(400), [lost, lost]) == pytest.approx([0.5, 0.5])


def test_a_lead_that_other_rows_might_not_give_leaves_the_other_a_share():
    """By the sums alone, two nats apart, the second would have 12 of a hundred; it leads in many draws."""
    rng = np.random.default_rng(2)
    lost, noise = rng.exponential(size=400), rng.normal(size=400)
    other = lost + noise - noise.mean() + 2 / 400
    first, second = shares_of(judging(400), [lost, other])
    assert first + second == pytest.approx(1.0)
    assert 0.3 < second < 0.5


def test_shares_are_the_mean_over_draws_that_one_works_out_by_hand():
    rng = np.random.default_rng(3)
    losses = [rng.exponential(size=50) for _ in range(3)]
    alpha = rng.dirichlet(np.ones(50), 40_000)
    likely = np.exp(-50 * alpha @ np.stack(losses).T)
    by_hand = (likely / likely.sum(axis=1, keepdims=True)).mean(axis=0)
    assert shares_of(judging(50), losses) == pytest.approx(by_hand, abs=0.06)


def test_rows_that_stand_for_several_are_so_many_draws():
    """Four times the rows, in kinds of four, are surer than the kinds alone."""
    rng = np.random.default_rng(4)
    lost = rng.exponential(size=60)
    better = lost - 0.02 + rng.normal(0, 0.05, 60)
    once, four = (shares_of(judging(60, copies), [lost, better])[1] for copies in (1, 4))
    assert 0.5 < once < four


def test_a_row_that_is_judged_three_times_is_one_draw():
    draws = Draws(np.ones(30), np.ones(30, dtype=np.int64))
    strata, seeds = np.zeros(30, dtype=np.intp), map(np.random.RandomState, range(3))
    splits = [draws.split(fold) for seed in seeds for fold in draws.fold_counts(strata, 5, seed)]

    class Rows:
        counts = np.ones(30)

        @staticmethod
        def rows(part):
            return type("Some", (), {"counts": part.weights})

    judged = Judging.of(Rows, splits)
    assert np.array_equal(judged.draws, np.ones(30))
    assert np.array_equal(np.bincount(judged.units), np.full(30, 3))


# ---- models ----------------------------------------------------------------------------------------------------------


def test_the_mean_has_the_mean_scores_of_its_parts(learner):
    choice, design = learner._choice, learner.design
    assert len(choice.parts) > 1
    assert sum(share for _, share in choice.parts) == pytest.approx(1.0)
    model = mixed(design, choice)
    scores = sum(share * (m := refit(design, trial)).problem.scores(m.fit) for trial, share in choice.parts)
    assert model.problem.scores(model.fit) == pytest.approx(scores, abs=1e-4)  # matrices are of single precision


def test_parts_differ_in_what_is_believed_and_in_size(learner):
    """Thresholds and lines, with and without interactions: none of it is chosen."""
    parts = [trial for trial, _ in learner._choice.parts]
    keys = [(trial.family.belief, trial.size, round(float(np.log10(trial.penalty)), 3)) for trial in parts]
    assert len(set(keys)) == len(keys)
    assert len({belief for belief, _, _ in keys}) == 2


def test_what_grows_together_is_what_grows_alone(learner):
    trials = [trial for trial, _ in learner._choice.parts]
    for together, trial in zip(refit_all(learner.design, trials), trials, strict=True):
        alone = refit(learner.design, trial)
        assert together.terms == alone.terms
        assert together.fit.weights == pytest.approx(alone.fit.weights, abs=1e-4)


def test_weights_of_terms_go_there_and_back(learner):
    best = learner._choice.best
    matrix = refit(learner.design, replace(best, family=replace(best.family, belief=1))).problem.whole_matrix
    assert matrix.roots
    weights = np.random.default_rng(5).normal(size=(matrix.shape[1], 2))
    assert matrix.to_terms(matrix.from_terms(weights)) == pytest.approx(weights, abs=1e-5)


def test_the_order_of_the_rows_is_of_no_account_and_weights_are_copies():
    frame, y = table(60)
    order, often = np.random.default_rng(6).permutation(60), 1 + (np.arange(60) % 3 == 0)
    scores = SpectralClassifier(random_state=0).fit(frame, y).decision_function(frame)
    shuffled = SpectralClassifier(random_state=0).fit(frame.iloc[order], y[order])
    assert shuffled.decision_function(frame) == pytest.approx(scores)
    every = np.repeat(np.arange(60), often)
    weighted = SpectralClassifier(random_state=0).fit(frame, y, sample_weight=often)
    copied = SpectralClassifier(random_state=0).fit(frame.iloc[every], y[every])
    assert weighted.decision_function(frame) == pytest.approx(copied.decision_function(frame))


@pytest.mark.parametrize("asked", [{"n_terms": 4}, {"max_terms": 3}, {"basis": "orthonormal"}])
def test_what_was_asked_for_is_not_mixed(asked):
    frame, y = table(60)
    assert not SpectralClassifier(random_state=0, **asked).fit(frame, y)._choice.parts


def test_many_rows_choose(monkeypatch):
    import paclearn.learners.spectral.mixing as module

    monkeypatch.setattr(module, "TUNING", replace(TUNING, few_rows=50))
    assert not SpectralClassifier(random_state=0).fit(*table(60))._choice.parts
