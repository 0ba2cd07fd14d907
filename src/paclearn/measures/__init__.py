"""Laws of the inputs, from counts: what a basis is orthonormal under."""

from paclearn.measures.families import ProductMeasure, TreeMeasure, UniformMeasure, mutual_information
from paclearn.measures.known_structures import ChainMeasure, GraphMeasure, GridMeasure, GroupMeasure
from paclearn.measures.level_measure import LevelMeasure
from paclearn.measures.level_network import LevelNetwork
from paclearn.measures.measure import Measure
from paclearn.measures.network import Network
from paclearn.measures.pgm import from_pgmpy
from paclearn.measures.structure import best_measure

__all__ = [
    "ChainMeasure",
    "GraphMeasure",
    "GridMeasure",
    "GroupMeasure",
    "LevelMeasure",
    "LevelNetwork",
    "Measure",
    "Network",
    "ProductMeasure",
    "TreeMeasure",
    "UniformMeasure",
    "best_measure",
    "from_pgmpy",
    "mutual_information",
]
