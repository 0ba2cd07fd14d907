"""What was discovered, as a ranked table, as sentences and as pictures."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

from paclearn._compat import make_frame
from paclearn._parameters import check_choice
from paclearn._text import figures

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Discovery", "Finding"]

_NAMES = ("members", "order", "effect", "se", "p", "q", "levels", "label", "found", "part_of", "echo_of", "note")
_KINDS = {
    1: ("main effect", "main effects"),
    2: ("pair", "pairs"),
    3: ("triple", "triples"),
    4: ("subset of four", "subsets of four"),
}


@dataclass(frozen=True)
class Finding:
    """One tested subset.

    Parameters
    ----------
    members : tuple of str
        The columns (or bits).
    effect : float
        How far the mean of the target (for classes, the frequency of ``label``) in the cell ``levels`` is from its mean
        elsewhere, or from what smaller effects add up to. For two members of two levels it is the difference of the two
        differences.
    se : float
        Its standard error.
    p, q : float
        Probability of something as clear by chance, alone and among all tests; NaN where nothing could be tested.
    levels : tuple of str
        The cell that stands out most.
    label : str or None
        The class that the effect is about.
    bits : bool
        Whether all members have two levels.
    shift : float
        The effect as the cell sees it: no frequency is below 0 or above 1, so what is expected of it is not, either.
    simulated : bool
        Whether the p-value was simulated because a cell is too small for the normal law.
    echo_of : tuple of str or None
        A clearer finding that explains this one: within its levels nothing is left.
    """

    members: tuple[str, ...]
    effect: float
    se: float
    p: float
    q: float
    levels: tuple[str, ...]
    label: str | None
    bits: bool
    shift: float
    simulated: bool
    echo_of: tuple[str, ...] | None = None

    @property
    def order(self) -> int:
        """How many columns it is about."""
        return len(self.members)

    def note(self) -> str:
        """What else is to be said of it, or nothing."""
        if isnan(self.p):
            return "not tested: too few rows in its cells"
        if self.echo_of:
            return f"echo of {' × '.join(self.echo_of)}"
        return "simulated: small cells" if self.simulated else ""


@dataclass(frozen=True, eq=False)
class Discovery:
    """Ranked findings. Iterating gives those that are reported at the false discovery rate asked for.

    A finding that a clearer one explains, because its columns only stand in for other ones, is an echo: it is a fact
    about the table, but it is not reported (``echoes`` has them).

    Parameters
    ----------
    findings : tuple of Finding
        All tested subsets, clearest first (the first twenty thousand).
    tested : dict of int to (int, int)
        For every size, how many subsets could be tested and how many there are.
    fdr : float
        The rate.
    method : str
        ``"fdr"`` or ``"permutation"``.
    target_name : str
        What the target is called.
    n_rows : int
        Rows of the table.
    mean : float or None
        Mean of a numeric target.
    """

    findings: tuple[Finding, ...]
    tested: dict[int, tuple[int, int]]
    fdr: float
    method: str
    target_name: str
    n_rows: int
    mean: float | None

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._reported)

    def __len__(self) -> int:
        return len(self._reported)

    @cached_property
    def _reported(self) -> list[Finding]:
        return [f for f in self.findings if f.q <= self.fdr and f.echo_of is None]

    @property
    def echoes(self) -> tuple[Finding, ...]:
        """Findings that clearer ones explain."""
        return tuple(f for f in self.findings if f.q <= self.fdr and f.echo_of is not None)

    def explained_by(self, finding: Finding) -> tuple[str, ...] | None:
        """The largest reported subset that has all the members of a finding and more, if there is one.

        Parameters
        ----------
        finding : Finding
            One of the findings.
        """
        mine = set(finding.members)
        larger = [f.members for f in self if mine < set(f.members)]
        return max(larger, key=len, default=None)

    # ---- tables ----

    def to_frame(self, *, everything: bool = True) -> Any:
        """The ranked table as a data frame.

        Parameters
        ----------
        everything : bool, default=True
            Tests that are not reported as well.

        Returns
        -------
        data frame
            ``members, order, effect, se, p, q, levels, label, found, part_of, echo_of, note``.
        """
        return make_frame(_columns(self._records(everything=everything)))

    def to_json(self, indent: int | None = 2) -> str:
        """The reported findings, what was tested, and the promise, as JSON.

        Parameters
        ----------
        indent : int, default=2
            Spaces a level.

        Returns
        -------
        str
            JSON text.
        """
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data.

        Returns
        -------
        dict
            ``target, rows, fdr, method, tested, promise, findings``.
        """
        return {
            "target": self.target_name,
            "rows": self.n_rows,
            "fdr": self.fdr,
            "method": self.method,
            "tested": [{"order": k, "tested": n, "subsets": total} for k, (n, total) in self.tested.items()],
            "promise": self.promise(),
            "findings": [
                {**record, "sentence": self.sentence(finding)}
                for record, finding in zip(self._records(everything=False), self, strict=True)
            ],
        }

    def to_markdown(self, most: int = 50) -> str:
        """The reported findings as a Markdown table with a sentence each.

        Parameters
        ----------
        most : int, default=50
            At most this many rows.

        Returns
        -------
        str
            Markdown text.
        """
        lines = [self.promise(), "", "| | effect | s.e. | q | in words |", "| --- | --- | --- | --- | --- |"]
        for finding in list(self)[:most]:
            members = " × ".join(map(_escape, finding.members))
            lines.append(
                f"| {members} | {finding.effect:+.3g} | {finding.se:.2g} | {finding.q:.2g} "
                f"| {_escape(self.sentence(finding))} |"
            )
        if len(self) > most:
            lines += ["", f"{len(self) - most:,} more are left out."]
        return "\n".join(lines)

    def to_csv(self) -> str:
        """All tests as comma separated values.

        Returns
        -------
        str
            Text with a header.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_NAMES)
        for record in self._records(everything=True):
            writer.writerow([_plain(record[name]) for name in _NAMES])
        return text.getvalue()

    def _records(self, *, everything: bool) -> list[dict[str, Any]]:
        reported = {id(f) for f in self}
        return [
            {
                "members": f.members,
                "order": f.order,
                "effect": f.effect,
                "se": f.se,
                "p": f.p,
                "q": f.q,
                "levels": f.levels,
                "label": f.label,
                "found": id(f) in reported,
                "part_of": self.explained_by(f) if id(f) in reported else None,
                "echo_of": f.echo_of,
                "note": f.note(),
            }
            for f in (self.findings if everything else self)
        ]

    # ---- words ----

    def promise(self) -> str:
        """What was tested and what the list promises, in one or two sentences.

        Returns
        -------
        str
            Sentences.
        """
        tested = ", ".join(f"{n:,} {_KINDS[k][n != 1]}" for k, (n, _) in self.tested.items())
        left = sum(total - n for n, total in self.tested.values())
        gap = f" ({left:,} could not be tested: too few rows in their cells)" if left else ""
        if self.method == "permutation":
            promise = f"the chance that even one of them is false is at most {100 * self.fdr:.3g} %"
        else:
            promise = f"on average at most {100 * self.fdr:.3g} % of them are false"
        echo = "is an echo" if len(self.echoes) == 1 else "are echoes"
        echoes = f" ({len(self.echoes):,} more {echo} of these)" if self.echoes else ""
        verb = "is" if len(self) == 1 else "are"
        return f"Tested {tested}{gap} on {self.n_rows:,} rows; {len(self):,} {verb} reported{echoes}, and {promise}."

    def sentence(self, finding: Finding) -> str:
        """One line of plain language about a finding.

        Parameters
        ----------
        finding : Finding
            One of the findings.

        Returns
        -------
        str
            A sentence.
        """
        if isnan(finding.p):
            return f"{' and '.join(finding.members)}: not tested, too few rows in its cells."
        what, size = self._what(finding)
        where = _and([f"{m} is {level}" for m, level in zip(finding.members, finding.levels, strict=True)])
        than = {1: "elsewhere", 2: "the two alone add up to"}.get(finding.order, "smaller combinations add up to")
        text = f"{what} by {size} where {where} than {than} ({_q_in_words(finding.q)})."
        part = self.explained_by(finding)
        if part and finding.order > 1:
            text += f" It is part of {' × '.join(part)}, which was found as well."
        return text

    def _what(self, finding: Finding) -> tuple[str, str]:
        up, size = finding.effect > 0, abs(finding.shift)
        if finding.label is None:
            return f"{self.target_name} is {'higher' if up else 'lower'}", figures(size)
        what = f"{self.target_name} = {finding.label} is {'more' if up else 'less'} frequent"
        return what, f"{100 * size:.1f} points"

    def to_text(self, most: int = 20) -> str:
        """The promise, and a sentence a finding: interactions first, since main effects are the better known.

        Parameters
        ----------
        most : int, default=20
            At most this many of each kind.

        Returns
        -------
        str
            Text for a terminal.
        """
        lines = [self.promise()]
        for title, wanted in (
            ("Together", [f for f in self if f.order > 1]),
            ("Alone", [f for f in self if f.order == 1]),
        ):
            if wanted:
                lines += ["", f"{title}:"]
                lines += [f"  {self.sentence(f)}" for f in wanted[:most]]
                lines += [f"  ... and {len(wanted) - most:,} more"] if len(wanted) > most else []
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    # ---- pictures ----

    def plot(self, kind: str = "network", *, most: int = 30, ax: Any = None) -> Any:
        """Draw the strongest pairs: as a network of columns, or as a heat map.

        Parameters
        ----------
        kind : {"network", "heatmap"}, default="network"
            The picture.
        most : int, default=30
            At most this many findings of two or more members.
        ax : matplotlib Axes, default=None
            Where to draw.

        Returns
        -------
        Display
            With ``ax_`` and ``figure_``.
        """
        from paclearn.inspection import HeatmapDisplay, NetworkDisplay

        check_choice("kind", kind, ("network", "heatmap"))
        display = NetworkDisplay if kind == "network" else HeatmapDisplay
        singles = {f.members[0]: f.effect / f.se for f in self if f.order == 1}
        links = [(f.members, f.effect / f.se) for f in self if f.order > 1][:most]
        return display(singles, links, self.target_name).plot(ax=ax)


def _columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [record[name] for record in records] for name in _NAMES}


def _plain(value: Any) -> Any:
    return " × ".join(value) if isinstance(value, tuple) else value


def _q_in_words(q: float) -> str:
    return f"q = {q:.2g}" if q else "q < 1e-300"  # which no float64 is but nought


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
