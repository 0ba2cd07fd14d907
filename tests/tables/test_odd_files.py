"""What is said of files that are nearly as the others, and of those that are none."""

import csv
import json
import lzma
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from paclearn.encoding.set_aside import columns_set_aside
from paclearn.exceptions import ColumnError, TableFileError
from paclearn.tables.arrow_tables import table_of_arrow
from paclearn.tables.dialect import ColumnFormat, FileOptions
from paclearn.tables.files import read_file
from paclearn.tables.text_values import typed

ROWS = [(f"{i * 0.5 - 3}", ("red", "blue")[i % 2], ("no", "yes")[i % 3 == 0]) for i in range(40)]


def text(rows=ROWS, header=("a", "colour", "won"), delimiter=","):
    return "".join(delimiter.join(map(str, row)) + "\n" for row in ([header] if header else []) + list(rows))


@pytest.fixture
def line_of(tmp_path):
    """How a text is read, in a line."""

    def read(content, name="t.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return read_file(path, FileOptions())[1].line()

    return read


def test_thin_blanks_are_shown_as_blanks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("fee;ok\n" + "1\u202f234,50;yes\n3,50;no\n" * 20)
    assert "'fee' numbers ('1 234,50')" in read_file(path, FileOptions())[1].line()


def test_a_header_that_is_a_row_is_told(line_of):
    assert "the first line was taken for the header (-3.0, red, yes); add one if it is a row" in line_of(
        text(header=None)
    )
    words = [("red", "yes", "x"), ("blue", "no", "y")] * 20
    assert "the first line was taken for the header" in line_of(text(words, header=None))


@pytest.mark.parametrize(
    "header", [("a", "colour", "won"), ("2024", "2025", "2026"), ("0", "1", "2"), ("a", "red", "b")]
)
def test_names_are_no_row(header, line_of):
    assert line_of(text(header=header)) == "comma-separated, UTF-8"


def test_commas_in_every_row_hide_no_semicolons(line_of):
    """Every row and some lines above have one comma; the header has none."""
    rows = [(a.replace(".", ","), colour, won) for a, colour, won in ROWS]
    said = line_of("Saldo;1.234,50\nZins;1,5\n\n" + text(rows, delimiter=";"))
    assert "semicolon-separated, decimal commas" in said
    assert "2 lines above the header left out" in said


def test_letters_that_make_no_western_words_are_told(line_of):
    rows = [(a, ("красный", "синий")[i % 2], won) for i, (a, _, won) in enumerate(ROWS)]
    remark = "its letters may be others; if words look wrong, save it as UTF-8"
    assert remark in line_of(text(rows, ("a", "цвет", "won")), encoding="cp1251")
    german = [(a, ("Köln", "Düsseldorf")[i % 2], won) for i, (a, _, won) in enumerate(ROWS)]
    assert line_of(text(german), encoding="cp1252") == "comma-separated, Windows-1252"
    assert remark in line_of(text(german), encoding="cp850")  # ü is a byte that Windows does not know


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            [f"{110 + i}/{70 + i}" for i in range(40)],
            "'a' kept as text ('110/70': two numbers in a cell",
        ),
        ([f"{i / 8}k" if i % 2 else f"{i}M" for i in range(40)], "'a' kept as text ('0M')"),
        ([f"<{i}" if i < 5 else f"{i}" for i in range(40)], "'a' kept as text ('<0')"),
    ],
)
def test_text_that_begins_like_numbers_is_named(cells, said, line_of):
    assert said in line_of(text(zip(cells, *list(zip(*ROWS, strict=True))[1:], strict=True)))


def test_few_words_with_digits_are_levels(line_of):
    ages = [("18-24", "25-34", "35-44")[i % 3] for i in range(40)]
    assert line_of(text(zip(ages, *list(zip(*ROWS, strict=True))[1:], strict=True))) == "comma-separated, UTF-8"


def test_days_and_months_are_not_turned_round_within_a_column(line_of):
    """Some rows have days above 12 first and others second: no order fits, and none is guessed."""
    days = [f"{13 + i % 9}/04/2024" if i % 2 else f"04/{13 + i % 9}/2024" for i in range(40)]
    said = line_of(text(zip(days, *list(zip(*ROWS, strict=True))[1:], strict=True)))
    assert "dates" not in said


