"""Networks that were learned elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn.exceptions import InputError
from paclearn.measures.network import Network, topological_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["from_pgmpy"]


class BayesianNetwork(Protocol):
    """What is asked of pgmpy's networks."""

    def get_cpds(self, node: str) -> Any:
        """The conditional law of a variable."""
        ...


def from_pgmpy(model: BayesianNetwork, names: Sequence[str]) -> Network:
    """The network of a pgmpy model whose variables have two states each; the second state becomes +1.

    Parameters
    ----------
    model : pgmpy.models.DiscreteBayesianNetwork
        One with its conditional probabilities.
    names : sequence of str
        Its variables, in the order of the bits.

    Returns
    -------
    Network
        Ready for `paclearn.spectra.Spectrum`.
    """
    number = {name: i for i, name in enumerate(names)}
    parents: list[tuple[int, ...]] = []
    tables: list[NDArray[np.float64]] = []
    for name in names:
        cpd = model.get_cpds(name)
        if cpd is None:
            raise InputError(f"the model has no conditional probabilities for {name!r}")
        values = np.asarray(cpd.values, dtype=np.float64)
        if set(values.shape) != {2}:
            raise InputError(f"{name!r} or one of its parents has other than two states: {values.shape}")
        parents.append(tuple(number[p] for p in cpd.variables[1:]))
        tables.append(np.asarray(values[1]))
    return Network(tuple(parents), tuple(tables), topological_order(parents))
