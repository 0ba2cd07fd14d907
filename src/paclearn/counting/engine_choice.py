"""Which engine counts a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from joblib import effective_n_jobs

from paclearn._parameters import check_jobs
from paclearn.counting.bits import BitTable, CodeTable
from paclearn.counting.engines import NativeEngine, NumpyEngine
from paclearn.counting.gpu_engine import GpuEngine, wants_card
from paclearn.kernels import dispatch as native

if TYPE_CHECKING:
    from paclearn.counting.engines import Engine

__all__ = ["engine_for", "local_engine"]


class Elsewhere(Protocol):
    """What is counted on other machines."""

    def engine(self) -> Engine:
        """What counts it there."""
        ...


def engine_for(table: BitTable | CodeTable | Elsewhere, n_jobs: int | None = None) -> Engine:
    """The fastest engine there is for a table; ``n_jobs`` as in scikit-learn (None is one thread, -1 all cores).

    Parameters
    ----------
    table : BitTable or CodeTable
        What to count.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.
    """
    check_jobs(n_jobs)
    return local_engine(table, n_jobs) if isinstance(table, BitTable | CodeTable) else table.engine()


def local_engine(table: BitTable | CodeTable, n_jobs: int | None) -> Engine:
    """The fastest engine of this machine."""
    n_threads = effective_n_jobs(n_jobs)
    if not native.available():
        return NumpyEngine(table, n_threads)
    return (GpuEngine if wants_card(table) else NativeEngine)(table, n_threads)
