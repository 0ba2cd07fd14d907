"""A kernel expansion as a model: a weighted sum of kernel values with some rows of the fit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np

from paclearn._blas_threads import one_blas_thread
from paclearn.encoding.coordinates import NumberColumn, coordinate_names, vectors_of
from paclearn.exceptions import InputError
from paclearn.models.explanation import Explanation, Part
from paclearn.models.kernel_functions import BaseKernel, Custom, Kernel, Linear, Polynomial, Precomputed, Rbf
from paclearn.models.links import simplex, two_classes
from paclearn.models.model import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Column
    from paclearn.models import checked
    from paclearn.models.model import About

__all__ = ["KernelModel"]

_SLACK = 1e-6  # by which anchors of a file may lie outside the unit ball
_PULLED = "(pulled back to the unit ball)"


@dataclass(frozen=True, eq=False, repr=False)
class KernelModel(Model):
    """``f(x) = sum_j weights[j] K(x, anchor_j)`` with ``K = 1 / (1 - nu k)``, over coordinates of the columns.

    Numbers stay numbers, levels become one coordinate each. A row outside the unit ball is pulled back to it. For two
    classes the probability of the second is f, cut off at 0 and 1; for more, probabilities are the nearest ones to the
    values of the classes.

    Parameters
    ----------
    about : About
        Target, classes and columns of the table it was learned from.
    columns : tuple of Column
        The columns that it reads: of levels, or of numbers.
    kernel : Kernel
        K; where k was precomputed, columns are values of k with the anchors.
    radius : float
        B, which the squared norm of f is at most.
    anchors : ndarray of shape (n_anchors, n_coordinates)
        Rows as vectors; numbers of columns where k was precomputed.
    weights : ndarray of shape (n_anchors, n_scores)
        What they are weighted with.
    centre : ndarray of shape (n_coordinates,)
        The average row of the fit, from which explanations start.
    """

    kind: ClassVar[str] = "kernel"
    column_kinds: ClassVar[tuple[str, ...]] = ("levels", "numbers")

    kernel: Kernel
    radius: float
    anchors: NDArray[Any]
    weights: NDArray[np.float64]
    centre: NDArray[np.float64]

    def __repr__(self) -> str:
        what = f"{len(self.columns)} column(s), a sum over {len(self.anchors):,} row(s)"
        return f"{type(self).__name__}({self.about.target or f'{self.n_outputs} classes'} from {what})"

    # ---- the four questions ----

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        rows = self._vectors(codes)
        with one_blas_thread():
            return self.kernel.sums(rows, self.anchors, self.weights, self.kernel.projection(rows))

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """What each column changes on the way from the average row of the fit to the row, see `Kernel.changes`."""
        rows = self._vectors(codes)
        pulled = self.kernel.projection(rows)
        back = np.ones(len(rows)) if pulled is None else pulled
        values = zip(*codes, strict=True)
        return [self._explained(*each) for each in zip(rows, back, values, strict=True)]

    def _explained(self, row: NDArray[np.float64], back: float, values: Sequence[Any]) -> Explanation:
        kernel, before = self.kernel, self._at_centre
        there = kernel.slopes(before, back * before) * (back - 1) * before
        changes = back * kernel.changes(self.centre, row, self.anchors, self._first)
        after = back * before + changes.sum(axis=0)
        added = (changes * kernel.slopes(back * before, after)) @ self.weights
        words = [_answer(column, value) for column, value in zip(self.columns, values, strict=True)]
        parts = [Part(text, tuple(each.tolist())) for text, each in zip(words, added, strict=True)]
        if back < 1:
            parts.append(Part(_PULLED, tuple((there @ self.weights).tolist())))
        return Explanation.of(self.output_names, self.start, parts)

    def effects(self) -> NoReturn:
        """A kernel expansion is no sum over few columns."""
        raise InputError(
            "a kernel expansion is no sum of effects of few columns: all columns act together in every kernel value; "
            "explain(X) says what each of them adds to the score of a row"
        )

    def payload(self) -> dict[str, Any]:
        base = self.kernel.base
        if isinstance(base, Custom | Precomputed):
            what = "a function of your own" if isinstance(base, Custom) else "kernel='precomputed'"
            raise InputError(
                f"a model of {what} cannot be written to a file or exported: the kernel is not part of it; "
                "kernel='linear', 'rbf' and 'poly' can be"
            )
        return {
            "base": {"name": base.name, **vars(base)},
            "nu": self.kernel.nu,
            "bias": self.kernel.bias,
            "scale": self.kernel.scale,
            "radius": self.radius,
            "anchors": self.anchors.tolist(),
            "weights": self.weights.tolist(),
            "centre": self.centre.tolist(),
        }

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        part.need(about.classes is not None, "a model of classes")
        part.need(all(map(coordinate_names, columns)), "a model whose columns have one or more levels")
        kernel = _kernel(part)
        rows = _rows_in_ball(part["anchors"], kernel, sum(len(coordinate_names(c)) for c in columns))
        outputs = len(about.classes or ())
        weights = part["weights"].addends(len(rows), 1 if outputs == 2 else outputs)
        centre = part["centre"].numbers(rows.shape[1])
        part["centre"].need(_lie_in_ball(centre[None], kernel), "a point inside the unit ball")
        return cls(about, columns, kernel, _positive(part["radius"]), rows, weights, centre)

    # ---- what follows ----

    def from_scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return two_classes(np.clip(scores[:, 0], 0, 1)) if scores.shape[1] == 1 else simplex(scores)

    def choices(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return (scores[:, 0] > 0.5).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)

    @property
    def coordinate_names(self) -> list[str]:
        """What every coordinate says."""
        return [name for column in self.columns for name in coordinate_names(column)]

    @cached_property
    def start(self) -> NDArray[np.float64]:
        """The scores of the average row of the fit."""
        return np.asarray(self.kernel.of_base(self._at_centre) @ self.weights)

    def gradient(self) -> NDArray[np.float64]:
        """Coordinates x scores: how scores rise with coordinates at the average row, for a linear base kernel."""
        at = self._at_centre
        return np.asarray(self.anchors.T @ (self.weights * self.kernel.slopes(at, at)[:, None]))

    def _vectors(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Rows as vectors whose squares are finite: however large, they are pulled back to the unit ball."""
        farthest = self.kernel.base.farthest
        with np.errstate(over="ignore"):
            return np.clip(vectors_of(self.columns, codes), -farthest, farthest)

    @cached_property
    def _at_centre(self) -> NDArray[np.float64]:
        """The base kernel of the average row with all anchors."""
        return self.kernel.base_values(self.centre[None], self.anchors)[0]

    @cached_property
    def _first(self) -> NDArray[np.intp]:
        """The first coordinate of every column."""
        sizes = [len(coordinate_names(column)) for column in self.columns]
        return np.cumsum([0, *sizes[:-1]])


