"""Rules: conjunctions of conditions, those that say most about a target, and the few that tell the classes."""

from paclearn.learners.rules.rule_classifier import RuleClassifier
from paclearn.learners.rules.rule_discovery import find_rules

__all__ = ["RuleClassifier", "find_rules"]
