"""A scorecard: whole points to be added up by hand, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from paclearn._parameters import is_whole
from paclearn._text import aligned, markdown_table
from paclearn.exceptions import InputError, TargetError
from paclearn.models.linear import LinearModel
from paclearn.tables.raw import label_text
from paclearn.tables.target import class_target, numeric_target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.models.model import Model

__all__ = ["Scorecard", "to_scorecard"]

_ROWS_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Points for every question that is answered with yes.

    Parameters
    ----------
    model : LinearModel
        The model it stands for.
    points : ndarray of int
        What a true term adds.
    start : int
        Points to start from.
    unit : float
        What a point is worth: log-odds, or units of the target.
    loss : float
        What rounding costs on the rows that were given: accuracy lost, or R2.
    score : float
        Accuracy or R2 of the scorecard on these rows.
    """

    model: LinearModel
    points: NDArray[np.int64]
    start: int
    unit: float
    loss: float = 0.0
    score: float = 0.0

    def total(self, X: Any) -> NDArray[np.int64]:
        """The points of every row.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table; the result has one whole number a row.
        """
        return self._total(self.model.encode(self.model.table(X)))

    def _total(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
        middle = np.array([self.start + self.points.sum() / 2])
        rounded = replace(self.model, weights=self._weights, intercept=middle)
        return np.rint(rounded.scores(codes)[:, 0]).astype(np.int64)

    @property
    def _weights(self) -> NDArray[np.float64]:
        """As of signs: half the points where true, minus half where false."""
        turn = np.array([1.0 if len(t) % 2 else -1.0 for t in self.model.terms])
        return (turn * self.points / 2)[:, None]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predictions from points.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table; the result has one class, or number, a row.
        """
        return self._said(self.total(X))

    def predict_codes(self, codes: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """The same from the codes of the model's columns.

        Parameters
        ----------
        codes : sequence of ndarray
            Codes of the columns of the model.
        """
        return self._said(self._total(codes))

    def _said(self, total: NDArray[np.int64]) -> NDArray[Any]:
        if self.model.about.classes is None:
            worth = total * self.unit
            return worth if self.model.limits is None else np.clip(worth, *self.model.limits)
        return self.model.labels[(total > 0).astype(np.intp)]

    def to_markdown(self) -> str:
        """The card, for print.

        Returns
        -------
        str
            Markdown.
        """
        rows = [["start", f"{self.start:+d}"], *([name, f"{points:+d}"] for name, points in self._lines())]
        return markdown_table(["if true", "points"], rows) + "\n\n" + self._verdict() + "\n"

    def _lines(self) -> list[tuple[str, int]]:
        order = np.argsort(-np.abs(self.points), kind="stable")
        names = self.model.term_names
        return [(names[i], int(self.points[i])) for i in order if self.points[i]]

    def _verdict(self) -> str:
        if self.model.about.classes is None:
            return f"One point is {self.unit:.4g}. R2 on the rows given: {self.score:.3f}; {self._cost('R2', 1)}."
        chances = "; ".join(f"{t:+d}: {100 * expit(t * self.unit):.0f} %" for t in self._totals())
        return (
            f"Above 0 points: {self.model.output_names[0]}. Its probability by points: {chances}. Accuracy on the rows "
            f"given: {100 * self.score:.1f} %; {self._cost('accuracy', 100)}."
        )

    def _cost(self, what: str, scale: float) -> str:
        lost = scale * self.loss
        return f"rounding {'costs' if lost >= 0 else 'gains'} {abs(lost):.3g}{' %' if scale > 1 else ''} of {what}"

    def _totals(self) -> list[int]:
        reach = max(1, round(3 / self.unit))
        return sorted({round(t) for t in np.linspace(-reach, reach, 7)})

    def __str__(self) -> str:
        shown = self._lines()[:_ROWS_SHOWN]
        more = len(self._lines()) - len(shown)
        lines = aligned([["start", f"{self.start:+d}"], *([n, f"{p:+d}"] for n, p in shown)], right=(1,))
        return "\n".join([*lines, *([f"and {more} more"] if more else []), "", self._verdict()])


def to_scorecard(model: Model, X: Any, y: Any, *, most_points: int = 20) -> Scorecard:
    """Round a linear model to whole points, as few as lose nothing on some rows, and say what is lost."""
    if not isinstance(model, LinearModel) or model.n_scores > 1:
        raise InputError("a scorecard needs a spectral model of two classes or of a number")
    if not model.terms:
        raise InputError("the model has no terms, so there are no points to give")
    if not is_whole(most_points) or most_points < 1:
        raise InputError(f"most_points={most_points!r} must be a whole number, at least 1")
    codes = model.encode(model.table(X))
    n, numeric = len(codes[0]), model.about.classes is None
    score = _r2_of(y, n) if numeric else _accuracy_of(y, n, model)
    full = score(_full(model, model.scores(codes)))
    cards = [_rounded(model, points) for points in range(1, most_points + 1)]
    found = [score(card.predict_codes(codes)) for card in cards]
    best = next(i for i, score in enumerate(found) if score >= max(found) - 1e-12)
    return replace(cards[best], loss=full - found[best], score=found[best])


def _full(model: LinearModel, scores: NDArray[np.float64]) -> NDArray[Any]:
    return model.from_scores(scores)[:, 0] if model.about.classes is None else model.labels[model.choices(scores)]


def _rounded(model: LinearModel, most: int) -> Scorecard:
    """Twice a weight is the difference between true and false; half of it goes into the start."""
    weights = model.true_weights[:, 0]
    unit = 2 * float(np.abs(weights).max()) / most or 1.0
    points = np.rint(2 * weights / unit).astype(np.int64)
    start = (model.intercept[0] - weights.sum()) / unit
    return Scorecard(model, points, round(float(start)), unit)


def _r2_of(y: Any, n_rows: int) -> Callable[[NDArray[Any]], float]:
    truth = numeric_target(y, n_rows)
    variance = float(((truth - truth.mean()) ** 2).mean())
    return lambda found: 1 - float(((found - truth) ** 2).mean()) / variance if variance else 0.0


def _accuracy_of(y: Any, n_rows: int, model: LinearModel) -> Callable[[NDArray[Any]], float]:
    labels, numbers = class_target(y, n_rows)
    places = {_word(label): place for place, label in enumerate(model.about.classes or ())}
    known = np.array([places.get(_word(label), -1) for label in labels.tolist()])
    if (known < 0).all():
        raise TargetError(
            f"none of the labels in y, such as {labels.tolist()[0]!r}, is a class of the model; "
            f"its classes are {', '.join(map(repr, model.about.classes or ()))}"
        )
    truth = known[numbers]
    return lambda found: float(np.mean((found == model.labels[1]) == truth))


def _word(label: Any) -> str:
    """What labels are compared by: 1, 1.0, True and their text are the same class."""
    text = label_text(label)
    return {"True": "1", "False": "0"}.get(text, text)
