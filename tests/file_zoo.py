"""A zoo of ordinary table files: what a person would read in each of them, and the file as somebody saved it."""

import csv
import datetime as dt
import gzip
import io
import json
import lzma
import re
import sqlite3
import zipfile
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N = 120
PLANS = ("basic", "plus", "premium")


def table(seed, n=N):
    """Customers: who calls often on a basic plan leaves, and so do some of those who joined early."""
    rng = np.random.default_rng(seed)
    plan = rng.choice(PLANS, n)
    calls = rng.integers(0, 6, n)
    joined = [dt.date(2021, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 1400, n)]
    fee = (rng.integers(100_000, 400_000, n) / 100).round(2)
    left = ((calls > 3) & (plan == "basic")) | (rng.random(n) < 0.1)
    return {
        "plan": plan.tolist(),
        "calls": calls.tolist(),
        "fee": fee.tolist(),
        "rate": (rng.integers(0, 400, n) / 10).tolist(),
        "joined": joined,
        "zip": [f"{z:05d}" for z in rng.integers(400, 99_999, n)],
        "left": np.where(left, "yes", "no").tolist(),
    }


def written(
    columns, delimiter=",", *, decimal=".", money="{}", percent="{}", date="%Y-%m-%d", end="\n", above="", below=""
):
    """A text file of them."""

    def number(value, frame):
        text = frame.format(value)
        return text.replace(",", "\0").replace(".", ",").replace("\0", ".") if decimal == "," else text

    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerow(columns)
    say = {
        "fee": lambda v: number(v, money),
        "rate": lambda v: number(v, percent),
        "joined": lambda v: v.strftime(date),
        "at": lambda v: f"{int(v):02d}:{round(60 * (v % 1)):02d}",
    }
    for row in zip(*columns.values(), strict=True):
        writer.writerow("" if v is None else say.get(name, str)(v) for name, v in zip(columns, row, strict=True))
    return above + text.getvalue() + below


@dataclass(frozen=True)
class Animal:
    """A file: how it is written, what a person reads in it, what is said about it, and with which options."""

    ending: str
    write: object  # a function of a path and columns
    said: str = ""  # a part of the line that says how it was read
    options: dict = field(default_factory=dict)
    make: object = table
    target: str = "left"
    check: bool = True


def text(ending="csv", said="", encoding="utf-8", packed=lambda b: b, options=None, make=table, **how):
    def write(path, columns):
        path.write_bytes(packed(written(columns, **how).encode(encoding)))

    return Animal(ending, write, said, options or {}, make)


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def parquet(path, columns):
    pq.write_table(pa.table(columns), path)


def feather(path, columns):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, pa.table(columns).schema) as writer:
        writer.write_table(pa.table(columns))


def json_lines(path, columns):
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))


def json_list(path, columns):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text(json.dumps(rows, default=str))


def workbook(*, title=(), total=False, as_text=False, sheets=("Customers",), at=0):
    def write(path, columns):
        import openpyxl

        book = openpyxl.Workbook()
        for i, name in enumerate(sheets):
            sheet = book.active if i == 0 else book.create_sheet()
            sheet.title = name
            if i != at:
                sheet.append(["nothing", "here"])
                continue
            for line in title:
                sheet.append([line])
            sheet.append(list(columns))
            for row in zip(*columns.values(), strict=True):
                sheet.append([v.strftime("%d.%m.%Y") if as_text and isinstance(v, dt.date) else v for v in row])
            if total:
                sheet.append(["Total", sum(columns["calls"]), sum(columns["fee"])])
        book.save(path)

    return write


def sqlite(*tables):
    def write(path, columns):
        base = sqlite3.connect(path)
        for name in tables or ("customers",):
            base.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
            rows = (
                [str(v) if isinstance(v, dt.date) else v for v in row] for row in zip(*columns.values(), strict=True)
            )
            base.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(columns))})', rows)
        base.commit()
        base.close()

    return write


def duck(path, columns):
    import duckdb

    base = duckdb.connect(str(path))
    data = pa.table(columns)  # noqa: F841 - the statement reads it
    base.execute("CREATE TABLE customers AS SELECT * FROM data")
    base.close()


# ---- what tables are like, beside how they are stored ----


