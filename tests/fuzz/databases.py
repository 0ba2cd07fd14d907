"""What SQLite and DuckDB answer to the query of a model."""

import datetime as dt
import sqlite3
from decimal import Decimal
from functools import lru_cache
from math import isnan

import duckdb
import pandas as pd

LONG = 200_000  # letters: of thousands of terms, optimizers make a minute of work and nothing faster
# names that a query calls its own columns by
KEYS = ("row number", "row number ")


def key_of(names) -> str:
    """A name for the number of a row, which no column has."""
    return next(name for name in KEYS if name not in names)


def fits_a_database(kinds: dict, columns: dict) -> bool:
    """Whether databases can tell its columns apart, and a column holds values of one kind."""
    if any(not name or "\0" in name for name in columns):
        return False
    if any(isinstance(v, list) or (isinstance(v, int) and v >= 2**63) for values in columns.values() for v in values):
        return False
    return len({name.casefold() for name in columns}) == len(columns) and not any(map(is_mixed, columns.values()))


def is_mixed(values) -> bool:
    """Whether a column holds several kinds of values, which no column of a database does."""
    return len({type(v) for v in values if not _is_missing(v)}) > 1


def has_flags_among_others(values) -> bool:
    """Whether True is one word of several: SQLite keeps it as the number 1, which is another of them."""
    return is_mixed(values) and any(isinstance(v, bool) for v in values)


def _is_missing(value):
    return value is None or (isinstance(value, float) and isnan(value))


def by_sqlite(query: str, columns: dict) -> list:
    """The answers, row by row."""
    rows = [[i, *map(_stored, row)] for i, row in enumerate(zip(*columns.values(), strict=True))]
    con = sqlite3.connect(":memory:")
    names = ", ".join(f'"{n}"' for n in (key_of(columns), *(name.replace('"', '""') for name in columns)))
    con.execute(f"CREATE TABLE data ({names})")
    con.executemany(f"INSERT INTO data VALUES ({', '.join('?' * (len(columns) + 1))})", rows)
    return [said for _, said in sorted(con.execute(_in_steps(query)).fetchall())]


def _in_steps(query):
    """Each inner select on its own, as docs/guides/export.md says: SQLite writes them out into each other, and of
    thousands of terms that makes minutes of work.
    """
    return query.replace("\n) AS step", "\nLIMIT -1 OFFSET 0) AS step") if len(query) > LONG else query


def _stored(value):
    """As SQLite keeps it: dates as text, flags, durations and decimals as numbers, nothing for what is no number."""
    if _is_missing(value):
        return None
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None).isoformat(" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal):
        return float(value)
    return int(value) if isinstance(value, bool) else value


@lru_cache
def _connection():
    return duckdb.connect(config={"threads": 1})


def by_duckdb(query: str, table, columns: dict) -> list:
    """The answers, row by row, of a table of Arrow, or of pandas if Arrow cannot hold it."""
    con, numbers = _connection(), range(len(table))
    if isinstance(table, pd.DataFrame):
        table = _with_types(table, columns).assign(**{key_of(columns): numbers})
    else:
        table = table.append_column(key_of(columns), [list(numbers)])
    con.register("data", table)
    con.execute(f"PRAGMA {'disable' if len(query) > LONG else 'enable'}_optimizer")
    return [said for _, said in sorted(con.execute(query).fetchall())]


def _with_types(table, columns):
    """Columns of objects get the type that their values have; all missing is text."""
    types = {bool: "boolean", int: "Int64", float: "Float64"}
    found = {}
    for name in table:
        kinds = {type(v) for v in columns[name]} - {type(None)}
        plain = len(kinds) == 1 and kinds <= set(types)
        found[name] = pd.array(columns[name], dtype=types[kinds.pop()]) if plain else table[name]
    return pd.DataFrame(found)
