"""How long the phrases of a short model may be: whatever predicts rows that were left out best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.learners.spectral.model_choice import Choice, Family, Trial, choose
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.encoding.folds import Split
    from paclearn.learners.spectral.forward import Design

__all__ = ["chosen_in_points"]


def chosen_in_points(
    design: Design, judged: Sequence[Split], sizes: tuple[int, ...], longest: int, teachers: Sequence[Family]
) -> Choice:
    """Phrases of one condition, or of as many as may be; where rows are few, also such as a rich model teaches."""
    families = [Family("points", length, sizes, cut_back=True) for length in sorted({1, longest})]
    choice = choose(design, judged, families, TUNING.length_slack, _shortest)
    if design.counts.sum() > TUNING.few_rows:
        return choice
    teacher = choose(design, judged, teachers, TUNING.slack).best
    taught = Family("points", choice.best.family.degree, sizes[-1:], cut_back=True, teacher=teacher)
    return _better(choice, choose(design, judged, [taught], 0.0))


def _shortest(trial: Trial, loss: float) -> tuple[float, ...]:
    """Longer phrases have to be clearly better, and then the size is whatever predicts best."""
    return trial.family.degree, loss


def _better(one: Choice, other: Choice) -> Choice:
    best = min((one, other), key=lambda choice: choice.losses[choice.best])
    return Choice(best.best, one.losses | other.losses)