def with_gaps(seed):
    rng = np.random.default_rng(seed)
    columns = table(seed)
    for name in ("fee", "plan", "joined"):
        columns[name] = [None if rng.random() < 0.15 else v for v in columns[name]]
    return columns


def with_accents(seed):
    columns = table(seed)
    return columns | {
        "plan": [{"basic": "économique", "plus": "größer", "premium": "señor"}[p] for p in columns["plan"]]
    }


def with_odd_words(seed):
    columns = table(seed)
    return columns | {"calls": ["unknown" if i % 17 == 3 else c for i, c in enumerate(columns["calls"])]}


def with_breaks(seed):
    columns = table(seed)
    return {"note": [f'said "no",\ntwice; {i % 3}' for i in range(N)], **columns}


def with_leak(seed):
    columns = table(seed)
    return columns | {"cancel_code": [f"C{i % 3}" if y == "yes" else None for i, y in enumerate(columns["left"])]}


def rare(seed):
    columns = table(seed)
    return columns | {"left": ["yes" if i % 40 == 7 else "no" for i in range(N)]}


def groups(seed):
    return {"customer_id": [f"K{i // 4:04d}" for i in range(N)], **table(seed)}


def twice(seed):
    return {name: values[: N // 2] * 2 for name, values in table(seed).items()}


def with_ids(seed):
    ids = {
        "customer_id": list(range(10_001, 10_001 + N)),
        "notes": [f"spoke on day {i} about {i * 7 % 31} bills" for i in range(N)],
    }
    return {**ids, **table(seed), "version": ["v1"] * N}


def unambiguous(seed):
    """Some day is above 12."""
    columns = table(seed)
    return columns | {"joined": [dt.date(2021, 1, 31), *columns["joined"][1:]]}


def ambiguous(seed):
    columns = table(seed)
    return columns | {"joined": [d.replace(day=1 + d.day % 12) for d in columns["joined"]]}


def hardly(seed):
    """Two days of all are above 12."""
    columns = ambiguous(seed)
    return columns | {"joined": [dt.date(2021, 1, 31), dt.date(2022, 4, 30), *columns["joined"][2:]]}


def with_first(seed):
    return {"column 1": list(range(1, N + 1)), **table(seed)}


def longer_rows(before="", after=""):
    """Rows have a cell more than the header."""

    def write(path, columns):
        named = {name: values for name, values in columns.items() if not name.startswith("column ")}
        header, *rows = written(named).splitlines()
        lines = [f"{before.format(i)}{row}{after}" for i, row in enumerate(rows, 1)]
        path.write_text("\n".join([header, *lines, ""]))

    return write


def with_hours(seed):
    """Times of the day, which are hours."""
    rng = np.random.default_rng(seed)
    return {"at": (rng.integers(0, 96, N) / 4).tolist(), **table(seed)}


def padded(path, columns):
    """Blanks around words, as exports with columns of fixed width have them."""
    path.write_text(written(columns).replace("basic", " basic ").replace(",yes", ",yes  "))


def two_dates(seed):
    """One column tells days from months, the other does not."""
    columns = unambiguous(seed)
    return columns | {"seen": [dt.date(2025, 1 + i % 12, 1 + i % 9) for i in range(N)]}


def months(seed):
    """Dates that are months."""
    columns = table(seed)
    return columns | {"joined": [d.replace(day=1) for d in columns["joined"]]}


def quarters(seed):
    columns = table(seed)
    return columns | {"joined": [dt.date(d.year, d.month - (d.month - 1) % 3, 1) for d in columns["joined"]]}


def weeks(seed):
    columns = table(seed)
    return columns | {"joined": [d - dt.timedelta(days=d.weekday()) for d in columns["joined"]]}


def in_words(way):
    """Dates as a function of each has them, where strftime has no way."""

    def write(path, columns):
        said = columns | {"joined": [way(d) for d in columns["joined"]]}
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerows([list(said), *zip(*said.values(), strict=True)])
        path.write_text(text.getvalue())

    return write


GERMAN = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
FRENCH = ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."]


def flags(seed):
    columns = table(seed)
    return columns | {"left": [y == "yes" for y in columns["left"]], "paid": [i % 3 == 0 for i in range(N)]}


def same_names(seed):
    columns = table(seed)
    return {"calls (2)" if name == "rate" else name: values for name, values in columns.items()}


def spanned(seed):
    columns = table(seed)
    longer = {"fee": "money fee", "rate": "money rate"}
    return {longer.get(name, name): values for name, values in columns.items()}


def with_headers(*headers):
    """The rows under other lines than their names."""

    def write(path, columns):
        rows = written(columns).splitlines()[1:]
        path.write_text("\n".join([*headers, *rows, ""]))

    return write


def owed(seed):
    columns = table(seed)
    return columns | {"fee": [-v if i % 3 else v for i, v in enumerate(columns["fee"])]}


def minus_behind(path, columns):
    """As some accounting has it: 1.234,50- is owed."""
    text = written(columns, "\t", decimal=",", money="{:,.2f}")
    path.write_text(re.sub(r"-([\d.]+,\d\d)(?=\t)", r"\1-", text))


def thin_blanks(path, columns):
    """1 234,50- with a blank that is hard to see."""
    text = written(columns, ";", decimal=",", money="{:,.2f}")
    text = re.sub(r"(?<=\d)\.(?=\d{3},)", "\u202f", text)
    path.write_text(re.sub(r"-([\d\u202f]+,\d\d)(?=;)", r"\1-", text))


def in_years(path, columns):
    """1 year, 2 years."""
    cells(path, columns | {"calls": [f"{c} year{'s' * (c != 1)}" for c in columns["calls"]]})


def in_classes(seed):
    """Each class of ten rows, one after the other."""
    return {"class": [f"class {i // 10}" for i in range(N)], **table(seed)}


def merged(path, columns):
    """Cells of a class that were merged hold their word in the first row alone."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet, names = book.active, list(columns)
    sheet.append(["class", *names[1:]])
    for i, row in enumerate(zip(*columns.values(), strict=True)):
        sheet.append([None if i % 10 else row[0], *row[1:]])
    for i in range(N // 10):
        sheet.merge_cells(start_row=2 + 10 * i, end_row=11 + 10 * i, start_column=1, end_column=1)
    book.save(path)


def with_weights(seed):
    columns = table(seed)
    return columns | {"fee": [None if i % 13 == 5 else v for i, v in enumerate(columns["fee"])]}


def in_kilograms(path, columns):
    path.write_text(written(columns, money="{} kg").replace(",,", ",-,"))


def with_durations(seed):
    rng = np.random.default_rng(seed)
    return {"at": (rng.integers(0, 240, N) / 4).tolist(), **table(seed)}


def rewritten(*changes, **how):
    """A text file in which some patterns were written in another way."""

    def write(path, columns):
        text = written(columns, **how)
        for pattern, new in changes:
            text = re.sub(pattern, new, text, flags=re.MULTILINE)
        path.write_text(text)

    return write


def cells(path, columns, **how):
    """Rows as they are, whatever their columns hold."""
    with path.open("w", newline="") as file:
        csv.writer(file, **how).writerows([list(columns), *zip(*columns.values(), strict=True)])


def with_errors(seed):
    columns = table(seed)
    return columns | {"calls": [None if i % 7 == 3 else c for i, c in enumerate(columns["calls"])]}


def with_dashes(seed):
    columns = table(seed)
    return columns | {"calls": [None if i % 3 == 1 else c for i, c in enumerate(columns["calls"])]}


def large(seed):
    columns = table(seed)
    return columns | {"fee": [float(round(1000 * v)) for v in columns["fee"]]}


def in_groups_of_two(path, columns):
    """12,34,567: as in India."""
    cells(path, columns | {"fee": [_indian(int(v)) for v in columns["fee"]]})


def _indian(value):
    head, tail = divmod(value, 1000)
    groups = [f"{tail:03d}"]
    while head:
        head, two = divmod(head, 100)
        groups.append(f"{two:02d}" if head else str(two))
    return ",".join(reversed(groups))


def with_exponents(path, columns):
    said = {name: [f"{v:.3e}".replace(".", ",") for v in columns[name]] for name in ("rate", "fee")}
    cells(path, columns | said, delimiter=";")


def in_thousands(seed):
    columns = table(seed)
    return columns | {"fee": [float(f"{v:.3e}") for v in columns["fee"]]}


def with_days(seed):
    rng = np.random.default_rng(seed)
    return {"at": (rng.integers(0, 400, N) / 4).tolist(), **table(seed)}


def in_words_of_clocks(way):
    def write(path, columns):
        cells(path, columns | {"at": [way(*divmod(round(60 * v), 60)) for v in columns["at"]]})

    return write


def with_marks(seed):
    """Cells that hold the delimiter, and quotes."""
    return {"note": [f'says "no", {i % 3}' for i in range(N)], **table(seed)}


def with_commas(seed):
    return {**table(seed), "note": [f"no, {i % 3}" for i in range(N)]}


def backslashed(path, columns):
    cells(path, columns, doublequote=False, escapechar="\\")


def in_single_quotes(path, columns):
    cells(path, columns, quotechar="'", quoting=csv.QUOTE_ALL)


def parted_by_blanks(path, columns):
    """As R writes tables."""
    cells(path, columns, delimiter=" ", quoting=csv.QUOTE_NONNUMERIC)


def in_a_zip(path, columns):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/", "")
        archive.writestr("folder/customers.csv", written(columns))


def of_one_town(seed):
    return table(seed) | {"town": ["Köln"] * N}


def with_slips(path, columns):
    """Two letters of Windows in a file of UTF-8."""
    path.write_bytes(written(columns).encode().replace("Köln".encode(), "Köln".encode("cp1252"), 2))


def rows_of(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def json_value(wrap):
    def write(path, columns):
        path.write_text(json.dumps(wrap(columns), default=str))

    return write


def nested(seed):
    columns = table(seed)
    return {"bill.fee": columns.pop("fee"), "bill.rate": columns.pop("rate"), **columns}


def nested_lines(path, columns):
    rows = [
        {"bill": {"fee": row.pop("bill.fee"), "rate": row.pop("bill.rate")}, **row, "tags": ["a", "b"]}
        for row in rows_of(columns)
    ]
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))


def mixed_lines(path, columns):
    """A number is a word now and then."""
    rows = rows_of(columns | {"calls": [str(c) if i % 3 else c for i, c in enumerate(columns["calls"])]})
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))


def pandas_split(columns):
    rows = list(zip(*columns.values(), strict=True))
    return {"columns": list(columns), "index": list(range(len(rows))), "data": rows}


def sqlite_with_pictures(path, columns):
    sqlite()(path, columns)
    base = sqlite3.connect(path)
    base.execute("ALTER TABLE customers ADD COLUMN picture BLOB")
    base.execute("UPDATE customers SET picture = x'0001'")
    base.commit()
    base.close()


def duck_of_types(path, columns):
    import duckdb

    base = duckdb.connect(str(path))
    data = pa.table(columns)  # noqa: F841 - the statement reads it
    base.execute(
        "CREATE TABLE customers AS SELECT * REPLACE (fee::DECIMAL(12, 2) AS fee, calls::HUGEINT AS calls), "
        "[1, 2] AS pair, INTERVAL 3 HOUR AS span FROM data"
    )
    base.close()


GAPS = ("-", "N.A.", ".", "(null)", "k. A.", r"\N")


def gaps_in_many_words(path, columns):
    said = [GAPS[i % len(GAPS)] if v is None else v for i, v in enumerate(columns["calls"])]
    cells(path, columns | {"calls": said})


def with_empty_columns(path, columns):
    """Some between others, and some behind them, as sheets with a wide border are saved."""
    header, *rows = written(columns, ";").splitlines()
    path.write_text("".join(f"{line.replace(';', ';;', 1)};;\n" for line in (header, *rows)))


def in_lines(columns):
    return [list(columns), *([str(v) for v in row] for row in zip(*columns.values(), strict=True))]


def padded_lines(columns, between):
    rows = in_lines(columns)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [between.join(f"{v:<{w}}" for v, w in zip(row, widths, strict=True)) for row in rows]


def of_psql(path, columns):
    header, *rows = padded_lines(columns, " | ")
    path.write_text(
        "\n".join([header, re.sub("[^|]", "-", header).replace("|", "+"), *rows, f"({len(rows)} rows)", ""])
    )


def of_mysql(path, columns):
    header, *rows = (f"| {line} |" for line in padded_lines(columns, " | "))
    rule = re.sub("[^|]", "-", header).replace("|", "+")
    path.write_text("\n".join([rule, header, rule, *rows, rule, ""]))


def of_sap(path, columns):
    """A list with a title, day.month.year and decimal commas."""
    numbers = {n: [f"{v:,.2f}".translate(str.maketrans(",.", ".,")) for v in columns[n]] for n in ("fee", "rate")}
    said = columns | numbers | {"joined": [d.strftime("%d.%m.%Y") for d in columns["joined"]]}
    header, *rows = (f"|{line}|" for line in padded_lines(said, "|"))
    rule = "-" * len(header)
    path.write_text("\r\n".join(["31.12.2024   Liste   1", "", rule, header, rule, *rows, rule, ""]), newline="")


def in_markdown(path, columns):
    header, *rows = (f"| {' | '.join(row)} |" for row in in_lines(columns))
    path.write_text("\n".join([header, "|" + "---|" * len(columns), *rows, ""]))


def in_fixed_widths(path, columns):
    path.write_text("\n".join([*padded_lines(columns, "  "), ""]))


def with_towns(seed):
    return {"town": ["São Paulo", "Rio", "Belo Horizonte"] * (N // 3), **table(seed)}


BANK = '"Umsatzanzeige";"erstellt am: 03.02.2025 10:11"\n\n"Kontoname";"Girokonto"\n"Saldo";"1.234,56";"EUR"\n\n'
FACTS = "Konto:;DE12 3456;;;;;\nZeitraum:;01.01.2021 - 31.12.2024;;;;;\n\n"
MONEY, EURO = "${:,.2f}", "{:,.2f} €"

ZOO = {
    "commas": text(said="comma-separated, UTF-8"),
    "semicolons, decimal commas": text(delimiter=";", decimal=",", said="semicolon-separated, decimal commas"),
    "semicolons, points": text(delimiter=";", said="semicolon-separated, UTF-8"),
    "tabs": text("tsv", delimiter="\t", said="tab-separated"),
    "tabs in a .txt": text("txt", delimiter="\t", said="tab-separated"),
    "bars": text("txt", delimiter="|", said="bar-separated"),
    "dollars and thousands": text(money=MONEY, said="'fee' numbers ('$"),
    "euros": text(delimiter=";", decimal=",", money=EURO, said="'fee' numbers ("),
    "francs": text(money="CHF {:,.2f}", said="'fee' numbers ('CHF"),
    "thousands by blanks": text(delimiter=";", decimal=",", money="{:,.2f}", said="'fee' numbers"),
    "percent signs": text(percent="{}%", said="'rate' percent ("),
    "percent signs and commas": text(delimiter=";", decimal=",", percent="{} %", said="'rate' percent ("),
    "UTF-8 with a mark": text(encoding="utf-8-sig", make=with_accents, said="UTF-8"),
    "UTF-16": text(encoding="utf-16", make=with_accents, said="UTF-16"),
    "UTF-16 without a mark": text(encoding="utf-16-le", delimiter="\t", make=with_accents, said="UTF-16"),
    "Windows-1252": text(encoding="cp1252", delimiter=";", money=EURO, make=with_accents, said="Windows-1252"),
    "Windows line ends": text(end="\r\n"),
    "blank lines": text(above="\n\n", below="\n\n\n"),
    "comments above": text(above="# exported 2025-01-01\n# by hand\n", said="2 lines above the header left out"),
    "a title above": text(above="Customers of 2025\n\n", said="1 line above the header left out"),
    "a padded title": text(above="Customers,,,,,,\n", said="1 line above the header left out"),
    "a total below": text(below="Total,312,,,,,\n", said="1 line below the last row left out ('Total"),
    "a remark below": text(below="\nSource: the warehouse\n", said="1 line below the last row left out"),
    "a remark with commas below": text(
        below="\n* Source: the warehouse, 2025\n", said="1 line below the last row left out ('* Source"
    ),
    "facts above and a mean below": text(
        delimiter=";",
        decimal=",",
        above=FACTS,
        below="\nMittelwert;2,5;;;;;\n",
        said="2 lines above the header left out ('Konto:;DE12 3456;;;;;'); 1 line below the last row left out",
    ),
    "units below the header": Animal(
        "csv",
        with_headers("plan,calls,fee,rate,joined,zip,left", "-,-,EUR,%,-,-,-"),
        "1 line below the header left out",
    ),
    "names in two rows": Animal(
        "csv",
        with_headers("plan,calls,money,,joined,zip,left", ",,fee,rate,,,"),
        "1 line below the header taken for a part of it",
        make=spanned,
    ),
    "two columns of one name": Animal(
        "csv",
        with_headers("plan,calls,fee,calls,joined,zip,left"),
        "columns of the same name are called 'calls (2)'",
        make=same_names,
    ),
    "rows of empty cells below": text(delimiter=";", below=";;;;;;\n;;;;;;\n"),
    "empty cells above a total": text(
        below=",,,,,,\nTotal,312,,,,,\n,,,,,,\n", said="1 line below the last row left out ('Total"
    ),
    "thin blanks between thousands, minus signs behind": Animal("csv", thin_blanks, "'fee' numbers (", make=owed),
    "things that are counted": text(money="{} Stück", said="'fee' numbers ('"),
    "marks out of ten": text(percent="{}/100", said="'rate' numbers ('"),
    "one year, two years": Animal("csv", in_years, "'calls' numbers ('"),
    "thousands of dollars": text(money="${}k", said="'fee' numbers ('$"),
    "minus signs behind": Animal("txt", minus_behind, "'fee' numbers (", make=owed),
    "units with gaps": Animal("csv", in_kilograms, "'-' as missing", make=with_weights),
    "how long it took": text(make=with_durations, said="'at' hours ('"),
    "blanks around words": Animal("csv", padded, "blanks around the words of 'plan', 'left' taken off"),
    "units": text(money="{} kg", said="'fee' numbers ('"),
    "times of the day": text(make=with_hours, said="'at' hours ('"),
    "gzip": text("csv.gz", packed=gzip.compress),
    "zstd": text("csv.zst", packed=zstd),
    "packed, semicolons": text("csv.gz", packed=gzip.compress, delimiter=";", decimal=",", said="semicolon-separated"),
    "days with points": text(date="%d.%m.%Y", make=unambiguous, said="'joined' dates as day, month, year"),
    "days first": text(date="%d/%m/%Y", make=unambiguous, said="'joined' dates as day, month, year"),
    "months first": text(date="%m/%d/%Y", make=unambiguous, said="'joined' dates as month, day, year"),
    "either first": text(date="%m/%d/%Y", make=ambiguous, said="could be the other way round"),
    "either first, and told": text(
        date="%d/%m/%Y", make=ambiguous, options={"day_first": True}, said="as day, month, year"
    ),
    "told by another column": text(date="%d/%m/%Y", make=two_dates, said="as day, month, year"),
    "months by name": text(date="%d %b %Y", said="'joined' dates"),
    "months by name, years of two digits": text(date="%d-%b-%y", said="'joined' dates as day, month, year ("),
    "American words": text(date="%b %d, %Y", said="'joined' dates as month, day, year"),
    "with a clock": text(date="%d.%m.%Y 08:30", make=unambiguous, said="'joined' dates"),
    "ISO with a clock": text(date="%Y-%m-%dT00:00:00"),
    "ISO in UTC": text(date="%Y-%m-%dT00:00:00Z"),
    "ISO with a time zone": text(date="%Y-%m-%d 02:00:00+02:00", said="moments of 'joined' in UTC"),
    "days as numbers": text(date="%Y%m%d", said="'joined' dates as year, month, day"),
    "months": text(date="%Y-%m", make=months, said="'joined' dates as year, month ("),
    "months and years": text(date="%m/%Y", make=months, said="'joined' dates as month, year ("),
    "months by name and years": text(date="%B %Y", make=months, said="'joined' dates as month, year ("),
    "months as spreadsheets have them": text(date="%b-%y", make=months, said="'joined' dates as month, year ("),
    "quarters": Animal(
        "csv",
        in_words(lambda d: f"{d.year}-Q{(d.month + 2) // 3}"),
        "'joined' dates as year, quarter (",
        make=quarters,
    ),
    "quarters first": Animal(
        "csv", in_words(lambda d: f"Q{(d.month + 2) // 3} {d.year}"), "'joined' dates as year, quarter (", make=quarters
    ),
    "weeks": text(date="%G-W%V", make=weeks, said="'joined' dates as year, week ("),
    "months in German": Animal(
        "csv", in_words(lambda d: f"{d.day}. {GERMAN[d.month - 1]} {d.year}"), "'joined' dates as day, month, year ("
    ),
    "months in French": Animal(
        "csv", in_words(lambda d: f"{d.day} {FRENCH[d.month - 1]} {d.year}"), "'joined' dates as day, month, year ("
    ),
    "hardly a day above 12": text(date="%d/%m/%Y", make=hardly, said="'joined' dates as day, month, year ("),
    "delimiters at the ends of rows": Animal("csv", longer_rows(after=",")),
    "numbers of rows without a name": Animal("csv", longer_rows(before="{},"), make=with_first),
    "leading noughts": text(said="'zip' kept as text ('0"),
    "gaps": text(make=with_gaps),
    "odd words among numbers": text(make=with_odd_words, said="'calls' numbers ('"),
    "breaks and quotes in cells": text(make=with_breaks),
    "flags": text(make=flags),
    "Parquet": Animal("parquet", parquet),
    "Arrow": Animal("arrow", feather),
    "Excel": Animal("xlsx", workbook(), "sheet 'Customers'"),
    "Excel, titled, with a total": Animal(
        "xlsx", workbook(title=["Customers", "as of today"], total=True), "1 line below the last row left out"
    ),
    "Excel, cells merged": Animal("xlsx", merged, "sheet 'Sheet'", make=in_classes),
    "Excel, dates as text": Animal("xlsx", workbook(as_text=True), "'joined' dates", make=unambiguous),
    "Excel, second sheet": Animal("xlsx", workbook(sheets=("Info", "Data"), at=1), "sheet 'Data'", {"sheet": "Data"}),
    "JSON lines": Animal("jsonl", json_lines, "JSON"),
    "JSON list": Animal("json", json_list, "JSON"),
    "SQLite": Animal("sqlite", sqlite(), "table 'customers'"),
    "SQLite, one of two": Animal("db", sqlite("a", "b"), "table 'b'", {"table": "b"}),
    "SQLite, a query": Animal("db", sqlite("a", "b"), "a query", {"query": "SELECT * FROM a"}),
    "DuckDB": Animal("duckdb", duck, "table 'customers'"),
    "a bank's export": text(
        delimiter=";",
        decimal=",",
        money="{:,.2f}",
        date="%d.%m.%Y",
        encoding="cp1252",
        above=BANK,
        below='\n"Summe";"";"1.234,50";"";"";"";""\n',
        make=unambiguous,
        said="3 lines above the header left out",
    ),
    "errors of a spreadsheet": Animal(
        "csv", rewritten((r"^(\w+),,", r"\1,#N/A,")), "comma-separated", make=with_errors
    ),
    "dashes in many rows": Animal("csv", rewritten((r"^(\w+),,", r"\1,-,")), "'-' as missing", make=with_dashes),
    "thousands by thin blanks": Animal(
        "tsv", rewritten((r"(?<=\d),(?=\d)", "\u2009"), delimiter="\t", money="{:,.2f}"), "'fee' numbers ('"
    ),
    "thousands of India": Animal("csv", in_groups_of_two, "'fee' numbers ('", make=large),
    "exponents and decimal commas": Animal("csv", with_exponents, "decimal commas", make=in_thousands),
    "dashes for minus signs": Animal("csv", rewritten((",-", ",–")), "'fee' numbers (", make=owed),
    "how long, in hours and minutes": Animal(
        "csv", in_words_of_clocks(lambda h, m: f"{h}h {m}m" if h else f"{m}m"), "'at' hours (", make=with_hours
    ),
    "how long, as ISO has it": Animal(
        "csv", in_words_of_clocks(lambda h, m: f"PT{h}H{m}M"), "'at' hours ('PT", make=with_hours
    ),
    "how long, with days": Animal(
        "csv",
        in_words_of_clocks(lambda h, m: f"{h // 24} days {h % 24:02d}:{m:02d}:00"),
        "'at' hours (",
        make=with_days,
    ),
    "halves of a day": Animal(
        "csv",
        in_words_of_clocks(lambda h, m: f"{(h - 1) % 12 + 1}:{m:02d} {'AM' if h < 12 else 'PM'}"),
        "'at' hours ('",
        make=with_hours,
    ),
    "moments of a browser": Animal(
        "csv",
        in_words(lambda d: f"{d.month}/{d.day}/{d.year}, 8:30:05\u202fPM"),
        "'joined' dates as month, day, year (",
        make=unambiguous,
    ),
    "moments of a form": text(date="%Y/%m/%d 8:30:05 AM GMT+1", said="'joined' dates as year, month, day ("),
    "moments in words": text(
        date="%a %b %d %Y 08:30:05 GMT+0100 (Central European Time)", said="'joined' dates as month, day, year ("
    ),
    "moments in German": text(
        date="%d.%m.%Y um 08:30 Uhr", make=unambiguous, said="'joined' dates as day, month, year ("
    ),
    "moments in Spanish": text(
        date="%d/%m/%Y, 8:30:05 p. m.", make=unambiguous, said="'joined' dates as day, month, year ("
    ),
    "fractions of seconds": text(
        date="%d.%m.%Y 08:30:05,250", make=unambiguous, said="'joined' dates as day, month, year ("
    ),
    "JSON, moments": Animal(
        "jsonl",
        lambda path, columns: json_lines(path, columns | {"joined": [f"{d}T08:30:05.123Z" for d in columns["joined"]]}),
        "'joined' dates as year, month, day (",
    ),
    "gaps in many words": Animal("csv", gaps_in_many_words, "'N.A.'", make=with_dashes),
    "thousands as k": text(money="{:.2f}k", said="'fee' numbers ('"),
    "empty columns": Animal("csv", with_empty_columns, "semicolon-separated"),
    "drawn by psql": Animal("txt", of_psql, "lines of dashes left out; 1 line below the last row left out ('("),
    "drawn by MySQL": Animal("txt", of_mysql, "lines of dashes left out"),
    "drawn by SAP": Animal("txt", of_sap, "bar-separated, decimal commas", make=unambiguous),
    "Markdown": Animal("md", in_markdown, "lines of dashes left out"),
    "fixed widths": Animal("txt", in_fixed_widths, "columns of fixed widths", make=with_towns),
    "weekdays before dates": text(date="%a, %d %b %Y", said="'joined' dates as day, month, year ("),
    "a comma before the year": text(date="%d %B, %Y", said="'joined' dates as day, month, year ("),
    "dates in two ways": Animal(
        "csv",
        in_words(lambda d: d.strftime("%Y-%m-%d" if d.day % 3 else "%d.%m.%Y")),
        "dates as ",
        make=unambiguous,
    ),
    "some dates with a clock": Animal(
        "csv",
        in_words(lambda d: d.strftime("%d/%m/%Y" if d.day % 3 else "%d/%m/%Y 00:00")),
        "'joined' dates as day, month, year (",
        make=unambiguous,
    ),
    "single quotes": Animal("csv", in_single_quotes, "cells in single quotes", make=with_commas),
    "backslashes before quotes": Animal("csv", backslashed, "backslashes before quotes in cells", make=with_marks),
    "blanks after commas": Animal("csv", rewritten((",(?! )", ", ")), "blanks before quotes", make=with_commas),
    "parted by blanks": Animal("txt", parted_by_blanks, "cells parted by blanks"),
    "a zip file": Animal("csv.zip", in_a_zip, "comma-separated"),
    "xz": text("csv.xz", packed=lzma.compress),
    "two letters of Windows in UTF-8": Animal(
        "csv", with_slips, "UTF-8 with some letters of Windows-1252", make=of_one_town
    ),
    "JSON, nested": Animal("jsonl", nested_lines, "'tags' left out: it holds list", make=nested),
    "JSON, numbers and words": Animal("jsonl", mixed_lines, "'calls' numbers"),
    "JSON, wrapped": Animal("json", json_value(lambda c: {"status": "ok", "data": rows_of(c)}), "JSON"),
    "JSON, columns": Animal("json", json_value(dict), "JSON"),
    "JSON of pandas": Animal(
        "json", json_value(lambda c: {name: dict(enumerate(values)) for name, values in c.items()}), "JSON"
    ),
    "JSON of pandas, split": Animal("json", json_value(pandas_split), "JSON"),
    "SQLite with pictures": Animal("db", sqlite_with_pictures, "'picture' left out: it holds binary"),
    "DuckDB of many types": Animal("duckdb", duck_of_types, "'pair' left out: it holds list"),
    "a leak": text(make=with_leak),
    "a rare class": text(make=rare),
    "several rows a customer": text(make=groups),
    "rows twice": text(make=twice),
    "ids, notes and a constant": text(make=with_ids),
}
