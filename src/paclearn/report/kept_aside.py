"""The final exam: rows that no model of the page has seen, asked once, when all is chosen and fitted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paclearn._text import figures
from paclearn.certificates import Certificate, tightest
from paclearn.certificates.certificate import CLASS_SHARES
from paclearn.certificates.conformal import conformal_margin
from paclearn.certificates.final_exam import calibration_exam, exam_of_numbers
from paclearn.encoding.date_columns import n_columns_of
from paclearn.learners.fitting import Rows
from paclearn.learners.prediction_sets import misfits_of_numbers
from paclearn.report.junta_facts import certificate_facts
from paclearn.report.report_options import Limits
from paclearn.tables.single_values import labels_and_numbers
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.certificates import ErrorInterval
    from paclearn.models import Model
    from paclearn.report.facts_of_models import ExamFacts, PageCertificate
    from paclearn.report.subject import Subject

__all__ = ["Exam", "keep_aside"]

_ONE_IN, _FEWEST_ROWS, _FEWEST_GROUPS = 5, 200, 20
_DELTA_OF_FIT = 0.1  # the share of delta of bounds from the rows of a fit, which hardly feel it
_CONFIDENCE = 0.9  # of what the panel says of one row


@dataclass(frozen=True, eq=False)
class Exam:
    """What was kept aside and what is left to learn from; or why nothing was."""

    learned: Subject
    kept: Subject | None
    why: str | None = None

    def facts(self, model: Model, name: str) -> ExamFacts:
        """How the page's model did, in plain words."""
        found: ExamFacts = {
            "rows": 0,
            "groups": 0,
            "learned": self.learned.table.n_rows,
            "why": self.why,
            "sentences": [],
            "calibration": None,
        }
        if self.kept is None:
            return found
        paper = _Paper(self.kept, model)
        found |= {"rows": self.kept.table.n_rows, "groups": _n_groups(self.kept)}
        found["sentences"] = [_who(self, name), *paper.in_words()]
        found["calibration"] = None if paper.calibration is None else certificate_facts(paper.calibration)
        return found

    def certificate(self, model: Model, of: str) -> PageCertificate | None:
        """The tighter of what the exam says and what the model came with; None where neither says anything."""
        own = None if model.about.certificate is None else _read_again(model.about.certificate, self._delta)
        found = [one for one in (self._of_exam(model), own) if one is not None]
        if not found or tightest(found).vacuous:
            return None
        return cast("PageCertificate", {**tightest(found).to_dict(), "of": of})

    @property
    def _delta(self) -> float:
        return (self.kept or self.learned).options.delta

    def _of_exam(self, model: Model) -> Certificate | None:
        return None if self.kept is None else _Paper(self.kept, model).certificate(self.learned.y)

    def margin(self, model: Model) -> float | None:
        """How far to go from what is predicted so that 90 of 100 rows are inside; None where nobody knows."""
        if self.kept is None:
            return None
        found = conformal_margin(_Paper(self.kept, model).misfits, _CONFIDENCE)
        return None if found == inf else found


def keep_aside(subject: Subject) -> Exam:
    """A fifth of the rows of every class, whole groups, at random; none of few rows, and none that have an order."""
    why = _why_none(subject)
    if why is not None:
        return Exam(subject, None, why)
    rows = Rows(subject.table, subject.y, None, subject.roles.groups)
    drawn = np.zeros(rows.n_independent, dtype=bool)
    drawn[_drawn(_strata(subject, rows), np.random.RandomState(subject.options.seed))] = True
    kept, rest = (rows.rows_of(np.flatnonzero(some)) for some in (drawn, ~drawn))
    shared = replace(subject.options, delta=_DELTA_OF_FIT * subject.options.delta)
    learned = replace(_part(subject, rest), options=shared)
    if len(labels_and_numbers(learned.y)[0]) < 2:
        return Exam(subject, None, "without them the others would have one class only")
    return Exam(learned, _part(subject, kept))


def _strata(subject: Subject, rows: Rows) -> NDArray[np.intp]:
    """The class of every row; of every group, the rarest class that it has; of numbers, one for all."""
    if not subject.classify:
        return np.zeros(rows.n_independent, dtype=np.intp)
    number = labels_and_numbers(subject.y)[1]
    sizes = np.bincount(number)
    from_frequent_to_rare = np.argsort(np.argsort(-sizes, kind="stable"))[number]
    if subject.roles.groups is None:
        return from_frequent_to_rare
    found = np.zeros(rows.n_independent, dtype=np.intp)
    np.maximum.at(found, np.unique(subject.roles.groups, return_inverse=True)[1], from_frequent_to_rare)
    return found


def _drawn(strata: NDArray[np.intp], rng: np.random.RandomState) -> NDArray[np.intp]:
    """Every fifth one of those that stand, stratum after stratum, in a random order: each is as likely as any other."""
    order = rng.permutation(len(strata))
    return order[np.argsort(strata[order], kind="stable")][rng.randint(_ONE_IN) :: _ONE_IN]


def _why_none(subject: Subject) -> str | None:
    n, groups = subject.table.n_rows, subject.roles.groups
    if n < _FEWEST_ROWS:
        return f"{n:,} rows are too few to keep some of them aside; from {_FEWEST_ROWS} rows on a fifth is kept"
    if subject.roles.times is not None:
        return "rows that follow each other in time are no independent draws; the last ones are judged instead"
    if groups is not None and len(np.unique(groups)) < _FEWEST_GROUPS:
        return f"{len(np.unique(groups))} groups are too few to keep some of them aside; it takes {_FEWEST_GROUPS}"
    return None


