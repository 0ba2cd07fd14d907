"""How long the phrases of a short model may be: whatever predicts rows that were left out best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paclearn.learners.spectral.model_choice import choose
from paclearn.learners.spectral.trials import Family
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.model_choice import Choice, Judging
    from paclearn.learners.spectral.trials import Trial

__all__ = ["chosen_in_points"]


def chosen_in_points(
    design: Design, judged: Judging, sizes: tuple[int, ...], longest: int, teachers: Sequence[Family]
) -> Choice:
    """Phrases of one condition, or of as many as may be; where rows are few, also such as a rich model teaches.

    Of what is as good, or next to it, the shortest: where nothing is left to chance, losses go on falling long after
    everything has been said, since a model may always be a little surer.
    """
    families = [Family("points", length, sizes, cut_back=True) for length in sorted({1, longest})]
    choice = choose(judged, families, TUNING.length_slack, _shortest)
    return _no_longer_than_needed(_taught_if_better(design, judged, sizes, teachers, choice), _without_terms(design))


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
