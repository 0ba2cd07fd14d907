"""A bound on the error of one fitted model, with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from paclearn._text import figures
from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from paclearn.inspection import CertificateDisplay

__all__ = ["Certificate", "tightest"]

INDEPENDENT_ROWS = "the rows are independent draws from the population the model will meet"
CLASS_SHARES = "each class is as frequent there as among the rows of this table"
KNOWN_RANGE = "the target never leaves the range it is given"
INDEPENDENT_GROUPS = "the groups are independent draws from the population the model will meet"
SQUARED = "mean squared error"


@dataclass(frozen=True)
class Certificate:
    """With probability at least ``1 - delta`` over the draw of the rows, the error is at most ``bound``.

    Parameters
    ----------
    bound : float
        The bound: an error rate, or a mean squared error.
    delta : float
        The probability with which the bound may fail.
    kind : str
        Which theorem it comes from.
    observed : float
        The error on the rows it was computed from.
    n_rows : int
        How many those were; of groups, how many groups.
    assumptions : tuple of str
        What must hold for the promise to hold.
    trivial : float
        What a model that learned nothing can promise; a bound at or above it is vacuous.
    quantity : str
        What is bounded, in words.
    unit : str
        What was drawn independently and is counted: rows, or groups of them.
    """

    bound: float
    delta: float
    kind: str
    observed: float
    n_rows: int
    assumptions: tuple[str, ...] = (INDEPENDENT_ROWS,)
    trivial: float = 0.5
    quantity: str = field(default="error")
    unit: str = "rows"

    @property
    def vacuous(self) -> bool:
        """Whether the bound promises no more than a model that learned nothing."""
        return self.bound >= self.trivial

    @property
    def is_rate(self) -> bool:
        """Whether the bound is a share of rows, to be shown in per cent."""
        return self.quantity.startswith(("error", "calibration error"))

    def of_groups(self) -> Certificate:
        """The same, where what was counted are groups: means of groups are as independent as rows were to be.

        Bounds that rest on Hoeffding's, Chernoff's or McDiarmid's inequality hold for means of numbers in [0, 1] just
        as they do for errors that happen or not.
        """
        assumed = tuple(INDEPENDENT_GROUPS if one == INDEPENDENT_ROWS else one for one in self.assumptions)
        kind = self.kind.replace("held-out rows", "held-out groups")
        return replace(self, kind=kind, assumptions=assumed, unit="groups")

    def _number(self, value: float) -> str:
        return f"{100 * value:.1f} %" if self.is_rate else figures(value, 4)

    def __str__(self) -> str:
        verdict = " (vacuous: it promises no more than guessing would)" if self.vacuous else ""
        new = "new rows" if self.unit == "rows" else "rows of new groups, averaged over groups,"
        return (
            f"With probability at least {100 * (1 - self.delta):g} %, the {self.quantity} on {new} is at most "
            f"{self._number(self.bound)}{verdict}, by the {self.kind} from {self._number(self.observed)} on "
            f"{self.n_rows:,} {self.unit}, provided that {'; '.join(self.assumptions)}."
        )

    def plot(self, ax: Any = None) -> CertificateDisplay:
        """Draw what was observed, what is promised, and what guessing could promise.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.
        """
        from paclearn.inspection import CertificateDisplay

        return CertificateDisplay([self.kind], [self.observed], [self.bound], self.trivial, self.quantity).plot(ax)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a report."""
        return {
            "bound": self.bound,
            "delta": self.delta,
            "kind": self.kind,
            "observed": self.observed,
            "n_rows": self.n_rows,
            "unit": self.unit,
            "vacuous": self.vacuous,
            "quantity": self.quantity,
            "assumptions": list(self.assumptions),
            "sentence": str(self),
        }


def tightest(certificates: list[Certificate]) -> Certificate:
    """The smallest bound. Valid as a choice only if the deltas were shared out among the certificates.

    Parameters
    ----------
    certificates : list of Certificate
        One or more, of the same quantity.
    """
    if not certificates:
        raise InputError("no certificates were given, of which one could be the tightest")
    return min(certificates, key=lambda certificate: certificate.bound)
