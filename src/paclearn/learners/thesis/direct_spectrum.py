"""The direct estimators: predictions are the sum of the estimated terms (Zhang 2019, Algorithm 1)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.effect_reading import HasEffects
from paclearn.learners.fitting import Learner, NumberLearner
from paclearn.learners.thesis.spectrum_learner import EstimatesSpectrum, SignLearner, class_signs
from paclearn.models.linear import LinearModel
from paclearn.models.terms import signs_of
from paclearn.spectra import prediction_std
from paclearn.spectra.parities import in_parities
from paclearn.tables.weights import effective_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.fitting import Rows
    from paclearn.models.model import About

__all__ = ["DirectSpectrumClassifier", "DirectSpectrumRegressor"]


@dataclass(eq=False, repr=False)
class _Direct(HasEffects, EstimatesSpectrum, Learner):
    model_: LinearModel = field(init=False)

    degree: int = 2
    n_terms: int | None = None
    measure: Any = "product"
    threshold: float = 0.0
    n_bins: int = 8
    min_count: float = 5
    max_levels: int = 64

    @abstractmethod
    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        """What the spectrum is of, one column an output."""

    @abstractmethod
    def _about_target(self) -> About:
        """What the model says of itself."""

    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:  # noqa: ARG002
        train = train.read_once()
        targets = self._numbers(train)
        found = self.spectrum_ = self._largest(self._estimate(train, targets))
        self._largest_target = float(np.abs(targets).max())
        self._n_rows = effective_rows(train.weights, train.n)
        constant, terms, weights = in_parities(found.network, found.subsets, found.values)
        about, bits = self._about_target(), self.domain_.bits
        model = LinearModel.of_terms(about, self.domain_, bits, terms, weights, constant, calibrated=False)
        self._keep_certified(model.fitted_to(model.encode(train.table), train.weights), [])

    def predict_std(self, X: Any) -> NDArray[np.float64]:
        r"""How far the score of every row may be off by chance: a bound on its standard deviation.

        :math:`B \sqrt{\frac1n \sum_S \phi_S(z)^2}`, with B the size of the largest target (1 for classes): Zhang
        (2019), Theorem 2. It takes the law of the bits for known and the terms for chosen beforehand. Rows like many
        others have a small one, rare rows a large one.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows, as for ``predict``.

        Returns
        -------
        ndarray of shape (n_rows,)
            In units of ``decision_function``, or of the target.
        """
        table = self._checked(X)
        signs = signs_of(self.domain_, self.domain_.bits, list(self.domain_.encode(table)))
        found = self.spectrum_
        return prediction_std(signs, found.network, found.subsets, self._n_rows, self._largest_target)


class DirectSpectrumClassifier(SignLearner, _Direct):
    """The sign of the estimated spectrum, or the class with the largest value: the low-degree algorithm, generalised.

    Not competitive with models that fit their weights together; it is here because it can be analysed.

    Parameters
    ----------
    degree : int, default=2
        Bits a term may have.
    n_terms : int, default=None
        Keep only the largest coefficients.
    measure, threshold : as of `SpectralFeatures`
        The law of the bits, ``"uniform"`` being the classical low-degree algorithm, and the least coefficient.
    n_bins, min_count, max_levels : default=8, 5, 64
        How columns become bits, see `BooleanEncoder`.

    Attributes
    ----------
    model_ : LinearModel
        The same sum in parities: it predicts, explains and can be exported.
    spectrum_ : Spectrum
        The coefficients.
    measure_ : Measure
        The fitted measure.
    classes_, domain_ : ndarray, Domain
        The class labels, and what the bits mean.
    certificate_ : None
        There is no bound on its error.
    """

    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        return class_signs(rows.targets, len(self.classes_))

    def _about_target(self) -> About:
        return self._about(self.classes_)


class DirectSpectrumRegressor(NumberLearner, _Direct):
    """The value of the estimated spectrum: like `DirectSpectrumClassifier`, for numbers.

    Parameters
    ----------
    degree, n_terms, measure, threshold : as of `DirectSpectrumClassifier`
        Bits a term may have, how many of the largest coefficients are kept, and under which law of the bits.
    n_bins, min_count, max_levels : default=8, 5, 64
        How columns become bits, see `BooleanEncoder`.

    Attributes
    ----------
    spectrum_ : Spectrum
        The coefficients, in units of the target.
    model_, measure_, domain_, certificate_ : as of `DirectSpectrumClassifier`
        The same sum in parities, the fitted law, and what the bits mean.
    """

    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        return rows.targets[:, None]

    def _about_target(self) -> About:
        return self._about()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # thresholds of one column are far from independent
        return tags
