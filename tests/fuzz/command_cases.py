"""Commands on files of odd text: they end well, or with one line; and a file is predicted as it was fitted."""

import contextlib
import csv
import io
import json
import tempfile
import warnings
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.column_values import WORDS, column_of, some_kind
from fuzz.frames import NO_ARROW, frames_of
from fuzz.pool import DisagreementError
from fuzz.table_cases import NAMES
from paclearn.cli.app import app
from paclearn.exceptions import PaclearnError

CELLS = [*WORDS[:38], "1,5", "1.000,00", "$3", "50%", "01/02/2020", "NA", "?", "010000000000000021", "12:30", "1e400"]
CELLS += ["31.12.1999", "1 kg", "2 kg", "-", "1-2", "2020-02-30", "24:00", "0001-01-01", "1e-400", "\ufeff", "\u2028"]
LEARNERS = ["junta", "graph", "direct", "polynomial-l2", "rules", "spectral", "ensemble", "halfspace", "correlation"]
OFTEN = [0.3, 0.25, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05]
# what one may ask of any command that reads a table, sense or nonsense
ASKED = [
    ["--drop", "age"],
    ["--drop", "no such column"],
    ["--task", "classification"],
    ["--task", "regression"],
    ["--task", "x"],
    ["--missing", "a"],
    ["--missing", ""],
    ["--weight", "x"],
    ["--weight", "y"],
    ["--day-first"],
    ["--memory", "1GB"],
    ["--memory", "1KB"],
    ["--memory", "-3"],
    ["--memory", "many"],
    ["--sheet", "one"],
    ["--table", "t"],
    ["--query", "SELECT 1"],
]
# and of one that cleans it and knows what its rows are to each other
CLEANED = [
    ["--tidy"],
    ["--drop-repeats"],
    ["--group", "x"],
    ["--group", "y"],
    ["--time", "x"],
    ["--ordered", "0 < 1"],
    ["--ordered", "<"],
    ["--ordered", "1,0,2"],
    ["--holdout", "0.3"],
    ["--holdout", "auto"],
    ["--holdout", "2"],
    ["--holdout", "nan"],
    ["--seed", "7"],
    ["--set", "delta=0.1"],
    ["--set", "delta"],
    ["--set", "random_state=x"],
    ["--set", "no_such=1"],
    ["--json"],
]
SEARCHES = [
    ["rules", "--conditions", "2"],
    ["rules", "--fdr", "2"],
    ["rules", "--quality", "x"],
    ["rules", "--min-rows", "0"],
    ["discover", "--order", "2"],
    ["discover", "--permutations", "9"],
    ["discover", "--fdr", "0"],
    ["select", "-n", "2"],
    ["select", "--depth", "3"],
    ["report", "--quick", "--max-k", "1", "--json"],
]


