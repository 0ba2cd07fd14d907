"""A table becomes codes, and codes become named bits."""

from paclearn.encoding.bins import MOST_BINS, BinnedTable, encode_columns, learn_bins, n_present
from paclearn.encoding.column_pass import encode_each
from paclearn.encoding.compared_numbers import learn_and_encode_compared
from paclearn.encoding.coordinates import (
    NumberColumn,
    coordinate_names,
    learn_coordinates,
    read_numbers,
    vectors_of,
    with_means,
)
from paclearn.encoding.distinct import DistinctRows, distinct_signs
from paclearn.encoding.domain import BinColumn, Bit, Column, Domain, LevelColumn, without_repeats
from paclearn.encoding.encoder import BooleanEncoder
from paclearn.encoding.folds import Draws, Split, splits
from paclearn.encoding.learning import EncodingRules, learn_column
from paclearn.encoding.table_codes import learn_and_encode

__all__ = [
    "MOST_BINS",
    "BinColumn",
    "BinnedTable",
    "Bit",
    "BooleanEncoder",
    "Column",
    "DistinctRows",
    "Domain",
    "Draws",
    "EncodingRules",
    "LevelColumn",
    "NumberColumn",
    "Split",
    "coordinate_names",
    "distinct_signs",
    "encode_columns",
    "encode_each",
    "learn_and_encode",
    "learn_and_encode_compared",
    "learn_bins",
    "learn_column",
    "learn_coordinates",
    "n_present",
    "read_numbers",
    "splits",
    "vectors_of",
    "with_means",
    "without_repeats",
]
