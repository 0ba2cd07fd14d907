"""Rules: conjunctions of conditions, and the few of them that tell the classes."""

from paclearn.learners.rules.rule_classifier import RuleClassifier

__all__ = ["RuleClassifier"]
