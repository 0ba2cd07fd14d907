"""The only place that touches rows: bits become counts, and counts add up."""

from paclearn.counting.bits import BitTable, CodeTable, bit_codes
from paclearn.counting.counts import Counts, cells_of
from paclearn.counting.engines import Engine, Fused, NativeEngine, NumpyEngine, ShardedEngine, engine_for

__all__ = [
    "BitTable",
    "CodeTable",
    "Counts",
    "Engine",
    "Fused",
    "NativeEngine",
    "NumpyEngine",
    "ShardedEngine",
    "bit_codes",
    "cells_of",
    "engine_for",
]
