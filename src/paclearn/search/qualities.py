r"""How good a conjunction is, from its rows and the sum of its target.

With :math:`n_c` of n rows, of which :math:`a_c` are of the class at hand (or have the sum :math:`a_c`), and p the share
of the class (or the mean) in the table:

======================  ==============================================================================================
quality                 formula
======================  ==============================================================================================
``"wracc"``             :math:`(a_c - n_c p)/n`, weighted relative accuracy (Lavrač, Flach and Zupan 1999, definition 2)
``"precision"``         :math:`a_c / n_c`
``"lift"``              :math:`a_c / (n_c p)`
``"likelihood_ratio"``  :math:`2 n` times the mutual information of class and conjunction (Wilks 1938)
``"chi_square"``        :math:`(a_c - n_c p)^2 / (n_c (1 - n_c/n)\, p (1-p))` (Pearson 1900)
``"shift"``             :math:`\sqrt{n_c}\,(\bar y_c - \bar y)`, for numbers (Lemmerich, Atzmueller and Puppe 2016)
======================  ==============================================================================================

Precision and lift are largest for tiny conjunctions and want a floor on rows. The core ranks by a `measure` between -1
and 1 that orders conjunctions as the quality does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn._parameters import check_choice
from paclearn.exceptions import InputError
from paclearn.kernels.numpy_conjunctions import Totals, measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["QUALITIES", "Quality", "quality_of"]

QUALITIES = ("wracc", "precision", "lift", "likelihood_ratio", "chi_square", "shift")
_KINDS = {"wracc": "accuracy", "lift": "precision"}
_OF_NUMBERS = ("wracc", "shift")
_TWO_SIDED = ("wracc", "shift")  # the two statistics are so by themselves


@dataclass(frozen=True)
class Quality:
    """A quality by name.

    Parameters
    ----------
    name : str
        One of `QUALITIES`.
    two_sided : bool
        Whether too few of a class (or too small a mean) count as much as too many.
    """

    name: str
    two_sided: bool

    @property
    def kind(self) -> str:
        """What the core knows it by."""
        return _KINDS.get(self.name, self.name)

    def measure(self, rows: NDArray[np.float64], sums: NDArray[np.float64], totals: Totals) -> NDArray[np.float64]:
        """What the core ranks by."""
        return measure(self.kind, rows, sums, totals, self.two_sided)

    def value(self, measures: NDArray[np.float64], totals: Totals, unit: float) -> NDArray[np.float64]:
        """The quality itself; ``unit`` is what one unit of the target is for the core."""
        if self.name == "wracc":
            return measures * unit
        if self.name == "shift":
            return np.sign(measures) * np.sqrt(np.abs(measures) * totals.squares) * unit
        scale = {"lift": 1 / totals.mean, "likelihood_ratio": 2 * totals.rows, "chi_square": totals.rows}
        return measures * scale.get(self.name, 1.0)


def quality_of(name: str, *, numbers: bool, two_sided: bool = False) -> Quality:
    """The quality of this name, if it suits the target."""
    check_choice("quality", name, QUALITIES)
    if numbers and name not in _OF_NUMBERS:
        raise InputError(f"quality={name!r} is one of classes; a target of numbers takes 'shift' or 'wracc'")
    if two_sided and name in {"precision", "lift"}:
        raise InputError(f"quality={name!r} has one side only; with two_sided take 'likelihood_ratio' or 'wracc'")
    return Quality(name, two_sided and name in _TWO_SIDED)
