"""The unit ball in which a fitted classifier competes with halfspaces: not that of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from paclearn.encoding.coordinates import NumberColumn, coordinate_names, vectors_of
from paclearn.exceptions import InputError
from paclearn.learners.halfspaces.halfspace_classifier import HalfspaceClassifier
from paclearn.models.kernel_functions import Linear

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.models.kernel_model import KernelModel

__all__ = ["OwnCoordinates"]


@dataclass(frozen=True, eq=False)
class OwnCoordinates:
    """``[z / R, 1] / sqrt(2)`` of standardised rows z of at most the length R; ``z / R`` without a bias.

    A halfspace is given by a weight for each coordinate of the model before it standardises: a number as it stands in
    the table, or a level that is there or not. Standardising and the coordinate of the bias change how far rows lie
    from it, and so its margin error.
    """

    model: KernelModel

    @classmethod
    def of(cls, classifier: object) -> OwnCoordinates:
        """Those of a fitted `HalfspaceClassifier`."""
        if not isinstance(classifier, HalfspaceClassifier):
            raise InputError(f"model must be a fitted HalfspaceClassifier; found {type(classifier).__name__}")
        check_is_fitted(classifier)
        base = classifier.model_.kernel.base
        if not isinstance(base, Linear):
            raise InputError(
                f"the halfspaces of a {base.name} kernel have no coordinates to be given in; kernel='linear' has"
            )
        return cls(classifier.model_)

    @property
    def nu(self) -> float:
        return self.model.kernel.nu

    def distances(self, normal: NDArray[np.float64], intercept: float, X: Any) -> NDArray[np.float64]:
        """Of rows of a table from a halfspace, with the sign of the side."""
        codes = self.model.encode(self.model.table(X))
        rows = vectors_of(self.model.columns, codes)
        pulled = self.model.kernel.projection(rows)
        rows = rows if pulled is None else rows * pulled[:, None]
        weights, offset = self._standardised(normal, intercept)
        return np.asarray((rows @ weights + offset) * self._shrink(weights, offset))

    def margin(self, normal: NDArray[np.float64], intercept: float, distance: float) -> float:
        """What a distance from a halfspace, in the units of the table, is here."""
        weights, offset = self._standardised(normal, intercept)
        return distance * float(np.linalg.norm(normal)) * self._shrink(weights, offset)

    def _standardised(self, normal: NDArray[np.float64], intercept: float) -> tuple[NDArray[np.float64], float]:
        """The same halfspace in standardised rows."""
        names = self.model.coordinate_names
        if len(normal) != len(names):
            raise InputError(
                f"the halfspace has {len(normal)} coordinates, and the model has {len(names)}: {', '.join(names[:10])}"
                f"{', ...' if len(names) > 10 else ''}; give a weight for each"
            )
        centres, scales = self._units
        return normal * scales, intercept + float(normal @ centres)

    @property
    def _units(self) -> NDArray[np.float64]:
        """The centre and the scale of every coordinate."""
        pairs = [
            (column.centre, column.scale) if isinstance(column, NumberColumn) and place == 0 else (0.0, 1.0)
            for column in self.model.columns
            for place in range(len(coordinate_names(column)))
        ]
        return np.array(pairs).T

    def _shrink(self, weights: NDArray[np.float64], offset: float) -> float:
        """From values of a linear function to distances in the ball."""
        kernel = self.model.kernel
        length = float(np.sqrt(kernel.scale))
        if kernel.bias:
            return 1 / (np.sqrt(2) * float(np.hypot(length * np.linalg.norm(weights), offset)))
        if abs(offset) > 1e-9 * length * float(np.linalg.norm(weights)):
            raise InputError(
                f"with bias=False all halfspaces go through the origin of the model, and this one is {offset:g} there"
            )
        return 1 / (length * float(np.linalg.norm(weights)))
