"""Which columns and combinations of them matter, and which columns others make up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.selection import RedundancyFilter, discover
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.report.report_options import Limits, ReportOptions
    from paclearn.tables.table import Table

__all__ = ["find_dependences", "find_redundancies"]

_SHOWN = 15
_DRAWN = 30
_FDR = 0.1
_FEWEST_ROWS = 20


def find_dependences(
    table: Table, y: NDArray[Any], target: str, options: ReportOptions, limits: Limits, *, classify: bool
) -> dict[str, Any] | None:
    """Main effects and pairs with their q-values; None where there are too few rows for any of it."""
    if table.n_rows < _FEWEST_ROWS:
        return None
    coarse = limits.halves and limits.pairs
    cuts: dict[str, Any] = {"n_bins": 2, "max_levels": 2} if coarse else {}
    found = discover(
        table, y, 2 if limits.pairs else 1, _FDR, task="classification" if classify else "regression",
        target_name=target, n_jobs=options.n_jobs, random_state=options.seed, **cuts,
    )  # fmt: skip
    singles = [f for f in found if f.order == 1]
    pairs = [f for f in found if f.order > 1]
    return {
        "promise": found.promise(),
        "fdr": _FDR,
        "coarse": coarse,
        "pairs_tested": limits.pairs and len(table.names) > 1,
        "n_singles": len(singles),
        "n_pairs": len(pairs),
        "singles": [_describe(found, f) for f in singles[:_SHOWN]],
        "pairs": [_describe(found, f) for f in pairs[:_SHOWN]],
        "strengths": {f.members[0]: _strength(f) for f in singles},
        "links": [{"members": list(f.members), "strength": _strength(f)} for f in pairs[:_DRAWN]],
    }


def _describe(found: Any, finding: Any) -> dict[str, Any]:
    return {
        "members": list(finding.members),
        "effect": finding.shift,
        "se": finding.se,
        "q": finding.q,
        "levels": list(finding.levels),
        "label": finding.label,
        "sentence": found.sentence(finding),
    }


def _strength(finding: Any) -> float:
    """In standard errors."""
    return float(finding.effect / finding.se) if finding.se > 0 else float(np.sign(finding.effect) * 50)


def find_redundancies(table: Table, seed: int, most: int) -> dict[str, Any]:
    """Columns that are sums or products of others, with the equation; constant ones are told elsewhere."""
    n = min(table.n_rows, most)
    if table.n_rows > most:
        table = RowSubset(table, np.sort(np.random.RandomState(seed).permutation(table.n_rows)[:most]))
    equations = RedundancyFilter(random_state=seed).fit(table).equations_
    return {
        "rows": n,
        "columns": [
            {
                "name": name,
                "equations": [str(e) for e in found[:_SHOWN]],
                "more": max(0, len(found) - _SHOWN),
                "residual": max(e.residual for e in found),
            }
            for name, found in equations.items()
        ],
    }
