"""Findings that clearer ones explain.

A column that goes along with a member of a real interaction shows that interaction, too, more weakly: its own cells do
differ. Within the levels of the columns that are really at work nothing of it is left, and that can be tested.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.counting import Counts
from paclearn.learners.selection.contrasts import cell_means, strength

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting import Engine
    from paclearn.learners.selection.findings import Finding
    from paclearn.tables.target import Target

__all__ = ["Echoes"]

_LEFT = 0.5  # an effect of its own keeps more than this share of its strength within the levels of other columns
_NOTHING = 3.0  # and stands out from chance by more than this
_FEWEST_ROWS = 0.5  # share of the rows that must lie in cells large enough to tell
_MOST_STRATIFIERS = 2  # columns to look within the levels of
_MOST_COMPARED = 25
_MOST_MARKED = 2000
_MOST_CELLS = 2**14


class Echoes:
    """Compares findings with clearer ones."""

    def __init__(self, engine: Engine, target: Target, names: tuple[str, ...], min_cell: float) -> None:
        self.engine, self.target, self.min_cell = engine, target, min_cell
        self.number = {name: i for i, name in enumerate(names)}
        # numbers are summed with their weights first; everything else about classes counts rows
        self._alone: dict[tuple[tuple[str, ...], str | None], tuple[float, float]] = {}
        self._n_counts = 1 if target.classes is None else engine.n_channels

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
        if set(finding.members) < set(source.members) or finding.order == 1 < source.order:
            return False  # a part of it, and no echo; and no main effect is one of an interaction
        members = [self.number[name] for name in finding.members]
        sizes = self.engine.sizes[[*others, *members]]
        if int(sizes.prod()) * self.engine.n_channels > _MOST_CELLS:
            return False
        label = self._label(finding)
        alone, rows = self._strength_alone(finding, members, label)
        joint = self.engine.counts([[*others, *members]]).table(0)
        strata = cell_means(self._strata(joint, others, members), self.target, label, self.min_cell)
        enough = strata.rows[strata.usable].sum() >= _FEWEST_ROWS * rows  # a look that spares most of the fits
        within, chance, rows_within = strength(strata) if enough else (0.0, 0.0, 0.0)
        if rows_within < _FEWEST_ROWS * rows:
            return self._decides(joint, [*others, *members], source)
        return within < min(_LEFT * alone * rows_within / max(rows, 1.0) - chance, _NOTHING * chance)

    def _strength_alone(self, finding: Finding, members: list[int], label: int) -> tuple[float, float]:
        """Worked out once: a finding is held against many sources."""
        key = (finding.members, finding.label)
        if key not in self._alone:
            alone, _, rows = strength(cell_means(self.engine.counts([members]), self.target, label, self.min_cell))
            self._alone[key] = (alone, rows)
        return self._alone[key]

    def _decides(self, joint: NDArray[Any], units: list[int], source: Finding) -> bool:
        """Whether the columns of the source leave the others of the finding no choice, as copies do."""
        rows = joint[..., : self._n_counts].sum(axis=-1)
        in_source = {self.number[name] for name in source.members}
        fresh = tuple(axis for axis, unit in enumerate(units) if unit not in in_source)
        return bool(fresh) and int((rows > 0).sum(axis=fresh).max()) <= 1

    def _strata(self, joint: NDArray[Any], others: list[int], members: list[int]) -> Counts:
        """Counts of the members' cells, one table a cell of the others."""
        n_strata = int(self.engine.sizes[others].prod())
        values = joint.reshape(n_strata, -1, self.engine.n_channels)
        sizes = np.tile(self.engine.sizes[members], (n_strata, 1))
        return Counts(np.tile(np.array(members, dtype=np.int32), (n_strata, 1)), sizes, values)

    def _label(self, finding: Finding) -> int:
        if self.target.classes is None:
            return 0
        return [str(c) for c in self.target.classes.tolist()].index(finding.label or "")
