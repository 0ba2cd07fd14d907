"""The fitted linear model as plain data, for the page to run: the model file's format, version 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import paclearn
from paclearn.encoding.domain import LevelColumn

if TYPE_CHECKING:
    from paclearn.encoding.domain import Column
    from paclearn.spectral.base import SpectralBase

__all__ = ["portable_linear"]


def portable_linear(model: SpectralBase, target: str | None = None) -> dict[str, Any]:
    """Everything it takes to predict with a fitted spectral model, and nothing else.

    Parameters
    ----------
    model : SpectralClassifier or SpectralRegressor
        Fitted, with terms that are products of signs (``basis="parity"``).
    target : str, default=None
        What is predicted.

    Returns
    -------
    dict
        Numbers, text, lists and dicts of these.
    """
    classes = getattr(model, "classes_", None)
    used = sorted({bit for term in model._terms for bit in term})  # noqa: SLF001
    bits = [model._bits[i] for i in used]  # noqa: SLF001
    places = sorted({bit.column for bit in bits})
    return {
        "format": "paclearn model",
        "version": 1,
        "paclearn": paclearn.__version__,
        "kind": "linear",
        "task": "regression" if classes is None else "classification",
        "target": target,
        "classes": None if classes is None else classes.tolist(),
        "feature_names": [str(name) for name in model.feature_names_in_],
        "n_features": int(model.n_features_in_),
        "columns": [_column(model.domain_.columns[i]) for i in places],
        "model": {
            "bits": [{"name": b.name, "column": places.index(b.column), "codes": list(map(int, b.codes))} for b in bits],
            **_terms(model, {bit: place for place, bit in enumerate(used)}),
            "link": _link(classes),
        },
        "certificate": None if model.certificate_ is None else model.certificate_.to_dict(),
    }


def _column(column: Column) -> dict[str, Any]:
    common = {"name": column.name, "position": int(column.position), "missing": bool(column.missing)}
    if isinstance(column, LevelColumn):
        own = {"levels": list(column.levels), "numeric": bool(column.numeric), "other": bool(column.other)}
        return {"kind": "levels", **common, **own}
    return {"kind": "bins", **common, "thresholds": [float(t) for t in column.thresholds]}  # type: ignore[attr-defined]


def _terms(model: SpectralBase, place: dict[int, int]) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "terms": [[place[bit] for bit in term] for term in model._terms],  # noqa: SLF001
        "weights": model._weights.tolist(),  # noqa: SLF001
        "intercept": np.asarray(model.intercept_, dtype=np.float64).tolist(),
        "errors": model._errors.tolist(),  # noqa: SLF001
    }
    limits = getattr(model, "_range", None)  # predictions of numbers stay within what was seen
    return facts if limits is None else {**facts, "range": list(limits)}


def _link(classes: Any) -> str:
    if classes is None:
        return "identity"
    return "logit" if len(classes) == 2 else "softmax"
