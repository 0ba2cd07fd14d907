"""Text files with a row a line: laid out by `text_layout`, read by pyarrow, typed by `text_values`."""

from __future__ import annotations

import codecs
import csv
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.exceptions import TableFileError
from paclearn.tables.dialect import ColumnFormat, Dialect, Reading
from paclearn.tables.drawn_tables import without_drawing
from paclearn.tables.letters import SLIPS, letters_of
from paclearn.tables.memory import allowed_bytes
from paclearn.tables.quoting import in_usual_quotes
from paclearn.tables.table import check_unique_names
from paclearn.tables.text_layout import find_layout
from paclearn.tables.text_values import Hints, decide_all, decimal_of, has_commas, is_code, tidy_levels, trimmed, typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from paclearn.tables.dialect import FileOptions
    from paclearn.tables.text_layout import Layout

__all__ = ["STANDARD", "large_text", "read_csv", "read_csv_batches", "read_large_csv"]

STANDARD = "-"
_SAMPLE = 2**20  # bytes, of the beginning, the middle and the end each
_BATCH = 2**24
_MOST_ABOVE = 50
_LARGE = 2**30


def read_csv(path: Path, wanted: FileOptions) -> tuple[Any, Reading]:
    """A whole file as an Arrow table, and how it was read."""
    text, encoding, layout = _opened(path)
    try:
        found = _read(text, _checked(layout, path), encoding, wanted)
    except _OtherLettersError:
        text, encoding, layout = _opened(path, whole=True)
        found = _read(text, _checked(layout, path), encoding, wanted)
    table, how = found
    empty = [name for name in layout.nameless if table[name].null_count == table.num_rows]
    return table.drop_columns(empty), how


def _opened(path: Path, delimiter: str | None = None, *, whole: bool = False) -> tuple[Any, str, Layout]:
    """The text of a file as pyarrow reads it, how its letters were stored, and where the table is."""
    letters = letters_of(path, whole=whole)
    plain, drawn = without_drawing(letters.text)
    text, said = in_usual_quotes(plain)
    layout = find_layout(text, path, delimiter)
    return text, letters.encoding, replace(layout, notes_of_text=(*letters.notes, *drawn, *said))


class _OtherLettersError(Exception):
    """Somewhere far down there are letters that are not UTF-8."""


def _checked(layout: Layout, path: Path) -> Layout:
    if len(layout.names) < 2:
        raise TableFileError(
            f"{path} has one column only ({layout.names[0][:60]!r}); is it a table with a header and commas, "
            "semicolons, tabs or bars between cells?"
        )
    return layout


def _read(text: Any, layout: Layout, encoding: str, wanted: FileOptions) -> tuple[Any, Reading]:
    arrow = need("pyarrow", "io", "reading CSV")
    if layout.header_end >= layout.stop:
        nothing = arrow.table({name: arrow.nulls(0) for name in layout.names})
        return nothing, Reading("no rows")
    dialect = _decided(text, layout, encoding, wanted.missing)
    types = {fmt.name: arrow.string() for fmt in dialect.formats}
    body = text.slice(layout.header_end, layout.stop - layout.header_end)
    table = _parsed(body, layout, wanted.missing, types, dialect.decimal)
    if any(arrow.types.is_binary(field.type) for field in table.schema):
        raise _OtherLettersError
    european = dialect.decimal == "," or layout.delimiter == ";"
    hints = Hints(dialect.decimal, wanted.day_first if wanted.day_first is not None or not european else True)
    table, blank = trimmed(table, wanted.missing)
    zoned = [field.name for field in table.schema if arrow.types.is_timestamp(field.type) and field.type.tz]
    table, dialect = decide_all(table, dialect, hints)
    return table, Reading(dialect.layout, dialect, (*layout.notes, *_blanks(blank, dialect), *_zones(zoned)))


def _blanks(columns: Sequence[str], dialect: Dialect) -> list[str]:
    """What was done to words that have blanks around them; of numbers and dates it goes without saying."""
    words = [name for name in columns if (fmt := dialect.format_of(name)) is None or fmt.kind == "text"]
    shown = ", ".join(map(repr, words[:3])) + (" and others" if len(words) > 3 else "")
    return [f"blanks around the words of {shown} taken off"] if words else []


