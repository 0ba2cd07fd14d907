"""Estimators that predict with their ``model_``: one encoding a prediction, one wording of it for all."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import ShowsItself, TakesTables
from paclearn.tables.table import as_table
from paclearn.views.text import to_html, to_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paclearn.models.explanation import Explanation
    from paclearn.models.model import Model
    from paclearn.tables.table import Table

__all__ = ["DecidesByScore", "ModelEstimator", "PredictsClasses", "PredictsNumbers"]


class ModelEstimator(ShowsItself, TakesTables, BaseEstimator):
    """Whatever has a ``model_``: it reads a table, encodes it once, and asks the model."""

    model_: Model

    def _table(self, X: Any, *, reset: bool) -> Table:
        """Whatever the user has as a table; its columns are kept, or held to those of fit."""
        return as_table(self, X, reset=reset)

    def _checked(self, X: Any) -> Table:
        """A table with the columns of fit."""
        self._check_fitted()
        return self._table(X, reset=False)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        table = self._checked(X)
        return self.model_.scores(self.model_.encode(table))

    def explain(self, X: Any, *, most: int = 10) -> list[Explanation]:
        """What every row's score is made of.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.
        most : int, default=10
            At most this many parts a row, the weightiest first; the others are summed up.

        Returns
        -------
        list of Explanation
            One a row: parts that add up to the score, with ``to_frame()`` and a text.
        """
        table = self._checked(X)
        return [found.top(most) for found in self.model_.explain(self.model_.encode(table))]

    def to_text(self, most: int = 20) -> str:
        """The model in words.

        Parameters
        ----------
        most : int, default=20
            Show at most this many terms or cells.

        Returns
        -------
        str
            Text for a terminal, with the certificate.
        """
        self._check_fitted()
        return "\n\n".join([*self._heading(), to_text(self.model_, most), *self._notes(), *self._promise()])

    def _heading(self) -> list[str]:
        """What stands above the model, where the estimator has more to say than its model."""
        return []

    def _notes(self) -> list[str]:
        """What stands below it."""
        return []

    def _promise(self) -> list[str]:
        certificate = (self.model_.about.certificate or {}).get("sentence")
        return [certificate] if certificate else []

    def _in_notebook(self) -> str | None:
        if not self.__sklearn_is_fitted__():
            return None
        head = "".join(f"<p><b>{escape(line)}</b></p>" for line in self._heading())
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._promise())
        return f"<div class='paclearn-model'>{head}{to_html(self.model_)}{notes}</div>"

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)  # says so in scikit-learn's words

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)


class PredictsNumbers(RegressorMixin):
    """Predictions of a model of a number."""

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predictions for the rows of a table.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers.
        """
        scores = self._scores(X)
        return self.model_.from_scores(scores)[:, 0]


class PredictsClasses(ClassifierMixin):
    """Predictions of a model of classes."""

    _gives_probabilities: ClassVar[bool] = True

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row: the most probable one.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        scores = self._scores(X)
        return self.classes_[self.model_.choices(scores)]

    @available_if(lambda self: self._gives_probabilities)
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
        scores = self._scores(X)
        return self.model_.from_scores(scores)


class DecidesByScore:
    """Two classes are told apart by whether a score is above a threshold."""

    _threshold: ClassVar[float] = 0.0

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """How far the score of the second of two classes is above the threshold, or the scores of all classes.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Above nought for the second of two classes, or one value a class.
        """
        scores = self._scores(X)  # type: ignore[attr-defined]
        return scores[:, 0] - self._threshold if scores.shape[1] == 1 else scores
