"""Laws of the inputs, from counts: what a basis is orthonormal under."""

from paclearn.measures.measures import (
    ChainMeasure,
    GraphMeasure,
    GridMeasure,
    GroupMeasure,
    Measure,
    ProductMeasure,
    TreeMeasure,
    UniformMeasure,
    mutual_information,
)
from paclearn.measures.network import Network
from paclearn.measures.structure import best_measure

__all__ = [
    "ChainMeasure",
    "GraphMeasure",
    "GridMeasure",
    "GroupMeasure",
    "Measure",
    "Network",
    "ProductMeasure",
    "TreeMeasure",
    "UniformMeasure",
    "best_measure",
    "mutual_information",
]