def _zones(columns: Sequence[str]) -> list[str]:
    """Where moments have a time zone, hours are those of one place."""
    shown = ", ".join(map(repr, columns[:3])) + (" and others" if len(columns) > 3 else "")
    return [f"moments of {shown} in UTC"] if columns else []


def _decided(text: Any, layout: Layout, encoding: str, missing: Sequence[str]) -> Dialect:
    """Codes and the decimal mark, by a sample read as words: as numbers they would be gone."""
    arrow = need("pyarrow", "io", "reading CSV")
    words = dict.fromkeys(layout.names, arrow.string())
    sample = _parsed(_sample(text, layout), layout, missing, words, ".")
    columns = [column for column in sample.columns if arrow.types.is_string(column.type)]
    decimal = decimal_of(columns) or ("," if layout.delimiter == ";" and has_commas(columns) else ".")
    codes = ((name, is_code(sample[name])) for name in layout.names if arrow.types.is_string(sample[name].type))
    formats = tuple(ColumnFormat(name, "text", like=code) for name, code in codes if code is not None)
    return Dialect(layout.delimiter, decimal, encoding, formats=formats)


def _sample(text: Any, layout: Layout) -> Any:
    """All of a small file; of a large one whole lines of the beginning, the middle and the end."""
    size = layout.stop - layout.header_end
    if size <= 3 * _SAMPLE:
        return text.slice(layout.header_end, size)
    starts = [0] if layout.line_breaks else [0, (size - _SAMPLE) // 2, size - _SAMPLE]
    pieces = [text.slice(layout.header_end + start, _SAMPLE).to_pybytes() for start in starts]
    cut = [piece[piece.find(b"\n") + 1 if i else 0 : piece.rfind(b"\n") + 1] for i, piece in enumerate(pieces)]
    return need("pyarrow", "io", "reading CSV").py_buffer(b"".join(cut))


def _parsed(body: Any, layout: Layout, missing: Sequence[str], types: Mapping[str, Any], decimal: str) -> Any:
    """By pyarrow; once more with line breaks in cells allowed, which takes longer, where it fails without."""
    arrow, arrow_csv = need("pyarrow", "io", "reading CSV"), need("pyarrow.csv", "io", "reading CSV")

    def attempt(line_breaks: bool) -> Any:
        options = _options(layout.delimiter, missing, types, decimal, line_breaks=line_breaks)
        read = arrow_csv.ReadOptions(column_names=list(layout.names))
        return arrow_csv.read_csv(arrow.BufferReader(body), read_options=read, **options)

    try:
        return attempt(layout.line_breaks)
    except arrow.ArrowInvalid as first:
        if "UTF8" in str(first):
            raise _OtherLettersError from first
        try:
            return attempt(line_breaks=True)
        except arrow.ArrowInvalid:
            raise first from None


def _options(
    delimiter: str, missing: Sequence[str], types: Mapping[str, Any], decimal: str, *, line_breaks: bool
) -> dict[str, Any]:
    arrow_csv = need("pyarrow.csv", "io", "reading CSV")
    convert = arrow_csv.ConvertOptions(
        null_values=list(missing), strings_can_be_null=True, column_types=dict(types), decimal_point=decimal
    )
    parse = arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=line_breaks)
    return {"convert_options": convert, "parse_options": parse}


# ---- larger than memory ----------------------------------------------------------------------------------------------


