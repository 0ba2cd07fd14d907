"""The rules that tell the classes: fitted, and described one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from paclearn.learners.rules import RuleClassifier
from paclearn.views.model_file import file_content

if TYPE_CHECKING:
    from paclearn.models import RuleModel
    from paclearn.report.facts_of_models import CertificateFacts, RuleFacts, RulesFacts
    from paclearn.report.subject import Subject

__all__ = ["MOST_ROWS_A_FOLD", "describe_rules", "fit_rules", "rule_learner"]

_EFFORT, _EFFORT_A_FOLD = 1.5, 0.7  # about seconds
_LARGE = 10_000  # rows of a table whose page must not wait for conjunctions of three
_ROWS, MOST_ROWS_A_FOLD = 4000, 2000  # all conjunctions are looked at again and again: rows cost more than they tell


def rule_learner(subject: Subject, effort: float = _EFFORT_A_FOLD) -> RuleClassifier:
    """An unfitted one, which may take so much work: counted, so that the page is the same on any machine."""
    options = subject.options
    longest = 3 if subject.table.n_rows <= _LARGE else 2
    return RuleClassifier(
        max_conditions=longest, effort=effort, time_limit=options.time_limit, delta=options.delta,
        random_state=options.seed,
    )  # fmt: skip


def fit_rules(subject: Subject) -> RuleClassifier | None:
    """The rules of all rows, or of as many as there is time for; None for a number, and where there is little time."""
    if not subject.classify or not subject.limits.rules:
        return None
    return subject.fit(rule_learner(subject, _EFFORT), _ROWS)


def describe_rules(fitted: RuleClassifier | None, subject: Subject, *, leads: bool) -> RulesFacts | None:
    """The rules, those that say most first within their class; None where there are none."""
    if fitted is None or not fitted.model_.rules:
        return None
    model = fitted.model_
    return {
        "rules": [_described(model, r) for _, rules in model.blocks() for r in _weightiest(model, rules)],
        "otherwise": _described(model, len(model.rules)),
        "n_conditions": model.n_conditions,
        "rows": min(subject.table.n_rows, _ROWS),
        "errors": _errors(model),
        "leads": leads,
        "proved": fitted.optimality_.proved,
        "optimality": str(fitted.optimality_),
        "certificate": cast("CertificateFacts | None", model.about.certificate),
        "model": file_content(model.named(subject.name)),
    }


def _errors(model: RuleModel) -> int:
    """Rows of which the rules say another class, each as often as it counts."""
    right = sum(float(rows[said]) for rows, said in zip(model.covered, model.said, strict=True))
    return round(float(model.covered.sum()) - right)


def _described(model: RuleModel, r: int) -> RuleFacts:
    said, rows = int(model.said[r]), float(model.covered[r].sum())
    return {
        "text": model.rule_names[r] if r < len(model.rules) else "otherwise",
        "place": r,
        "label": str((model.about.classes or ())[said]),
        "rows": int(rows) if rows == round(rows) else rows,
        "share": float(model.covered[r, said]) / rows if rows else None,
    }


def _weightiest(model: RuleModel, rules: list[int]) -> list[int]:
    """By how many more rows of the class there are than of others."""
    said = model.said
    gain = {r: 2 * float(model.covered[r, said[r]]) - float(model.covered[r].sum()) for r in rules}
    return sorted(rules, key=lambda r: -gain[r])
