"""The laws of a table: whoever is asked, in whichever order, the answer is the same."""

import sqlite3
import warnings
from functools import lru_cache

import duckdb
import numpy as np
import pandas as pd
from sklearn.base import is_classifier

from fuzz.pool import DisagreementError
from fuzz.table_cases import Case, case_of, frames_of
from paclearn import JuntaClassifier, JuntaRegressor
from paclearn.exceptions import PaclearnError, PaclearnWarning
from paclearn.export import from_json, to_json, to_python, to_sql

NEAR = 1e-9  # scores as near as this may fall to either side
CLEAR = (
    "Sample weights must",
    "Found array with",
    "Found input variables",
    "Input X",
    "Expected 2D array",
    "feature names",
    "Unknown label type",
)


def try_table(seed: int) -> int:
    """One table; an error that says what is wrong is an answer as well."""
    judge(case_of(seed))
    return 1


def judge(case: Case) -> None:
    """All laws, one after the other; the dear ones take turns."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PaclearnWarning)
        warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
        model = _same_from_every_frame(case, frames_of(case.kinds, case.columns))
        if model is None:
            return
        _same_in_any_order(case, model)
        _same_on_threads(case, model)
        rows = frames_of(case.kinds, case.unseen)["pandas"]
        said = _answer(lambda: model.predict(rows))
        if said is not None:
            _views(model, case, rows, said)


def _answer(call):
    """What a call says, or None where it refuses in clear words."""
    try:
        return call()
    except PaclearnError as error:
        if not str(error).strip():
            raise DisagreementError("an error without a word") from error
    except (ValueError, TypeError) as error:
        if not any(words in str(error) for words in CLEAR):
            raise
    return None


def _fit(case, frame):
    weights = None if case.weights is None else np.array(case.weights, dtype=float)
    return _answer(lambda: case.learner().fit(frame, np.array(case.target), sample_weight=weights))


def _need(fine, what):
    if not fine:
        raise DisagreementError(what)


# ---- fits ------------------------------------------------------------------------------------------------------------


def _same_from_every_frame(case, frames):
    """The same bytes, or refused by all."""
    frames.pop("polars" if case.turn % 2 else "arrow", None)
    models = {name: _fit(case, frame) for name, frame in frames.items()}
    files = {name: None if model is None else to_json(model) for name, model in models.items()}
    _need(len(set(files.values())) == 1, f"models of {', '.join(files)} differ")
    return models["pandas"]


def _same_in_any_order(case, model):
    if type(model).__name__ not in ANY_ORDER or case.turn % 4 > 1:
        return
    order = np.random.default_rng(case.n).permutation(case.n).tolist()
    turned = case.some_rows(order)
    other = _fit(turned, frames_of(turned.kinds, turned.columns)["pandas"])
    _need(
        other is not None and to_json(other) == to_json(model),
        f"another order of the rows gives another model of {case.estimator}",
    )


# those that draw rows by their numbers are left out
ANY_ORDER = {"JuntaClassifier", "JuntaRegressor", "RegressionGraphRegressor", "RegressionGraphClassifier"}


def _same_on_threads(case, model):
    if (
        not isinstance(model, JuntaClassifier | JuntaRegressor) or case.turn % 4 != 2
    ):  # the others share work among processes, if at all
        return
    weights = None if case.weights is None else np.array(case.weights, dtype=float)
    frame = frames_of(case.kinds, case.columns)["pandas"]
    other = case.learner().set_params(n_jobs=2).fit(frame, np.array(case.target), sample_weight=weights)
    _need(to_json(other) == to_json(model), "two threads give another model")


# ---- predictions -----------------------------------------------------------------------------------------------------


def _views(model, case, rows, said):
    scores = _scores(model, rows)
    _need(np.isfinite(scores).all(), "a prediction is not finite")
    _fine_chances(model, rows)
    read = from_json(to_json(model))
    np.testing.assert_array_equal(_scores(read, rows), scores, "the model file")
    np.testing.assert_array_equal(read.predict(rows), said, "the model file")
    alone = [_scores(model, rows.iloc[[i]])[0] for i in range(0, len(rows), 2)]
    np.testing.assert_allclose(alone, scores[::2], rtol=1e-12, atol=1e-12, err_msg="a row on its own")
    sure = _is_sure(scores, model) if is_classifier(model) else np.ones(len(rows), dtype=bool)
    _python(model, case, said, sure)
    if case.turn % 6 == 0:
        _compare(_duckdb(model, rows), said, sure, "DuckDB")
    elif case.turn % 2:
        _compare(_sqlite(model, rows), said, sure, "SQLite")


def _scores(model, rows):
    return model.model_.scores(model.model_.encode(model.model_.table(rows)))


def _fine_chances(model, rows):
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(rows)
        _need(np.allclose(shares.sum(axis=1), 1) and (shares >= -1e-12).all(), "probabilities that are none")


def _is_sure(scores, model):
    """Whether the largest of several scores is clear, or which side of its threshold a single one lies on."""
    if scores.shape[1] == 1:
        linear = model.model_.kind in {"linear", "points", "additive"}
        return np.abs(scores[:, 0] - (0.0 if linear else 0.5)) > NEAR
    top = np.sort(scores, axis=1)
    return top[:, -1] - top[:, -2] > NEAR


def _python(model, case, said, sure):
    code = _answer(lambda: to_python(model))
    if code is None:
        return
    space = {}
    exec(compile(code, "model.py", "exec"), space)
    rows = [dict(zip(case.unseen, row, strict=True)) for row in zip(*case.unseen.values(), strict=True)]
    _compare([space["predict"](row) for row in rows], said, sure, "plain Python")


def _compare(found, said, sure, whose):
    if found is None:
        return
    for i, (theirs, ours) in enumerate(zip(found, np.asarray(said).tolist(), strict=True)):
        if isinstance(ours, float) and isinstance(theirs, int | float) and not isinstance(theirs, bool):
            fine = abs(theirs - ours) <= 1e-9 * max(1.0, abs(ours))
        else:
            fine = not sure[i] or theirs == ours or str(theirs) == str(ours)
        _need(fine, f"{whose} says {theirs!r} of row {i}, the model {ours!r}")


# ---- databases -------------------------------------------------------------------------------------------------------


def _query(model, rows):
    if any(not name or "\0" in name for name in rows.columns) or any(is_mixed(rows[name]) for name in rows):
        return None
    if len({name.casefold() for name in rows.columns}) < len(rows.columns):
        return None  # databases do not tell such columns apart
    key = next(name for name in ("row number", "row number ") if name not in rows.columns)
    return key, _answer(lambda: to_sql(model, "data", keys=key))


def is_mixed(column):
    """Whether a column holds several kinds of values, which no column of a database does."""
    kinds = {type(v) for v in column.tolist() if not pd.isna(v)}
    return len(kinds) > 1


def _sqlite(model, rows):
    asked = _query(model, rows)
    if asked is None or asked[1] is None:
        return None
    plain = rows.astype(object).where(rows.notna(), None)
    values = [[i, *map(_stored, row)] for i, row in enumerate(plain.itertuples(index=False, name=None))]
    con = sqlite3.connect(":memory:")
    names = ", ".join(f'"{n}"' for n in (asked[0], *(name.replace('"', '""') for name in rows.columns)))
    con.execute(f"CREATE TABLE data ({names})")
    con.executemany(f"INSERT INTO data VALUES ({', '.join('?' * (len(rows.columns) + 1))})", values)
    return [said for _, said in sorted(con.execute(asked[1]).fetchall())]


def _stored(value):
    """As SQLite keeps it: dates as text, flags as numbers."""
    if isinstance(value, pd.Timestamp):
        return value.isoformat(" ")
    return int(value) if isinstance(value, bool | np.bool_) else value


@lru_cache
def _connection():
    return duckdb.connect(config={"threads": 1})


def _duckdb(model, rows):
    asked = _query(model, rows)
    if asked is None or asked[1] is None:
        return None
    table = rows.assign(**{asked[0]: range(len(rows))})
    con = _connection()
    con.register("data", frames_with_types(table))
    return [said for _, said in sorted(con.execute(asked[1]).fetchall())]


def frames_with_types(table):
    """Columns of objects get the type that their values have; all missing is text."""
    types = {bool: "boolean", int: "Int64", float: "Float64"}
    found = {}
    for name in table:
        values = [None if pd.isna(v) else v for v in table[name].tolist()]
        kinds = {type(v) for v in values} - {type(None)}
        plain = len(kinds) == 1 and kinds <= set(types)
        found[name] = pd.array(values, dtype=types[kinds.pop()]) if plain else table[name]
    return pd.DataFrame(found)
