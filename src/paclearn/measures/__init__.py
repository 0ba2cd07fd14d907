"""Laws of the inputs, from counts: what a basis is orthonormal under."""

from paclearn.measures.measures import (
    ChainMeasure,
    GraphMeasure,
    Measure,
    ProductMeasure,
    TreeMeasure,
    UniformMeasure,
    mutual_information,
)
from paclearn.measures.network import Network

__all__ = [
    "ChainMeasure",
    "GraphMeasure",
    "Measure",
    "Network",
    "ProductMeasure",
    "TreeMeasure",
    "UniformMeasure",
    "mutual_information",
]