def large_text() -> int:
    """Bytes of text from which on a file is read in blocks, and what its columns hold is decided by a part of it."""
    return min(_LARGE, allowed_bytes() // 8)


def read_large_csv(path: Path, wanted: FileOptions) -> tuple[Iterator[Any], Reading]:
    """A large file as Arrow tables, some rows each; what its columns hold, its beginning, middle and end decide."""
    arrow = need("pyarrow", "io", "reading CSV")
    text, encoding, layout = _opened(path)
    _checked(layout, path)
    some = _sample(text, layout)
    sample, how = _read(some, replace(layout, start=0, header_end=0, stop=some.size), encoding, wanted)
    kinds = {name: _kind_of(sample[name].type, arrow) for name in sample.column_names}
    body = arrow.BufferReader(text.slice(layout.header_end, layout.stop - layout.header_end))
    blocks = _batches(layout.names, body, kinds, wanted.missing, how.dialect)
    return blocks, replace(how, notes=layout.notes)


def _kind_of(found: Any, arrow: Any) -> str:
    if arrow.types.is_boolean(found):
        return "flag"
    if arrow.types.is_temporal(found):
        return "date"
    return "number" if arrow.types.is_integer(found) or arrow.types.is_floating(found) else "text"


# ---- some rows at a time ---------------------------------------------------------------------------------------------


def read_csv_batches(
    path: Path, kinds: Mapping[str, str], missing: Sequence[str], known: Dialect | None
) -> Iterator[Any]:
    """Rows of a file, or of a pipe, as the file of the fit was read."""
    dialect = known or Dialect(delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    if str(path) == STANDARD:
        names, body = _of_pipe(dialect, set(kinds))
    else:
        layout, body = _of_file(path, kinds, known)
        dialect, names = replace(dialect, delimiter=layout.delimiter), layout.names
    check_unique_names(names)
    if body is not None:
        yield from _batches(names, body, kinds, missing, dialect)


def _of_file(path: Path, kinds: Mapping[str, str], known: Dialect | None) -> tuple[Layout, Any]:
    """The layout by what is known, if that finds the columns; otherwise by what the file looks like."""
    arrow = need("pyarrow", "io", "reading CSV")
    text, _, layout = _opened(path, None if known is None else known.delimiter)
    if not set(kinds) <= set(layout.names):
        layout = find_layout(text, path)
    size = layout.stop - layout.header_end
    return layout, arrow.BufferReader(text.slice(layout.header_end, size)) if size > 0 else None


def _of_pipe(dialect: Dialect, wanted: set[str]) -> tuple[tuple[str, ...], Any]:
    """Comments and blank lines up to the header."""
    source: Any = sys.stdin.buffer
    if dialect.encoding not in {"utf-8", SLIPS}:
        source = codecs.EncodedFile(source, "utf-8", dialect.encoding)
    for _ in range(_MOST_ABOVE):
        line = source.readline().decode("utf-8-sig")
        names = tuple(name.strip() for cells in csv.reader([line], delimiter=dialect.delimiter) for name in cells)
        if names and (wanted <= set(names) or not _is_above(line)):
            return names, source
    raise TableFileError("- is empty")


def _is_above(line: str) -> bool:
    return line.startswith("#") or not line.strip()


def _batches(
    names: Sequence[str], body: Any, kinds: Mapping[str, str], missing: Sequence[str], dialect: Dialect
) -> Iterator[Any]:
    arrow, arrow_csv = need("pyarrow", "io", "reading CSV"), need("pyarrow.csv", "io", "reading CSV")
    formats = {name: _format(name, kinds.get(name, "text"), dialect) for name in names}
    known = {"number": arrow.float64(), "flag": arrow.bool_()}
    types = {n: arrow.string() if formats[n] else known.get(kinds.get(n, "text"), arrow.string()) for n in names}
    read = arrow_csv.ReadOptions(column_names=list(names), block_size=_BATCH)
    try:
        reader = arrow_csv.open_csv(
            body, read_options=read, **_options(dialect.delimiter, missing, types, dialect.decimal, line_breaks=True)
        )
    except arrow.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            return
        raise
    for batch in reader:
        table = arrow.Table.from_batches([batch])
        found = {n: table[n] if fmt is None else typed(table[n], fmt) for n, fmt in formats.items()}
        words, _ = trimmed(arrow.table(found), missing)
        yield tidy_levels(words, kinds) if dialect.tidy else words


def _format(name: str, kind: str, dialect: Dialect) -> ColumnFormat | None:
    """How a column is to be read; only what the model reads is more than text."""
    known = dialect.format_of(name)
    if known is not None and (known.odd or known.kind != "text") and kind in {"number", "date", "text"}:
        return known
    if kind not in {"number", "date"}:
        return None
    return ColumnFormat(name, "date", like="2025-01-31") if kind == "date" else None