def try_commands(seed: int) -> int:
    """A file, and what one does with it."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = _file(Path(folder), rng)
        return _learned(Path(folder), table, rng) if rng.random() < 0.7 else _searched(table, rng)


def _learned(folder, table, rng):
    model, out = folder / "m.json", folder / "p.csv"
    learner = str(rng.choice(LEARNERS, p=OFTEN))
    options = _some(ASKED, rng) + _some(CLEANED, rng)
    if _run("fit", table, "--target", "y", "-o", model, "--model", learner, *options) is None:
        return 1
    fit = json.loads(model.read_text())
    said = _run("predict", model, table, "-o", out)
    explained = _run("explain", model, table, "--json")
    if (said is None) != (explained is None):
        raise DisagreementError("a file is predicted and not explained, or the other way round")
    for kind in ("sql", "python", "markdown"):
        _run("export", model, "--to", kind, "-o", folder / kind)
    if said is None and fit["certificate"] is not None and not options:
        raise DisagreementError("the very file of the fit cannot be predicted")
    return 4


def _searched(table, rng):
    command, *options = SEARCHES[int(rng.integers(len(SEARCHES)))]
    _run(command, table, "--target", "y" if rng.random() < 0.95 else "z", *options, *_some(ASKED, rng))
    return 1


def _some(options, rng):
    """None of them in two cases of three."""
    return options[int(rng.integers(len(options)))] if rng.random() < 0.33 else []


# ---- files -----------------------------------------------------------------------------------------------------------


def _file(folder, rng):
    """Text, most often; a file of Parquet, a folder of two, or something else."""
    style = float(rng.random())
    if style < 0.75:
        return _text_file(folder / "t.csv", rng)
    if style < 0.85:
        return _parquet_file(folder / "t.parquet", rng)
    if style < 0.9:
        (folder / "parts").mkdir()
        for name in ("a.csv", "b.csv"):
            _text_file(folder / "parts" / name, rng)
        return folder / "parts"
    return _broken_file(folder, rng)


def _text_file(path, rng):
    path.write_bytes(_text(rng).encode(str(rng.choice(["utf-8", "utf-8-sig", "utf-16"], p=[0.85, 0.07, 0.08]))))
    return path


def _parquet_file(path, rng):
    n, names = int(rng.integers(1, 40)), rng.choice(NAMES, 2, replace=False).tolist()
    kinds = {name: kind for name in names if (kind := some_kind(rng)) not in NO_ARROW}
    columns = {name: column_of(kind, rng, n) for name, kind in kinds.items()}
    table = frames_of(kinds, columns, int(rng.integers(4)))["arrow"]
    y = pa.array(rng.integers(0, 2, n))
    pq.write_table(table.append_column("y", y) if kinds else pa.table({"y": y}), path)  # of no columns it has no rows
    return path


def _broken_file(folder, rng):
    """Cut off, with a byte changed, of noise, empty, named like something else, or none at all."""
    whole = (
        _text_file(folder / "t.csv", rng).read_bytes()
        if rng.random() < 0.5
        else _parquet_file(folder / "w", rng).read_bytes()
    )
    place = int(rng.integers(len(whole)))
    contents = [
        whole[:place],
        whole[:place] + b"\xff\0" + whole[place + 1 :],
        rng.bytes(300),
        b"",
        b"y\n" * 9,
        whole + b'"',
    ]
    endings = [".csv", ".parquet", ".arrow", ".tsv", ".xlsx", ".db", ".csv.gz", ".json", ""]
    path = folder / f"broken{endings[int(rng.integers(len(endings)))]}"
    if rng.random() < 0.95:
        path.write_bytes(contents[int(rng.integers(len(contents)))])
    return path


def _text(rng):
    """Cells between commas, semicolons or tabs, quoted where they have to be; now and then a line is too long."""
    mark = str(rng.choice([",", ";", "\t", "|"]))
    names = [*rng.choice([n for n in NAMES if n.strip()], int(rng.integers(1, 4)), replace=False).tolist(), "y"]
    n = int(rng.integers(4, 40))
    levels = [rng.choice(CELLS, int(rng.integers(1, 6))).tolist() for _ in names[:-1]]
    rows = [[level[int(rng.integers(len(level)))] for level in levels] for _ in range(n)]
    target = [str(len(row[0]) % 2) if rng.random() < 0.9 else "1" for row in rows]
    lines = [names, *([*row, y] for row, y in zip(rows, target, strict=True))]
    if rng.random() < 0.05:
        lines.insert(int(rng.integers(len(lines))), ["more"] * int(rng.integers(0, 9)))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=mark, lineterminator="\r\n" if rng.random() < 0.2 else "\n")
    writer.writerows([[cell.replace("\0", "") for cell in line] for line in lines])
    return out.getvalue() if rng.random() < 0.8 else out.getvalue().rstrip("\r\n")


def _run(*arguments):
    """What a command printed; None where it refused in one line."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            app([str(argument) for argument in arguments], standalone_mode=False)
    except (PaclearnError, click.UsageError) as error:
        said = str(error)
        if not said.strip() or len(said.splitlines()) > 1:
            raise DisagreementError(f"{arguments[0]}: an error of no line, or of several: {said!r}") from error
        return None
    return out.getvalue()
