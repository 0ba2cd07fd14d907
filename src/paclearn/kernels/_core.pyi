# The compiled core: what numpy does beside it, by the same names and with the same arguments, and scans.
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paclearn.kernels.numpy_conjunctions import ConjunctionScan as ConjunctionScan
from paclearn.kernels.numpy_counting import Packer as Packer
from paclearn.kernels.numpy_counting import count_cells as count_cells
from paclearn.kernels.numpy_counting import sum_cells as sum_cells
from paclearn.kernels.numpy_counting import sum_pairs as sum_pairs
from paclearn.kernels.numpy_graphs import best_split as best_split
from paclearn.kernels.numpy_graphs import fill_histogram as fill_histogram
from paclearn.kernels.numpy_graphs import partition_rows as partition_rows
from paclearn.kernels.numpy_graphs import route_rows as route_rows
from paclearn.kernels.numpy_halfspaces import expand as expand
from paclearn.kernels.numpy_halfspaces import walk as walk

Integers: TypeAlias = NDArray[np.int64]
Kind: TypeAlias = Literal["empirical", "product", "l2"]

def instruction_set() -> str: ...

class Scan:
    def __init__(
        self,
        words: NDArray[np.uint64],
        sizes: Integers,
        class_starts: Integers,
        class_rows: Integers,
        kind: Kind,
        scale: float,
        inverse: NDArray[np.float64] | None,
        n_threads: int,
    ) -> None: ...
    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = ..., pair_bytes: int = ...
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...

class SumScan:
    def __init__(
        self,
        words: NDArray[np.uint64],
        sizes: Integers,
        class_starts: Integers,
        class_rows: Integers,
        numbers: NDArray[np.int32],
        steps: NDArray[np.float64],
        errors: NDArray[np.float64],
        own: float,
        peak: float,
        codes: NDArray[np.unsignedinteger[Any]],
        row_class: NDArray[np.int32],
        values: NDArray[np.float64],
        kind: str,
        scale: float,
        n_threads: int,
    ) -> None: ...
    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = ..., pair_bytes: int = ...
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
    def scores(self, subsets: NDArray[np.int32]) -> NDArray[np.float64]: ...
