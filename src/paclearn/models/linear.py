"""A linear model over terms: score = intercept + weights x products of signs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paclearn.encoding.domain import Bit, Domain
from paclearn.exceptions import InputError
from paclearn.models import checked
from paclearn.models.cell_grids import grids_of, masses_of
from paclearn.models.effect_words import explain_by_effect
from paclearn.models.effects import Effect, Effects
from paclearn.models.ladder import Ladder
from paclearn.models.links import exponential, logistic, softmax, two_classes
from paclearn.models.model import Model
from paclearn.models.purification import Purifier
from paclearn.models.term_tables import TermTables
from paclearn.models.terms import Term, name_of, products_of, scores_of, signs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.cell_grids import CellGrid
    from paclearn.models.explanation import Explanation
    from paclearn.models.model import About

__all__ = ["LinearModel"]

_CELLS_AT_ONCE = 2**24
_MANY_TERMS = 100  # whose tables are looked up in less time than terms are multiplied, where so many share a table
_SHARE_A_TABLE = 5
_UNCALIBRATED = ("sign", "largest")
_LINKS = ("identity", "log", "logit", "softmax", "ordered", *_UNCALIBRATED)


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(Model):
    """Weights of terms; a term is a product of signs of bits, -1 where a bit is false and +1 where it is true.

    The score of a row is the intercept plus, for every term, its weight times that product; ``link`` says what becomes
    of it: the prediction itself, log-odds, or the largest of several.

    Parameters
    ----------
    about, columns : About, tuple of Column
        What is predicted from which table, and the columns that are read.
    bits : tuple of Bit
        The questions about them.
    terms : tuple of tuple of int
        The bits of every term.
    weights : ndarray of shape (n_terms, n_scores)
        What a term adds where the product of its signs is +1.
    intercept : ndarray of shape (n_scores,)
        What scores start from.
    errors : ndarray of shape (n_terms, n_scores) or None
        Standard errors of the weights.
    limits : tuple of float or None
        Predictions of a number are kept between these.
    calibrated : bool, default=True
        Whether scores of classes are log-odds; otherwise only their order means something.
    logarithmic : bool, default=False
        Whether the score of a number is the logarithm of what is predicted.
    masses : tuple of ndarray or None
        How many rows of the fit are in each cell of its effects and of their subsets, the largest sets of columns
        first; None where nobody counted.
    cell_errors : tuple of ndarray or None
        Standard errors of the purified effects in the same cells.
    ladder : Ladder or None
        Of three ordered classes or more: what makes a score a class of the one score of a row.
    """

    kind: ClassVar[str] = "linear"

    bits: tuple[Bit, ...]
    terms: tuple[Term, ...]
    weights: NDArray[np.float64]
    intercept: NDArray[np.float64]
    errors: NDArray[np.float64] | None = None
    limits: tuple[float, float] | None = None
    calibrated: bool = True
    logarithmic: bool = False
    masses: tuple[NDArray[np.float64], ...] | None = None
    cell_errors: tuple[NDArray[np.float64], ...] | None = None
    ladder: Ladder | None = None

    @classmethod
    def of_terms(
        cls,
        about: About,
        domain: Domain,
        bits: Sequence[Bit],
        terms: Sequence[Term],
        weights: NDArray[np.float64],
        intercept: NDArray[np.float64],
        **more: Any,
    ) -> Self:
        """From terms over all bits of a domain; bits and columns that no term needs are left out.

        Parameters
        ----------
        about, domain, bits, terms, weights, intercept, **more : About, Domain, sequences and arrays
            What the model is about, the columns, and what `LinearModel` takes, with numbers of bits of the domain.
        """
        used = sorted(set(chain.from_iterable(terms)))
        place = {bit: i for i, bit in enumerate(used)}
        kept = sorted({bits[i].column for i in used})
        column = {old: new for new, old in enumerate(kept)}
        few = tuple(Bit(bits[i].name, column[bits[i].column], bits[i].codes) for i in used)
        all_used = len(used) == len(bits)  # and then they keep their numbers
        renamed = tuple(terms) if all_used else tuple(tuple(place[i] for i in term) for term in terms)
        return cls(about, tuple(domain.columns[i] for i in kept), few, renamed, weights, intercept, **more)

    @property
    def link(self) -> str:
        """From scores to what is predicted."""
        if self.about.classes is None:
            return "log" if self.logarithmic else "identity"
        if self.ladder is not None:
            return "ordered"
        if not self.calibrated:
            return "sign" if len(self.about.classes) == 2 else "largest"
        return "logit" if len(self.about.classes) == 2 else "softmax"

    # ---- the four questions ----

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        if self._summed is not None:
            return self._summed.scores(codes)
        step = max(1, _CELLS_AT_ONCE // max(len(self.bits), 1))
        some = (slice(begin, begin + step) for begin in range(0, max(len(codes[0]), 1), step))
        signs = (self._signs([column[part] for column in codes]) for part in some)
        return np.concatenate([scores_of(s, self.terms, self.weights, self.intercept) for s in signs])

    @cached_property
    def _summed(self) -> Effects | None:
        """Many terms as tables in which a row is looked up; None where few terms share a table, or one is too large."""
        if len(self.terms) < _MANY_TERMS or len(self.terms) < _SHARE_A_TABLE * len(self._tables.by_columns):
            return None
        try:
            return self._grouped
        except InputError:
            return None

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        return explain_by_effect(self, codes)

    def effects(self) -> Effects:
        """Terms of the same columns go together, and each part to the smallest set of columns that carries it."""
        return self._purified

    @cached_property
    def _purified(self) -> Effects:
        grouped = self._grouped
        if self.masses is None:
            return Purifier.even(grouped).purify(grouped)
        return Purifier.of_masses(grouped, self.masses).purify(grouped, self.cell_errors)

    @cached_property
    def _tables(self) -> TermTables:
        return TermTables(self.columns, self.bits, self.terms)

    @property
    def _grouped(self) -> Effects:
        """Terms that look at the same columns, as they are."""
        tables = self._tables
        found = (tables.effect(columns, self.weights[terms]) for columns, terms in tables.by_columns.items())
        return Effects(self.intercept, tuple(found))

    def fitted_to(
        self,
        codes: Sequence[NDArray[Any]],
        counts: NDArray[np.float64] | None,
        covariance: NDArray[np.float64] | None = None,
    ) -> Self:
        """The same model, knowing the law of the rows that it was fitted to: effects are purified under it."""
        return self.fitted_in(lambda grids: masses_of(grids, codes, counts), covariance)

    def fitted_in(
        self,
        counted: Callable[[Sequence[CellGrid]], Sequence[NDArray[np.float64]]],
        covariance: NDArray[np.float64] | None = None,
    ) -> Self:
        """The same, where the rows that are in each cell were counted elsewhere."""
        try:
            grids = grids_of(self._tables.code_groups())
        except InputError:  # more cells than anybody could look at: the model predicts, and has no effects to show
            return self
        purifier = Purifier(grids, tuple(counted(grids)))
        errors = None if covariance is None else purifier.standard_errors(self._one_by_one(), covariance)
        return replace(self, masses=purifier.masses, cell_errors=errors)

    def _one_by_one(self) -> list[tuple[Effect, NDArray[np.intp]]]:
        """What the terms of every set of columns add at weight one, an output a term, and their numbers."""
        sets = self._tables.by_columns.items()
        return [(self._tables.effect(c, np.eye(len(terms))), np.array(terms, dtype=np.intp)) for c, terms in sets]

    def payload(self) -> dict[str, Any]:
        errors = None if self.errors is None or np.isnan(self.errors).any() else self.errors.tolist()
        return {
            "link": self.link,
            "bits": [{"name": b.name, "column": b.column, "codes": list(b.codes)} for b in self.bits],
            "terms": [list(term) for term in self.terms],
            "weights": self.weights.tolist(),
            "intercept": self.intercept.tolist(),
            "errors": errors,
            "limits": None if self.limits is None else list(self.limits),
            "masses": _lists(self.masses),
            "cell_errors": _lists(self.cell_errors),
            **({} if self.ladder is None else {"ladder": self.ladder.payload()}),
        }

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        ladder = _ladder(part, about)
        outputs = len(about.classes) if about.classes is not None and len(about.classes) > 2 and ladder is None else 1
        bits = part["bits"].each(lambda p: _bit(p, columns))
        terms = part["terms"].each(lambda p: _term(p, len(bits)))
        shape = len(terms), outputs
        weights, intercept = part["weights"].addends(*shape), part["intercept"].addends(outputs)
        errors = part["errors"]
        known = None if errors.value is None else errors.addends(*shape)
        limits = part["limits"]
        ends = None if limits.value is None else tuple(limits.numbers(2).tolist())
        limits.need(ends is None or (about.classes is None and ends[0] <= ends[1]), "two numbers in order, or null")
        link = part["link"].one_of(*_LINKS)
        model = cls(
            about, columns, bits, terms, weights, intercept, known, ends, link not in _UNCALIBRATED, link == "log",
            ladder=ladder,
        )  # fmt: skip
        part["link"].need(link == model.link, f"{model.link!r}, as the classes say")
        return model._with_law(part)

    def _with_law(self, part: checked.Part) -> Self:
        """What a file says of the rows; files of earlier versions say nothing."""
        masses, errors = part.get("masses"), part.get("cell_errors")
        if masses.value is None:
            return self
        grids = grids_of(self._grouped.effects)
        cells = _arrays(masses, [grid.shape for grid in grids], checked.Part.counts)
        shapes = [(*grid.shape, self.n_scores) for grid in grids]
        known = None if errors.value is None else _arrays(errors, shapes, checked.Part.addends)
        return replace(self, masses=cells, cell_errors=known)

    # ---- what follows ----

    def from_scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.about.classes is None:
            means = exponential(scores) if self.logarithmic else scores
            return means if self.limits is None else np.clip(means, *self.limits)
        if self.link in _UNCALIBRATED:
            return np.eye(self.n_outputs)[self.choices(scores)]
        if self.ladder is not None:
            return softmax(self.ladder.class_scores(scores))
        return softmax(scores) if self.link == "softmax" else two_classes(logistic(scores)[:, 0])

    def error_scale(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum(means, np.finfo(float).tiny) if self.logarithmic else super().error_scale(means)

    def choices(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        if self.ladder is not None:
            return self.ladder.class_scores(scores).argmax(axis=1)
        return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)

    @property
    def n_scores(self) -> int:
        """Scores a row: one for a number, for two classes and for ordered ones, otherwise one a class."""
        return 1 if self.ladder is not None else super().n_scores

    @property
    def output_names(self) -> tuple[str, ...]:
        """What the scores are of."""
        return super().output_names if self.ladder is None else (f"higher {self.about.target or 'class'}",)

    @property
    def term_names(self) -> list[str]:
        """For example ``colour=red XOR age>41``."""
        return [name_of(term, self.bits) for term in self.terms]

    @property
    def true_weights(self) -> NDArray[np.float64]:
        """What a term adds where it is true."""
        return np.asarray(self.weights * self._turn[:, None])

    @property
    def added_where_true(self) -> NDArray[np.float64]:
        """The difference that a term makes by being true: twice its weight."""
        return 2 * self.true_weights

    @property
    def where_none_is_true(self) -> NDArray[np.float64]:
        """The scores of a row of which no term is true."""
        return np.asarray(self.intercept - self.true_weights.sum(axis=0))

    def truth(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
        """Rows x terms: whether each is true.

        Parameters
        ----------
        codes : sequence of ndarray
            Codes of the columns of the model.
        """
        return self._products(codes) * self._turn > 0

    @property
    def weightiest(self) -> NDArray[np.intp]:
        """Terms by their largest weight."""
        return np.argsort(-np.abs(self.weights).max(axis=1, initial=0), kind="stable")

    @property
    def degree(self) -> int:
        """Bits of the largest term."""
        return max(map(len, self.terms), default=0)

    @property
    def _turn(self) -> NDArray[np.float64]:
        """An XOR of two is true where their signs differ, so where their product is -1."""
        return np.array([1.0 if len(t) % 2 else -1.0 for t in self.terms])

    def _signs(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float32]:
        return signs_of(Domain(self.columns), self.bits, codes).astype(np.float32)

    def _products(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float32]:
        if not self.terms:
            return np.ones((len(codes[0]), 0), dtype=np.float32)
        return products_of(self._signs(codes), self.terms)


def _ladder(part: checked.Part, about: About) -> Ladder | None:
    """What a file says of ordered classes; most say nothing."""
    found = part.get("ladder")
    if found.value is None:
        return None
    classes = about.classes or ()
    found.need(len(classes) > 2, "of three classes or more, or be left out")
    return Ladder.read(found, len(classes))


def _lists(arrays: tuple[NDArray[np.float64], ...] | None) -> list[Any] | None:
    return None if arrays is None else [array.tolist() for array in arrays]


def _arrays(
    part: checked.Part, shapes: Sequence[tuple[int, ...]], read: Callable[..., NDArray[np.float64]]
) -> tuple[NDArray[np.float64], ...]:
    part.need(isinstance(part.value, list) and len(part.value) == len(shapes), f"a list of {len(shapes)} tables")
    left = iter(shapes)
    return part.each(lambda p: read(p, *next(left)))


def _bit(part: checked.Part, columns: tuple[Column, ...]) -> Bit:
    column = part["column"].whole(0, len(columns))
    codes = part["codes"].each(lambda p: p.whole(0, columns[column].n_codes))
    return Bit(part["name"].text(), column, codes)


def _term(part: checked.Part, n_bits: int) -> Term:
    members = part.each(lambda p: p.whole(0, n_bits))
    part.need(bool(members) and len(set(members)) == len(members), "one or more different bits")
    return tuple(members)
