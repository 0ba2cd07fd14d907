"""Commands on files of odd text: they end well, or with one line; and a file is predicted as it was fitted."""

import contextlib
import io
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np

from fuzz.pool import DisagreementError
from fuzz.table_cases import NAMES, WORDS
from paclearn.cli.app import app
from paclearn.exceptions import PaclearnError

CELLS = [*WORDS[:38], "1,5", "1.000,00", "$3", "50%", "01/02/2020", "NA", "?", "010000000000000021", "12:30", "1e400"]
LEARNERS = ["junta", "graph", "rules"]


def try_commands(seed: int) -> int:
    """A file, and what one does with it."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _tried(Path(folder), rng)


def _tried(folder, rng):
    table, model, out = folder / "t.csv", folder / "m.json", folder / "p.csv"
    table.write_bytes(_text(rng).encode("utf-8" if rng.random() < 0.9 else "utf-16"))
    if _run("fit", table, "--target", "y", "-o", model) is None:
        return 1
    fit = json.loads(model.read_text())
    said = _run("predict", model, table, "-o", out)
    explained = _run("explain", model, table, "--json")
    if (said is None) != (explained is None):
        raise DisagreementError("a file is predicted and not explained, or the other way round")
    for kind in ("sql", "python"):
        _run("export", model, "--to", kind, "-o", folder / kind)
    if said is None and fit["certificate"] is not None:
        raise DisagreementError("the very file of the fit cannot be predicted")
    return 4


def _text(rng):
    """Cells between commas, semicolons or tabs, quoted where they have to be, and sometimes where they have not."""
    mark = str(rng.choice([",", ";", "\t", "|"]))
    names = [*rng.choice([n for n in NAMES if n.strip()], int(rng.integers(1, 4)), replace=False).tolist(), "y"]
    n = int(rng.integers(4, 40))
    levels = [rng.choice(CELLS, int(rng.integers(1, 6))).tolist() for _ in names[:-1]]
    rows = [[level[int(rng.integers(len(level)))] for level in levels] for _ in range(n)]
    target = [str(len(row[0]) % 2) if rng.random() < 0.9 else "1" for row in rows]
    lines = [names, *([*row, y] for row, y in zip(rows, target, strict=True))]
    end = "\r\n" if rng.random() < 0.2 else "\n"
    body = end.join(mark.join(_cell(cell, mark) for cell in line) for line in lines)
    return body + (end if rng.random() < 0.8 else "")


def _cell(text, mark):
    text = text.replace("\0", "")
    needs = any(c in text for c in (mark, '"', "\n", "\r"))
    return '"' + text.replace('"', '""') + '"' if needs else text


def _run(*arguments):
    """What a command printed; None where it refused in one line."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            app([str(argument) for argument in arguments], standalone_mode=False)
    except PaclearnError as error:
        if not str(error).strip():
            raise DisagreementError("an error without a word") from error
        return None
    return out.getvalue()
