"""The card of a short model: whole points to be added up with a pencil, and what a total means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.models.points import PointsModel
from paclearn.views.scorecard import to_scorecard

if TYPE_CHECKING:
    from paclearn.models import LinearModel
    from paclearn.report.facts_of_models import CardFacts
    from paclearn.report.subject import Subject

__all__ = ["describe_card"]

_MOST_ROWS = 100_000  # on which every number of points is tried


def describe_card(model: LinearModel, subject: Subject) -> CardFacts | None:
    """Points that are chosen by, and judged on, rows of the fit; None where terms are no points or too many."""
    several = model.n_scores > 1 or model.ladder is not None
    if not isinstance(model, PointsModel) or several or not model.weights.any():
        return None
    table, y, roles = subject.some(min(subject.limits.rows_of_linear(short=True), _MOST_ROWS))
    card = to_scorecard(model, table, y, sample_weight=roles.weights)
    return {
        "lines": card.lines(),
        "verdict": card.verdict(),
        "about": model.output_names[0],
        "chances": card.chances_in_words(),
        "cost": card.cost(),
    }
