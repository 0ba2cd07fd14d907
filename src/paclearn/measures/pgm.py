"""Networks that were learned elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn.exceptions import InputError
from paclearn.measures.factored_law import topological_order
from paclearn.measures.level_network import LevelNetwork
from paclearn.measures.network import Network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["from_pgmpy"]


class BayesianNetwork(Protocol):
    """What is asked of pgmpy's networks."""

    def get_cpds(self, node: str) -> Any:
        """The conditional law of a variable."""
        ...


def from_pgmpy(model: BayesianNetwork, names: Sequence[str]) -> Network | LevelNetwork:
    """The network of a pgmpy model.

    Parameters
    ----------
    model : pgmpy.models.DiscreteBayesianNetwork
        One with its conditional probabilities.
    names : sequence of str
        Its variables, in the order of the bits or columns.

    Returns
    -------
    Network or LevelNetwork
        A law of bits, the second state +1, where all variables have two states: ready for
        `paclearn.spectra.Spectrum`. Otherwise a law of columns with levels, for `paclearn.spectra.LevelSpectrum`.
    """
    number = {name: i for i, name in enumerate(names)}
    if len(number) < len(names):
        raise InputError(f"a variable stands twice among the names {list(names)}")
    parents: list[tuple[int, ...]] = []
    tables: list[NDArray[np.float64]] = []
    for name in names:
        cpd = model.get_cpds(name)
        if cpd is None:
            raise InputError(f"the model has no conditional probabilities for {name!r}")
        unknown = [p for p in cpd.variables[1:] if p not in number]
        if unknown:
            raise InputError(f"{name!r} depends on {unknown[0]!r}, which is not among the names")
        if not (np.asarray(cpd.values) > 0).all():
            raise InputError(
                f"a state of {name!r} has probability 0 given its parents, and no basis exists then; smooth it"
            )
        parents.append(tuple(number[p] for p in cpd.variables[1:]))
        tables.append(np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1))
    order = topological_order(parents, [str(name) for name in names], "variables")
    law = LevelNetwork(tuple(parents), tuple(tables), order)  # which checks its probabilities
    if set(law.sizes) == {2}:
        return Network(law.parents, tuple(table[..., 1] for table in tables), order)
    return law
