"""The laws of a table: whoever is asked, in whichever order, the answer is the same."""

import contextlib
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning

from fuzz.databases import by_duckdb, by_sqlite, fits_a_database, has_flags_among_others, key_of
from fuzz.frames import frames_of, odd_frames, pl
from fuzz.pool import DisagreementError
from fuzz.table_cases import Case, case_of
from paclearn import (
    BooleanEncoder,
    FourierSelector,
    JuntaClassifier,
    JuntaRegressor,
    RedundancyFilter,
    SpectralFeatures,
)
from paclearn.exceptions import PaclearnError, PaclearnWarning
from paclearn.export import from_json, to_json, to_markdown, to_python, to_sql

UNKNOWN_TO_DUCKDB = {"summer times", "half floats"}  # it has a zone of its own, and no numbers of 16 bits
NEAR = 1e-9  # scores as near as this may fall to either side
TRANSFORMERS = (
    FourierSelector(random_state=0),
    RedundancyFilter(),
    SpectralFeatures(degree=1, n_terms=3, n_bins=3),
    BooleanEncoder(n_bins=3),
)
CLEAR = (
    "Sample weights must",
    "Found array with",
    "Expected unique column names",
    "Found input variables",
    "Input X",
    "Input y",
    "Input sample_weight",
    "Expected 2D array",
    "Expected a 2-dimensional container",
    "features, but",
    "sample_weight.shape ==",
    "feature names",
    "Unknown label type",
    "Negative values in data passed to `sample_weight`",
)


def try_table(seed: int) -> int:
    """One table; an error that says what is wrong is an answer as well."""
    judge(case_of(seed))
    return 1


def judge(case: Case) -> None:
    """All laws, one after the other; the dear ones take turns."""
    with warnings_are_errors():
        frames = frames_of(case.kinds, case.columns, case.turn)
        _same_choice_from_every_frame(case, frames)
        model = _same_from_every_frame(case, frames)
        if model is None:
            return
        _same_in_any_order(case, model)
        _same_on_threads(case, model)
        _anything_is_answered(case, model, frames["pandas"])
        rows = frames_of(case.kinds, case.unseen)
        said = _answer(lambda: model.predict(rows["pandas"]))
        if said is not None:
            _same_of_every_frame(model, rows, said)
            views_agree(model, case, rows, said)


