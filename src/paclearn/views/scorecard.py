"""A scorecard: whole points to be added up with a pencil, what a total means, and what rounding costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import floor
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from paclearn._parameters import is_whole
from paclearn._text import aligned, figures, markdown_table
from paclearn.exceptions import InputError, TargetError
from paclearn.models.asked_class import of_asked_class
from paclearn.models.linear import LinearModel
from paclearn.tables.raw import label_text
from paclearn.tables.target import class_target, numeric_target
from paclearn.tables.weights import weights_of
from paclearn.views.card_html import card_html
from paclearn.views.effect_pieces import number_order
from paclearn.views.whole_points import ClassRows, NumberRows, in_whole_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.models.model import Model

__all__ = ["Scorecard", "to_scorecard"]

_TOTALS_SHOWN = 13
_SURE = 0.99  # chances beyond which totals share a line
_NO_WORSE = 0.001  # of accuracy or R2, for which more points are not worth while
_LOSS_SHARE = 0.02  # of the loss itself, likewise

Judge: TypeAlias = Callable[[NDArray[Any]], float]  # how good predictions are


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Points for every line that is true of a row, and what their total means.

    Parameters
    ----------
    model : LinearModel
        The model it stands for.
    points : ndarray of int
        What a true term adds; lines of no points are left out of the card.
    unit : float
        What a point is worth: log-odds, or units of the target or of its logarithm.
    base : float
        What no points mean: log-odds of the second class, a number or its logarithm.
    loss : float
        What rounding costs on the rows that were given: accuracy lost, or R2.
    score : float
        Accuracy or R2 of the scorecard on these rows.
    """

    model: LinearModel
    points: NDArray[np.int64]
    unit: float
    base: float
    loss: float = 0.0
    score: float = 0.0

    @property
    def threshold(self) -> int:
        """The least total that means the second of two classes."""
        return floor(-self.base / self.unit) + 1

    def total(self, X: Any) -> NDArray[np.int64]:
        """The points of every row.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table; the result has one whole number a row.
        """
        return self._total(self.model.encode(self.model.table(X)))

    def _total(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
        return np.asarray(self.model.truth(codes) @ self.points, dtype=np.int64)

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
            scores = self.base + total.astype(np.float64) * self.unit
            return self.model.from_scores(scores[:, None])[:, 0]
        return self.model.labels[(total >= self.threshold).astype(np.intp)]

    # ---- the card ----

    def to_markdown(self) -> str:
        """The card, for print: its lines, what a total means, and what rounding costs.

        Returns
        -------
        str
            Markdown.
        """
        lines = markdown_table(["if true", "points"], [[name, f"{points:+d}"] for name, points in self.lines()])
        means = [markdown_table(self._head, rows)] if (rows := self.chances_in_words()) else []
        return "\n\n".join([lines, self.verdict(), *means, self.cost()]) + "\n"

    @property
    def _head(self) -> tuple[str, str]:
        return "points", f"chance of {self.model.output_names[0]}"

    def lines(self) -> list[tuple[str, int]]:
        """What is on the card: conditions and their points, the most first, with the other cases of their columns.

        Returns
        -------
        list of tuple of str and int
            One a line; terms of no points have none.
        """
        names = self.model.term_names
        asked = [tuple(self.model.bits[bit].column for bit in term) for term in self.model.terms]
        most: dict[tuple[int, ...], int] = {}
        for columns, points in zip(asked, self.points, strict=True):
            most[columns] = max(most.get(columns, 0), abs(int(points)))
        told = [i for i in range(len(names)) if self.points[i]]
        told.sort(key=lambda i: (-most[asked[i]], asked[i], self._place(i)))
        return [(names[i], int(self.points[i])) for i in told]

    def _place(self, number: int) -> tuple[int, ...]:
        """Where a line stands among the cases of its columns: from small numbers to large ones, or the most first."""
        bits = [self.model.bits[bit] for bit in self.model.terms[number]]
        orders = [number_order(self.model.columns[bit.column]) for bit in bits]
        first = (
            order.index(bit.codes[0])
            for bit, order in zip(bits, orders, strict=True)
            if order is not None and bit.codes[0] in order
        )
        return (*first, -abs(int(self.points[number])))

    def verdict(self) -> str:
        """What is to be done with the points.

        Returns
        -------
        str
            A sentence.
        """
        if self.model.link == "log":
            return (
                f"Start at {figures(np.exp(self.base), 4)}; every point multiplies by {figures(np.exp(self.unit), 4)}."
            )
        if self.model.about.classes is None:
            return f"Start at {figures(self.base, 4)}; one point is {figures(self.unit, 4)}."
        first, second = map(str, self.model.labels)
        least, most = self._ends
        if not least < self.threshold <= most:
            always = first if self.threshold > most else second
            return f"Add up the points: {always} is likelier whatever they are; more points mean {second} more often."
        return f"Add up the points: {self.threshold} or more mean {second}, fewer mean {first}."

    def chances(self) -> list[tuple[str, float]]:
        """What totals mean: the probability of the second class, by the logistic curve that was fitted to the rows.

        Returns
        -------
        list of tuple of str and float
            Totals, from the least to the most that there can be; those that are nearly sure share a line at each end.
        """
        least, most = self._ends
        room = float(np.log(_SURE / (1 - _SURE))) / self.unit
        centre = -self.base / self.unit
        low, high = max(least, floor(centre - room)), min(most, floor(centre + room) + 1)
        step = max(1, -(-(high - low) // (_TOTALS_SHOWN - 1)))
        inner = [*range(low, high, step), high]
        words = {
            low: f"{low} or fewer" if low > least else f"{low}",
            high: f"{high} or more" if high < most else f"{high}",
        }
        return [(words.get(t, f"{t}"), float(expit(self.base + t * self.unit))) for t in dict.fromkeys(inner)]

    @property
    def _ends(self) -> tuple[int, int]:
        """The least total that there may be, and the most: of the cases of one column one at most counts."""
        alone: dict[int, NDArray[np.int64]] = {}
        ends = np.zeros(2, dtype=np.int64)
        for term, points in zip(self.model.terms, self.points, strict=True):
            bits = [self.model.bits[bit] for bit in term]
            if len(bits) > 1:
                ends += min(points, 0), max(points, 0)
                continue
            column = bits[0].column
            cases = alone.setdefault(column, np.zeros(self.model.columns[column].n_codes + 1, dtype=np.int64))
            cases[list(bits[0].codes)] += points
        for cases in alone.values():
            ends += cases.min(), cases.max()
        return int(ends[0]), int(ends[1])

    def chances_in_words(self) -> list[tuple[str, str]]:
        """The same in words; nothing for a number.

        Returns
        -------
        list of tuple of str and str
            Totals and probabilities.
        """
        if self.model.about.classes is None:
            return []
        return [(total, _in_percent(chance)) for total, chance in self.chances()]

    def cost(self) -> str:
        """How good the card is on the rows that it was made with, and what rounding costs there.

        Returns
        -------
        str
            A sentence.
        """
        numeric = self.model.about.classes is None
        what, scale = ("R2", 1) if numeric else ("accuracy", 100)
        verb = "costs" if self.loss >= 0 else "gains"
        got = (
            f"R2 on the rows given: {self.score:.3f}"
            if numeric
            else f"Accuracy on the rows given: {100 * self.score:.1f} %"
        )
        return f"{got}; rounding {verb} {abs(scale * self.loss):.2g}{'' if numeric else ' points'} of {what}."

    def __str__(self) -> str:
        shown = aligned([[name, f"{points:+d}"] for name, points in self.lines()], right=(1,))
        means = ["", *aligned([self._head, *rows], right=(1,))] if (rows := self.chances_in_words()) else []
        return "\n".join([*shown, "", self.verdict(), *means, "", self.cost()])

    def _repr_html_(self) -> str:
        return card_html(self)


def _in_percent(chance: float) -> str:
    return f"{100 * chance:.0f} %" if 0.01 <= chance <= _SURE else ("under 1 %" if chance < 0.01 else "over 99 %")


# ---- making one ------------------------------------------------------------------------------------------------------


def to_scorecard(model: Model, X: Any, y: Any, *, most_points: int = 10, sample_weight: Any = None) -> Scorecard:
    """Turn a linear model into whole points, as few as lose next to nothing on some rows, and say what is lost."""
    if not isinstance(model, LinearModel) or model.n_scores > 1 or model.ladder is not None:
        raise InputError("a scorecard needs a spectral model of two classes or of a number")
    if not model.terms or not model.weights.any():
        raise InputError("the model has no terms, so there are no points to give")
    if not is_whole(most_points) or most_points < 1:
        raise InputError(f"most_points={most_points!r} must be a whole number, at least 1")
    model = of_asked_class(model)
    codes = model.encode(model.table(X))
    truth = model.truth(codes)
    weights = weights_of(sample_weight, len(truth))
    if model.about.classes is None:
        numbers = numeric_target(y, len(truth))
        wanted = model.scores(codes)[:, 0] if model.link == "log" else numbers  # logarithms have no errors of numbers
        return _best_card(model, codes, NumberRows.of(truth, wanted, weights), _r2_of(numbers, weights), most_points)
    places = _places_of(y, len(truth), model)
    counted = np.where(places >= 0, 1.0 if weights is None else weights, 0.0)
    if not counted.any():
        raise InputError("sample_weight is zero for all rows whose class the model knows; one of them must count")
    rows = ClassRows.of(truth, places.astype(np.float64), counted)
    return _best_card(model, codes, rows, _accuracy_of(places, model, weights), most_points)


def _best_card(
    model: LinearModel,
    codes: Sequence[NDArray[Any]],
    rows: ClassRows | NumberRows,
    score: Judge,
    most_points: int,
) -> Scorecard:
    """The smallest points that are as good as any, or nearly: by what is predicted and by how surely."""
    full = score(_full(model, model.scores(codes)))
    weights, base = model.added_where_true[:, 0], float(model.where_none_is_true[0])
    every = [in_whole_points(rows, weights, base, most) for most in range(1, most_points + 1)]
    cards = [Scorecard(model, points.points, points.unit, points.base) for points in every]
    found = [score(card.predict_codes(codes)) for card in cards]
    least = min(points.loss for points in every)
    without = rows.fitted(np.zeros(len(rows.targets), dtype=np.int64), 1.0, base)[2]
    most = least + _LOSS_SHARE * least + _NO_WORSE * without
    good = [i for i, points in enumerate(every) if points.loss <= most]
    best = next(i for i in good if found[i] >= max(found[j] for j in good) - _NO_WORSE)
    return replace(cards[best], loss=full - found[best], score=found[best])


def _full(model: LinearModel, scores: NDArray[np.float64]) -> NDArray[Any]:
    return model.from_scores(scores)[:, 0] if model.about.classes is None else model.labels[model.choices(scores)]


def _r2_of(truth: NDArray[np.float64], weights: NDArray[np.float64] | None) -> Judge:
    def mean(values: NDArray[np.float64]) -> float:
        return float(np.average(values, weights=weights))

    variance = mean((truth - mean(truth)) ** 2)
    return lambda found: 1 - mean((found - truth) ** 2) / variance if variance else 0.0


def _accuracy_of(places: NDArray[np.intp], model: LinearModel, weights: NDArray[np.float64] | None) -> Judge:
    return lambda found: float(np.average((found == model.labels[1]) == places, weights=weights))


def _places_of(y: Any, n_rows: int, model: LinearModel) -> NDArray[np.intp]:
    """The number of every row's class; -1 of one that the model does not know."""
    labels, numbers = class_target(y, n_rows)
    places = {_word(label): place for place, label in enumerate(model.about.classes or ())}
    known = np.array([places.get(_word(label), -1) for label in labels.tolist()])
    if (known < 0).all():
        raise TargetError(
            f"none of the labels in y, such as {labels.tolist()[0]!r}, is a class of the model; "
            f"its classes are {', '.join(map(repr, model.about.classes or ()))}"
        )
    return known[numbers]


def _word(label: Any) -> str:
    """What labels are compared by: 1, 1.0, True and their text are the same class."""
    text = label_text(label)
    return {"True": "1", "False": "0"}.get(text, text)
