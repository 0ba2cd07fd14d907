"""Ordered classes: where each stands, and what is fitted in turns, their starts and the weights of the terms.

Both together minimise one convex loss, so that turns end where all of them do at once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError
from paclearn.learners.spectral.descent import LinearFit
from paclearn.tables.single_values import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.fitted_terms import WeightedTerms
    from paclearn.learners.spectral.losses import LadderLoss

__all__ = ["in_turns", "ranks_of"]

_TURNS = 6
_SETTLED = 1e-3  # of log-odds


def in_turns(
    fitted: WeightedTerms, loss: LadderLoss, penalty: float, *, weights_too: bool
) -> tuple[WeightedTerms, LadderLoss]:
    """Starts and weights, one after the other, until starts stay where they are."""
    problem, fit = fitted.problem, fitted.fit
    for _ in range(_TURNS):
        before = loss.starts
        loss, shift = loss.settled(partial(problem.mean_of, fit=fit))
        moved = float(np.abs(loss.starts - before).max())
        problem, fit = replace(problem, loss=loss), LinearFit(fit.weights, fit.intercept + shift)
        if moved < _SETTLED or not weights_too:
            break
        fit = problem.solve(penalty, fit)
    return replace(fitted, problem=problem, fit=fit), loss


def ranks_of(ordered: Sequence[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """The place of every class in an order, the lowest first; classes that are not there take no place."""
    names, present = ([label_text(label) for label in some] for some in (ordered, classes))
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise InputError(f"ordered names {twice!r} twice; name every class once, the lowest first")
    for name in present:
        if name not in names:
            raise InputError(
                f"ordered={names} does not say where {name!r} stands; the target holds {present}; name every class "
                "once, the lowest first"
            )
    rising = [name for name in names if name in present]
    return np.array([rising.index(name) for name in present], dtype=np.intp)
