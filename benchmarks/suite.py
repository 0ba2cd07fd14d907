"""Readable and other models on all public tables: accuracy or R2, log loss, terms, seconds; mean ranks.

Five folds (stratified, seed 0), at most 10 000 rows a table, image and gene tables aside. Results are kept line by line
in a file, so a run that was stopped goes on where it was; a model or table can be run again by deleting its lines.

usage: PACLEARN_DATA=folder python -m benchmarks.suite [--results FILE] [--models ...] [--tables ...] [--plot FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.metrics import accuracy_score, log_loss, r2_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

SET_ASIDE = {"usps", "isolet", "coil20", "all_aml"}  # images, sounds and genes
NUMERIC_TARGET = {"concrete_strength", "bike_sharing_hour", "diabetes", "gam_smooth", "gam_steps", "gam_pairs"}
OF_SKLEARN = {"diabetes": load_diabetes, "breast_cancer": load_breast_cancer}
MOST_ROWS = 10_000


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


MODELS = {
    "logistic": linear,
    "tree": tree,
    "ebm": ebm,
    "ebm_reg": lambda f, regression: ebm(f, regression=regression, reg_lambda=1.0),
    "forest": forest,
    "lightgbm": lightgbm,
    "catboost": catboost,
    "spectral": spectral,
    "spectral_30": lambda f, regression: spectral(f, regression=regression, max_terms=30),
    "spectral_10": lambda f, regression: spectral(f, regression=regression, max_terms=10),
}
READABLE = ("logistic", "tree", "ebm", "ebm_reg", "spectral")


def prepared(model, frame):
    """The table as a model wants it."""
    if model.startswith(("ebm", "spectral")):
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
        return line | {"score": float(r2_score(y[test], found))}
    known = np.isin(y[test], learner.classes_)
    chances = learner.predict_proba(table.iloc[test])
    line["log_loss"] = float(log_loss(y[test][known], chances[known], labels=list(learner.classes_)))
    return line | {"score": float(accuracy_score(y[test].astype(str), found.astype(str)))}


def done(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(r["table"], r["model"], r["fold"]): r for r in lines}


def run_in_time(limit, *arguments):
    """A run, or a line that says it took too long."""
    late = []

    def stop(*_):
        late.append(True)
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(limit)
    try:
        return run(*arguments)
    except (TimeoutError, KeyboardInterrupt):  # CatBoost makes its own exception of ours
        if not late:
            raise
        return {"seconds": float(limit), "terms": None, "score": None, "stopped": True}
    finally:
        signal.alarm(0)


def run_all(path, names, models, n_folds, limit):
    results = done(path)
    for name in names:
        frame, y = read(name)
        for model in models:
            for fold, (train, test) in enumerate(folds(name, y)[:n_folds]):
                if (name, model, fold) in results:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = run_in_time(limit, name, model, frame, y, train, test)
                line = {"table": name, "model": model, "fold": fold, "categorical": is_categorical(frame), **found}
                with path.open("a") as file:
                    file.write(json.dumps(line) + "\n")
            print(f"{name} {model} done", flush=True)


# ---- tables of results -----------------------------------------------------------------------------------------------


def wide(results, column="score"):
    frame = pd.DataFrame(results.values())
    return frame.pivot_table(index="table", columns="model", values=column, aggfunc="mean")


def ranks(scores):
    """Mean rank of every model over the tables that all of them have."""
    return scores.round(6).rank(axis=1, ascending=False).mean().sort_values()


def critical_difference(n_models, n_tables):
    """Nemenyi's, at 0.05."""
    from scipy.stats import studentized_range

    return (
        studentized_range.ppf(0.95, n_models, np.inf) / np.sqrt(2) * np.sqrt(n_models * (n_models + 1) / (6 * n_tables))
    )


def against(results, other, ours="spectral"):
    """Where ours is better or worse than another model by more than a tenth of a point, on folds that both have."""
    frame = pd.DataFrame(results.values()).pivot_table(index=["table", "fold"], columns="model", values="score")
    both = frame[[ours, other]].dropna().groupby("table").mean()
    gap = 100 * (both[ours] - both[other])
    numeric = gap.index.isin(NUMERIC_TARGET)
    for kind, part in (("classes", gap[~numeric]), ("numbers", gap[numeric])):
        better, worse = (part > 0.1).sum(), (part < -0.1).sum()
        print(f"{ours} against {other}, {kind}: {better} better, {worse} worse of {len(part)}, mean {part.mean():+.2f}")
        print("   more than a point behind:", part[part < -1].round(1).to_dict())


