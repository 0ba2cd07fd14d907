"""How long the phrases of a short model may be: whatever predicts rows that were left out best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.learners.spectral.model_choice import Choice, Family, Trial, choose
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.model_choice import Judging

__all__ = ["chosen_in_points"]


def chosen_in_points(
    design: Design, judged: Judging, sizes: tuple[int, ...], longest: int, teachers: Sequence[Family]
) -> Choice:
    """Phrases of one condition, or of as many as may be; where rows are few, also such as a rich model teaches."""
    families = [Family("points", length, sizes, cut_back=True) for length in sorted({1, longest})]
    choice = choose(judged, families, TUNING.length_slack, _shortest)
    if design.counts.sum() > TUNING.few_rows:
        return choice
    rich = choose(judged, teachers, TUNING.slack)
    if rich.losses[rich.best] > choice.losses[choice.best]:  # who knows less has nothing to teach
        return choice
    taught = Family("points", choice.best.family.degree, sizes[-1:], cut_back=True, teacher=rich.best)
    return _better(choice, choose(judged, [taught], 0.0))


def _shortest(trial: Trial, loss: float) -> tuple[float, ...]:
    """Longer phrases have to be clearly better, and then the size is whatever predicts best."""
    return trial.family.degree, loss


def _better(one: Choice, other: Choice) -> Choice:
    best = min((one, other), key=lambda choice: choice.losses[choice.best])
    return Choice(best.best, one.losses | other.losses)
