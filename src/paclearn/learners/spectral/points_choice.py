"""How long the phrases of a short model may be: whatever predicts rows that were left out best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paclearn.learners.spectral.model_choice import choose
from paclearn.learners.spectral.plainer_phrases import said_plainly
from paclearn.learners.spectral.side_by_side import rows_lost
from paclearn.learners.spectral.trials import Family, fitted_terms, refit
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paclearn.learners.spectral.fitted_terms import FittedTerms
    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.model_choice import Choice, Judging
    from paclearn.learners.spectral.side_by_side import Fold
    from paclearn.learners.spectral.trials import Trial
    from paclearn.models.terms import Term

__all__ = ["chosen_in_points"]

_PENALTIES = (1.0, 0.1, 0.01)  # times that of the model that was chosen


def chosen_in_points(
    design: Design, judged: Judging, sizes: tuple[int, ...], longest: int, teachers: Sequence[Family]
) -> Choice:
    """Phrases of one condition, or of as many as may be; where rows are few, also such as a rich model teaches.

    Of what is as good, or next to it, the shortest: where nothing is left to chance, losses go on falling long after
    everything has been said, since a model may always be a little surer.
    """
    families = [Family("points", length, sizes, cut_back=True) for length in sorted({1, longest})]
    choice = choose(judged, families, TUNING.length_slack, _shortest)
    choice = _taught_if_better(design, judged, sizes, teachers, choice)
    nothing = _without_terms(design)
    return _as_plain_as_may_be(judged, _no_longer_than_needed(choice, nothing), nothing)


def _taught_if_better(
    design: Design, judged: Judging, sizes: tuple[int, ...], teachers: Sequence[Family], choice: Choice
) -> Choice:
    """Where rows are few, a model that learns from the scores of a rich one, if it predicts better."""
    if design.counts.sum() > TUNING.few_rows:
        return choice
    rich = choose(judged, teachers, TUNING.slack)
    if _least(rich) > _least(choice):  # who knows less has nothing to teach
        return choice
    taught = Family("points", choice.best.family.degree, sizes[-1:], cut_back=True, teacher=rich.best)
    first = judged.first(TUNING.first_folds)
    if first is not None and _least(choose(first, [taught], 0.0)) > first.shares @ choice.lost[: len(first.shares)]:
        return choice
    return _better(choice, choose(judged, [taught], 0.0))


def _least(choice: Choice) -> float:
    return choice.losses[choice.best]


def _shortest(trial: Trial, loss: float) -> tuple[float, ...]:
    """Longer phrases have to be clearly better, and then the size is whatever predicts best."""
    return trial.family.degree, loss


def _better(one: Choice, other: Choice) -> Choice:
    best = min((one, other), key=_least)
    return replace(best, losses=one.losses | other.losses)


def _no_longer_than_needed(choice: Choice, without_terms: float) -> Choice:
    """The fewest lines that lose next to nothing of what can be told; phrases are no longer than was chosen."""
    most = _least(choice) + TUNING.next_to_nothing * without_terms
    longest = choice.best.family.degree
    good = [t for t, loss in choice.losses.items() if loss <= most and t.family.degree <= longest]
    return replace(choice, best=min(good, key=lambda t: (t.size, t.family.degree, choice.losses[t])))


def _without_terms(design: Design) -> float:
    """What there is to tell: the mean loss of the best constant, less what is lost however well rows are told."""
    lost = design.losses_of(design.problem(()).constant(), ())
    return float(design.shares @ (lost - design.loss.least_of_rows(design.targets)))


def _as_plain_as_may_be(judged: Judging, choice: Choice, without_terms: float) -> Choice:
    """The plainest wording of the chosen model that loses little of what it tells of rows left out, if it loses any."""
    trial = choice.best
    places = [(trial.family.of(train), trial.family.of(held)) for train, held in judged.folds]
    models = [refit(train, trial) for train, _ in judged.folds]
    found, terms = {trial: _lost_by(models, places)}, [model.terms for model in models]
    for share in TUNING.plain:
        terms = [said_plainly(train, words, share) for (train, _), words in zip(places, terms, strict=True)]
        found |= _on_penalties(replace(trial, plain=share), terms, places)
    means = {t: float(judged.shares @ lost) for t, lost in found.items()}
    best = min(means, key=means.__getitem__)
    told = without_terms - means[best]
    most = means[best] + max(TUNING.plain_loss * told, TUNING.next_to_nothing * without_terms)
    good = [t for t in found if means[t] <= most and not judged.clearly_less(found[best], found[t], TUNING.plain_slack)]
    return replace(choice, best=max(good, key=lambda t: (t.plain, -means[t])))


def _on_penalties(
    trial: Trial, terms: Sequence[tuple[Term, ...]], places: Sequence[Fold]
) -> dict[Trial, NDArray[np.float64]]:
    """Losses under the trial's penalty, and smaller ones: fewer phrases weigh more."""
    found = {}
    for factor in _PENALTIES:
        penalty = max(factor * trial.penalty, min(trial.penalty, TUNING.least_penalty))
        models = [fitted_terms(train, words, penalty) for (train, _), words in zip(places, terms, strict=True)]
        found[replace(trial, penalty=penalty)] = _lost_by(models, places)
    return found


def _lost_by(models: Sequence[FittedTerms], places: Sequence[Fold]) -> NDArray[np.float64]:
    return rows_lost([model.fit for model in models], [model.terms for model in models], places)
