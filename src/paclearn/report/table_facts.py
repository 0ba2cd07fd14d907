"""What a table is, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.tables.raw import Labels, Numbers, SmallIntegers, format_number, read_column

if TYPE_CHECKING:
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["describe_columns"]

_EXAMPLES = 4


def describe_columns(table: Table) -> list[dict[str, Any]]:
    """Kind, distinct values, missing values and the most frequent levels or the range of every column."""
    described = []
    with progress("describing columns", len(table.names)) as advance:
        for position, name in enumerate(table.names):
            described.append(_describe(name, read_column(table, position)))
            advance(1)
    return described


def _describe(name: str, raw: RawColumn) -> dict[str, Any]:
    facts = _describe_labels(raw) if isinstance(raw, Labels) else _describe_numbers(raw)
    facts["missing_share"] = facts["missing"] / max(1, len(raw))
    return {"name": name, **facts}


def _describe_numbers(raw: Numbers | SmallIntegers) -> dict[str, Any]:
    present = raw.values[~np.isnan(raw.values)]
    values = np.unique(present)
    quartiles = np.quantile(present, [0, 0.25, 0.5, 0.75, 1]).tolist() if len(present) else []
    summary = " | ".join(format_number(float(f"{q:.6g}")) for q in quartiles)
    return {"kind": "numbers", "distinct": len(values), "missing": len(raw) - len(present), "summary": summary}


def _describe_labels(raw: Labels) -> dict[str, Any]:
    counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.labels))
    top = np.argsort(-counts, kind="stable")[:_EXAMPLES]
    examples = [f"{raw.labels[i]} {100 * counts[i] / max(1, len(raw)):.0f} %" for i in top if counts[i]]
    more = int((counts > 0).sum()) - len(examples)
    summary = ", ".join(examples) + (f", {more} more" if more > 0 else "")
    return {
        "kind": "levels",
        "distinct": int((counts > 0).sum()),
        "missing": int((raw.codes < 0).sum()),
        "summary": summary,
    }
