"""Files as people have them are read as a person would read them, and so is the next file of the kind."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from file_zoo import ZOO, N
from pyarrow import csv
from typer.testing import CliRunner

from paclearn import Report
from paclearn.cli.app import app
from paclearn.exceptions import TargetError
from paclearn.export import load
from paclearn.tables.dialect import FileOptions
from paclearn.tables.files import read_file
from paclearn.tables.raw import Dates, Labels, read_any


def plain(raw):
    """Values of a column that was read, as the zoo keeps them."""
    if isinstance(raw, Labels):
        return [None if code < 0 else raw.labels[code] for code in raw.codes]
    if isinstance(raw, Dates):
        return [None if np.isnat(v) else v.astype("datetime64[D]").item() for v in raw.values]
    return [None if np.isnan(v) else float(v) for v in raw.values]


def meant(values):
    """What a person means by the values of a column."""
    if all((isinstance(v, int | float | None) and not isinstance(v, bool)) or v == "unknown" for v in values):
        return [None if v in (None, "unknown") else float(v) for v in values]
    return [v if v is None or isinstance(v, dt.date) else str(v) for v in values]


@pytest.mark.parametrize("name", ZOO)
def test_read_as_a_person_would(name, tmp_path):
    animal = ZOO[name]
    path = tmp_path / f"t.{animal.ending}"
    columns = animal.make(1)
    animal.write(path, columns)
    table, how = read_file(path, FileOptions(**animal.options))
    assert animal.said in how.line()
    assert table.names == tuple(columns)
    assert table.n_rows == N
    for i, (column, values) in enumerate(columns.items()):
        assert plain(read_any(table, i)) == pytest.approx(meant(values)), column


@pytest.mark.parametrize("name", ZOO)
def test_the_next_file_is_read_like_the_first(name, tmp_path):
    """``fit`` on one file, ``predict`` on another of the kind: as the model says of the rows that a person reads."""
    animal = ZOO[name]
    first, second = (tmp_path / f"{which}.{animal.ending}" for which in ("first", "second"))
    animal.write(first, animal.make(1))
    columns = animal.make(2)
    animal.write(second, columns)
    asked = options_of(animal)
    done = run("fit", first, "-t", animal.target, "--model", "graph", "--set", "max_leaves=6", "-o", "m.json", *asked)
    assert animal.said in done.stderr
    run("predict", "m.json", second, "-o", "p.csv", *(word for word in asked if "first" not in word))
    model = load("m.json")
    rows = {n: columns[n] for n in model.about.feature_names}
    typed = pa.table({n: pa.array(meant(v) if n != "zip" else v) for n, v in rows.items()})
    assert csv.read_csv("p.csv")["prediction"].to_pylist() == [
        v == "yes" if name == "flags" else v for v in map(said, model.predict(typed))
    ]


def said(value):
    return "yes" if value == "True" else value


def options_of(animal):
    words = [
        word
        for key in ("sheet", "table", "query")
        if key in animal.options
        for word in (f"--{key}", animal.options[key])
    ]
    return [*words, *(["--day-first"] if animal.options.get("day_first") else [])]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, (done.stderr, done.exception)
    return done


def test_an_empty_cell_that_may_mean_no(tmp_path):
    path = tmp_path / "blocked.csv"
    path.write_text("balance,blocked\n" + "".join(f"{i},{'X' if i % 3 == 0 else ''}\n" for i in range(30)))
    with pytest.raises(TargetError, match="20 rows have none: if that says no, write it there"):
        Report(path, "blocked")
