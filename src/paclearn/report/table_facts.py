"""What a table is, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paclearn._progress import progress
from paclearn.tables.raw import Dates, Labels, Numbers, SmallIntegers, format_number, read_any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.report.facts import ColumnFacts
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["describe_columns"]

_EXAMPLES, _BARS = 4, 10


def describe_columns(table: Table) -> list[ColumnFacts]:
    """Kind, distinct values, missing values and the most frequent levels or the range of every column."""
    described = []
    with progress("describing columns", len(table.names)) as advance:
        for position, name in enumerate(table.names):
            described.append(_describe(name, read_any(table, position)))
            advance(1)
    return described


def _describe(name: str, raw: RawColumn | Dates) -> ColumnFacts:
    missing = int(raw.missing.sum())
    kind: Literal["levels", "numbers", "dates"] = "levels" if isinstance(raw, Labels) else "numbers"
    if isinstance(raw, Dates):
        kind, (distinct, summary) = "dates", _range(raw)
    else:
        distinct, summary = _levels(raw) if isinstance(raw, Labels) else _quartiles(raw)
    return {
        "name": name,
        "kind": kind,
        "distinct": distinct,
        "missing": missing,
        "summary": summary,
        "heights": _heights(raw),
        "missing_share": missing / max(1, len(raw)),
    }


def _heights(raw: RawColumn | Dates) -> list[float]:
    """How many rows each of ten parts of the range has, or each of the most frequent levels."""
    rows: NDArray[Any]
    if isinstance(raw, Labels):
        rows = np.sort(np.bincount(raw.codes[raw.codes >= 0], minlength=1))[::-1][:_BARS]
    else:
        present = raw.values[~raw.missing].astype(np.float64)
        rows = _in_parts(present) if len(present) else np.zeros(1)
    return [float(f"{height:.3g}") for height in rows / max(1, rows.max())]


def _in_parts(present: NDArray[np.float64]) -> NDArray[Any]:
    """Of numbers that may be so large that their range is beyond all floats, or the same number again and again."""
    scaled = present / max(1.0, float(np.abs(present).max()))
    low, width = scaled.min(), np.ptp(scaled)
    place = ((scaled - low) / width * _BARS).astype(np.intp) if width > 0 else np.zeros(len(scaled), dtype=np.intp)
    return np.bincount(np.minimum(place, _BARS - 1), minlength=_BARS if width > 0 else 1)


def _quartiles(raw: Numbers | SmallIntegers) -> tuple[int, str]:
    """How many different numbers there are, and their range in quarters."""
    present = raw.values[~np.isnan(raw.values)]
    quartiles = np.quantile(present, [0, 0.25, 0.5, 0.75, 1]).tolist() if len(present) else []
    return len(np.unique(present)), " | ".join(format_number(float(f"{q:.6g}")) for q in quartiles)


def _range(raw: Dates) -> tuple[int, str]:
    """How many different dates there are, and the range of their days in quarters."""
    present = np.sort(raw.values[~raw.missing])
    places = np.linspace(0, max(0, len(present) - 1), 5).astype(np.intp)
    quarters = present[places].astype("datetime64[D]") if len(present) else present
    return len(np.unique(present)), " | ".join(map(str, quarters))


def _levels(raw: Labels) -> tuple[int, str]:
    """How many levels there are, and the most frequent ones."""
    counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.labels))
    top = np.argsort(-counts, kind="stable")[:_EXAMPLES]
    examples = [f"{raw.labels[i]} {100 * counts[i] / max(1, len(raw)):.0f} %" for i in top if counts[i]]
    distinct = int((counts > 0).sum())
    more = distinct - len(examples)
    return distinct, ", ".join(examples) + (f", {more} more" if more > 0 else "")
