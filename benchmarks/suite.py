"""Readable and other models on all public tables: what rows left out say of them, and processor seconds.

Classes: accuracy, log loss, area under the ROC curve (of more than two classes the mean over classes, each by its
rows), expected calibration error. Numbers: R2 and mean absolute error. Five folds (stratified, seed 0), at most 10 000
rows a table, image and gene tables aside. Results are kept line by line in a file, so a run that was stopped goes on
where it was; a model or table can be run again by deleting its lines. `benchmarks.suite_page` makes tables of them.

usage: PACLEARN_DATA=folder python -m benchmarks.suite [--results FILE] [--models ...] [--tables ...] [--jobs 16]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

SET_ASIDE = {"usps", "isolet", "coil20", "all_aml"}  # images, sounds and genes
NUMERIC_TARGET = {
    "concrete_strength",
    "bike_sharing_hour",
    "california_housing",
    "diabetes",
    "gam_smooth",
    "gam_steps",
    "gam_pairs",
}
OF_SKLEARN = {"diabetes": load_diabetes, "breast_cancer": load_breast_cancer, "wine": load_wine}
MOST_ROWS = 10_000
KEPT = Path(__file__).parent / "results" / "suite.jsonl"  # earlier runs: they say what takes long


# ---- tables ----------------------------------------------------------------------------------------------------------


def tables():
    """Names of all tables."""
    folder = Path(os.environ["PACLEARN_DATA"])
    return sorted({p.stem for p in folder.glob("*.parquet")} - SET_ASIDE | NUMERIC_TARGET)


def read(name, most=MOST_ROWS):
    """Frame and target, at most 10 000 rows."""
    if name in OF_SKLEARN:
        frame, y = OF_SKLEARN[name](return_X_y=True, as_frame=True)
    elif name.startswith("gam_"):
        frame, y = made_up(name)
    else:
        frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
        y = frame.pop("target")
    y = y.to_numpy(dtype=float) if name in NUMERIC_TARGET else y.astype(str).to_numpy(dtype=object)
    if len(y) > most:
        labels = None if name in NUMERIC_TARGET else y
        kept, _ = train_test_split(np.arange(len(y)), train_size=most, random_state=0, stratify=labels)
        frame, y = frame.iloc[np.sort(kept)], y[np.sort(kept)]
    return frame.reset_index(drop=True), y


def made_up(name, n=4000):
    """Additive models with and without pairs, ten columns, a fifth of the variance noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-2, 2, (n, 10)), columns=[f"x{i}" for i in range(10)])
    a, b, c, d, e = (X[f"x{i}"].to_numpy() for i in range(5))
    signal = {
        "gam_smooth": np.sin(2 * a) + b**2 / 2 + np.exp(-(c**2)) - d + np.cos(e),
        "gam_steps": np.floor(2 * a) / 2 + (b > 0.3) + 2 * (np.abs(c) < 1) - (d > 1) + np.round(e),
        "gam_pairs": a + np.sin(2 * b) + 2 * (c > 0) * (d > 0) + a * e,
    }[name]
    return X, pd.Series(signal + rng.normal(0, np.sqrt(signal.var() / 4), n))


def is_categorical(frame):
    return not any(pd.api.types.is_numeric_dtype(t) for t in frame.dtypes)


# ---- models ----------------------------------------------------------------------------------------------------------


def text_columns(frame):
    return [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c].dtype)]


def one_hot(*, scale=True):
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()) if scale else SimpleImputer()
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude=np.number)),
        (numbers, make_column_selector(dtype_include=np.number)),
    )


def ordinal():
    return make_column_transformer(
        (
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=-1),
            make_column_selector(dtype_exclude=np.number),
        ),
        remainder="passthrough",
    )


def linear(_, *, regression):
    if regression:
        return make_pipeline(one_hot(), RidgeCV(np.logspace(-3, 3, 13)))
    return make_pipeline(one_hot(), LogisticRegressionCV(Cs=8, cv=5, max_iter=2000, scoring="neg_log_loss"))


def tree(_, *, regression):
    model = DecisionTreeRegressor(random_state=0) if regression else DecisionTreeClassifier(random_state=0)
    grid = {"max_leaf_nodes": [4, 8, 16, 32, 64, 128], "min_samples_leaf": [1, 5, 20]}
    return make_pipeline(ordinal(), GridSearchCV(model, grid, cv=5))


