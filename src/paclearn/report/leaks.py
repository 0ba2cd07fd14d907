"""A watch for leaks: columns that alone, or by their gaps alone, answer nearly everything.

Such a column is often filled in after the fact (a cancellation code, a date of discharge), and then no model that reads
it can be used. Whether it is so only a person knows; the page says what the model is worth without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._text import percent
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.encoding.folds import folds_of_groups
from paclearn.exceptions import EmptyTableError
from paclearn.learners.spectral import SpectralClassifier, SpectralRegressor
from paclearn.report.sentences import in_one, shorten
from paclearn.tables.single_values import labels_and_numbers
from paclearn.tables.table import ColumnSubset, RowSubset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.report.facts import LeakFacts
    from paclearn.report.subject import Subject
    from paclearn.tables.row_roles import RowRoles
    from paclearn.tables.table import Table

__all__ = ["find_leaks"]

_ROWS = 10_000
_FEWEST = 40  # rows, below which half of them says nothing
_SUSPICIOUS = 0.9  # share of what there is to explain that one column explains alone
_SURE = 0.995  # and then it is named, whatever the others can do
_TIMES = 3.0  # as much as it leaves unexplained is left by the others
_MOST_NAMED = 5


def find_leaks(subject: Subject) -> list[LeakFacts]:
    """Columns that answer nearly everything, with what a model of the others is worth; the most telling first."""
    table, y, roles = subject.some(_ROWS)
    if len(y) < _FEWEST:
        return []
    rows = _Halves.of(y, roles, classify=subject.classify, seed=subject.options.seed)
    try:
        found = sorted(_suspects(table, rows), key=lambda suspect: -suspect.explains)
    except EmptyTableError:  # no column varies: something else will say so
        return []
    named = {suspect.name: suspect for suspect in reversed(found)}  # each once, by what tells most
    kept = [suspect for suspect in found if named[suspect.name] is suspect][:_MOST_NAMED]
    left_out = [suspect.name for suspect in kept]
    without = rows.explained_by_others(table, left_out) if kept else None
    return [
        _facts(subject, suspect, rows, without, left_out)
        for suspect in kept
        if suspect.explains >= _SURE or (without is not None and 1 - without > _TIMES * (1 - suspect.explains))
    ]


@dataclass(frozen=True)
class _Suspect:
    name: str
    by_gaps: bool
    explains: float


def _suspects(table: Table, rows: _Halves) -> list[_Suspect]:
    domain, codes = learn_and_encode(table, EncodingRules(32, 2, 500))
    found = []
    for column, code in zip(domain.columns, codes, strict=True):
        name = table.names[column.features[-1]]  # of the column in the table: a date may have become several
        if column.missing:
            absent = (code == column.n_codes - 1).astype(np.uint8)
            found.append(_Suspect(name, by_gaps=True, explains=rows.explained(absent, 2)))
        found.append(_Suspect(name, by_gaps=False, explains=rows.explained(code, column.n_codes)))
    return [suspect for suspect in found if suspect.explains >= _SUSPICIOUS]


@dataclass(frozen=True, eq=False)
class _Halves:
    """Targets of rows in two halves, each of which is predicted by the other."""

    y: NDArray[Any]
    targets: NDArray[np.float64]  # one column a class, or the number
    first: NDArray[np.bool_]
    classify: bool
    roles: RowRoles

    @classmethod
    def of(cls, y: NDArray[Any], roles: RowRoles, *, classify: bool, seed: int) -> _Halves:
        if roles.groups is None:
            first = np.random.RandomState(seed).permutation(len(y)) % 2 == 0
        else:
            first = folds_of_groups(roles.groups, np.zeros(len(y), np.intp), 2, np.random.default_rng(seed)) == 0
        if not classify:
            return cls(y, np.asarray(y, dtype=np.float64)[:, None], first, classify, roles)
        classes, number = labels_and_numbers(y)
        return cls(y, np.eye(len(classes))[number], first, classify, roles)

    def explained(self, codes: NDArray[Any], n_codes: int) -> float:
        """The share of the errors, or of the variance, that one column takes away."""
        lost, base = 0.0, 0.0
        for train in (self.first, ~self.first):
            means = self._means(codes[train], self.targets[train], n_codes)
            lost += self._lost(means[codes[~train].astype(np.intp)], self.targets[~train])
            base += self._lost(np.tile(self.targets[train].mean(axis=0), ((~train).sum(), 1)), self.targets[~train])
        return 1 - lost / base if base > 0 else 0.0

    @staticmethod
    def _means(codes: NDArray[Any], targets: NDArray[np.float64], n_codes: int) -> NDArray[np.float64]:
        """Of every code; codes of no rows have that of all."""
        rows = np.bincount(codes, minlength=n_codes)
        sums = np.stack([np.bincount(codes, weights=t, minlength=n_codes) for t in targets.T], axis=1)
        return np.where(rows[:, None] > 0, sums / np.maximum(rows, 1)[:, None], targets.mean(axis=0))

    def _lost(self, said: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
        if self.classify:
            return float((said.argmax(axis=1) != targets.argmax(axis=1)).sum())
        return float(((said - targets) ** 2).sum())

    def explained_by_others(self, table: Table, names: Sequence[str]) -> float | None:
        """The same share of a model of all other columns, without interactions; None where there is no other to use."""
        rest = ColumnSubset(table, tuple(i for i, name in enumerate(table.names) if name not in set(names)))
        try:
            learn_and_encode(rest, EncodingRules(2, 2, 2))
        except EmptyTableError:
            return None
        lost, base = 0.0, 0.0
        for train in (self.first, ~self.first):
            known, asked = (RowSubset(rest, np.flatnonzero(some)) for some in (train, ~train))
            lost += self._wrong(known, asked, train)
            base += self._lost(np.tile(self.targets[train].mean(axis=0), ((~train).sum(), 1)), self.targets[~train])
        return 1 - lost / base if base > 0 else 0.0

    def _wrong(self, known: Table, asked: Table, train: NDArray[np.bool_]) -> float:
        told = self.roles.take(np.flatnonzero(train)).fit_arguments()
        if self.classify:
            if len(np.unique(self.y[train])) < 2:
                return float((self.y[~train] != self.y[train][0]).sum())
            classifier = SpectralClassifier(degree=1, n_bins=16, random_state=0)
            return float((classifier.fit(known, self.y[train], **told).predict(asked) != self.y[~train]).sum())
        regressor = SpectralRegressor(degree=1, n_bins=16, loss="squared", random_state=0)
        return float(((regressor.fit(known, self.y[train], **told).predict(asked) - self.y[~train]) ** 2).sum())


def _facts(
    subject: Subject, suspect: _Suspect, rows: _Halves, without: float | None, left_out: Sequence[str]
) -> LeakFacts:
    errors = 1 - float(rows.targets.mean(axis=0).max()) if rows.classify else 1.0
    alone, others = (1 - errors * (1 - share) for share in (suspect.explains, without or 0.0))
    how = ", by whether it is filled in," if suspect.by_gaps else ""
    told = "is right on" if rows.classify else "explains"
    all_of_them = "it" if len(left_out) == 1 else in_one([f"“{shorten(name)}”" for name in left_out])
    less = f"; without {all_of_them} a model of the others {told} {percent(max(others, 0))}"
    sentence = (
        f"“{shorten(suspect.name)}” alone{how} answers nearly everything ({percent(alone)})"
        f"{less if without is not None else ''}. If it is known only afterwards, drop it: --drop {quote(suspect.name)}"
    )
    return {
        "column": suspect.name,
        "by_gaps": suspect.by_gaps,
        "alone": alone,
        "without": others,
        "target": subject.name,
        "sentence": sentence,
    }