def summarise(results):
    run_models = {key[1] for key in results}
    for other in [m for m in MODELS if m in run_models and not m.startswith("spectral") and "spectral" in run_models]:
        against(results, other)
    scores = wide(results)
    flags = pd.DataFrame(results.values()).drop_duplicates("table").set_index("table")["categorical"]
    classes = scores.loc[[t for t in scores.index if t not in NUMERIC_TARGET]]
    if {"ebm", "ebm_reg"} <= set(scores.columns):
        classes = classes.assign(ebm_best=classes[["ebm", "ebm_reg"]].max(axis=1))
    show = {"all classification tables": classes, "purely categorical": classes[flags[classes.index]]}
    readable = [m for m in ("logistic", "tree", "ebm_best", "spectral") if m in classes.columns]
    print("\nscores\n", (100 * scores).round(1).to_string())
    for title, part in show.items():
        print(f"\nmean rank, {title} ({len(part)}):")
        print("  readable:", ranks(part[readable].dropna()).round(2).to_dict())
        plain = part[[m for m in MODELS if m in part.columns]].dropna(axis=1)  # models that were run everywhere
        print(
            "  all:", ranks(plain).round(2).to_dict(), "CD", round(critical_difference(plain.shape[1], len(plain)), 2)
        )
    if {"spectral", "ebm_best"} <= set(classes.columns):
        behind = (classes["ebm_best"] - classes["spectral"])[lambda s: s > 0.01]
        print("\nbehind the better EBM by more than a point:", (100 * behind).round(1).to_dict())
    if {"spectral", "spectral_30"} <= set(classes.columns):
        close = classes["spectral"] - classes["spectral_30"] <= 0.01
        print(f"30 terms within a point: {close.sum()} of {len(close)}; not: {list(close.index[~close])}")
    numbers = scores.loc[[t for t in scores.index if t in NUMERIC_TARGET]]
    print("\nmean R2:", numbers.mean().round(4).to_dict())
    print("\nmean log loss:", wide(results, "log_loss").mean().round(3).to_dict())
    print("seconds, median:", wide(results, "seconds").median().round(2).to_dict())
    print("terms, median:", wide(results, "terms").median().to_dict())


def write_table(results, path):
    """Mean scores as Markdown, in percent; folds that were run, where they were not all, in brackets."""
    frame = pd.DataFrame(results.values()).dropna(subset="score")
    kinds = [m for m in MODELS if m in set(frame["model"])]
    lines = ["| table | " + " | ".join(kinds) + " |", "| --- |" + " --- |" * len(kinds)]
    for name, part in frame.groupby("table"):
        by_model = part.groupby("model")["score"]
        cells = []
        for kind in kinds:
            count = int(by_model.count().get(kind, 0))
            shown = f"{100 * by_model.mean()[kind]:.1f}" if count else ""
            cells.append(shown + (f" ({count})" if 0 < count < 5 else ""))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    path.write_text("\n".join(lines) + "\n")


def draw(results, path):
    """Mean ranks on a line, with the critical difference."""
    import matplotlib.pyplot as plt

    scores = wide(results)
    part = scores.loc[[t for t in scores.index if t not in NUMERIC_TARGET]].dropna(axis=1)
    mean = ranks(part)
    figure, ax = plt.subplots(figsize=(8, 0.35 * len(mean) + 1.2), layout="constrained")
    colours = ["#2166ac" if m.startswith("spectral") else "#777777" for m in mean.index]
    ax.scatter(mean, range(len(mean)), color=colours)
    for place, (name, value) in enumerate(mean.items()):
        ax.annotate(f"{name} {value:.2f}", (value, place), xytext=(6, -3), textcoords="offset points")
    width = critical_difference(len(mean), len(part))
    ax.plot([mean.iloc[0], mean.iloc[0] + width], [-0.7, -0.7], color="#b2182b", linewidth=3)
    ax.annotate("critical difference", (mean.iloc[0], -0.7), xytext=(0, 5), textcoords="offset points", color="#b2182b")
    ax.set(xlabel=f"mean rank of accuracy over {len(part)} tables", yticks=[])
    ax.set(xlim=(mean.iloc[0] - 0.2, mean.iloc[-1] + 0.8), ylim=(len(mean) - 0.4, -1.5))  # room for the words
    figure.savefig(path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--results", type=Path, default=Path("suite.jsonl"))
    arguments.add_argument("--models", nargs="+", default=list(MODELS))
    arguments.add_argument("--tables", nargs="+")
    arguments.add_argument("--folds", type=int, default=5, help="so many of the five")
    arguments.add_argument("--limit", type=int, default=1800, help="seconds a fit may take")
    arguments.add_argument("--plot", type=Path)
    arguments.add_argument("--table", type=Path, help="where to write the scores as Markdown")
    chosen = arguments.parse_args()
    run_all(chosen.results, chosen.tables or tables(), chosen.models, chosen.folds, chosen.limit)
    summarise(done(chosen.results))
    if chosen.table:
        write_table(done(chosen.results), chosen.table)
    if chosen.plot:
        draw(done(chosen.results), chosen.plot)


if __name__ == "__main__":
    main()
