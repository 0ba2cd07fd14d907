"""A table becomes codes, and codes become named bits."""

from paclearn.encoding.domain import BinColumn, Bit, Column, Domain, LevelColumn
from paclearn.encoding.encoder import BooleanEncoder
from paclearn.encoding.learning import EncodingRules, learn_and_encode, learn_column, learn_cuts, learn_domain
from paclearn.tables.raw import read_column
from paclearn.tables.target import MOST_CLASSES, TargetColumn, read_target_column

__all__ = [
    "MOST_CLASSES",
    "BinColumn",
    "Bit",
    "BooleanEncoder",
    "Column",
    "Domain",
    "EncodingRules",
    "LevelColumn",
    "TargetColumn",
    "learn_and_encode",
    "learn_column",
    "learn_cuts",
    "learn_domain",
    "read_column",
    "read_target_column",
]
