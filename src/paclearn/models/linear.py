"""Linear models over terms: scores, probabilities, and their SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._text import markdown_table
from paclearn.encoding.domain import Bit, Domain
from paclearn.exceptions import InputError
from paclearn.learners.spectral.losses import LogLoss, SoftmaxLoss
from paclearn.learners.spectral.term_matrix import scores_of
from paclearn.models.model import About, PortableModel
from paclearn.models.terms import name_of, signs_of
from paclearn.views import sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.checked import Part

__all__ = ["LinearModel"]

_LINKS = {1: "identity", 2: "logit"}


class LinearModel(PortableModel):
    """Score = intercept + weights x products of signs."""

    kind: ClassVar[str] = "linear"

    def __init__(
        self,
        about: About,
        columns: tuple[Column, ...],
        bits: tuple[Bit, ...],
        terms: tuple[tuple[int, ...], ...],
        weights: NDArray[np.float64],
        intercept: NDArray[np.float64],
        errors: NDArray[np.float64] | None = None,
        limits: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(about, columns)
        self.bits = bits
        self.terms = terms
        self.weights = weights
        self.intercept = intercept
        self.errors = errors
        self.limits = limits

    @classmethod
    def of(cls, model: Any, target: str | None) -> LinearModel:
        """From a spectral model; bits and columns that no term needs are left out."""
        if model.basis != "parity":
            raise InputError("terms of an orthonormal basis depend on the measure; fit with basis='parity' to export")
        used = sorted({i for term in model._terms for i in term})  # noqa: SLF001 - its own family
        place = {bit: i for i, bit in enumerate(used)}
        every = [model._bits[i] for i in used]  # noqa: SLF001
        kept = sorted({bit.column for bit in every})
        column = {old: new for new, old in enumerate(kept)}
        bits = tuple(Bit(bit.name, column[bit.column], bit.codes) for bit in every)
        terms = tuple(tuple(place[i] for i in term) for term in model._terms)  # noqa: SLF001
        columns = tuple(model.domain_.columns[i] for i in kept)
        fitted = model._weights, model.intercept_, model._errors  # noqa: SLF001
        return cls(About.of(model, target), columns, bits, terms, *fitted, getattr(model, "_range", None))

    @property
    def link(self) -> str:
        """From scores to what is predicted."""
        if self.about.classes is None:
            return "identity"
        return "logit" if len(self.about.classes) == 2 else "softmax"

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """One score an output."""
        signs = signs_of(Domain(self.columns), self.bits, codes).astype(np.float32)
        return scores_of(signs, self.terms, self.weights, self.intercept)

    def values(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        scores = self.scores(codes)
        if self.link == "identity":
            return scores if self.limits is None else np.clip(scores, *self.limits)
        if self.link == "softmax":
            return SoftmaxLoss().predictions(scores)
        up = LogLoss().predictions(scores)[:, 0]
        return np.column_stack([1 - up, up])

    def chosen(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
        scores = self.scores(codes)
        return (scores[:, 0] > 0).astype(np.intp) if self.link == "logit" else scores.argmax(axis=1)

    # ---- plain data ----

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
        }

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: Part) -> LinearModel:
        outputs = len(about.classes) if about.classes is not None and len(about.classes) > 2 else 1
        bits = part["bits"].each(lambda p: _bit(p, columns))
        terms = part["terms"].each(lambda p: _term(p, len(bits)))
        shape = len(terms), outputs
        weights, intercept = part["weights"].numbers(*shape), part["intercept"].numbers(outputs)
        errors = part["errors"]
        known = None if errors.value is None else errors.numbers(*shape)
        limits = part["limits"]
        ends = None if limits.value is None else tuple(limits.numbers(2).tolist())
        limits.need(ends is None or (about.classes is None and ends[0] <= ends[1]), "two numbers in order, or null")
        model = cls(about, columns, bits, terms, weights, intercept, known, ends)
        part["link"].one_of(model.link)
        return model

    # ---- to be read ----

    @property
    def term_names(self) -> list[str]:
        """For example ``colour=red XOR age>41``."""
        return [name_of(term, self.bits) for term in self.terms]

    @property
    def true_weights(self) -> NDArray[np.float64]:
        """What a term adds where it is true; an XOR of two is true where their signs differ."""
        turn = np.array([1.0 if len(t) % 2 else -1.0 for t in self.terms])
        return np.asarray(self.weights * turn[:, None])

    @property
    def output_names(self) -> list[str]:
        """One an output."""
        if self.link == "identity":
            return [self.about.target or "value"]
        return [str(c) for c in (self.about.classes or ())][-1 if self.link == "logit" else 0 :]

    def markdown(self) -> str:
        order = np.argsort(-np.abs(self.weights).max(axis=1, initial=0), kind="stable")
        names, weights = self.term_names, self.true_weights
        rows = [["(start)", *(f"{v:+.4g}" for v in self.intercept)]]
        rows += [[names[i], *(f"{w:+.4g}" for w in weights[i])] for i in order]
        meaning = {
            "identity": "The prediction is the start plus, for every term, its weight where it is true and minus its "
            "weight where it is false.",
            "logit": f"The score is the log-odds of {self.output_names[0]!r}: the start plus, for every term, its "
            "weight where it is true and minus its weight where it is false.",
            "softmax": "Every class has a score: the start plus, for every term, its weight where it is true and minus "
            "its weight where it is false. The largest score wins.",
        }[self.link]
        return f"{meaning}\n\n" + markdown_table(["term", *self.output_names], rows)

    def because(self, X: Any, most: int = 10) -> list[dict[str, Any]]:
        signs = signs_of(Domain(self.columns), self.bits, [c[:1] for c in self.codes(X)])[0]
        products = np.array([np.prod(signs[list(term)]) for term in self.terms], dtype=np.float64)
        parts = products[:, None] * self.weights
        order = np.argsort(-np.abs(parts).max(axis=1, initial=0), kind="stable")
        names, turn = self.term_names, np.array([1 if len(t) % 2 else -1 for t in self.terms])
        shown = [
            {"term": names[i], "holds": bool(products[i] * turn[i] > 0), "contribution": self._named(parts[i])}
            for i in order[:most]
        ]
        rest = {"term": "(all others)", "contribution": self._named(parts[order[most:]].sum(axis=0))}
        start = {"term": "(start)", "contribution": self._named(self.intercept)}
        return [*shown, *([rest] if len(order) > most else []), start]

    def _named(self, values: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(self.output_names, map(float, values), strict=True))

    def query(self, table: str, keys: Sequence[str], name: str) -> str:
        return sql.linear_query(self, table, keys, name)


def _bit(part: Part, columns: tuple[Column, ...]) -> Bit:
    column = part["column"].whole(0, len(columns))
    codes = part["codes"].each(lambda p: p.whole(0, columns[column].n_codes))
    return Bit(part["name"].text(), column, codes)


def _term(part: Part, n_bits: int) -> tuple[int, ...]:
    members = part.each(lambda p: p.whole(0, n_bits))
    part.need(bool(members) and len(set(members)) == len(members), "one or more different bits")
    return tuple(members)
