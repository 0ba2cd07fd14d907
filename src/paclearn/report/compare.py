"""Our models and the baselines, each fitted and judged on the same folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.certificates import clopper_pearson_interval
from paclearn.exceptions import EmptyTableError
from paclearn.report.baselines import BoostingBaseline, constant_baseline, linear_baseline
from paclearn.tables.row_roles import NO_ROLES
from paclearn.tables.single_values import labels_and_numbers
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from paclearn.learners.predicting import ModelEstimator
    from paclearn.models import Model
    from paclearn.report.facts_of_models import ScoreFacts
    from paclearn.report.shared_folds import Fold, Folds
    from paclearn.tables.row_roles import RowRoles

__all__ = [
    "Answers",
    "Contender",
    "clearly_less",
    "cross_validate",
    "judge",
    "mean_and_error",
    "our_contender",
    "sklearn_contenders",
]

_SURE = 1.96  # standard errors to either side of a 95 % interval


@dataclass(frozen=True, eq=False)
class Said:
    """What a model says of some rows: classes or numbers, with probabilities where it has them."""

    values: NDArray[Any]
    shares: NDArray[np.float64] | None = None
    model: Model | None = None


@dataclass(frozen=True, eq=False)
class Contender:
    """A model by name: what it says of rows that it was not fitted to."""

    name: str
    note: str
    answer: Callable[[Fold], Said]


def our_contender(name: str, note: str, make: Callable[[], ModelEstimator], most_rows: int | None = None) -> Contender:
    """One of our estimators, made anew for every fold, and fitted to at most so many of its rows."""

    def answer(fold: Fold) -> Said:
        if most_rows is None or len(fold.y) <= most_rows:
            return _said(make().fit(fold.known, fold.y, **fold.roles.fit_arguments()).model_, fold)
        some = np.sort(np.random.RandomState(0).permutation(len(fold.y))[:most_rows])
        told = fold.roles.take(some).fit_arguments()
        return _said(make().fit(RowSubset(fold.known, some), fold.y[some], **told).model_, fold)

    return Contender(name, note, answer)


def _said(model: Model, fold: Fold) -> Said:
    """Classes and probabilities from the same scores: rows are encoded once."""
    scores = model.scores(model.encode(model.table(fold.unknown)))
    predictions, classes = model.from_scores(scores), fold.folds.classes
    if classes is None:
        return Said(predictions[:, 0], model=model)
    shares = np.zeros((len(scores), len(classes)))
    shares[:, np.searchsorted(classes, model.labels)] = predictions
    return Said(model.labels[model.choices(scores)], shares, model)


def sklearn_contenders(folds: Folds, seed: int) -> dict[str, Contender]:
    """A linear model over all bits, gradient boosting, and no model at all."""
    classify = folds.classify
    boost = BoostingBaseline(folds.table, classify=classify, seed=seed)
    linear = "logistic regression" if classify else "ridge regression"
    return {
        "linear": Contender(linear, "all levels and thresholds", lambda fold: Said(linear_baseline(fold, seed))),
        "boosting": Contender("gradient boosting", "trees, all columns", lambda fold: Said(boost(fold))),
        "none": Contender(
            "majority class" if classify else "mean", "no columns at all", lambda fold: Said(constant_baseline(fold))
        ),
    }


@dataclass(frozen=True, eq=False)
class Answers:
    """What a contender said of every row when the row was held out, and the models that said it."""

    values: NDArray[Any]
    shares: NDArray[np.float64] | None
    models: list[Model] = field(default_factory=list)

    @classmethod
    def none_yet(cls, folds: Folds) -> Answers:
        """To be filled in."""
        shares = None if folds.classes is None else np.zeros((len(folds.y), len(folds.classes)))
        return cls(np.empty(len(folds.y), dtype=folds.y.dtype), shares)

    def keep(self, fold: Fold, said: Said) -> None:
        """What was said of the rows of one fold."""
        self.values[fold.test] = said.values
        if said.shares is not None and self.shares is not None:
            self.shares[fold.test] = said.shares
        if said.model is not None:
            self.models.append(said.model)

    @property
    def has_shares(self) -> bool:
        """Whether the contender gave probabilities, in all folds."""
        return self.shares is not None and bool(self.shares.any(axis=1).all())

    def take(self, rows: NDArray[np.intp]) -> Answers:
        """On some rows."""
        return Answers(self.values[rows], None if self.shares is None else self.shares[rows], self.models)


def cross_validate(folds: Folds, contenders: Mapping[str, Contender]) -> dict[str, Answers]:
    """The answers of every contender on the rows that are held out, each once."""
    found = {role: Answers.none_yet(folds) for role in contenders}
    with progress("cross-validation", folds.n_folds * len(contenders)) as advance:
        for fold in folds:
            for role, contender in contenders.items():
                found[role].keep(fold, _answer(fold, contender))
                advance(1)
    return {role: answers.take(folds.asked) for role, answers in found.items()}


def _answer(fold: Fold, contender: Contender) -> Said:
    if fold.folds.classify and len(labels_and_numbers(fold.y)[0]) < 2:  # nothing to learn from one class
        return _said_without_columns(fold)
    try:
        return contender.answer(fold)
    except EmptyTableError:  # nor from columns of which none varies in these rows
        return _said_without_columns(fold)


def _said_without_columns(fold: Fold) -> Said:
    """The most frequent class with the shares of all, or the mean."""
    classes = fold.folds.classes
    if classes is None:
        return Said(constant_baseline(fold))
    shares = [np.average(fold.y == label, weights=fold.weights) for label in classes]
    return Said(constant_baseline(fold), np.tile(shares, (len(fold.test), 1)))


def judge(values: NDArray[Any], truth: NDArray[Any], *, classify: bool, roles: RowRoles = NO_ROLES) -> ScoreFacts:
    """Accuracy or share of the variance explained, with a 95 % interval; rows of a group are no independent ones."""
    return _judge_classes(values, truth, roles) if classify else _judge_numbers(values, truth, roles)


def _judge_classes(values: NDArray[Any], truth: NDArray[Any], roles: RowRoles) -> ScoreFacts:
    wrong = np.asarray(values != truth)
    if roles.groups is None and roles.weights is None:
        error, (low, high) = float(wrong.mean()), clopper_pearson_interval(int(wrong.sum()), len(truth))
    else:
        error, half = mean_and_error(wrong, roles)
        low, high = max(error - _SURE * half, 0.0), min(error + _SURE * half, 1.0)
    return {"metric": "accuracy", "value": 1 - error, "low": 1 - high, "high": 1 - low, "rows": len(truth)}


def _judge_numbers(values: NDArray[Any], truth: NDArray[Any], roles: RowRoles) -> ScoreFacts:
    middle = np.average(truth, weights=roles.weights)
    variance = float(np.average((truth - middle) ** 2, weights=roles.weights))
    error, deviation = mean_and_error((values - truth) ** 2, roles)
    explained, half = (1 - error / variance, _SURE * deviation / variance) if variance > 0 else (0.0, 0.0)
    low, high = explained - half, min(explained + half, 1.0)
    return {"metric": "R2", "value": explained, "low": low, "high": high, "rows": len(truth)}


def clearly_less(losses: NDArray[Any], others: NDArray[Any], roles: RowRoles) -> bool:
    """Whether the losses of the same rows are less, by more than chance makes them."""
    mean, error = mean_and_error(others.astype(np.float64) - losses, roles)
    return mean > _SURE * error


def mean_and_error(losses: NDArray[Any], roles: RowRoles) -> tuple[float, float]:
    """The mean loss of rows, as they count, and its standard error: the losses of a group go up and down together."""
    weights = np.ones(len(losses)) if roles.weights is None else roles.weights
    mean = float(np.average(losses, weights=weights))
    off = weights * (losses - mean) / weights.sum()
    if roles.groups is None:
        return mean, float(np.sqrt((off**2).sum()))
    present, number = np.unique(roles.groups, return_inverse=True)
    by_group = np.bincount(number, off)
    return mean, float(np.sqrt((by_group**2).sum() * len(present) / max(len(present) - 1, 1)))
