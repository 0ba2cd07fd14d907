"""A table becomes a domain and codes: column by column, or, where it comes in blocks of rows, block by block."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from paclearn.encoding.block_passes import FileBlocks, encode_blocks, learn_blocks
from paclearn.encoding.code_matrix import learn_code_matrix
from paclearn.encoding.column_pass import learn_each
from paclearn.encoding.domain import Domain
from paclearn.encoding.learning import learn_column
from paclearn.encoding.remote_columns import RemoteBlocks, RemoteColumns
from paclearn.tables.blocks import comes_in_blocks
from paclearn.tables.remote import RemoteTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paclearn.encoding.learning import EncodingRules
    from paclearn.tables.table import Table

__all__ = ["learn_and_encode", "learn_domain"]


def learn_domain(table: Table, rules: EncodingRules, weights: NDArray[np.float64] | None = None) -> Domain:
    """The domain of a table."""
    return learn_and_encode(table, rules, weights, keep_codes=False)[0]


def learn_and_encode(
    table: Table, rules: EncodingRules, weights: NDArray[np.float64] | None = None, *, keep_codes: bool = True
) -> tuple[Domain, Sequence[NDArray[np.unsignedinteger[Any]]] | NDArray[np.unsignedinteger[Any]]]:
    """The domain and the codes; columns are read once and let go, blocks of rows as often as quantiles take."""
    if isinstance(table, RemoteTable):
        domain = learn_blocks(RemoteBlocks(table), rules)
        return domain, RemoteColumns.of(table, domain)
    if (weights is None or weights.all()) and comes_in_blocks(table):
        domain = learn_blocks(FileBlocks(table, weights), rules)
        return domain, encode_blocks(domain.columns, table) if keep_codes else []
    if weights is None:
        most_levels = min(rules.n_bins, rules.max_levels)
        whole = learn_code_matrix(table, most_levels, rules.fewest_rows(table.n_rows))
        if whole is not None:
            return whole
    found = learn_each(table, partial(learn_column, rules=rules, weights=weights), keep_codes=keep_codes)
    found.refuse_none(table.n_rows)
    return Domain(tuple(found.columns), tuple(found.dropped)), found.codes
