"""Why a row is predicted as it is: one type for all models. Parts add up to the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import make_frame
from paclearn._text import aligned, html_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["Explanation", "Part"]

_HOLDS = {True: "true", False: "false", None: ""}


@dataclass(frozen=True)
class Part:
    """One reason: what it says, what it adds to the score of every output, and whether it is true of the row.

    Parameters
    ----------
    text : str
        A term, an answer, a cell or a column.
    contribution : tuple of float
        What it adds, one number an output.
    holds : bool, default=None
        For terms that are true or false; None for parts that are neither.
    """

    text: str
    contribution: tuple[float, ...]
    holds: bool | None = None


@dataclass(frozen=True)
class Explanation:
    """What the score of one row is made of: a start and parts, the weightiest first.

    Parameters
    ----------
    outputs : tuple of str
        What the scores are of: the second of two classes, every class, or the target.
    start : tuple of float
        The score before anything is known of the row.
    parts : tuple of Part
        What is added to it.
    """

    outputs: tuple[str, ...]
    start: tuple[float, ...]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, outputs: Sequence[str], start: Iterable[float], parts: Iterable[Part]) -> Explanation:
        """With the weightiest part first.

        Parameters
        ----------
        outputs, start, parts : sequence of str, iterable of float, iterable of Part
            See `Explanation`.
        """
        order = sorted(parts, key=lambda part: -max(map(abs, part.contribution), default=0.0))
        return cls(tuple(outputs), tuple(map(float, start)), tuple(order))

    @property
    def score(self) -> NDArray[np.float64]:
        """The score of every output: the start and all parts."""
        return np.array([self.start, *(part.contribution for part in self.parts)], dtype=np.float64).sum(axis=0)

    def top(self, most: int) -> Explanation:
        """The weightiest parts, and all others in one.

        Parameters
        ----------
        most : int
            How many parts to keep.

        Returns
        -------
        Explanation
            It adds up to the same score.
        """
        if len(self.parts) <= most:
            return self
        rest = np.sum([part.contribution for part in self.parts[most:]], axis=0)
        others = Part(f"({len(self.parts) - most} others)", tuple(rest.tolist()))
        return Explanation(self.outputs, self.start, (*self.parts[:most], others))

    def to_frame(self) -> Any:
        """The start and the parts as a data frame.

        Returns
        -------
        data frame
            ``part``, ``holds`` and a ``contribution`` to every output.
        """
        every = [Part("(start)", self.start), *self.parts]
        columns: dict[str, list[Any]] = {"part": [p.text for p in every], "holds": [p.holds for p in every]}
        for k, output in enumerate(self.outputs):
            name = "contribution" if len(self.outputs) == 1 else f"contribution[{output}]"
            columns[name] = [p.contribution[k] for p in every]
        return make_frame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Plain data.

        Returns
        -------
        dict
            ``start`` and ``parts``, with contributions by output.
        """
        return {
            "start": self._named(self.start),
            "parts": [
                {"part": p.text, "holds": p.holds, "contribution": self._named(p.contribution)} for p in self.parts
            ],
        }

    def _named(self, values: Sequence[float]) -> dict[str, float]:
        return dict(zip(self.outputs, values, strict=True))

    def _lines(self) -> list[list[str]]:
        every = [Part("(start)", self.start), *self.parts, Part("(sum)", tuple(self.score.tolist()))]
        return [[p.text, _HOLDS[p.holds], *(f"{round(v, 3) + 0.0:+.3f}" for v in p.contribution)] for p in every]

    def __str__(self) -> str:
        lines = [["", "", *self.outputs], *self._lines()]
        return "\n".join(aligned(lines, right=range(2, len(lines[0]))))

    def _repr_html_(self) -> str:
        return html_table(["", "", *self.outputs], self._lines())
