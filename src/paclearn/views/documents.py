"""Models written for others: SQL, Python without dependencies, Markdown."""

from __future__ import annotations

import json
import pprint
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from paclearn.learners.portable import portable
from paclearn.views.sql_words import lone_or_many

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["to_markdown", "to_python", "to_sql"]


def to_sql(
    model: Any,
    table: str = "data",
    *,
    keys: str | Sequence[str] = (),
    name: str = "prediction",
) -> str:
    """A query that predicts every row of a table, in ANSI SQL.

    Parameters
    ----------
    model : estimator or PortableModel
        A fitted model, see `portable`.
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
    return portable(model).query(table, lone_or_many(keys), name)


def to_python(model: Any) -> str:
    """A Python file that predicts rows, with nothing to install.

    Parameters
    ----------
    model : estimator or PortableModel
        A fitted model, see `portable`.

    Returns
    -------
    str
        A module with ``predict(row)`` and, for classes, ``predict_proba(row)``; a row is a dict.
    """
    source = files("paclearn.views").joinpath("standalone.py").read_text(encoding="utf-8")
    content = portable(model).to_dict()
    written = pprint.pformat(json.loads(json.dumps(content)), width=110, compact=True, sort_dicts=False)
    return source.replace("MODEL = {}", f"MODEL = {written}", 1)


def to_markdown(model: Any) -> str:
    """The model as a table to be read.

    Parameters
    ----------
    model : estimator or PortableModel
        A fitted model, see `portable`.

    Returns
    -------
    str
        Markdown, with the certificate beneath.
    """
    known = portable(model)
    promise = (known.about.certificate or {}).get("sentence")
    return known.markdown() + (f"\n\n{promise}" if promise else "") + "\n"
