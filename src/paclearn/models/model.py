"""A fitted model without its learner: what a file holds, what exports are made of, and something that predicts."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import ClassifierTags, RegressorTags

from paclearn import __version__
from paclearn._compat import TakesTables
from paclearn.encoding.column_pass import encode_each
from paclearn.exceptions import InputError
from paclearn.models.column_data import column_from, column_to_dict
from paclearn.tables.table import as_table, fitted_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.checked import Part

__all__ = ["FORMAT", "VERSION", "About", "PortableModel"]

FORMAT, VERSION = "paclearn model", 1


@dataclass(frozen=True)
class About:
    """What every model says of itself."""

    classes: tuple[Any, ...] | None
    target: str | None
    n_features: int
    feature_names: tuple[str, ...] | None
    certificate: dict[str, Any] | None
    learner: str

    @classmethod
    def of(cls, model: Any, target: str | None) -> About:
        """From a fitted estimator."""
        classes = getattr(model, "classes_", None)
        certificate = getattr(model, "certificate_", None)
        return cls(
            None if classes is None else tuple(classes.tolist()),
            target,
            int(model.n_features_in_),
            fitted_names(model),
            None if certificate is None else certificate.to_dict(),
            type(model).__name__,
        )

    @classmethod
    def read(cls, part: Part) -> About:
        """From a file."""
        classify = part["task"].one_of("classification", "regression") == "classification"
        classes = part["classes"]
        labels = classes.each(lambda p: p.label()) if classify else None
        classes.need(labels is None or len(set(map(repr, labels))) == len(labels) > 1, "two or more different labels")
        n = part["n_features"].whole(1, 2**31)
        names = part["feature_names"]
        known = None if names.value is None else names.each(lambda p: p.text())
        names.need(known is None or len(set(known)) == len(known) == n, f"{n} different names, or null")
        target, promise = part["target"], part["certificate"]
        promise.need(promise.value is None or isinstance(promise.value, dict), "an object or null")
        return cls(
            labels,
            None if target.value is None else target.text(),
            n,
            known,
            promise.value,
            part["learner"].text(),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "learner": self.learner,
            "task": "regression" if self.classes is None else "classification",
            "target": self.target,
            "classes": None if self.classes is None else list(self.classes),
            "n_features": self.n_features,
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            "certificate": self.certificate,
        }


class PortableModel(TakesTables, BaseEstimator):
    """A model that predicts and can be written down; made by `portable` or `load`, not to be fitted.

    Parameters
    ----------
    about : About
        Target, classes and columns of the table it was learned from.
    columns : tuple of Column
        The columns that it reads.
    """

    kind: ClassVar[str]

    def __init__(self, about: About, columns: tuple[Column, ...]) -> None:
        self.about = about
        self.columns = columns
        self.n_features_in_ = about.n_features
        if about.feature_names is not None:
            self._column_names = about.feature_names
            self.feature_names_in_ = np.array(about.feature_names, dtype=object)
        if about.classes is not None:
            self.classes_ = _labels(about.classes)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.about.classes is None:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    # ---- what differs ----

    @abstractmethod
    def values(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """From the codes of the columns: probabilities of the classes, or one column of numbers."""

    @abstractmethod
    def payload(self) -> dict[str, Any]:
        """The model itself as plain data."""

    @classmethod
    @abstractmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: Part) -> PortableModel:
        """From a file."""

    @abstractmethod
    def query(self, table: str, keys: Sequence[str], name: str) -> str:
        """SQL that predicts every row of a table."""

    @abstractmethod
    def markdown(self) -> str:
        """The model to be read."""

    @abstractmethod
    def because(self, X: Any, most: int = 10) -> list[dict[str, Any]]:
        """Why the first row of a table is predicted as it is: plain data, what weighs most first."""

    def chosen(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
        """The number of the class of every row."""
        return self.values(codes).argmax(axis=1)

    # ---- what does not ----

    @property
    def n_outputs(self) -> int:
        """Probabilities or numbers a row."""
        return 1 if self.about.classes is None else len(self.about.classes)

    def codes(self, X: Any) -> list[NDArray[Any]]:
        """Codes of the columns; of a model that reads none, noughts, so that rows are still counted."""
        table = as_table(self, X, reset=False)
        return list(encode_each(self.columns, table)) or [np.zeros(table.n_rows, dtype=np.uint8)]

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes, or numbers, of the rows of a table.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Predictions.
        """
        codes = self.codes(X)
        if self.about.classes is None:
            return self.values(codes)[:, 0]
        return self.classes_[self.chosen(codes)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        if self.about.classes is None:
            raise InputError("this model predicts a number, not a class; use predict")
        return self.values(self.codes(X))

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what a model file holds, but for its checksum."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "paclearn": __version__,
            "kind": self.kind,
            **self.about.to_dict(),
            "columns": [column_to_dict(c) for c in self.columns],
            "model": self.payload(),
        }


def columns_of(part: Part, about: About) -> tuple[Column, ...]:
    """All columns of a file."""
    return part.each(lambda p: column_from(p, about.n_features, about.feature_names))


def _labels(classes: tuple[Any, ...]) -> NDArray[Any]:
    """Labels as they were: numbers as numbers, text as objects."""
    if all(isinstance(c, bool) for c in classes):
        return np.array(classes, dtype=bool)
    if all(isinstance(c, int | float) and not isinstance(c, bool) for c in classes):
        return np.array(classes)
    return np.array(classes, dtype=object)
