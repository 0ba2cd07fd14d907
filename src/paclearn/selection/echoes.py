"""Findings that clearer ones explain.

A column that goes along with a member of a real interaction shows that interaction, too, more weakly: its own cells do
differ. Within the levels of the columns that are really at work nothing of it is left, and that can be tested.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn._progress import progress
from paclearn.counting import Counts
from paclearn.selection.contrasts import cell_means, p_within_strata

if TYPE_CHECKING:
    from paclearn.counting import Engine
    from paclearn.selection.findings import Finding
    from paclearn.selection.target import Target

__all__ = ["Echoes"]

_LEVEL = 0.01  # what is clearer than this within the strata is an effect of its own
_MOST_STRATIFIERS = 2  # columns to look within the levels of
_MOST_COMPARED = 60
_MOST_MARKED = 2000
_MOST_CELLS = 2**14


class Echoes:
    """Compares findings with clearer ones."""

    def __init__(self, engine: Engine, target: Target, names: tuple[str, ...], min_cell: float) -> None:
        self.engine, self.target, self.min_cell = engine, target, min_cell
        self.number = {name: i for i, name in enumerate(names)}

    def mark(self, findings: dict[int, Finding], fdr: float) -> dict[int, Finding]:
        """The same findings, with what explains each of those that are reported; they must come clearest first."""
        real: list[Finding] = []
        marked = dict(findings)
        reported = [i for i, f in list(findings.items())[:_MOST_MARKED] if f.q <= fdr]
        with progress(f"{len(reported):,} findings against clearer ones", len(reported)) as advance:
            for i in reported:
                source = next((f for f in real[:_MOST_COMPARED] if self._explains(f, findings[i])), None)
                if source is None:
                    real.append(findings[i])
                else:
                    marked[i] = replace(findings[i], echo_of=source.members)
                advance(1)
        return marked

    def _explains(self, source: Finding, finding: Finding) -> bool:
        """Whether nothing is left of a finding within the levels of the columns that only the source has."""
        others = [self.number[name] for name in source.members if name not in finding.members]
        if not 1 <= len(others) <= _MOST_STRATIFIERS:
            return False
        if set(finding.members) < set(source.members):
            return False  # part of it, not an echo
        members = [self.number[name] for name in finding.members]
        sizes = self.engine.sizes[[*others, *members]]
        if int(sizes.prod()) * self.engine.n_channels > _MOST_CELLS:
            return False
        p = p_within_strata(cell_means(self._strata(others, members), self.target, self._label(finding), self.min_cell))
        return bool(p > _LEVEL)

    def _strata(self, others: list[int], members: list[int]) -> Counts:
        """Counts of the members' cells, one table a cell of the others."""
        table = self.engine.counts([[*others, *members]]).table(0)
        n_strata = int(self.engine.sizes[others].prod())
        values = table.reshape(n_strata, -1, self.engine.n_channels)
        sizes = np.tile(self.engine.sizes[members], (n_strata, 1))
        return Counts(np.tile(np.array(members, dtype=np.int32), (n_strata, 1)), sizes, values)

    def _label(self, finding: Finding) -> int:
        if self.target.classes is None:
            return 0
        return [str(c) for c in self.target.classes.tolist()].index(finding.label or "")