def forest(_, *, regression):
    return make_pipeline(ordinal(), (RandomForestRegressor if regression else RandomForestClassifier)(random_state=0))


def ebm(_, *, regression, **settings):
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    kind = ExplainableBoostingRegressor if regression else ExplainableBoostingClassifier
    return kind(random_state=0, n_jobs=1, **settings)


def lightgbm(_, *, regression):
    from lightgbm import LGBMClassifier, LGBMRegressor

    return (LGBMRegressor if regression else LGBMClassifier)(random_state=0, verbose=-1, n_jobs=1)


def catboost(frame, *, regression):
    from catboost import CatBoostClassifier, CatBoostRegressor

    settings = {"random_seed": 0, "verbose": False, "thread_count": 1, "allow_writing_files": False}
    return (CatBoostRegressor if regression else CatBoostClassifier)(cat_features=text_columns(frame), **settings)


def spectral(_, *, regression, **settings):
    from paclearn import SpectralClassifier, SpectralRegressor

    return (SpectralRegressor if regression else SpectralClassifier)(random_state=0, **settings)


def graphs(_, *, regression):
    from paclearn import RegressionGraphEnsembleClassifier, RegressionGraphEnsembleRegressor

    kind = RegressionGraphEnsembleRegressor if regression else RegressionGraphEnsembleClassifier
    return kind(random_state=0)


MODELS = {
    "logistic": linear,
    "tree": tree,
    "ebm": ebm,
    "ebm_4": lambda f, regression: ebm(f, regression=regression, outer_bags=4),
    "ebm_reg": lambda f, regression: ebm(f, regression=regression, reg_lambda=1.0),
    "ebm_reg_4": lambda f, regression: ebm(f, regression=regression, reg_lambda=1.0, outer_bags=4),
    "forest": forest,
    "lightgbm": lightgbm,
    "catboost": catboost,
    "spectral": spectral,
    "spectral_30": lambda f, regression: spectral(f, regression=regression, max_terms=30),
    "spectral_10": lambda f, regression: spectral(f, regression=regression, max_terms=10),
    "graphs": graphs,
}
READABLE = ("logistic", "tree", "ebm", "ebm_reg", "spectral")


def prepared(model, frame):
    """The table as a model wants it."""
    if model.startswith(("ebm", "spectral", "graphs")):
        return frame
    if model == "lightgbm":
        return frame.assign(**{c: frame[c].astype("category") for c in text_columns(frame)})
    text = text_columns(frame)
    return frame.assign(**{c: frame[c].astype(object).where(frame[c].notna(), "missing").astype(str) for c in text})


