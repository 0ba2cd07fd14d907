"""Rules in words: what is said if any of some applies, with their rows and how many of those are of the class."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from paclearn._text import aligned, html_table, markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paclearn.models.rule_model import RuleModel

__all__ = ["blocks_in_words", "otherwise", "rules_to_html", "rules_to_markdown", "rules_to_text"]


def blocks_in_words(model: RuleModel) -> Iterator[tuple[str, list[int]]]:
    """A heading such as ``yes, if any of these applies:`` and the rules below it."""
    classes = model.about.classes or ()
    for i, (said, rules) in enumerate(model.blocks()):
        start = "otherwise " if i else ""
        yield f"{start}{classes[said]}, if {'any of these' if len(rules) > 1 else 'this'} applies:", rules


def otherwise(model: RuleModel) -> str:
    """What is said where no rule applies."""
    said = (model.about.classes or ())[int(model.said[-1])]
    rows, share = _evidence(model, len(model.rules))
    return f"{'otherwise ' if model.rules else 'always '}{said} ({rows}, {share} of them)"


def _evidence(model: RuleModel, r: int) -> tuple[str, str]:
    """Rows that a rule applies to, and the share of the class that it says among them."""
    total = float(model.covered[r].sum())
    share = float(model.covered[r, model.said[r]]) / total if total else 0.0
    return f"{total:,.6g} row{'' if total == 1 else 's'}", f"{_floor(share):g} %"


def _floor(share: float) -> float:
    """Per cent to a digit; what is not all of them is never called 100 %, nor what is something 0 %."""
    rounded = round(100 * share, 1)
    return min(rounded, 99.9) if share < 1 else rounded


def _lines(model: RuleModel, rules: list[int]) -> list[list[str]]:
    names = model.rule_names
    return [["  " + names[r], *_evidence(model, r)] for r in rules]


def rules_to_text(model: RuleModel, most: int) -> str:
    """Blocks of rules for a terminal, at most so many rules of each."""
    texts = []
    for heading, rules in blocks_in_words(model):
        more = [f"  and {len(rules) - most} more rules"] if len(rules) > most else []
        texts.append("\n".join([heading, *aligned(_lines(model, rules[:most]), right=(1, 2)), *more]))
    return "\n".join([*texts, otherwise(model)])


def rules_to_html(model: RuleModel) -> str:
    """Blocks of rules for a notebook; everything that came from the data is escaped."""
    parts = []
    for heading, rules in blocks_in_words(model):
        parts += [f"<p>{escape(heading)}</p>", html_table(["rule", "rows", "share"], _lines(model, rules))]
    return "".join([*parts, f"<p>{escape(otherwise(model))}</p>"])


def rules_to_markdown(model: RuleModel) -> str:
    """One row a rule, in the order in which they are asked."""
    classes, names = model.about.classes or (), [*model.rule_names, "otherwise"]
    rows = [[name, str(classes[model.said[r]]), *_evidence(model, r)] for r, name in enumerate(names)]
    return "The first rule that applies decides.\n\n" + markdown_table(["if", "then", "rows", "share"], rows)