def _part(subject: Subject, rows: NDArray[np.intp]) -> Subject:
    table, y = RowSubset(subject.table, rows), subject.y[rows]
    n_outputs = len(labels_and_numbers(subject.y)[0]) if subject.classify else 2
    quick, rare = subject.options.quick, subject.limits.rare
    limits = Limits.of(len(rows), n_columns_of(subject.table), n_outputs, quick=quick, rare=rare)
    return replace(subject, table=table, y=y, roles=subject.roles.take(rows), limits=limits)


def _read_again(known: dict[str, Any], delta: float) -> Certificate:
    """A certificate of a model, which was given its share of delta."""
    names = ("bound", "kind", "observed", "n_rows", "unit", "quantity")
    trivial = known["bound"] if known["vacuous"] else inf
    return Certificate(
        **{name: known[name] for name in names}, delta=delta, assumptions=tuple(known["assumptions"]), trivial=trivial
    )


@dataclass(frozen=True, eq=False)
class _Paper:
    """What a model answers in the exam."""

    kept: Subject
    model: Model

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        return self.model.scores(self.model.encode(self.model.table(self.kept.table)))

    @cached_property
    def _said(self) -> NDArray[np.float64]:
        return self.model.from_scores(self._scores)

    @cached_property
    def _wrong(self) -> NDArray[np.bool_]:
        return np.asarray(self.model.labels[self.model.choices(self._scores)] != self.kept.y)

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.kept.table, self.kept.y, None, self.kept.roles.groups)

    @cached_property
    def _asked(self) -> NDArray[np.intp]:
        """Rows that are independent: one of each group."""
        groups, order = self.kept.roles.groups, np.random.RandomState(self.kept.options.seed).permutation(self._rows.n)
        return order if groups is None else order[np.unique(groups[order], return_index=True)[1]]

    @property
    def misfits(self) -> NDArray[np.float64]:
        """How badly each row fits; one of a class that the model does not know fits not at all."""
        said, truth = self._said[self._asked], self.kept.y[self._asked]
        if not self.kept.classify:
            return misfits_of_numbers(self.model, said[:, 0], truth)
        hits = truth[:, None] == self.model.labels[None, :]
        return np.where(hits.any(axis=1), 1 - (said * hits).sum(axis=1), inf)

    @cached_property
    def _errors(self) -> tuple[ErrorInterval, ErrorInterval]:
        return exam_of_numbers(self._said[self._asked, 0], self.kept.y[self._asked], self.kept.options.delta)

    @cached_property
    def calibration(self) -> Certificate | None:
        """Of the second class of two, of the predicted class of more; of rows that say no probabilities, none."""
        said, labels = self._said[self._asked], self.model.labels
        if not self.kept.classify or np.isin(said, (0.0, 1.0)).all():
            return None
        asked = np.ones(len(said), dtype=np.intp) if len(labels) == 2 else said.argmax(axis=1)
        came = labels[asked] == self.kept.y[self._asked]
        return calibration_exam(said[np.arange(len(said)), asked], came, self.kept.options.delta)

    def certificate(self, learned_from: NDArray[Any]) -> Certificate:
        """For classes a bound on the error; for numbers on how far nine of ten rows are off."""
        options = self.kept.options
        if self.kept.classify:
            trivial = 1 - np.bincount(labels_and_numbers(learned_from)[1]).max() / len(learned_from)
            found = self._rows.exam(self._wrong, options.delta * (1 - _DELTA_OF_FIT), float(trivial))
            found = replace(found, delta=options.delta, assumptions=(*found.assumptions, CLASS_SHARES))
            return found if self._rows.groups is None else found.of_groups()
        most = self._errors[1]
        plain = float(np.quantile(np.abs(learned_from - np.median(learned_from)), most.share))
        unit = "rows" if self._rows.groups is None else "groups"
        kind, quantity = "order statistics of held-out rows", "absolute error of nine rows in ten"
        found = Certificate(most.high, most.delta, kind, most.observed, most.n_rows, trivial=plain, quantity=quantity)
        return found if unit == "rows" else found.of_groups()

    def in_words(self) -> list[str]:
        """What came of it, and what that means for new rows."""
        sure = f"{100 * (1 - self.kept.options.delta):g} %"
        if not self.kept.classify:
            return [_off("Half of them are", self._errors[0], sure), _off("Nine of ten are", self._errors[1], sure)]
        found = self.certificate(self.kept.y)
        share = f"{100 * found.observed:.1f} %"
        new = "new rows like these" if found.unit == "rows" else "rows of a new group, on average over groups"
        return [
            f"It is wrong on {int(self._wrong.sum()):,} of them ({share}).",
            f"So, with probability at least {sure}, it is wrong on at most {100 * found.bound:.1f} % of {new}.",
        ]


def _off(who: str, errors: ErrorInterval, sure: str) -> str:
    if errors.high == inf:
        return f"{who} off by at most {figures(errors.observed, 4)}; there are too few to say more of new rows."
    ends = f"between {figures(errors.low, 4)} and {figures(errors.high, 4)}"
    new = f"{ends} for new rows like these, with probability at least {sure}"
    return f"{who} off by at most {figures(errors.observed, 4)}; it is {new}."


def _who(exam: Exam, name: str) -> str:
    assert exam.kept is not None  # noqa: S101 - asked for by those who know
    many = f"{exam.kept.table.n_rows:,} rows"
    if exam.kept.roles.groups is not None:
        many += f" ({_n_groups(exam.kept):,} groups)"
    drawn = "drawn at random, as many of each class as of all" if exam.kept.classify else "drawn at random"
    return (
        f"{many}, {drawn}, were kept for a final exam and seen by no model of this page; the {name}, learned "
        f"from the other {exam.learned.table.n_rows:,}, answered them once."
    )


def _n_groups(kept: Subject) -> int:
    return 0 if kept.roles.groups is None else len(np.unique(kept.roles.groups))
