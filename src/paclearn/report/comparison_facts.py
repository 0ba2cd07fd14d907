"""Who was compared with whom, which of our models the page is about, and how its predictions come true."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from paclearn.models import LinearModel
from paclearn.report.calibration import calibration_of_classes, calibration_of_numbers
from paclearn.report.compare import clearly_less, cross_validate, judge, our_contender, sklearn_contenders
from paclearn.report.drift import LAST, describe_drift
from paclearn.report.graph_facts import LEAVES, small_graph
from paclearn.report.halfspace_facts import halfspace_contender
from paclearn.report.junta_facts import junta_of_size
from paclearn.report.model_facts import MOST_TERMS, is_long, linear_model, short_is_good_enough
from paclearn.report.rare_classes import describe_rare_class, positive_class
from paclearn.report.risk_table import fit_risk
from paclearn.report.rule_facts import MOST_ROWS_A_FOLD, rule_learner
from paclearn.report.shared_folds import Folds

if TYPE_CHECKING:
    from paclearn.learners.juntas import JuntaRegressor
    from paclearn.report.compare import Answers, Contender
    from paclearn.report.facts_of_models import (
        CalibrationOfClasses,
        CalibrationOfNumbers,
        DriftFacts,
        JudgedFacts,
        RareFacts,
        ValidationFacts,
    )
    from paclearn.report.junta_facts import Junta
    from paclearn.report.subject import Subject

__all__ = ["Comparison"]

_MOST_CLASSES = 4  # for halfspaces


@dataclass(frozen=True, eq=False)
class Comparison:
    """The rows of the table of models, the page's first; and what is known of that one."""

    rows: list[JudgedFacts]
    validation: ValidationFacts
    calibration: CalibrationOfClasses | CalibrationOfNumbers | None
    short: bool
    by_rules: bool  # whether the page is about the rules
    rare: RareFacts | None
    drift: DriftFacts | None
    junta_tells: bool  # whether the truth table is better than no columns at all, by more than chance
    risk: JuntaRegressor | None  # otherwise, for a rare class: columns whose cells tell its share

    @classmethod
    def of(cls, subject: Subject, junta: Junta) -> Comparison:
        """Fit and judge everybody on the same folds; the short linear model only where the other one is long."""
        folds = Folds.draw(subject)
        folds = folds if subject.roles.times is None else folds.by_time(LAST)
        others = _contenders(subject, folds, junta)
        answers = cross_validate(folds, others)
        short = {"short": _short(subject)} if subject.limits.try_short and _is_long(answers["long"]) else {}
        answers |= cross_validate(folds, short)
        judged = {role: _judged(role, c, answers[role], folds) for role, c in (short | others).items()}
        linear = "short" if short and short_is_good_enough(judged["short"], judged["long"]) else "long"
        chosen = "rules" if _rules_are_as_good(judged, linear) else linear
        judged[chosen]["role"] = "model"
        tells = _tells(answers["junta"], answers["none"], folds)
        if not tells:
            judged["junta"] |= {"name": "junta", "note": "its columns tell no more than none"}
        rest = [row for role, row in judged.items() if role != chosen]
        calibration = _calibration(folds, answers[chosen], subject.asked)
        rare = _rare(subject, folds, answers[linear])
        drift = None
        if subject.names.time is not None:
            seed, contender = subject.options.seed, (short | others)[chosen]
            drift = describe_drift(subject.names.time, folds, answers[chosen], contender, seed)
        rows, by_rules = [judged[chosen], *rest], chosen == "rules"
        risk = None if tells or rare is None else fit_risk(subject, folds, rare["label"], max(junta.candidates_))
        return cls(rows, _validation(folds), calibration, linear == "short", by_rules, rare, drift, tells, risk)


def _tells(answers: Answers, nothing: Answers, folds: Folds) -> bool:
    """Whether a model is better than no columns at all on rows left out, by more than chance."""
    truth, roles = folds.truth, folds.roles.take(folds.asked)
    if folds.classify:
        return clearly_less(answers.values != truth, nothing.values != truth, roles)
    return clearly_less((answers.values - truth) ** 2, (nothing.values - truth) ** 2, roles)


def _validation(folds: Folds) -> ValidationFacts:
    groups = folds.roles.groups
    n_groups = None if groups is None else len(np.unique(groups))
    return {"folds": folds.n_folds, "rows": len(folds.y), "asked": len(folds.asked), "groups": n_groups}


def _rare(subject: Subject, folds: Folds, answers: Answers) -> RareFacts | None:
    positive = positive_class(subject.y, subject.options.positive) if subject.classify else None
    if positive is None or answers.shares is None or folds.classes is None or positive not in folds.classes:
        return None
    risk = answers.shares[:, int(np.flatnonzero(folds.classes == positive)[0])]
    return describe_rare_class(subject, folds.truth, risk, positive)


def _rules_are_as_good(judged: dict[str, JudgedFacts], linear: str) -> bool:
    """Rules are what a person reads first, if there are any that say something."""
    if "rules" not in judged:
        return False
    value = judged["rules"]["value"]
    return value >= judged[linear]["value"] and value > judged["none"]["value"]


def _short(subject: Subject) -> Contender:
    return our_contender(
        "short spectral model", f"at most {MOST_TERMS} terms", partial(linear_model, subject, short=True)
    )


def _contenders(subject: Subject, folds: Folds, junta: Junta) -> dict[str, Contender]:
    ours = {
        "long": our_contender("spectral model", "all terms that pay", partial(linear_model, subject, short=False)),
        "graph": our_contender("small regression graph", f"at most {LEAVES} leaves", partial(small_graph, subject)),
        "junta": our_contender(
            f"junta ({', '.join(junta.subset_)})",
            f"{junta.truth_table_.n_cells} cells; columns chosen anew in every fold",
            partial(junta_of_size, junta.k_, subject),
        ),
    }
    rules = {"rules": our_contender("rules", "yes if any applies", partial(rule_learner, subject), MOST_ROWS_A_FOLD)}
    ours |= rules | _halfspaces(subject, folds) if subject.classify and subject.limits.rules else {}
    return ours | sklearn_contenders(folds, subject.options.seed)


def _halfspaces(subject: Subject, folds: Folds) -> dict[str, Contender]:
    """Where there are few enough classes to fit a function for each."""
    n_classes = 0 if folds.classes is None else len(folds.classes)
    if n_classes > _MOST_CLASSES:
        return {}
    return {"halfspaces": halfspace_contender(subject, len(folds.y), n_classes)}


def _is_long(answers: Answers) -> bool:
    """Whether some fold's model has more terms than a person reads."""
    return any(isinstance(model, LinearModel) and is_long(model) for model in answers.models)


def _judged(role: str, contender: Contender, answers: Answers, folds: Folds) -> JudgedFacts:
    roles = folds.roles.take(folds.asked)
    score = judge(answers.values, folds.truth, classify=folds.classify, roles=roles)
    return {"role": role, "name": contender.name, "note": contender.note, "short": role == "short", **score}


def _calibration(
    folds: Folds, answers: Answers, asked: str | None
) -> CalibrationOfClasses | CalibrationOfNumbers | None:
    if folds.classes is None:
        return calibration_of_numbers(answers.values, folds.truth)
    if answers.shares is None or not answers.has_shares:
        return None
    return calibration_of_classes(answers.shares, folds.truth, folds.classes, asked)
