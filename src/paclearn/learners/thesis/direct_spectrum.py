"""The direct estimators: predictions are the sum of the estimated terms (Zhang 2019, Algorithm 1)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.fitting import NumberLearner
from paclearn.learners.thesis.several_targets import SharesSpectrum, side_by_side
from paclearn.learners.thesis.spectrum_learner import SignLearner, class_signs
from paclearn.models.linear import LinearModel
from paclearn.models.terms import signs_of
from paclearn.spectra import prediction_std
from paclearn.spectra.parities import in_parities
from paclearn.tables.weights import effective_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.fitting import Rows
    from paclearn.models.model import About
    from paclearn.spectra import Spectrum

__all__ = ["DirectSpectrumClassifier", "DirectSpectrumRegressor"]


@dataclass(eq=False, repr=False)
class _Direct(SharesSpectrum):
    model_: LinearModel = field(init=False)

    degree: int = 2
    n_terms: int | None = None
    measure: Any = "product"
    threshold: float = 0.0
    n_bins: int = 8
    min_count: float = 5
    max_levels: int = 64

    @abstractmethod
    def _about_target(self) -> About:
        """What the model says of itself."""

    def _keep_spectrum(self, found: Spectrum, train: Rows, numbers: NDArray[np.float64]) -> None:
        found = self.spectrum_ = self._largest(found)
        self._largest_target = float(np.abs(numbers).max())
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
        ndarray of shape (n_rows,) or (n_rows, n_targets)
            In units of ``decision_function``, or of the target.
        """
        if self._has_several:
            return side_by_side([*self._of_each(X, lambda part, table: part.predict_std(table))])
        table = self._checked(X)
        signs = signs_of(self.domain_, self.domain_.bits, list(self.domain_.encode(table)))
        found = self.spectrum_
        return prediction_std(signs, found.network, found.subsets, self._n_rows, self._largest_target)


class DirectSpectrumClassifier(_Direct, SignLearner):
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
    estimators_ : list of DirectSpectrumClassifier
        Where y has several columns: one for each, each with a model of its own. The spectrum is then that of all of
        them, estimated in one go, and ``classes_`` is a list where the targets have different classes.

    Examples
    --------
    >>> import numpy as np
    >>> from paclearn import DirectSpectrumClassifier
    >>> bits = np.random.default_rng(0).integers(0, 2, (500, 4))
    >>> both = np.column_stack([bits[:, 0] ^ bits[:, 1], bits[:, 2]])
    >>> model = DirectSpectrumClassifier(n_terms=2).fit(bits, both)
    >>> bool((model.predict(bits) == both).all())
    True
    """

    def _fit_together(self, X: Any, targets: dict[str, Any], sample_weight: Any, groups: Any) -> None:
        super()._fit_together(X, targets, sample_weight, groups)
        known: list[NDArray[Any]] = [part.classes_ for part in self.estimators_]
        alike = all(np.array_equal(classes, known[0]) for classes in known)
        self.classes_: Any = known[0] if alike else known

    def decision_function(self, X: Any) -> Any:
        """How far the score of the second of two classes is above nought, or the scores of all classes.

        Parameters
        ----------
        X : table
            Rows, as for ``predict``.

        Returns
        -------
        ndarray of shape (n_rows,), (n_rows, n_classes) or (n_rows, n_targets)
            Where one of several targets has more than two classes: a list, one array a target.
        """
        if not self._has_several:
            return super().decision_function(X)
        found = [*self._of_each(X, lambda part, table: part.decision_function(table))]
        return side_by_side(found) if all(scores.ndim == 1 for scores in found) else found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class, or the classes of all of whose targets, are right.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows, with the columns of ``fit``.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The classes.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.

        Returns
        -------
        float
            From 0 to 1.
        """
        if not self._has_several:
            return float(super().score(X, y, sample_weight))
        right = (self.predict(X) == np.asarray(y)).all(axis=1)
        return float(np.average(right, weights=sample_weight))

    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        return class_signs(rows.targets, len(self.classes_))

    def _about_target(self) -> About:
        return self._about(self.classes_)


class DirectSpectrumRegressor(_Direct, NumberLearner):
    """The value of the estimated spectrum: like `DirectSpectrumClassifier`, for numbers.

    Coefficients are estimated one by one and added up, which is right where the measure is the law of the bits.
    Thresholds of one column are far from independent: under ``"product"`` they all say the same, and the sum can be far
    worse than a constant. For tables with numbers take `SpectralRegressor`, which fits its weights together.

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
    model_, measure_, domain_, certificate_, estimators_ : as of `DirectSpectrumClassifier`
        The same sum in parities, the fitted law, what the bits mean, and one model each of several targets.
    """

    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        return rows.targets[:, None]

    def _about_target(self) -> About:
        return self._about()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # thresholds of one column are far from independent
        return tags
