"""How much may be done to find rules: counted, so that the same rows give the same rules on any machine.

What is counted are multiplications of matrices, of which an ordinary core does some billions a second; all else in
units that take about as long. Only who asks for a limit in seconds gets what there was time for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

__all__ = ["Work"]

_A_UNIT = 4e9  # operations of one unit of effort: about a second of an ordinary core
_PROGRAM, _COVERING = 1500, 8000  # entries of an integer program a unit: with errors to be traded, and without
_NODES = 3e6  # of its search tree a unit, times entries
_OVER = 1e-9  # seconds


@dataclass
class Work:
    """What may still be done.

    Parameters
    ----------
    effort : float
        Units of work that there are.
    seconds : float, default=None
        A limit by the clock, where somebody asked for one.
    """

    effort: float
    seconds: float | None = None
    done: float = field(default=0.0, init=False)
    _end: float | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._end = None if self.seconds is None else monotonic() + self.seconds

    def spend(self, operations: float) -> None:
        """What was done."""
        self.done += operations

    @property
    def left(self) -> float:
        """Operations; none where the time is over."""
        return 0.0 if self.seconds_left == _OVER else max(0.0, self.effort * _A_UNIT - self.done)

    @property
    def seconds_left(self) -> float | None:
        """By the clock, hardly any where it is over; None where nobody asked for a limit."""
        return None if self._end is None else max(_OVER, self._end - monotonic())

    def part(self, n: int) -> Work:
        """One of so many parts of all that there was, until the same moment."""
        return Work(self.effort / n, self.seconds_left)

    def entries(self, *, errors: bool) -> float:
        """Of an integer program that is worth trying: where errors are traded for rules, it takes far longer."""
        return self.effort * (_PROGRAM if errors else _COVERING) if self.left else 0.0

    def nodes(self, entries: int) -> int:
        """Of its search tree."""
        return 1 + int(self.effort * _NODES / max(entries, 1))
