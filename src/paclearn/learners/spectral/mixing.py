r"""The mean of several models, each with the share that rows left out give it.

Of few rows, folds cannot tell which of many trials is best: the one that they choose owes much of its lead to chance,
and others say as much. So none is chosen. A trial's share is how probable it is, judged by the log loss :math:`l_{ik}`
of rows left out, on average over draws of other rows of the same kind (pseudo-BMA+; Yao, Vehtari, Simpson and Gelman
2018, section 3.4):

.. math:: w_k = E_\alpha\left[ e^{-n\sum_i \alpha_i l_{ik}} \Big/ \sum_m e^{-n\sum_i \alpha_i l_{im}} \right],

with :math:`\alpha` uniform on the simplex (the Bayesian bootstrap). Sums of terms add up to a sum of terms, so the mean
of their scores is a model like any of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.forward import FittedTerms
from paclearn.learners.spectral.losses import LogLoss, SoftmaxLoss
from paclearn.learners.spectral.refitting import refit_all
from paclearn.learners.spectral.ridge import LinearFit
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.model_choice import Choice, Judging, Trial

__all__ = ["mixed", "mixed_if_few", "shares_of"]


def mixed_if_few(design: Design, judged: Judging, rows: Mapping[Trial, NDArray[np.float64]], choice: Choice) -> Choice:
    """Where rows are few and their losses are those of probabilities, a share for each trial instead of a choice."""
    few = design.counts.sum() <= TUNING.few_rows and len(judged.folds) > 1
    if not few or not isinstance(design.loss, LogLoss | SoftmaxLoss):
        return choice
    every = _different({**dict(judged.singles_by_belief), **rows})
    found = _weighty(dict(zip(every, shares_of(judged, list(every.values())), strict=True)))
    first = max(found, key=lambda trial: (trial.family.name == "rich", found[trial]))
    return replace(choice, best=first, parts=tuple(found.items()))


def _different(rows: Mapping[Trial, NDArray[np.float64]]) -> dict[Trial, NDArray[np.float64]]:
    """One of all trials that are the same model: without interactions, whatever those might have been."""
    found: dict[tuple[float | str, ...], Trial] = {}
    for trial in rows:
        family, grows = trial.family, trial.size > 0 or trial.family.name != "rich"
        way = (family.name, family.degree, family.scale) if grows else ()
        found.setdefault((*way, family.belief, trial.size, round(float(np.log10(trial.penalty)), 6)), trial)
    return {trial: rows[trial] for trial in found.values()}


def _weighty(shares: dict[Trial, float]) -> dict[Trial, float]:
    """Those that count, with shares that add up to one again."""
    ranked = sorted(shares, key=lambda trial: -shares[trial])[: TUNING.most_mixed]
    kept = [trial for trial in ranked if shares[trial] >= TUNING.least_share] or ranked[:1]
    whole = sum(shares[trial] for trial in kept)
    return {trial: shares[trial] / whole for trial in kept}


def shares_of(judged: Judging, losses: Sequence[NDArray[np.float64]]) -> list[float]:
    """How probable each of these losses on rows left out is to be the one to expect; they add up to one."""
    n, draws = len(judged.draws), np.random.default_rng(0)
    totals = np.stack([np.bincount(judged.units, judged.shares * lost, n) for lost in losses])
    alpha = draws.gamma(judged.draws, size=(TUNING.bootstraps, n)) / judged.draws
    alpha /= (alpha @ judged.draws)[:, None] / judged.draws.sum()
    nats = judged.draws.sum() * (alpha @ totals.T)
    likely = np.exp(nats.min(axis=1, keepdims=True) - nats)
    return list((likely / likely.sum(axis=1, keepdims=True)).mean(axis=0))


def mixed(design: Design, choice: Choice) -> FittedTerms:
    """The mean of the models of all rows: a sum over the terms of any of them, as the first trial's family has it."""
    ordered = sorted(choice.parts, key=lambda part: part[0] is not choice.best and part[0].family.name != "rich")
    models = refit_all(design, [trial for trial, _ in ordered])
    terms = tuple(dict.fromkeys(term for model in models for term in model.terms))  # single bits stay in front
    where = {term: i for i, term in enumerate(terms)}
    weights, intercept = np.zeros((len(terms), design.targets.shape[1])), np.zeros(design.targets.shape[1])
    for model, (_, share) in zip(models, ordered, strict=True):
        known = model.problem.matrix.to_terms(model.fit.weights)
        weights[[where[term] for term in model.terms]] += share * known
        intercept += share * model.fit.intercept
    problem = choice.best.family.of(design).problem(terms)
    return FittedTerms(terms, problem, LinearFit(problem.whole_matrix.from_terms(weights), intercept))
