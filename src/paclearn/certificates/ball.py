"""A bound for a function picked, by whatever means, from a ball of a space with a kernel."""

from __future__ import annotations

from math import log, sqrt

from paclearn._parameters import Whole, check
from paclearn.certificates.certificate import INDEPENDENT_ROWS, Certificate
from paclearn.certificates.given import check_given

__all__ = ["kernel_ball"]

FIXED_SCALE = "levels and the scale of rows count as fixed in advance (they were chosen without looking at the target)"


def kernel_ball(
    error: float, n: int, radius: float, largest: float, delta: float, trivial: float = 0.5, choices: int = 1
) -> Certificate:
    """``E|f - y| <= error + 2 sqrt(radius * largest / n) + sqrt(ln(choices/delta) / (2n))``, for all f of a ball.

    The functions are ``f(x) = clip(<v, psi(x)>, 0, 1)`` with ``|v|^2 <= radius`` and ``|psi(x)|^2 <= largest``, and the
    bound is that of their Rademacher averages (Bartlett and Mendelson 2002, Theorem 8 and Lemma 22).

    Parameters
    ----------
    error, n : float, int
        The mean of ``|f - y|`` over the rows, and how many there are.
    radius, largest : float
        Of the ball, and the largest value of the kernel at a row and itself.
    delta, trivial : float
        See `occam`.
    choices : int, default=1
        How many radii there were to choose from.
    """
    check_given(n, delta, error=error, radius=radius, largest=largest)
    check("choices", choices, Whole(1))
    bound = error + 2 * sqrt(radius * largest / n) + sqrt(log(choices / delta) / (2 * n))
    assumptions = (INDEPENDENT_ROWS, FIXED_SCALE)
    quantity = "error of the randomised prediction"
    return Certificate(min(1.0, bound), delta, "Rademacher bound", error, n, assumptions, trivial, quantity)
