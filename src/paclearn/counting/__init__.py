"""The only place that touches rows: bits become counts, and counts add up."""

from paclearn.counting.bits import BitTable, CodeTable, bit_codes
from paclearn.counting.counts import Counts, cells_of
from paclearn.counting.engines import Engine, NativeEngine, NumpyEngine, ShardedEngine, engine_for

__all__ = [
    "BitTable",
    "CodeTable",
    "Counts",
    "Engine",
    "NativeEngine",
    "NumpyEngine",
    "ShardedEngine",
    "bit_codes",
    "cells_of",
    "engine_for",
]
