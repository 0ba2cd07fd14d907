# The compiled core, as the native.py of each system calls it.
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
def walk(
    gram: NDArray[np.float64],
    before: NDArray[np.float64],
    targets: NDArray[np.float64],
    counts: NDArray[np.float64],
    radius: NDArray[np.float64],
    rate: NDArray[np.float64],
    norm: NDArray[np.float64],
    shrink: NDArray[np.float64],
    weight: NDArray[np.float64],
    changes: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None: ...
def expand(
    base: NDArray[np.float64],
    slope: float,
    offset: float,
    coefficients: NDArray[np.float64],
    out: NDArray[np.float64],
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

def fill_histogram(
    codes: NDArray[np.uint8],
    starts: NDArray[np.int64],
    rows: NDArray[np.int32],
    weights: NDArray[np.float64],
    sums: NDArray[np.float64],
    histogram: NDArray[np.float64],
) -> None: ...
def best_split(
    histogram: NDArray[np.float64],
    columns: NDArray[np.int64],
    tried: NDArray[np.int32],
    weight: float,
    sum: float,  # noqa: A002
    least_weight: float,
) -> tuple[float, int, int, bool]: ...
def partition_rows(
    codes: NDArray[np.uint8],
    low: NDArray[np.uint8],
    rows: NDArray[np.int32],
    sorted: NDArray[np.int32],  # noqa: A002
) -> int: ...
def route_rows(
    codes: NDArray[np.uint8],
    column: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    tables: NDArray[np.uint8],
    leaf: NDArray[np.int32],
) -> None: ...
