# The compiled core, as counting/native.py calls it.
from typing import Any

import numpy as np
from numpy.typing import NDArray

def instruction_set() -> str: ...
def pack_by_squeezing(
    codes: NDArray[np.uint8],
    class_masks: NDArray[np.uint64],
    class_starts: NDArray[np.int64],
    class_rows: NDArray[np.int64],
    planes: NDArray[np.uint64],
) -> bool: ...
def pack_rows(
    codes: NDArray[np.uint8],
    sizes: NDArray[np.int64],
    class_masks: NDArray[np.uint64],
    class_starts: NDArray[np.int64],
    class_rows: NDArray[np.int64],
    planes: NDArray[np.uint64],
) -> bool: ...
def sort_planes(
    unsorted: NDArray[np.uint64],
    n_rows: int,
    class_masks: NDArray[np.uint64],
    class_starts: NDArray[np.int64],
    class_rows: NDArray[np.int64],
    planes: NDArray[np.uint64],
) -> bool: ...
def pack_codes(
    codes: NDArray[Any],
    order: NDArray[np.int64],
    class_starts: NDArray[np.int64],
    class_rows: NDArray[np.int64],
    planes: NDArray[np.uint64],
) -> None: ...
def count_cells(
    words: NDArray[np.uint64],
    first_plane: NDArray[np.int64],
    sizes: NDArray[np.int64],
    valid: NDArray[np.uint64],
    class_starts: NDArray[np.int64],
    class_rows: NDArray[np.int64],
    subsets: NDArray[np.int32],
    counts: NDArray[np.int64],
    n_threads: int,
) -> None: ...
def sum_cells(
    codes: NDArray[Any],
    sizes: NDArray[np.int64],
    row_class: NDArray[np.int32],
    n_classes: int,
    values: NDArray[np.float64],
    subsets: NDArray[np.int32],
    sums: NDArray[np.float64],
    n_threads: int,
) -> None: ...

class Scanner:
    def __init__(
        self,
        words: NDArray[np.uint64],
        valid: NDArray[np.uint64],
        class_starts: NDArray[np.int64],
        class_rows: NDArray[np.int64],
        sizes: NDArray[np.int64],
        inverse: NDArray[np.float64],
        kind: int,
        scale: float,
    ) -> None: ...
    def scan(
        self,
        begin: int,
        end: int,
        floor: float,
        n_threads: int,
        subsets: NDArray[np.int32],
        scores: NDArray[np.float64],
    ) -> int: ...
