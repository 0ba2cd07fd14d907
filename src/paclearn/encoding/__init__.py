"""A table becomes codes, and codes become named bits."""

from paclearn.encoding.domain import BinColumn, Bit, Column, Domain, LevelColumn
from paclearn.encoding.encoder import BooleanEncoder
from paclearn.encoding.learning import EncodingRules, learn_and_encode, learn_column, learn_cuts, learn_domain

__all__ = [
    "BinColumn",
    "Bit",
    "BooleanEncoder",
    "Column",
    "Domain",
    "EncodingRules",
    "LevelColumn",
    "learn_and_encode",
    "learn_column",
    "learn_cuts",
    "learn_domain",
]
