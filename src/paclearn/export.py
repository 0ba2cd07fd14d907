"""The way out: model files, SQL, plain Python, Markdown and scorecards of fitted models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paclearn.learners.portable import PortableModel, model_of, portable
from paclearn.views import model_file, python_code, scorecard, sql, text
from paclearn.views.scorecard import Scorecard
from paclearn.views.sql_words import lone_or_many

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from paclearn.learners.portable import Exportable

__all__ = [
    "PortableModel",
    "Scorecard",
    "from_json",
    "load",
    "portable",
    "save",
    "to_json",
    "to_markdown",
    "to_python",
    "to_scorecard",
    "to_sql",
]


def save(model: Exportable, path: str | os.PathLike[str], target: str | None = None) -> None:
    """Write a fitted model to a file.

    Parameters
    ----------
    model : estimator, PortableModel or Model
        A fitted model.
    path : str or path
        The file to write.
    target : str, default=None
        The name of what is predicted.
    """
    model_file.save(model_of(model, target), path)


def load(path: str | os.PathLike[str]) -> PortableModel:
    """Read a model from a file; whatever is not a model file of a version that is known is refused.

    Parameters
    ----------
    path : str or path
        A file that `save` wrote.

    Returns
    -------
    PortableModel
        It predicts what the model that was saved predicts.
    """
    return PortableModel(model_file.load(path))


def to_json(model: Exportable, target: str | None = None) -> str:
    """A fitted model as the text of a model file.

    Parameters
    ----------
    model : estimator, PortableModel or Model
        A fitted model.
    target : str, default=None
        The name of what is predicted.

    Returns
    -------
    str
        JSON.
    """
    return model_file.to_json(model_of(model, target))


def from_json(text: str) -> PortableModel:
    """A model from the text of a model file.

    Parameters
    ----------
    text : str
        What `to_json` gave.

    Returns
    -------
    PortableModel
        The model.
    """
    return PortableModel(model_file.from_json(text))


def to_sql(model: Exportable, table: str = "data", *, keys: str | Sequence[str] = (), name: str = "prediction") -> str:
    """A query that predicts every row of a table, in ANSI SQL.

    Parameters
    ----------
    model : estimator, PortableModel or Model
        A fitted model.
    table : str, default="data"
        The table to read.
    keys : str or sequence of str, default=()
        Columns to pass on beside the prediction.
    name : str, default="prediction"
        The column to write.

    Returns
    -------
    str
        A SELECT statement. NULL stands for missing values.
    """
    return sql.to_sql(model_of(model), table, lone_or_many(keys), name)


def to_python(model: Exportable) -> str:
    """A Python file that predicts rows, with nothing to install.

    Parameters
    ----------
    model : estimator, PortableModel or Model
        A fitted model.

    Returns
    -------
    str
        A module with ``predict(row)`` and, for classes, ``predict_proba(row)``; a row is a dict.
    """
    return python_code.to_python(model_of(model))


def to_markdown(model: Exportable) -> str:
    """The model as a table to be read, in Markdown, with the certificate beneath.

    Parameters
    ----------
    model : estimator, PortableModel or Model
        A fitted model.
    """
    known = model_of(model)
    promise = (known.about.certificate or {}).get("sentence")
    return text.to_markdown(known) + (f"\n\n{promise}" if promise else "") + "\n"


def to_scorecard(model: Exportable, X: Any, y: Any, *, most_points: int = 10, sample_weight: Any = None) -> Scorecard:
    """Turn a linear model into a card of whole points, as few as lose next to nothing, and say what is lost.

    Points are chosen together, for least loss on some rows, and the chance that a total means is fitted to the same.

    Parameters
    ----------
    model : SpectralClassifier, SpectralRegressor, PortableModel or LinearModel
        A fitted model of two classes or of a number; few terms make a better card (``max_terms=10``).
    X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
        Rows to choose the points by and to measure the loss on: those of the fit, or such as the model has not seen.
    y : array-like of shape (n_rows,)
        What happened.
    most_points : int, default=10
        The most points a question may give.
    sample_weight : array-like of shape (n_rows,), default=None
        How much each row counts; all alike where nothing is said.

    Returns
    -------
    Scorecard
        The card.
    """
    return scorecard.to_scorecard(model_of(model), X, y, most_points=most_points, sample_weight=sample_weight)
