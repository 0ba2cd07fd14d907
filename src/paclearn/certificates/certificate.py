"""A bound on the error of one fitted model, with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paclearn.inspection import CertificateDisplay

__all__ = ["Certificate", "tightest"]

INDEPENDENT_ROWS = "the rows are independent draws from the population the model will meet"
KNOWN_RANGE = "the target never leaves the range it is given"
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
        How many those were.
    assumptions : tuple of str
        What must hold for the promise to hold.
    trivial : float
        What a model that learned nothing can promise; a bound at or above it is vacuous.
    quantity : str
        What is bounded, in words.
    """

    bound: float
    delta: float
    kind: str
    observed: float
    n_rows: int
    assumptions: tuple[str, ...] = (INDEPENDENT_ROWS,)
    trivial: float = 0.5
    quantity: str = field(default="error")

    @property
    def vacuous(self) -> bool:
        """Whether the bound promises no more than a model that learned nothing."""
        return self.bound >= self.trivial

    @property
    def is_rate(self) -> bool:
        """Whether the bound is a share of rows, to be shown in per cent."""
        return self.quantity.startswith("error")

    def _number(self, value: float) -> str:
        return f"{100 * value:.1f} %" if self.is_rate else f"{value:.4g}"

    def __str__(self) -> str:
        verdict = " (vacuous: it promises no more than guessing would)" if self.vacuous else ""
        return (
            f"With probability at least {100 * (1 - self.delta):g} %, the {self.quantity} on new rows is at most "
            f"{self._number(self.bound)}{verdict}, by the {self.kind} from {self._number(self.observed)} on "
            f"{self.n_rows:,} rows, provided that {'; '.join(self.assumptions)}."
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
    return min(certificates, key=lambda certificate: certificate.bound)
