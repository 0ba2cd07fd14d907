"""What a model of numbers is linear in: the number itself, or the logarithm of its mean.

Prices, counts and durations grow by percents rather than by units. On the scale of logarithms effects multiply; the
model is fitted by squared error of the logarithms, or by the Poisson or the gamma deviance, and whichever predicts rows
left out best, by squared error of the number itself, is taken. Predictions are means: what the exponential of a mean of
logarithms lacks is made up for by one factor (Duan, 1983, the smearing estimate).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from paclearn.exceptions import InputError
from paclearn.learners.spectral.losses import GammaLoss, PoissonLoss, SquaredLoss
from paclearn.models.links import exponential

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.losses import Loss

__all__ = ["SCALES", "NumbersAndMeans", "TargetScale", "scales_for"]

_LEAST_MEAN = 1e-300  # whose logarithm is a number


@dataclass(frozen=True)
class TargetScale(ABC):
    """From numbers to what a loss takes, and from scores back to means.

    Parameters
    ----------
    centre, unit : float
        What is taken off the numbers (or their logarithms), and what they are divided by.
    """

    name: ClassVar[str]
    logarithmic: ClassVar[bool]

    centre: float
    unit: float

    @classmethod
    @abstractmethod
    def of(cls, numbers: NDArray[np.float64], shares: NDArray[np.float64]) -> Self:
        """The scale of numbers, whose shares add up to one."""

    @staticmethod
    def lacks(low: float, high: float) -> str:  # noqa: ARG004 - others look at it
        """What is wrong with numbers between these two, or nothing."""
        return "" if low > 0 else "numbers above nought"

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """What is made small."""

    @abstractmethod
    def targets(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """As the loss takes them."""

    @abstractmethod
    def numbers(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Back from what the loss takes."""

    def scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of the model from those of the fit: the mean, or its logarithm, in units of the numbers."""
        return self.centre + self.unit * scores

    def shift(self, scores: NDArray[np.float64], numbers: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
        """What is to be added to scores (of the model) so that the mean prediction is the mean number."""
        if not self.logarithmic:
            return 0.0
        return self.shift_between(float(shares @ numbers), float(shares @ exponential(scores)))

    @staticmethod
    def shift_between(wanted: float, found: float) -> float:
        """What is to be added to logarithms so that their mean exponential is the one that is wanted."""
        return float(np.log(max(wanted, _LEAST_MEAN)) - np.log(found))  # all may be nought where events are counted


class Plain(TargetScale):
    """The number itself, by squared error."""

    name, logarithmic = "squared", False

    @classmethod
    def of(cls, numbers: NDArray[np.float64], shares: NDArray[np.float64]) -> Self:
        return cls(*_moments(numbers, shares))

    @staticmethod
    def lacks(low: float, high: float) -> str:  # noqa: ARG004 - nothing
        return ""

    @property
    def loss(self) -> Loss:
        return SquaredLoss()

    def targets(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return (numbers - self.centre) / self.unit

    def numbers(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.scores(targets)


class Logarithm(TargetScale):
    """The logarithm of the number, by squared error."""

    name, logarithmic = "log", True

    @classmethod
    def of(cls, numbers: NDArray[np.float64], shares: NDArray[np.float64]) -> Self:
        return cls(*_moments(np.log(numbers), shares))

    @property
    def loss(self) -> Loss:
        return SquaredLoss()

    def targets(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return (np.log(numbers) - self.centre) / self.unit

    def numbers(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return exponential(self.scores(targets))


class Poisson(TargetScale):
    """The logarithm of the mean, by the Poisson deviance: for counts, of which some may be nought."""

    name, logarithmic = "poisson", True

    @classmethod
    def of(cls, numbers: NDArray[np.float64], shares: NDArray[np.float64]) -> Self:
        return cls(float(np.log(shares @ numbers)), 1.0)

    @staticmethod
    def lacks(low: float, high: float) -> str:
        return "" if low >= 0 and high > 0 else "no number below nought, and one above"

    @property
    def loss(self) -> Loss:
        return PoissonLoss()

    def targets(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return numbers / np.exp(self.centre)

    def numbers(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return targets * np.exp(self.centre)


class Gamma(Poisson):
    """The logarithm of the mean, by the gamma deviance: for sums of money and times, none of them nought."""

    name = "gamma"

    @staticmethod
    def lacks(low: float, high: float) -> str:
        return TargetScale.lacks(low, high)

    @property
    def loss(self) -> Loss:
        return GammaLoss()


SCALES: dict[str, type[TargetScale]] = {kind.name: kind for kind in (Plain, Logarithm, Poisson, Gamma)}


@dataclass(frozen=True)
class NumbersAndMeans:
    """The number of every row, and what a model on a scale of logarithms says of it."""

    scale: TargetScale

    def __call__(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([self.scale.numbers(targets[:, 0]), exponential(self.scale.scores(scores[:, 0]))])


def scales_for(
    loss: str, numbers: NDArray[np.float64], shares: NDArray[np.float64], limits: tuple[float, float]
) -> Sequence[TargetScale]:
    """The scale that was asked for, or all that numbers between these limits may be on, the plain one first."""
    if loss == "auto":
        return [kind.of(numbers, shares) for kind in SCALES.values() if not kind.lacks(*limits)]
    lacking = SCALES[loss].lacks(*limits)
    if lacking:
        raise InputError(
            f"loss={loss!r} needs {lacking}; the target goes from {limits[0]:.6g} to {limits[1]:.6g}; "
            "loss='squared' takes any numbers"
        )
    return [SCALES[loss].of(numbers, shares)]


def _moments(numbers: NDArray[np.float64], shares: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation, 1 where all are alike."""
    mean = float(shares @ numbers)
    return mean, float(np.sqrt(shares @ (numbers - mean) ** 2)) or 1.0
