"""Fitting models and using them: what the commands fit, predict, explain and export do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import need
from paclearn._parameters import check_choice, hint
from paclearn._text import aligned
from paclearn.encoding.domain import LevelColumn
from paclearn.exceptions import InputError
from paclearn.export import load, to_json, to_markdown, to_python, to_scorecard, to_sql
from paclearn.tables.batches import batch_writer, read_batches
from paclearn.tables.files import open_table, split_target
from paclearn.tables.table import NamedColumns
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paclearn.encoding import Column
    from paclearn.export import PortableModel

__all__ = ["LEARNERS", "WAYS_OUT", "explained", "export_text", "fitted", "in_words", "predict_file"]

LEARNERS = ("spectral", "junta", "graph")
WAYS_OUT = ("json", "sql", "python", "markdown", "scorecard")


# ---- fit -------------------------------------------------------------------------------------------------------------


def fitted(table: Any, values: Any, target: str, task: str, learner: str, settings: dict[str, Any]) -> Any:
    """A model of a column of a table."""
    check_choice("model", learner, LEARNERS)
    found = read_target_column(values, target, task)
    kinds = _kinds(learner)
    model = kinds[0 if found.classify else 1](**_known_settings(kinds[0], settings))
    return model.fit(found.rows_of(table), found.y)


def _kinds(learner: str) -> tuple[Any, Any]:
    import paclearn

    names = {"spectral": "Spectral", "junta": "Junta", "graph": "RegressionGraph"}
    return tuple(getattr(paclearn, f"{names[learner]}{kind}") for kind in ("Classifier", "Regressor"))


def _known_settings(kind: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """Settings that were given; one that this kind of model does not have is refused."""
    known = kind().get_params()
    given = {name: value for name, value in settings.items() if value is not None}
    for name in given:
        if name not in known and name != "random_state":
            raise InputError(f"--{name.replace('_', '-')} is no setting of a {kind.__name__}")
    return {name: value for name, value in given.items() if name in known}


# ---- predict ---------------------------------------------------------------------------------------------------------


def predict_file(
    model: PortableModel, path: Path, output: Path | None, keep: Sequence[str], *, chances: bool, missing: Sequence[str]
) -> int:
    """Predict the rows of a file some at a time; how many there were."""
    arrow = need("pyarrow", "io", "reading tables")
    done = 0
    with batch_writer(output) as write:
        for batch in read_batches(path, _kinds_of(model), missing):
            if batch.num_rows:
                write(arrow.table(_columns(model, batch, keep, chances=chances)))
            done += batch.num_rows
    if not done:
        raise InputError(f"{path} has no rows to predict")
    return done


def _kinds_of(model: PortableModel) -> dict[str, str]:
    """How the columns of a CSV file are to be read."""
    return {c.name: _kind_of(c) for c in model.columns}


def _kind_of(column: Column) -> str:
    if not isinstance(column, LevelColumn) or column.numeric:
        return "number"
    return "flag" if set(column.levels) <= {"True", "False"} else "text"


def _columns(model: PortableModel, batch: Any, keep: Sequence[str], *, chances: bool) -> dict[str, Any]:
    for name in keep:
        if name not in batch.column_names:
            raise InputError(f"there is no column {name!r} to keep{hint(name, batch.column_names)}")
    rows = rows_of(model, batch)
    columns = {name: batch[name] for name in keep}
    columns[_free("prediction", columns)] = model.predict(rows).tolist()
    if chances:
        shares = model.predict_proba(rows)
        columns |= {_free(f"probability of {c}", columns): shares[:, i] for i, c in enumerate(model.classes_)}
    return columns


def _free(name: str, taken: Any) -> str:
    while name in taken:
        name += "_"
    return name


def rows_of(model: PortableModel, table: Any) -> Any:
    """The columns of a table that the model was fitted on, in their order."""
    arrow = need("pyarrow", "io", "reading tables")
    names = _names_of_fit(model, table.column_names)
    nothing = arrow.nulls(table.num_rows)
    return arrow.table({name: table[name] if name in table.column_names else nothing for name in names})


def _names_of_fit(model: PortableModel, given: Sequence[str]) -> tuple[str, ...]:
    """All columns that the model was fitted on, of which those that it reads have to be given."""
    if model.about.feature_names is None:
        raise InputError("this model was fitted on a table without column names; use it from Python")
    absent = [c.name for c in model.columns if c.name not in given]
    if absent:
        raise InputError(f"there is no column {absent[0]!r}, which the model reads{hint(absent[0], given)}")
    return model.about.feature_names


# ---- explain ---------------------------------------------------------------------------------------------------------


def explained(model: PortableModel, path: Path, wanted: Sequence[int], most: int, missing: Sequence[str]) -> list[Any]:
    """Why some rows (counted from 1) are predicted as they are."""
    if any(number < 1 for number in wanted):
        raise InputError(f"--row {min(wanted)}: rows are counted from 1")
    found = dict(_facts(model, path, set(wanted), most, missing))
    absent = [number for number in wanted if number not in found]
    if absent:
        raise InputError(f"there is no row {absent[0]} in {path}")
    return [found[number] for number in wanted]


def _facts(
    model: PortableModel, path: Path, wanted: set[int], most: int, missing: Sequence[str]
) -> Iterator[tuple[int, Any]]:
    first = 1
    for batch in read_batches(path, _kinds_of(model), missing):
        for number in sorted(n for n in wanted if first <= n < first + batch.num_rows):
            row = rows_of(model, batch.slice(number - first, 1))
            said = model.predict(row)[0]
            facts = {"row": number, "prediction": said.item() if isinstance(said, np.generic) else said}
            if model.about.classes is not None:
                shares = model.predict_proba(row)[0].tolist()
                facts["probabilities"] = dict(zip(map(str, model.about.classes), shares, strict=True))
            yield number, facts | {"because": model.because(row, most)}
        first += batch.num_rows
        if first > max(wanted):
            return


def in_words(facts: dict[str, Any]) -> str:
    """An explanation for a terminal."""
    lines = [f"Row {facts['row']}: {facts['prediction']}"]
    shares = facts.get("probabilities", {})
    lines += [f"  probability of {name}: {share:.3f}" for name, share in shares.items()]
    table = [_in_words(reason) for reason in facts["because"]]
    return "\n".join([*lines, "", *("  " + line for line in aligned(table, right=range(2, len(table[0]))))])


def _in_words(reason: dict[str, Any]) -> list[str]:
    """A term that is true or not with its contributions, or a member with its level."""
    if "contribution" not in reason:
        return [str(value) for value in reason.values()]
    holds = {True: "true", False: "false", None: ""}[reason.get("holds")]
    return [reason["term"], holds, *(f"{value:+.3f}" for value in reason["contribution"].values())]


# ---- export ----------------------------------------------------------------------------------------------------------


def export_text(
    path: Path,
    way: str,
    *,
    table: str,
    keys: Sequence[str],
    data: Path | None,
    most_points: int,
    missing: Sequence[str],
) -> str:
    """The text of an exported model."""
    check_choice("to", way, WAYS_OUT)
    model = load(path)
    if way == "sql":
        return to_sql(model, table, keys=keys) + "\n"
    if way == "scorecard":
        return _scorecard(model, data, most_points, missing)
    return {"json": to_json, "python": to_python, "markdown": to_markdown}[way](model)


def _scorecard(model: PortableModel, data: Path | None, most_points: int, missing: Sequence[str]) -> str:
    if data is None:
        raise InputError("a scorecard needs rows to measure its loss on: --data TABLE")
    if model.about.target is None:
        raise InputError("this model does not say what its target is called; make its scorecard from Python")
    columns, values = split_target(open_table(data, missing), model.about.target)
    task = "regression" if model.about.classes is None else "classification"
    found = read_target_column(values, model.about.target, task)
    rows = found.rows_of(NamedColumns(columns, _names_of_fit(model, columns.names)))
    return to_scorecard(model, rows, found.y, most_points=most_points).to_markdown()
