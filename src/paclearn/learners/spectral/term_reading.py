"""Reading a model of terms: how its size was chosen, and pictures."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import make_frame
from paclearn.exceptions import InputError
from paclearn.learners.effect_reading import HasEffects

if TYPE_CHECKING:
    from paclearn.encoding.domain import Bit
    from paclearn.learners.spectral.model_choice import Choice

__all__ = ["HasTerms"]

_FAMILIES = {
    "rich": "all single bits and interactions",
    "points": "one best condition or conjunction at a time",
    "sparse": "one best term at a time",
    "lasso": "what an absolute penalty leaves",
    "effects": "one best effect at a time",
}


class HasTerms(HasEffects):
    """Estimators whose model is a sum of terms, or of few effects."""

    terms_: Any
    n_terms_: int
    degree_: int
    _bits: tuple[Bit, ...]
    _choice: Choice
    _effect_path: tuple[tuple[int, float], ...]

    @property
    @abstractmethod
    def _wants_effects(self) -> bool:
        """Whether it is a sum of few effects."""

    @abstractmethod
    def _output_labels(self) -> list[str]:
        """What columns of weights end in."""

    @property
    def path_(self) -> Any:
        """The loss on rows left out against the size of the model, for every way that was tried."""
        check_is_fitted(self)
        rows = self._losses_by_size()
        names = ("family", "degree", "terms", "loss")
        return make_frame({name: [row[i] for row in rows] for i, name in enumerate(names)})

    def _losses_by_size(self) -> list[tuple[str, int, int, float]]:
        if self._wants_effects:
            return [("effects", self.degree_, size, loss) for size, loss in self._effect_path]
        best: dict[tuple[str, int, int], float] = {}
        for trial, loss in self._choice.losses.items():
            size = trial.size + (len(self._bits) if trial.family.name == "rich" else 0)
            key = (trial.family.name, trial.family.degree, size)
            best[key] = min(loss, best.get(key, np.inf))
        return [(*key, loss) for key, loss in sorted(best.items())]

    def plot_path(self, ax: Any = None) -> Any:
        """Draw the loss on rows left out against the number of terms, as a `PathDisplay`.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw.
        """
        from paclearn.inspection import PathDisplay

        check_is_fitted(self)
        lines: dict[str, list[tuple[int, float]]] = {}
        for family, degree, terms, loss in self._losses_by_size():
            start = _FAMILIES[family]
            lines.setdefault(f"{start}, up to {degree} bits", []).append((terms, loss))
        return PathDisplay(lines, self.n_terms_).plot(ax)

    def plot_terms(self, most: int = 20, output: int = 0, ax: Any = None) -> Any:
        """Draw the weights of the terms with two standard errors, as a `TermsDisplay`.

        Parameters
        ----------
        most : int, default=20
            At most this many terms, the weightiest first.
        output : int, default=0
            Of which score, where every class has one.
        ax : matplotlib Axes, default=None
            Where to draw.
        """
        from paclearn.inspection import TermsDisplay

        check_is_fitted(self)
        labels = self._output_labels()
        if not 0 <= output < len(labels):
            raise InputError(f"output={output!r} must be a whole number from 0 to {len(labels) - 1}")
        label = labels[output]
        names, weights, errors = (list(self.terms_[key])[:most] for key in ("term", f"weight{label}", f"se{label}"))
        return TermsDisplay(names, weights, errors, f"weight{label} of a true term").plot(ax)
