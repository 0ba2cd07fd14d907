"""What the thesis's plain learners share: bits of a table, and the spectrum of a target over them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._parameters import Between, Nothing, Rule, Whole
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.learners.fitting import ClassLearner
from paclearn.learners.measuring import fitted_measure, layout_in
from paclearn.learners.predicting import DecidesByScore
from paclearn.models.terms import signs_of
from paclearn.spectra import Spectrum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.fitting import Rows

__all__ = ["SPECTRUM_PARAMETERS", "EstimatesSpectrum", "ReadsBits", "SignLearner", "class_signs"]

_SEED = 0  # of the rows that choose a measure: these learners have no other draws
_DEGREE = Whole(0)

SPECTRUM_PARAMETERS: dict[str, Rule] = {
    "degree": _DEGREE,
    "n_terms": Whole(0) | Nothing(),
    "threshold": Between(0, inf, closed=True),
}


class ReadsBits:
    """Columns of a table become bits."""

    degree: int
    n_bins: int
    min_count: float
    max_levels: int

    _parameters: ClassVar[dict[str, Rule]] = {"degree": _DEGREE}

    def _signs(self, rows: Rows) -> NDArray[np.int8]:
        """The bits of some rows, learned from them: -1 or +1."""
        rules = EncodingRules(self.n_bins, self.min_count, self.max_levels)
        self.domain_, codes = learn_and_encode(rows.table, rules, rows.weights)
        return signs_of(self.domain_, self.domain_.bits, codes)


class EstimatesSpectrum(ReadsBits):
    """Takes one look at the coefficients, and keeps the largest."""

    _parameters = SPECTRUM_PARAMETERS

    n_terms: int | None
    measure: Any
    threshold: float

    def _estimate(self, rows: Rows, targets: NDArray[np.float64]) -> Spectrum:
        """All coefficients up to the degree."""
        signs = self._signs(rows)
        layout = layout_in(self.domain_, self.domain_.bits, rows.table.names)
        self.measure_ = fitted_measure(self.measure, signs, layout, rows.weights, _SEED)
        return Spectrum.estimate(
            signs,
            targets,
            self.measure_,
            degree=int(self.degree),
            names=self.domain_.bit_names,
            sample_weight=rows.weights,
        )

    def _largest(self, spectrum: Spectrum) -> Spectrum:
        """Those beyond the threshold, or as many of them as are wanted."""
        beyond = spectrum.above(self.threshold) if self.threshold > 0 else spectrum
        return beyond if self.n_terms is None else beyond.top(int(self.n_terms))


class SignLearner(DecidesByScore, ClassLearner):
    """A classifier by the sign of a score, or by the largest of several; scores are no log-odds."""

    _gives_probabilities = False


def class_signs(numbers: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
    """Classes as -1 and +1: one column for two of them, otherwise one each."""
    signs = np.where(numbers[:, None] == np.arange(n_classes), 1.0, -1.0)
    return signs[:, 1:] if n_classes == 2 else signs
