"""A family of models that grow side by side in all folds, and what each loses of the rows left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.spectral.trials import Trial
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.fitted_terms import FittedTerms
    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.trials import Family

    Fold = tuple[Design, Design]

__all__ = ["SideBySide", "rows_lost"]


@dataclass(eq=False)
class SideBySide:
    """Models of one family in all folds, with the losses of all that were tried so far."""

    folds: Sequence[Fold]
    weights: NDArray[np.float64]
    family: Family
    growth: float
    losses: dict[Trial, NDArray[np.float64]] = field(default_factory=dict)
    least: float = inf
    _waited: int = 0
    _larger: bool = True  # whether larger ones are worth a look

    def __post_init__(self) -> None:
        self.folds = [(self.family.of(train), self.family.of(held)) for train, held in self.folds]
        self._nothing_left = _next_to_nothing(self.folds[0][0])
        self._paths: list[Iterator[FittedTerms]] = [self.family.grow(train, self.growth) for train, _ in self.folds]
        self._sizes = list(self.family.sizes)
        self._factors = 10.0, 0.1

    def until(self, most: float) -> SideBySide:
        """Grown until that has stopped helping, or to so many terms."""
        while self._larger and self._sizes and self._sizes[0] <= most and not self._outnumber(self._sizes[0]):
            self._grow_to(self._sizes.pop(0))
        return self

    def _outnumber(self, size: int) -> bool:
        """Whether it has stopped helping, and terms would outnumber rows."""
        rows = self.folds[0][0]
        return self._waited > 0 and self.family.name == "rich" and size + rows.signs.shape[1] > len(rows.counts)

    def _grow_to(self, size: int) -> None:
        models = [model for model in (next(path, None) for path in self._paths) if model is not None]
        self._larger = len(models) == len(self.folds)
        if not self._larger:
            return
        here = self._by_penalty(models)
        means = {penalty: float(self.weights @ loss) for penalty, loss in here.items()}
        self._factors = (0.1, 10.0) if min(means, key=means.__getitem__) < self.growth else (10.0, 0.1)
        self.losses |= {Trial(self.family, size, self.growth, penalty): loss for penalty, loss in here.items()}
        lowest = min(means.values())
        self._waited = 0 if lowest < self.least * (1 - 1e-4) else self._waited + 1
        self.least = min(self.least, lowest) if self._waited else lowest
        patience = TUNING.patience * (1 if self.family.name == "rich" else 4)
        self._larger = self._waited <= patience and lowest >= self._nothing_left

    def _by_penalty(self, models: Sequence[FittedTerms]) -> dict[float, NDArray[np.float64]]:
        """From the penalty of the path in one direction, as long as that helps, and in the other where it did not."""
        terms, fits = [s.terms for s in models], [s.fit for s in models]
        found = {self.growth: rows_lost(fits, terms, self.folds)}
        first, short = self.weights @ found[self.growth], self.family.name != "rich"
        for factor in self._factors:
            penalty, here, best = self.growth, fits, first
            while TUNING.least_penalty <= penalty * factor <= TUNING.largest_penalty:
                penalty *= factor
                here = [s.problem.solve(penalty, f, on_the_way=short) for s, f in zip(models, here, strict=True)]
                found[penalty] = rows_lost(here, terms, self.folds)
                if self.weights @ found[penalty] > best:
                    break
                best = self.weights @ found[penalty]
            if best < first:
                break
        return found


def _next_to_nothing(design: Design) -> float:
    """A loss below which all that can be told of classes has been told: a small share of that of a constant."""
    if not design.loss.saturates:
        return 0.0
    constant = design.losses_of(design.problem(()).constant(), ())
    return TUNING.nothing_left * float(design.shares @ constant)


def rows_lost(fits: Sequence[Any], terms: Sequence[Sequence[Any]], folds: Sequence[Fold]) -> NDArray[np.float64]:
    """Of every row left out, by the model of its fold."""
    return np.concatenate([held.losses_of(f, t) for f, t, (_, held) in zip(fits, terms, folds, strict=True)])