def test_a_number_of_another_decimal_mark_is_refused_and_not_misread():
    fmt = ColumnFormat("a", "number", like="1,100.5")
    assert typed(pa.array(["1,100.5", "12,34,567"]), fmt).to_pylist() == [1100.5, 1234567.0]
    with pytest.raises(ColumnError, match=r"column 'a' holds '1,5', which is no number like '1,100\.5'"):
        typed(pa.array(["1,100.5", "1,5"]), fmt)


def test_other_gaps_in_the_next_file():
    """What says nothing says so in any file; another word is asked about."""
    fmt = ColumnFormat("a", "number", like="$5", odd=("-",))
    assert typed(pa.array(["$5", "-", "n. a.", "(null)", "Unknown"]), fmt).to_pylist() == [5.0, None, None, None, None]
    with pytest.raises(ColumnError, match="column 'a' holds 'many', which is no number like"):
        typed(pa.array(["$5", "many"]), fmt)


def test_names_are_in_one_line(tmp_path):
    """As sheets with narrow columns have them."""
    (tmp_path / "t.csv").write_text('"Plan\n(today)"," Fee \r\n EUR",left\n' + "a,1,yes\nb,2,no\n" * 9, newline="")
    assert read_file(tmp_path / "t.csv", FileOptions())[0].names == ("Plan (today)", "Fee EUR", "left")


def test_addresses_of_machines_are_no_dates():
    rows = [(f"10.0.{i}.{i + 100}", i) for i in range(40)]
    assert dict(columns_set_aside(table_of_arrow(pa.table(list(zip(*rows, strict=True)), ["ip", "n"])))) == {
        "ip": "an id or key: 40 different ones in 40 rows"
    }


def test_prose_is_no_table_of_fixed_widths(line_of):
    prose = (
        "nothing of it stands\nbelow each other here\nso it is one column\nand is told so now.\nof course it would be\n"
    )
    with pytest.raises(TableFileError, match="has one column only|is not a table"):
        line_of(prose, "t.txt")


# ---- packed and wrapped ----


def zipped(tmp_path, *names):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, text())
    return path


def test_a_zip_file_holds_one_table(tmp_path):
    assert read_file(zipped(tmp_path, "t.csv", "__MACOSX/._t.csv"), FileOptions())[0].n_rows == 40
    with pytest.raises(TableFileError, match="holds 2 files; unpack it, and name the table in it"):
        read_file(zipped(tmp_path, "a.csv", "b.csv"), FileOptions())
    with pytest.raises(TableFileError, match=r"is a workbook, whatever its name says; call it \.xlsx"):
        read_file(zipped(tmp_path, "[Content_Types].xml", "sheet.xml"), FileOptions())


@pytest.mark.parametrize("ending", ["xz", "zip"])
def test_damaged_files_are_told(ending, tmp_path):
    path = tmp_path / f"t.csv.{ending}"
    content = lzma.compress(text().encode()) if ending == "xz" else zipped(tmp_path, "t.csv").read_bytes()
    path.write_bytes(content[:-40])
    with pytest.raises(TableFileError, match=f"is a damaged {ending} file; copy or download it again"):
        read_file(path, FileOptions())


@pytest.mark.parametrize("value", [{"a": [1, 2], "b": [1]}, {"a": [{"x": 1}], "b": [{"x": 1}]}, [1, 2], "no"])
def test_json_that_is_no_table(value, tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(value))
    with pytest.raises(TableFileError, match=r"is not a list of objects, nor an object that holds one"):
        read_file(path, FileOptions())


def test_damaged_json(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"a": 1}, {"a": ')
    with pytest.raises(TableFileError, match="is not JSON: Expecting value"):
        read_file(path, FileOptions())


def test_one_object_is_one_row(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"a": 1, "b": "x"}, indent=2))
    table, _ = read_file(path, FileOptions())
    assert (table.names, table.n_rows) == (("a", "b"), 1)


# ---- written anew ----


def test_quotes_of_all_kinds_are_read_alike(tmp_path):
    """What the standard library's writer makes of cells of all kinds of signs is read back."""
    rng = np.random.default_rng(0)
    signs = list("ab ,;'\"\\é")
    rows = [("".join(rng.choice(signs, 6)).strip("'\\ ") or "a", f"{i}", f"w{i % 3}") for i in range(30)]
    ways = {
        "usual.csv": {},
        "single.csv": {"quotechar": "'", "quoting": 1},
        "semicolons.csv": {"delimiter": ";", "quotechar": "'", "quoting": 1},
    }
    for name, how in ways.items():
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file, **how).writerows([("a", "b", "c"), *rows])
        found = read_file(tmp_path / name, FileOptions())[0]
        assert found.column(0).to_list() == [row[0] for row in rows], name
