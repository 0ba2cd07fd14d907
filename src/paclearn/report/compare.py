"""Our models and the baselines, each fitted and judged on the same folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.certificates import clopper_pearson_interval
from paclearn.exceptions import EmptyTableError
from paclearn.report.baselines import boosting_baseline, constant_baseline, linear_baseline
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = ["Contender", "Folds", "cross_validate", "judge", "our_contender", "sklearn_contenders"]

Fit = "Callable[[Table, NDArray[Any], NDArray[np.intp], NDArray[np.intp]], tuple[NDArray[Any], NDArray[Any] | None]]"


@dataclass(frozen=True, eq=False)
class Folds:
    """Some rows of a table, their targets, and the fold that each is held out in."""

    table: Table
    y: NDArray[Any]
    fold: NDArray[np.intp]
    n_folds: int
    classify: bool

    @classmethod
    def draw(cls, table: Table, y: NDArray[Any], most: int, n_folds: int, seed: int, *, classify: bool) -> Folds:
        """At most so many rows, drawn at random; every fold has its share of every class."""
        rng = np.random.RandomState(seed)
        rows = rng.permutation(len(y))
        if len(rows) > most:
            rows = rows[:most]
            table, y = RowSubset(table, np.sort(rows)), y[np.sort(rows)]
            rows = rng.permutation(most)
        groups = np.unique(y, return_inverse=True)[1] if classify else np.zeros(len(y), dtype=np.intp)
        order = rows[np.argsort(groups[rows], kind="stable")]
        n_folds = min(n_folds, len(y))
        fold = np.empty(len(y), dtype=np.intp)
        fold[order] = np.arange(len(y)) % n_folds
        return cls(table, y, fold, n_folds, classify)

    @property
    def classes(self) -> NDArray[Any]:
        return np.unique(self.y)

    def splits(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        for k in range(self.n_folds):
            yield np.flatnonzero(self.fold != k), np.flatnonzero(self.fold == k)


@dataclass(frozen=True, eq=False)
class Contender:
    """A model by name: what it answers for rows it was not fitted to, and with which probabilities if it has them."""

    name: str
    note: str
    answer: Any


def our_contender(name: str, note: str, make: Callable[[], Any], classes: NDArray[Any] | None) -> Contender:
    """One of our estimators, made anew for every fold."""

    def answer(
        table: Table, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
        model = make().fit(RowSubset(table, train), y[train])
        rows = RowSubset(table, test)
        if classes is None:
            return np.asarray(model.predict(rows)), None
        shares = np.zeros((len(test), len(classes)))
        shares[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(rows)
        return np.asarray(model.predict(rows)), shares

    return Contender(name, note, answer)


def sklearn_contenders(folds: Folds, seed: int) -> list[Contender]:
    """A linear model over all bits, gradient boosting, and no model at all."""
    classify = folds.classify
    boost = boosting_baseline(folds.table, classify=classify, seed=seed)
    return [
        Contender(
            "logistic regression" if classify else "ridge regression",
            "all levels and thresholds",
            lambda t, y, a, b: (linear_baseline(t, y, a, b, classify=classify, seed=seed), None),
        ),
        Contender("gradient boosting", "trees, all columns", lambda _t, y, a, b: (boost(y, a, b), None)),
        Contender(
            "majority class" if classify else "mean",
            "no columns at all",
            lambda _t, y, a, b: (constant_baseline(y[a], len(b), classify=classify), None),
        ),
    ]


@dataclass(frozen=True, eq=False)
class Answers:
    """What a contender said of every row when the row was held out."""

    values: NDArray[Any]
    shares: NDArray[np.float64] | None


def cross_validate(folds: Folds, contenders: Sequence[Contender]) -> list[Answers]:
    """The answers of every contender, each row held out once."""
    found = [Answers(np.empty(len(folds.y), dtype=folds.y.dtype), _no_shares(folds)) for _ in contenders]
    with progress("cross-validation", folds.n_folds * len(contenders)) as advance:
        for train, test in folds.splits():
            for contender, answers in zip(contenders, found, strict=True):
                _answer(folds, contender, answers, train, test)
                advance(1)
    return [a if _has_shares(a) else Answers(a.values, None) for a in found]


def _has_shares(answers: Answers) -> bool:
    """Whether the contender gave probabilities, in all folds."""
    return answers.shares is not None and bool(answers.shares.any(axis=1).all())


def _no_shares(folds: Folds) -> NDArray[np.float64] | None:
    return np.zeros((len(folds.y), len(folds.classes))) if folds.classify else None


def _answer(
    folds: Folds, contender: Contender, answers: Answers, train: NDArray[np.intp], test: NDArray[np.intp]
) -> None:
    if folds.classify and len(np.unique(folds.y[train])) < 2:  # nothing to learn from one class
        _answer_without_columns(folds, answers, train, test)
        return
    try:
        values, shares = contender.answer(folds.table, folds.y, train, test)
    except EmptyTableError:  # nor from columns of which none varies in these rows
        _answer_without_columns(folds, answers, train, test)
        return
    answers.values[test] = values
    if shares is not None and answers.shares is not None:
        answers.shares[test] = shares


def _answer_without_columns(folds: Folds, answers: Answers, train: NDArray[np.intp], test: NDArray[np.intp]) -> None:
    """The most frequent class with the shares of all, or the mean."""
    known = folds.y[train]
    answers.values[test] = constant_baseline(known, len(test), classify=folds.classify)
    if answers.shares is not None:
        answers.shares[test] = [np.mean(known == label) for label in folds.classes]


def judge(values: NDArray[Any], truth: NDArray[Any], *, classify: bool) -> dict[str, Any]:
    """Accuracy or share of the variance explained, with a 95 % interval."""
    return _judge_classes(values, truth) if classify else _judge_numbers(values, truth)


def _judge_classes(values: NDArray[Any], truth: NDArray[Any]) -> dict[str, Any]:
    errors = int((values != truth).sum())
    low, high = clopper_pearson_interval(errors, len(truth))
    accuracy = 1 - errors / len(truth)
    return {"metric": "accuracy", "value": accuracy, "low": 1 - high, "high": 1 - low, "rows": len(truth)}


def _judge_numbers(values: NDArray[Any], truth: NDArray[Any]) -> dict[str, Any]:
    squares = (values - truth) ** 2
    variance = float(np.var(truth))
    explained = 1 - float(squares.mean()) / variance if variance > 0 else 0.0
    spread = 1.96 * float(squares.std()) / (np.sqrt(len(truth)) * variance) if variance > 0 else 0.0
    low, high = explained - spread, min(explained + spread, 1.0)
    return {"metric": "R2", "value": explained, "low": low, "high": high, "rows": len(truth)}
