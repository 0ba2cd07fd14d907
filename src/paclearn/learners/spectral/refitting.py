"""Trials that were chosen on rows left out, fitted to all rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.folds import Draws
from paclearn.learners.spectral.forward import FittedTerms, grow_rich
from paclearn.learners.spectral.ridge import LinearFit
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.model_choice import Family, Trial

__all__ = ["parts_of", "refit", "refit_all"]


def refit(design: Design, trial: Trial) -> FittedTerms:
    """The chosen model on all rows."""
    if trial.averaged:
        return _mean_of_parts(design, replace(trial, averaged=False))
    return _solved(design, trial, _grown(design, trial))


def refit_all(design: Design, trials: Sequence[Trial]) -> list[FittedTerms]:
    """Several models on all rows; those that grow alike grow once."""
    alike: dict[tuple[Family, float], list[int]] = {}
    for trial in trials:
        alike.setdefault((trial.family, trial.growth), []).append(trial.size)
    grown = {way: _models_on_the_way(design, *way, max(sizes)) for way, sizes in alike.items()}
    return [_solved(design, t, _of_size(grown[t.family, t.growth], t.size)) for t in trials]


def _solved(design: Design, trial: Trial, model: FittedTerms | None) -> FittedTerms:
    """With the trial's penalty and the targets themselves."""
    if model is None:  # these rows, a part of those that chose, have no interactions: single bits alone
        model = next(grow_rich(trial.family.of(design), trial.growth, (0,)))
    fit = model.problem.solve(trial.penalty, model.fit)
    return FittedTerms(model.terms, trial.family.of(design).problem(model.terms), fit)


def _models_on_the_way(design: Design, family: Family, growth: float, most: int) -> dict[int, FittedTerms]:
    """By size, up to the largest that is wanted, or that there is."""
    sizes = takewhile(lambda size: size <= most, family.sizes)
    return dict(zip(sizes, family.grow(design, growth), strict=False))


def _of_size(models: dict[int, FittedTerms], size: int) -> FittedTerms | None:
    """The model of a size, or the largest that there is."""
    return models.get(size) or models.get(max(models, default=0))


def _grown(design: Design, trial: Trial) -> FittedTerms | None:
    """The model of a trial's size, or the largest that there is."""
    family = trial.family
    if family.cut_back:  # found from the largest down: what is smaller is not asked for
        larger = tuple(size for size in family.sizes if size >= trial.size)
        return next(replace(family, sizes=larger).grow(design, trial.growth), None)
    return _of_size(_models_on_the_way(design, family, trial.growth, trial.size), trial.size)


def _mean_of_parts(design: Design, trial: Trial) -> FittedTerms:
    """The mean of models of all rows but a fifth: a sum over the terms of any of them."""
    found_models = [refit(part, trial) for part in parts_of(design)]
    terms = tuple(dict.fromkeys(term for model in found_models for term in model.terms))  # single bits stay in front
    where = {term: i for i, term in enumerate(terms)}
    weights = np.zeros((len(terms), design.targets.shape[1]))
    for model in found_models:
        weights[[where[term] for term in model.terms]] += model.fit.weights / len(found_models)
    intercept = np.mean([model.fit.intercept for model in found_models], axis=0)
    return FittedTerms(terms, trial.family.of(design).problem(terms), LinearFit(weights, intercept))


def parts_of(design: Design) -> list[Design]:
    """All rows but a fifth, five times."""
    draws = Draws.of(design.counts, np.ones(len(design.counts), dtype=np.intp), design.groups)
    out = draws.fold_counts(np.zeros(len(design.counts), dtype=np.intp), TUNING.parts, np.random.RandomState(0))
    return [design.rows(draws.split(part).train) for part in out]
