"""What is asked of a discovery of rules, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import make_frame
from paclearn._parameters import Between, Cores, Nothing, OneOf, Rule, Whole, check_parameters
from paclearn.encoding import EncodingRules
from paclearn.search.qualities import QUALITIES

if TYPE_CHECKING:
    from paclearn.learners.rules.found_rule import FoundRule

__all__ = ["RuleDiscovery", "RuleSettings"]


@dataclass(frozen=True, eq=False)
class RuleDiscovery:
    """What was found, and of how much.

    Parameters
    ----------
    rules : tuple of FoundRule
        The rules, best first.
    numbers : bool
        Whether the target is a number.
    n_rows, looked_at : int
        Rows of the table, and how many conjunctions were looked at in the first place.
    fdr : float
        The rate of false reports that was allowed.
    left_out : tuple of str
        Conditions that were not looked at, in words.
    complete : bool
        Whether no time limit ended a scan.
    """

    rules: tuple[FoundRule, ...]
    numbers: bool
    n_rows: int
    looked_at: int
    fdr: float
    left_out: tuple[str, ...]
    complete: bool

    def columns(self) -> dict[str, list[Any]]:
        """The rules as columns."""
        mean = "mean" if self.numbers else "share"
        names = {"rule": "rule", "class": "label", "rows": "rows", mean: "share", "lift": "lift"}
        names |= {name: name for name in ("effect", "low", "high", "p", "q", "beyond")}
        if self.numbers:
            del names["class"], names["lift"]
        return {name: [getattr(rule, field) for rule in self.rules] for name, field in names.items()}

    def to_frame(self) -> Any:
        """A data frame, a row a rule."""
        return make_frame(self.columns())

    def facts(self, target_name: str) -> dict[str, Any]:
        """Plain data: what was looked at, and a dictionary a rule."""
        columns = self.columns()
        rules = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        about = {"target": target_name, "rows": self.n_rows, "conjunctions": self.looked_at, "fdr": self.fdr}
        return about | {"complete": self.complete, "left_out": list(self.left_out), "rules": rules}

    def to_text(self, target_name: str) -> str:
        """Two lines a rule, and what was looked at."""
        n = len(self.rules)
        ending = "" if self.complete else ", until the time was over"
        what = f"{self.looked_at:,} conjunctions in {self.n_rows:,} rows were looked at{ending}"
        first = f"{n} {'rule' if n == 1 else 'rules'} for {target_name}; {what}."
        lines = [first] + [line for rule in self.rules for line in ("", *rule.lines(target_name))]
        if self.left_out:
            lines += ["", f"Not looked at: {', '.join(self.left_out)}."]
        return "\n".join(lines)


_PARAMETERS: dict[str, Rule] = {
    "n_rules": Whole(1),
    "max_conditions": Whole(1, 4),
    "quality": OneOf("auto", *QUALITIES),
    "min_rows": Between(0, np.inf),
    "fdr": Between(0, 1),
    "time_limit": Nothing() | Between(0, np.inf),
    "n_jobs": Cores(),
}


@dataclass(frozen=True)
class RuleSettings:
    """What is asked for; see `find_rules` for what each means."""

    n_rules: int = 20
    max_conditions: int = 3
    quality: str = "auto"
    min_rows: float = 0.01
    fdr: float = 0.1
    task: str = "auto"
    n_bins: int = 8
    min_count: float = 5
    max_levels: int = 32
    time_limit: float | None = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_parameters(self, _PARAMETERS)

    @property
    def rules(self) -> EncodingRules:
        """How columns become codes."""
        return EncodingRules(self.n_bins, self.min_count, self.max_levels)
