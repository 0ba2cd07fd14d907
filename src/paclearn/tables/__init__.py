"""One door in: frames, arrays and files become tables; targets and weights."""

from paclearn.tables.batches import batch_writer, read_batches
from paclearn.tables.dialect import missing_words
from paclearn.tables.files import check_writable, open_table, row_blocks, split_target, write_atomically
from paclearn.tables.raw import (
    FLAGS,
    Labels,
    Numbers,
    RawColumn,
    SmallIntegers,
    format_number,
    label_text,
    number_of,
    read_column,
)
from paclearn.tables.table import (
    ArrayTable,
    ColumnSubset,
    KnownColumns,
    NamedColumns,
    RowSubset,
    Table,
    as_table,
    fitted_names,
)
from paclearn.tables.target import (
    Target,
    class_target,
    classes_present,
    numeric_target,
    read_target,
    read_target_column,
)
from paclearn.tables.weights import (
    are_counts,
    countable,
    own_weights,
    row_weights,
    step_of,
    summable,
    weights_of,
)

__all__ = [
    "FLAGS",
    "ArrayTable",
    "ColumnSubset",
    "KnownColumns",
    "Labels",
    "NamedColumns",
    "Numbers",
    "RawColumn",
    "RowSubset",
    "SmallIntegers",
    "Table",
    "Target",
    "are_counts",
    "as_table",
    "batch_writer",
    "check_writable",
    "class_target",
    "classes_present",
    "countable",
    "fitted_names",
    "format_number",
    "label_text",
    "missing_words",
    "number_of",
    "numeric_target",
    "open_table",
    "own_weights",
    "read_batches",
    "read_column",
    "read_target",
    "read_target_column",
    "row_blocks",
    "row_weights",
    "split_target",
    "step_of",
    "summable",
    "weights_of",
    "write_atomically",
]
