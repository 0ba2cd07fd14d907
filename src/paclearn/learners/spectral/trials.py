"""Ways to fit: families of models that grow in the same way, and a size and penalties of one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.folds import Draws
from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.fitted_terms import FittedTerms
from paclearn.learners.spectral.forward import Design, grow_rich
from paclearn.learners.spectral.lasso import grow_lasso
from paclearn.learners.spectral.plainer_phrases import said_plainly
from paclearn.learners.spectral.sparse import grow_and_cut, grow_sparse
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paclearn.models.terms import Term

__all__ = ["SINGLES", "Family", "Trial", "fitted_terms", "parts_of", "refit", "sizes_up_to"]


@dataclass(frozen=True)
class Family:
    """Models that grow in the same way, of several sizes: interactions beside all single bits, or terms in all."""

    name: str  # "rich", "sparse", "lasso" or "points"
    degree: int
    sizes: tuple[int, ...]
    scale: float = 0.5
    belief: int = 0  # what of the weights of thresholds, see `Design`
    cut_back: bool = False  # whether a sparse model grows beyond its sizes first
    teacher: Trial | None = None  # whose scores a short model is to come near; otherwise it learns from targets

    def of(self, design: Design) -> Design:
        """Rows, ready to grow such a model."""
        wanted = self.degree, self.scale, self.belief, self.name == "points"
        if (design.degree, design.scale, design.belief, design.in_phrases) == wanted:
            return design  # with all it has worked out
        degree, scale, belief, in_phrases = wanted
        return replace(design, degree=degree, scale=scale, belief=belief, in_phrases=in_phrases)

    def grow(self, design: Design, penalty: float) -> Iterator[FittedTerms]:
        """Models of all sizes, one after the other."""
        if self.name == "rich":
            return grow_rich(self.of(design), penalty, self.sizes)
        rows = self.of(design)
        if self.name == "lasso":
            return grow_lasso(rows, penalty, self.sizes)
        if self.teacher is not None:
            rows = rows.distilled_from(refit(design, self.teacher))
        return (grow_and_cut if self.cut_back else grow_sparse)(rows, penalty, self.sizes)


@dataclass(frozen=True)
class Trial:
    """A way to fit: which family, how many interactions or terms, and how strongly held back."""

    family: Family
    size: int
    growth: float
    penalty: float
    averaged: bool = False  # over models of most of the rows, which differ in their interactions
    plain: float = 0.0  # share of the nats that plainer phrases save, up to which they may cost as much


SINGLES = Family("rich", 1, (0,))


def refit(design: Design, trial: Trial) -> FittedTerms:
    """The chosen model on all rows."""
    if trial.averaged:
        return _mean_of_parts(design, replace(trial, averaged=False))
    model = _grown(design, trial)
    if model is None:  # these rows, a part of those that chose, have no interactions: single bits alone
        model = next(grow_rich(trial.family.of(design), trial.growth, (0,)))
    fit = model.problem.solve(trial.penalty, model.fit)
    rows = trial.family.of(design)
    if trial.plain:
        return fitted_terms(rows, said_plainly(rows, model.terms, trial.plain), trial.penalty)
    return FittedTerms(model.terms, rows.problem(model.terms), fit)  # with the targets themselves


def fitted_terms(design: Design, terms: tuple[Term, ...], penalty: float) -> FittedTerms:
    """Some terms, with weights that a penalty holds back."""
    problem = design.problem(terms)
    return FittedTerms(terms, problem, problem.solve(penalty))


def _grown(design: Design, trial: Trial) -> FittedTerms | None:
    """The model of a trial's size, or the largest that there is."""
    family = trial.family
    if family.cut_back:  # found from the largest down: what is smaller is not asked for
        larger = tuple(size for size in family.sizes if size >= trial.size)
        return next(replace(family, sizes=larger).grow(design, trial.growth), None)
    sizes = takewhile(lambda size: size <= trial.size, family.sizes)
    model = None
    for _, model in zip(sizes, family.grow(design, trial.growth), strict=False):  # noqa: B007
        pass
    return model


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
    """All rows but a fifth, five times; of many rows, of which one model says more by itself, three times."""
    draws = Draws.of(design.counts, np.ones(len(design.counts), dtype=np.intp), design.groups)
    out = draws.fold_counts(np.zeros(len(design.counts), dtype=np.intp), TUNING.parts, np.random.RandomState(0))
    few = len(design.counts) <= TUNING.many_to_part
    parts = [draws.split(part).train for part in out[: TUNING.parts if few else TUNING.few_parts]]
    return [replace(design.rows(part), scales_of=design.scales_of or design) for part in parts]


def sizes_up_to(most: int) -> tuple[int, ...]:
    """All small ones, and of large ones some, each about a tenth larger than the one before."""
    found = [1]
    while found[-1] < most:
        found.append(min(found[-1] + max(1, found[-1] // 10), most))
    return tuple(found)
