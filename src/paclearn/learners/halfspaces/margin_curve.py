"""The margin error of a given halfspace, against the margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import check_sample_weight
from paclearn.exceptions import InputError
from paclearn.learners.halfspaces.own_coordinates import OwnCoordinates
from paclearn.tables.target import class_target, classes_present

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.halfspace_classifier import HalfspaceClassifier

__all__ = ["MarginCurve", "margin_error_curve", "read_halfspace"]

_POINTS = 201


@dataclass(frozen=True, eq=False)
class MarginCurve:
    """``err_mu``: the share of rows that a halfspace gets wrong or that lie within mu of it.

    It is equation 3 of Shalev-Shwartz, Shamir and Sridharan (2011).

    Parameters
    ----------
    margins, errors : ndarray
        mu, from nought on, and the error at each.
    """

    margins: NDArray[np.float64]
    errors: NDArray[np.float64]

    def plot(self, ax: Any = None, *, label: str = "halfspace") -> Any:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.
        label : str, default="halfspace"
            Its name.

        Returns
        -------
        MarginCurveDisplay
            With ``ax_`` and ``figure_``.
        """
        from paclearn.inspection import MarginCurveDisplay

        return MarginCurveDisplay({label: (self.margins, self.errors)}).plot(ax)


def margin_error_curve(
    halfspace: Any,
    X: Any,
    y: Any,
    *,
    margins: Any = None,
    intercept: float = 0.0,
    sample_weight: Any = None,
    model: HalfspaceClassifier | None = None,
) -> MarginCurve:
    """The margin errors of a halfspace. What `HalfspaceClassifier` competes with is the lowest such curve, measured in
    its own coordinates.

    Parameters
    ----------
    halfspace : array-like of shape (n_columns,) or fitted linear classifier
        The normal vector, of any length, or something with ``coef_`` and ``intercept_``.
    X : array-like of shape (n_rows, n_columns)
        Numbers. Distances are measured in units of the largest row, so that rows lie in the unit ball. With a model,
        any table that it can read.
    y : array-like of shape (n_rows,)
        Two classes; the second one should lie where the halfspace is positive.
    margins : array-like, default=None
        Margins to look at; from nought to the largest distance by default.
    intercept : float, default=0.0
        Of the halfspace, in units of the normal vector given.
    sample_weight : array-like of shape (n_rows,), default=None
        How much each row counts.
    model : HalfspaceClassifier, default=None
        Fitted: distances are those in its unit ball. Rows are standardised there, and with a bias they are
        ``[x, 1] / sqrt(2)``, so margins are smaller. The halfspace then has a weight for every coordinate of
        ``model.model_.coordinate_names``: a number in its own units, or a level.

    Returns
    -------
    MarginCurve
        ``margins`` and ``errors``; ``plot()`` draws them.
    """
    normal, offset = read_halfspace(halfspace, intercept)
    if model is None:
        across = _in_units_of_the_largest(normal, offset, np.asarray(X, dtype=np.float64))
    else:
        across = OwnCoordinates.of(model).distances(normal, offset, X)
    _, numbers = classes_present(*class_target(y, len(across)))
    if numbers.max() > 1:
        raise InputError(f"a halfspace has two sides, and y has {numbers.max() + 1} classes; compare one with the rest")
    weights = check_sample_weight(sample_weight, across[:, None], dtype=np.float64, ensure_non_negative=True)
    at = np.linspace(0, np.abs(across).max(), _POINTS) if margins is None else np.asarray(margins, dtype=np.float64)
    _check_finite("margins", at)
    return MarginCurve(at, _errors(across, (across > 0) != numbers, weights / weights.sum(), at))


def _in_units_of_the_largest(
    normal: NDArray[np.float64], offset: float, rows: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distances from a halfspace where the largest row is at the edge of the unit ball."""
    if rows.ndim != 2 or rows.shape[1] != len(normal):
        raise InputError(f"the halfspace has {len(normal)} coordinates, and X has the shape {rows.shape}")
    if not len(rows):
        raise InputError("X has no rows, so there is no margin error to measure")
    _check_finite("X", rows)
    largest = float(np.linalg.norm(rows, axis=1).max())
    return np.asarray((rows @ normal + offset) / (np.linalg.norm(normal) * (largest or 1.0)))


def read_halfspace(given: Any, intercept: float) -> tuple[NDArray[np.float64], float]:
    """The normal vector and the intercept, of a linear classifier if one is given."""
    if hasattr(given, "coef_"):
        normal, intercept = np.ravel(given.coef_), float(np.ravel(given.intercept_)[0])
    else:
        normal = np.ravel(np.asarray(given, dtype=np.float64))
    _check_finite("the halfspace", [*normal, intercept])
    if not normal.any():
        raise InputError("the normal vector of the halfspace is nought")
    return np.asarray(normal, dtype=np.float64), intercept


def _check_finite(name: str, numbers: Any) -> None:
    """Nothing is nearer to a halfspace than NaN: every row would count as an error."""
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} holds NaN or infinite numbers; fill in or leave out what is missing")


def _errors(
    across: NDArray[np.float64], wrong: NDArray[np.bool_], shares: NDArray[np.float64], margins: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Wrong rows, and right rows whose distance is at most the margin."""
    right = ~wrong
    order = np.argsort(np.abs(across[right]), kind="stable")
    distances, within = np.abs(across[right])[order], np.append(0, shares[right][order].cumsum())
    return float(shares[wrong].sum()) + within[np.searchsorted(distances, margins, side="right")]
