"""The only place that touches rows: bits become counts, and counts add up."""

from paclearn.counting.bits import BitTable, CodeTable
from paclearn.counting.counts import Counts
from paclearn.counting.engine_choice import engine_for
from paclearn.counting.engines import Engine, NativeEngine, NumpyEngine, ShardedEngine

__all__ = [
    "BitTable",
    "CodeTable",
    "Counts",
    "Engine",
    "NativeEngine",
    "NumpyEngine",
    "ShardedEngine",
    "engine_for",
]
