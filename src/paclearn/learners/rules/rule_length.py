r"""How long rules take to say, in nats: the size of the class that Occam's bound is about.

First which families of conditions occur, and how many rules there are (R with probability 1 / (R + 1)(R + 2)); then a
rule of k conditions takes :math:`\ln K + \ln \binom{d}{k} + \sum \ln(\text{conditions of the family in the column})`,
and :math:`\ln F` more for each condition where F families occur. Rules of one class may be said in any order, so
:math:`\ln R!` is taken off.
"""

from __future__ import annotations

from math import comb, lgamma, log
from typing import TYPE_CHECKING

from paclearn.encoding.comparisons import Comparison
from paclearn.learners.rules.rule_pool import thresholds_of

if TYPE_CHECKING:
    from paclearn.encoding import Domain
    from paclearn.encoding.comparisons import Condition
    from paclearn.models.rule_model import RuleModel

__all__ = ["rules_log_size"]

_FAMILIES = ("comparison", "level", "cut", "interval", "group")


def rules_log_size(model: RuleModel, domain: Domain, most: int) -> float:
    """Logarithm of the number of lists of rules of at most so many conditions that are no longer than this one."""
    n_rules, n_classes, blocks = len(model.rules), model.n_outputs, model.blocks()
    said = {i: _said(model, i, domain) for i in range(len(model.conditions))}
    families = {family for family, _ in said.values()}
    total = len(_FAMILIES) * log(2) + log((n_rules + 1) * (n_rules + 2))
    total += (len(blocks) + 1) * log(n_classes) + log(comb(max(n_rules - 1, 0), max(len(blocks) - 1, 0)))
    for rule in model.rules:
        compared = sum(said[c][0] == "comparison" for c in rule)
        total += log(most) + len(rule) * log(len(families)) + log(comb(len(domain.columns), len(rule) - compared))
        total += sum(said[c][1] for c in rule) - lgamma(compared + 1)
    return total - sum(lgamma(len(rules) + 1) for _, rules in blocks)


def _said(model: RuleModel, place: int, domain: Domain) -> tuple[str, float]:
    """The family of a condition, and the logarithm of how many there are of it, given its column."""
    condition = model.conditions[place]
    if isinstance(condition, Comparison):
        return "comparison", log(len(domain.columns) * (len(domain.columns) - 1))
    column = model.columns[condition.column]
    n_present = column.n_codes - column.missing
    family = _family(condition, model)
    ways = {
        "level": log(2 * column.n_codes),
        "cut": log(2 * max(n_present - 1, 1)),
        "interval": log(max(comb(n_present, 2), 1)),
        "group": column.n_codes * log(2),
    }
    return family, ways[family]


def _family(condition: Condition, model: RuleModel) -> str:
    assert not isinstance(condition, Comparison)  # noqa: S101 - it has a family of its own
    column, codes = model.columns[condition.column], set(condition.codes)
    n_present = column.n_codes - column.missing
    if len(codes) == 1 or (len(codes) >= n_present - 1 and column.n_codes - 1 not in codes - set(range(n_present))):
        return "level"
    ends = thresholds_of(column, codes) if codes <= set(range(n_present)) else None
    return "group" if ends is None else {1: "cut", 2: "interval"}.get(ends, "group")
