"""A class of few rows: where they are to be found, which accuracy does not say.

Always naming the other class is right nearly always, so accuracy tells models apart by nothing. What helps is an order
of the rows by risk: how many of the few are among the riskiest, and which groups have many times the risk of all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

from paclearn._text import percent
from paclearn.exceptions import InputError, PaclearnError
from paclearn.learners.rules.rule_discovery import discover_rules
from paclearn.learners.rules.rule_settings import RuleSettings
from paclearn.report.sentences import shorten
from paclearn.tables.single_values import labels_and_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.report.facts_of_models import DecisionFacts, GroupFacts, RareFacts, TopFacts
    from paclearn.report.subject import Subject

__all__ = ["describe_rare_class", "positive_class"]

_RARE = 0.1  # share of the rows, up to which a class is rare
_TOPS = (0.01, 0.05, 0.1)
_FEWEST = 10  # rows of the class
_GROUPS = 3
_NAMED = 6
_MOST_ROWS = 50_000
_QUESTIONS, _MOST_QUESTIONS = 36, 600  # that a column has, and all of them, about
_MOST_COUNTED = 2.5e11  # triples of questions times rows: about ten seconds of an ordinary core


def positive_class(y: NDArray[Any], wanted: str | None) -> str | None:
    """The class that is looked for: the one that was named, or the rarer of two if it is rare; otherwise none."""
    classes, numbers = labels_and_numbers(y)
    rows = np.bincount(numbers)
    if wanted is not None and wanted not in classes:
        known = ", ".join(repr(str(label)) for label in classes[:_NAMED])
        raise InputError(f"positive={wanted!r} is no class of the target; it has {known}")
    if wanted is not None:
        return wanted
    rarest = int(rows.argmin())
    is_rare = len(classes) == 2 and rows[rarest] <= _RARE * len(y)
    return str(classes[rarest]) if is_rare else None


def describe_rare_class(
    subject: Subject, y: NDArray[Any], risk: NDArray[np.float64], positive: str
) -> RareFacts | None:
    """From the probability of the class that every row had while it was left out."""
    is_so = np.asarray(y == positive)
    if is_so.sum() < _FEWEST or is_so.all():
        return None
    share = float(is_so.mean())
    safe = np.clip(risk, 1e-6, 1 - 1e-6)
    facts: RareFacts = {
        "label": positive,
        "share": share,
        "auc": float(roc_auc_score(is_so, risk)),
        "average_precision": float(average_precision_score(is_so, risk)),
        "log_loss": float(log_loss(is_so, safe)),
        "log_loss_without_model": float(log_loss(is_so, np.full(len(is_so), share))),
        "tops": [_top(is_so, risk, part) for part in _TOPS],
        "groups": _groups(subject, positive),
        "decision": _decision(is_so, risk, subject.options.cost),
        "sentences": [],
    }
    facts["sentences"] = [*map(_group_in_words, facts["groups"][:1], [facts]), _risk_in_words(facts), *_decided(facts)]
    return facts


def _top(is_so: NDArray[np.bool_], risk: NDArray[np.float64], part: float) -> TopFacts:
    """Of the riskiest rows; among equal risks all are as likely to be taken."""
    n = max(1, round(part * len(risk)))
    order = np.argsort(-risk, kind="stable")
    last = risk[order[n - 1]]
    sure, tied = risk > last, risk == last
    found = is_so[sure].sum() + (n - sure.sum()) * is_so[tied].mean()
    return {"part": part, "rows": n, "holds": float(found / is_so.sum()), "lift": float(found / n / is_so.mean())}


def _groups(subject: Subject, positive: str) -> list[GroupFacts]:
    """Conjunctions under which the class is clearly more frequent."""
    table, y, roles = subject.some(_MOST_ROWS)
    try:
        fewest, n_jobs = max(5, int(0.002 * len(y))), subject.options.n_jobs
        longest = _longest(len(table.names), len(y))
        asked = RuleSettings(max_conditions=longest, min_rows=fewest, task="classification", n_jobs=n_jobs)
        is_so = np.where(y == positive, positive, f"not {positive}")
        found = discover_rules(table, is_so, asked, roles.weights, only=positive)
    except PaclearnError:  # a table that has no conditions to ask for
        return []
    rules = [rule for rule in found.rules if str(rule.label) == positive and (rule.lift or 0) > 1]
    return [
        {"rule": r.rule, "rows": float(r.rows), "share": float(r.share), "lift": float(r.lift or 1.0), "q": float(r.q)}
        for r in rules[:_GROUPS]
    ]


def _longest(n_columns: int, n_rows: int) -> int:
    """Conditions of a group: three, where so many can be counted."""
    questions = min(_QUESTIONS * n_columns, _MOST_QUESTIONS)
    return 3 if questions**3 / 6 * n_rows <= _MOST_COUNTED else 2


def _decision(
    is_so: NDArray[np.bool_], risk: NDArray[np.float64], cost: tuple[float, float] | None
) -> DecisionFacts | None:
    """Raise the alarm where that is cheaper on average: above alarm / (miss + alarm)."""
    if cost is None:
        return None
    miss, alarm = cost
    threshold = alarm / (miss + alarm)
    raised = risk > threshold
    missed, false = int((is_so & ~raised).sum()), int((raised & ~is_so).sum())
    without = min(miss * int(is_so.sum()), alarm * int((~is_so).sum()))
    return {
        "miss": miss,
        "alarm": alarm,
        "threshold": threshold,
        "alarms": int(raised.sum()),
        "caught": float((is_so & raised).sum() / is_so.sum()),
        "cost": (miss * missed + alarm * false) / len(is_so),
        "cost_without_model": without / len(is_so),
    }


def _group_in_words(group: GroupFacts, facts: RareFacts) -> str:
    return (
        f"Where {shorten(group['rule'], 200)}, {percent(group['share'])} of {group['rows']:,.0f} rows are "
        f"“{shorten(facts['label'])}”: {group['lift']:.3g} times the "
        f"{percent(group['share'] / group['lift'], 2)} of all rows."
    )


def _risk_in_words(facts: RareFacts) -> str:
    top = facts["tops"][1]
    return (
        f"The riskiest {percent(top['part'], 0)} of the rows, by a model that had not seen them, hold "
        f"{percent(top['holds'], 0)} of “{shorten(facts['label'])}” (AUC {facts['auc']:.3f}, where guessing has 0.5; "
        f"average precision {facts['average_precision']:.3f}, where guessing has {facts['share']:.3f})."
    )


def _decided(facts: RareFacts) -> list[str]:
    decision = facts["decision"]
    if decision is None:
        return []
    sentence = (
        f"With a miss at {decision['miss']:g} and a false alarm at {decision['alarm']:g}, alarms above a risk of "
        f"{percent(decision['threshold'])} cost {decision['cost']:.4g} a row, where no model costs "
        f"{decision['cost_without_model']:.4g}; they catch {percent(decision['caught'], 0)} of "
        f"“{shorten(facts['label'])}” with {decision['alarms']:,} alarms."
    )
    return [sentence]