def n_terms(model):
    """What a reader has to take in: weights, leaves or curves."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if hasattr(last, "best_estimator_"):
        return int(last.best_estimator_.get_n_leaves())
    if hasattr(last, "coef_"):
        return int((np.abs(np.atleast_2d(last.coef_)) > 1e-9).any(axis=0).sum())
    for name in ("n_terms_", "term_names_"):
        if hasattr(last, name):
            return int(np.size(getattr(last, name))) if name == "term_names_" else int(last.n_terms_)
    return None


# ---- runs ------------------------------------------------------------------------------------------------------------


def folds(name, y):
    splitter = KFold(5, shuffle=True, random_state=0)
    if name not in NUMERIC_TARGET:
        splitter = StratifiedKFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer than five rows
        return list(splitter.split(np.zeros(len(y)), y))


def run(name, model, frame, y, train, test):
    regression = name in NUMERIC_TARGET
    table = prepared(model, frame)
    learner = MODELS[model](frame, regression=regression)
    started = time.process_time()  # of the processor: every model has one thread, and other work does not count
    learner.fit(table.iloc[train], y[train])
    seconds = time.process_time() - started
    found = np.ravel(learner.predict(table.iloc[test]))
    line = {"seconds": seconds, "terms": n_terms(learner)}
    if regression:
        return line | {
            "score": float(r2_score(y[test], found)),
            "mae": float(mean_absolute_error(y[test], found)),
        }
    chances = learner.predict_proba(table.iloc[test])
    return line | of_classes(y[test].astype(str), found.astype(str), chances, np.asarray(learner.classes_).astype(str))


def of_classes(y, found, chances, classes):
    """What is said of a model of classes; rows of classes that it never saw count for accuracy alone."""
    known = np.isin(y, classes)
    chances, came = chances[known], y[known][:, None] == classes
    return {
        "score": float(accuracy_score(y, found)),
        "log_loss": float(log_loss(came.argmax(axis=1), chances, labels=np.arange(len(classes)))),
        "auc": area(came, chances),
        "ece": calibration_error(came, chances),
    }


def area(came, chances):
    """Area under the ROC curve; of more than two classes the mean of each against the rest, weighted by its rows."""
    columns = [1] if came.shape[1] == 2 else range(came.shape[1])
    there = [c for c in columns if 0 < came[:, c].sum() < len(came)]
    if not there:
        return None
    areas = [roc_auc_score(came[:, c], chances[:, c]) for c in there]
    return float(np.average(areas, weights=came[:, there].sum(axis=0)))


def calibration_error(came, chances):
    """How far the chance given to the likeliest class is from how often it came: the mean over ten bins, by rows."""
    best = chances.argmax(axis=1)
    said, hit = chances.max(axis=1), came[np.arange(len(came)), best]
    bins = np.minimum((10 * said).astype(int), 9)
    off = np.bincount(bins, weights=said - hit, minlength=10)
    return float(np.abs(off).sum() / len(came))


def done(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(r["table"], r["model"], r["fold"]): r for r in lines}


def in_time(limit, function, *arguments):
    """What a function returns, or a TimeoutError after so many seconds."""
    late = []

    def stop(*_):
        late.append(True)
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(limit)
    try:
        return function(*arguments)
    except KeyboardInterrupt as error:  # CatBoost makes its own exception of ours
        if not late:
            raise
        raise TimeoutError from error
    finally:
        signal.alarm(0)


def run_in_time(limit, *arguments):
    """A run, or a line that says it took too long."""
    try:
        return in_time(limit, run, *arguments)
    except TimeoutError:
        return {"seconds": float(limit), "terms": None, "score": None, "stopped": True}


def one_run(name, model, fold, limit):
    """A line of results; where it breaks, a line that says how."""
    frame, y = read(name)
    train, test = folds(name, y)[fold]
    line = {"table": name, "model": model, "fold": fold, "categorical": is_categorical(frame)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return line | run_in_time(limit, name, model, frame, y, train, test)
        except Exception as error:  # noqa: BLE001 - the other runs go on
            return line | {"seconds": None, "terms": None, "score": None, "failed": f"{type(error).__name__}: {error}"}


def expected_seconds():
    """Of a table and a model, from earlier runs; a minute where there are none."""
    kept = pd.DataFrame(done(KEPT).values())
    mean = {} if kept.empty else kept.groupby(["table", "model"])["seconds"].mean().to_dict()
    return lambda run: mean.get(run[:2], 60.0)


def run_all(path, names, models, n_folds, limit, jobs):
    """Runs that are missing, longest first, so many at a time."""
    known = done(path)
    wanted = [(n, m, f) for n in names for m in models for f in range(n_folds) if (n, m, f) not in known]
    wanted.sort(key=expected_seconds(), reverse=jobs > 1)
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        for future in as_completed([pool.submit(one_run, *run, limit) for run in wanted]):
            line = future.result()
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")
            print(line["table"], line["model"], line["fold"], line.get("failed", line["score"]), flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--results", type=Path, default=Path("suite.jsonl"))
    arguments.add_argument("--models", nargs="+", default=list(MODELS))
    arguments.add_argument("--tables", nargs="+")
    arguments.add_argument("--folds", type=int, default=5, help="so many of the five")
    arguments.add_argument("--limit", type=int, default=1800, help="seconds a fit may take")
    arguments.add_argument("--jobs", type=int, default=1, help="fits at a time, each with one thread")
    chosen = arguments.parse_args()
    run_all(chosen.results, chosen.tables or tables(), chosen.models, chosen.folds, chosen.limit, chosen.jobs)


if __name__ == "__main__":
    main()
