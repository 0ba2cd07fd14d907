"""Which columns and combinations of them matter, and which columns others make up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.selection import RedundancyFilter, discover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.learners.selection import Discovery
    from paclearn.learners.selection.equations import Equation
    from paclearn.learners.selection.findings import Finding
    from paclearn.report.facts import DiscoveryFacts, EquationFacts, FindingFacts, RedundancyFacts
    from paclearn.report.subject import Subject

__all__ = ["find_dependences", "find_redundancies"]

_SHOWN = 15
_DRAWN = 30
_FDR = 0.1
_FEWEST_ROWS = 20


def find_dependences(subject: Subject) -> DiscoveryFacts | None:
    """Main effects and pairs with their q-values; None where there are too few rows for any of it."""
    if subject.table.n_rows < _FEWEST_ROWS:
        return None
    limits = subject.limits
    coarse = limits.halves and limits.pairs
    found = _discovered(subject, coarse=coarse)
    singles = [f for f in found if f.order == 1]
    pairs = [f for f in found if f.order > 1]
    return {
        "promise": found.promise(),
        "fdr": _FDR,
        "coarse": coarse,
        "pairs_tested": limits.pairs and len(subject.table.names) > 1,
        "n_singles": len(singles),
        "n_pairs": len(pairs),
        "singles": [_describe(found, f) for f in singles[:_SHOWN]],
        "pairs": [_describe(found, f) for f in pairs[:_SHOWN]],
        "strengths": {f.members[0]: _strength(f) for f in singles},
        "links": [{"members": list(f.members), "strength": _strength(f)} for f in pairs[:_DRAWN]],
    }


def _discovered(subject: Subject, *, coarse: bool) -> Discovery:
    options = subject.options
    cuts: dict[str, Any] = {"n_bins": 2, "max_levels": 2} if coarse else {}
    return discover(
        subject.table,
        subject.y,
        2 if subject.limits.pairs else 1,
        _FDR,
        task="classification" if subject.classify else "regression",
        target_name=subject.name,
        n_jobs=options.n_jobs,
        random_state=options.seed,
        sample_weight=subject.roles.weights,
        **cuts,
    )


def _describe(found: Discovery, finding: Finding) -> FindingFacts:
    return {
        "members": list(finding.members),
        "effect": finding.shift,
        "se": finding.se,
        "q": finding.q,
        "levels": list(finding.levels),
        "label": finding.label,
        "sentence": found.sentence(finding),
    }


def _strength(finding: Finding) -> float:
    """In standard errors."""
    return float(finding.effect / finding.se) if finding.se > 0 else float(np.sign(finding.effect) * 50)


def find_redundancies(subject: Subject) -> RedundancyFacts:
    """Columns that are sums or products of others, with the equation; constant ones are told elsewhere."""
    table, _, _ = subject.some(subject.limits.equations)
    found = RedundancyFilter(random_state=subject.options.seed).fit(table).equations_
    return {"rows": table.n_rows, "columns": [_describe_equations(name, e) for name, e in found.items()]}


def _describe_equations(name: str, found: Sequence[Equation]) -> EquationFacts:
    return {
        "name": name,
        "equations": [str(e) for e in found[:_SHOWN]],
        "more": max(0, len(found) - _SHOWN),
        "residual": max(e.residual for e in found),
    }