def _number(column: Column, value: float) -> str:
    return column.in_words([value])[0] if column.holds_dates else f"{value:.6g}"


def _answer(column: Column, value: Any) -> str:
    """What a row holds."""
    if isinstance(column, NumberColumn):
        return f"{column.name} is missing" if np.isnan(value) else f"{column.name} = {_number(column, value)}"
    names = (*column.code_names, "never seen")
    return f"{column.name} = {names[int(value)]}"


def _kernel(part: checked.Part) -> Kernel:
    nu = part["nu"].number()
    part["nu"].need(0 < nu < 1, "a number between 0 and 1")
    return Kernel(_base(part["base"]), nu, part["bias"].flag(), _positive(part["scale"]))


def _rows_in_ball(part: checked.Part, kernel: Kernel, n_coordinates: int) -> NDArray[np.float64]:
    n = len(part.each(lambda p: p.value))
    rows = part.numbers(n, n_coordinates)
    part.need(rows.size > 0, "one or more rows of one or more coordinates")
    part.need(_lie_in_ball(rows, kernel), "rows inside the unit ball")
    return rows


def _lie_in_ball(rows: NDArray[np.float64], kernel: Kernel) -> bool:
    with np.errstate(over="ignore"):
        inside = kernel.base.squares(rows) <= (1 + _SLACK) * kernel.scale
    return bool(inside.all() and (np.abs(rows) <= kernel.base.farthest).all())


def _base(part: checked.Part) -> BaseKernel:
    name = part["name"].one_of("linear", "rbf", "poly")
    if name == "linear":
        return Linear()
    gamma = _positive(part["gamma"])
    if name == "rbf":
        return Rbf(gamma)
    part["coef0"].need(part["coef0"].number() >= 0, "a number from 0 on")
    return Polynomial(part["degree"].whole(1, 100), gamma, part["coef0"].number())


def _positive(part: checked.Part) -> float:
    part.need(part.number() > 0, "a number above 0")
    return part.number()
