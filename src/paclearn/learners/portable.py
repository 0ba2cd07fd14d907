"""From fitted estimators to models that can leave."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from paclearn.exceptions import InputTypeError
from paclearn.learners.graphs import RegressionGraphClassifier, RegressionGraphRegressor
from paclearn.learners.juntas import JuntaClassifier, JuntaRegressor
from paclearn.learners.spectral import SpectralClassifier, SpectralRegressor
from paclearn.models.graph_model import GraphModel
from paclearn.models.linear import LinearModel
from paclearn.models.model import PortableModel
from paclearn.models.table_model import TableModel

__all__ = ["KINDS", "portable"]

KINDS: dict[str, type[PortableModel]] = {kind.kind: kind for kind in (LinearModel, TableModel, GraphModel)}

_MAKERS: dict[type, Any] = {
    SpectralClassifier: LinearModel,
    SpectralRegressor: LinearModel,
    JuntaClassifier: TableModel,
    JuntaRegressor: TableModel,
    RegressionGraphClassifier: GraphModel,
    RegressionGraphRegressor: GraphModel,
}


def portable(model: Any, target: str | None = None) -> PortableModel:
    """A fitted model without its learner: it predicts, and can be saved and exported.

    Parameters
    ----------
    model : estimator
        A fitted `SpectralClassifier`, `SpectralRegressor`, `JuntaClassifier`, `JuntaRegressor`,
        `RegressionGraphClassifier` or `RegressionGraphRegressor`.
    target : str, default=None
        The name of what is predicted.

    Returns
    -------
    PortableModel
        The same predictions.
    """
    if isinstance(model, PortableModel):
        return model
    for learner, kind in _MAKERS.items():
        if isinstance(model, learner):
            check_is_fitted(model)
            return kind.of(model, target)
    known = ", ".join(learner.__name__ for learner in _MAKERS)
    raise InputTypeError(f"{type(model).__name__} cannot be saved or exported; one of {known} can")
