"""From fitted estimators to models that can leave, and back to something that predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.validation import check_is_fitted

from paclearn.exceptions import InputError, InputTypeError
from paclearn.learners.effect_reading import HasEffects
from paclearn.learners.predicting import ModelEstimator, PredictsClasses
from paclearn.models import Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models import About

__all__ = ["Exportable", "PortableModel", "model_of", "portable"]

Exportable = ModelEstimator | Model


class PortableModel(HasEffects, ModelEstimator):
    """A model that predicts and can be written down; made by `portable` or `load`, not to be fitted.

    Parameters
    ----------
    model : Model
        The model.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.model_ = model
        self.n_features_in_ = model.about.n_features
        if model.about.feature_names is not None:
            self._column_names = model.about.feature_names
            self.feature_names_in_ = np.array(model.about.feature_names, dtype=object)
        if model.about.classes is not None:
            self.classes_ = model.labels

    @property
    def about(self) -> About:
        """What the model says of itself."""
        return self.model_.about

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that it reads."""
        return self.model_.columns

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.about.classes is None:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        return self.said(self._scores(X))

    predict.__doc__ = PredictsClasses.predict.__doc__

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        if self.about.classes is None:
            raise InputError("this model predicts a number, not a class; use predict")
        return self.model_.from_scores(self._scores(X))

    predict_proba.__doc__ = PredictsClasses.predict_proba.__doc__

    def said(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Classes or numbers from scores.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_scores)
            Scores of the model.
        """
        if self.about.classes is None:
            return self.model_.from_scores(scores)[:, 0]
        return self.classes_[self.model_.choices(scores)]


def model_of(fitted: Exportable, target: str | None = None) -> Model:
    """The model of a fitted estimator, or the model itself; with a name for what it predicts, where one is given."""
    if isinstance(fitted, Model):
        return fitted.named(target)
    if not isinstance(fitted, ModelEstimator):
        raise InputTypeError(f"{type(fitted).__name__} has no model that could be saved or exported")
    if not isinstance(fitted, PortableModel):
        check_is_fitted(fitted)
    if not hasattr(fitted, "model_"):
        raise InputError(
            f"this {type(fitted).__name__} was fitted to several targets and has a model for each: "
            "export estimators_[0] and so on, one by one"
        )
    return fitted.model_.named(target)


def portable(model: Exportable, target: str | None = None) -> PortableModel:
    """A fitted model without its learner: it predicts, and can be saved and exported.

    Parameters
    ----------
    model : estimator or Model
        A fitted estimator of paclearn that predicts, or its ``model_``.
    target : str, default=None
        The name of what is predicted.

    Returns
    -------
    PortableModel
        The same predictions.
    """
    if isinstance(model, PortableModel) and target is None:
        return model
    return PortableModel(model_of(model, target))