@contextlib.contextmanager
def warnings_are_errors():
    """But for those that are meant: a computation that overflows has gone wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for known in (PaclearnWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", known)
        warnings.filterwarnings("ignore", "invalid value encountered in reduce")  # where scikit-learn looks for NaN
        warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
        yield


def _answer(call):
    """What a call says, or None where it refuses in clear words."""
    try:
        return call()
    except PaclearnError as error:
        if not str(error).strip() or "\n" in str(error):
            raise DisagreementError(f"an error of no line, or of several: {error}") from error
    except (ValueError, TypeError) as error:
        if not any(words in str(error) for words in CLEAR):
            raise
    return None


def _fit(case, frame, y=None):
    weights = None if case.weights is None else np.array(case.weights, dtype=float)
    target = _array(case.target) if y is None else y
    return _answer(lambda: case.learner().fit(frame, target, sample_weight=weights))


def _array(values):
    """As numpy has it; values of several kinds as they are."""
    same = len({type(v) for v in values}) == 1 and not isinstance(values[0], list)
    made = np.array(values) if same else np.empty(len(values), dtype=object)
    if not same:
        made[:] = values
    return made


def _need(fine, what):
    if not fine:
        raise DisagreementError(what)


# ---- fits ------------------------------------------------------------------------------------------------------------


def _same_from_every_frame(case, frames):
    """The same bytes, or refused by all."""
    frames.pop("polars" if case.turn % 2 else "arrow" if "polars" in frames else None, None)
    models = {name: _fit(case, frame, _target_beside(name, case)) for name, frame in frames.items()}
    files = {name: None if model is None else _answer(lambda m=model: to_json(m)) for name, model in models.items()}
    _need(len(set(files.values())) == 1, f"models of {', '.join(files)} differ")
    return None if files["pandas"] is None else models["pandas"]  # some can be used, but not saved


def _same_choice_from_every_frame(case, frames):
    """Of those that choose or make columns and predict nothing."""
    if case.turn % 8 == 6:
        chooser = TRANSFORMERS[case.turn // 8 % len(TRANSFORMERS)]
        chosen = [_answer(lambda frame=frame: _chosen(clone(chooser), frame, case)) for frame in frames.values()]
        same = all(np.array_equal(one, chosen[0]) for one in chosen if one is not None)
        _need(
            same and len({one is None for one in chosen}) == 1, f"{chooser} chooses otherwise from {', '.join(frames)}"
        )


def _chosen(chooser, frame, case):
    fitted = chooser.fit(frame, _array(case.target))
    return fitted.get_support() if hasattr(fitted, "get_support") else fitted.transform(frame)


def _target_beside(library, case):
    """The target as one has it beside such a frame, if all of its values are of one kind."""
    kinds = {type(v) for v in case.target}
    if case.turn % 5 or len(kinds) != 1 or not kinds <= {int, float, str, bool} or max(case.target) == 10**400:
        return None
    if library == "pandas, otherwise":
        return _pandas_target(case, kinds.pop())
    if library == "polars":
        return pl.Series("y", case.target)
    return pa.chunked_array([case.target]) if library == "arrow" else None


def _pandas_target(case, kind):
    """With an index of its own, of a type that knows missing values, or, of words, text or categories, one unused."""
    how = case.turn // 5 % 3
    if how == 0:
        return pd.Series(case.target, index=range(case.n, 0, -1), name="y")
    if how == 1:
        return pd.array(case.target, dtype={int: "Int64", float: "Float64", str: "string", bool: "boolean"}[kind])
    if kind is not str:
        return np.array(case.target, dtype=np.longdouble if kind is float else None)
    if case.turn % 2:
        return np.array(case.target, dtype=np.dtypes.StringDType())
    return pd.Categorical(case.target, categories=[*dict.fromkeys(case.target), "a class of no row"])


def _same_in_any_order(case, model):
    if type(model).__name__ not in ANY_ORDER or case.turn % 4 > 1 or case.estimator.holdout is not None:
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
    other = case.learner().set_params(n_jobs=2).fit(frame, _array(case.target), sample_weight=weights)
    _need(to_json(other) == to_json(model), "two threads give another model")


def _anything_is_answered(case, model, frame):
    """Frames that nobody can use are refused in clear words, by a model and by who would learn one."""
    if case.turn % 16 == 5:
        rng = np.random.default_rng(case.turn)
        for odd in odd_frames(frame, rng):
            _answer(lambda odd=odd: model.predict(odd))
            _fit(case, odd)


# ---- predictions -----------------------------------------------------------------------------------------------------


def _same_of_every_frame(model, rows, said):
    for library, frame in rows.items():
        found = model.predict(frame)
        np.testing.assert_array_equal(found, said, f"the same rows in {library}")


def views_agree(model, case, rows, said):
    """The model, its file, plain Python and a database say the same of some rows, and something that makes sense."""
    frame = rows["pandas"]
    scores = _scores(model, frame)
    _need(np.isfinite(scores).all(), "a prediction is not finite")
    _fine_chances(model, frame)
    read = from_json(to_json(model))
    np.testing.assert_array_equal(_scores(read, frame), scores, "the model file")
    np.testing.assert_array_equal(read.predict(frame), said, "the model file")
    alone = [_scores(model, frame.iloc[[i]])[0] for i in range(0, len(frame), 2)]
    least = 1e-12 * max(1.0, float(np.abs(scores).max()))
    np.testing.assert_allclose(alone, scores[::2], rtol=1e-12, atol=least, err_msg="a row on its own")
    sure = _is_sure(scores, model) if is_classifier(model) else None
    _python(model, case, said, sure)
    _words(model, frame, case.turn)
    if fits_a_database(case.kinds, case.unseen):
        _databases(model, case, rows, said, sure)


def _words(model, frame, turn):
    """Every view has something to say."""
    if turn % 8 == 3:
        for view in (to_markdown, lambda m: m.to_text(), lambda m: m._repr_html_(), lambda m: m.explain(frame)):
            _need(_answer(lambda view=view: view(model)) is not None, "a view that has nothing to say")


def _databases(model, case, rows, said, sure):
    query = _answer(lambda: to_sql(model, "data", keys=key_of(case.unseen)))
    if query is None:
        return
    if case.turn % 6 == 0 and UNKNOWN_TO_DUCKDB.isdisjoint(case.kinds.values()):
        _compare(by_duckdb(query, rows.get("arrow", rows["pandas"]), case.unseen), said, sure, "DuckDB")
    elif case.turn % 2 and not any(map(has_flags_among_others, case.columns.values())):
        _compare(by_sqlite(query, case.unseen), said, sure, "SQLite")


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
    for i, (theirs, ours) in enumerate(zip(found, np.asarray(said).tolist(), strict=True)):
        if sure is None:
            fine = abs(theirs - ours) <= 1e-9 * max(1.0, abs(ours))
        else:
            fine = not sure[i] or theirs == ours or str(theirs) == str(ours)
        _need(fine, f"{whose} says {theirs!r} of row {i}, the model {ours!r}")
