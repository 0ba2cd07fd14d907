"""Do exports predict what the model predicts? Six public tables, 10 000 rows with missing and unseen values.

SQL runs in SQLite and DuckDB, the plain Python file row by row, the model file through JSON; a scorecard has to keep
the accuracy that it states.

usage: PACLEARN_DATA=folder python -m benchmarks.exports [--tables ...]
"""

from __future__ import annotations

import argparse
import os
import sqlite3
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from sklearn.metrics import r2_score

from paclearn import (
    JuntaClassifier,
    JuntaRegressor,
    RegressionGraphClassifier,
    RegressionGraphRegressor,
    SpectralClassifier,
    SpectralRegressor,
)
from paclearn.export import from_json, to_json, to_python, to_scorecard, to_sql

TABLES = ("mushroom", "adult", "compas", "car", "house_votes_84", "concrete_strength")
N = 10_000
TRAIN = 3000


def models(*, classify):
    if classify:
        few, graph = SpectralClassifier(max_terms=20, random_state=0), RegressionGraphClassifier(max_leaves=8)
        return [few, SpectralClassifier(random_state=0), JuntaClassifier(k=2), graph]
    few, graph = SpectralRegressor(max_terms=20, random_state=0), RegressionGraphRegressor(max_leaves=30)
    return [few, SpectralRegressor(random_state=0), JuntaRegressor(k=2), graph]


def read(name):
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
    y = frame.pop("target")
    classify = name != "concrete_strength"
    return frame, y.astype(str).to_numpy(dtype=object) if classify else y.to_numpy(dtype=float), classify


def spoiled(frame):
    """Rows drawn anew; three in a hundred values are missing, two in a hundred levels were never seen."""
    rng = np.random.default_rng(1)
    rows = frame.iloc[rng.choice(len(frame), N)].reset_index(drop=True)
    for name in rows.columns:
        is_number = pd.api.types.is_numeric_dtype(rows[name])
        rows[name] = rows[name].astype(float if is_number else object)
        rows.loc[rng.random(N) < 0.03, name] = None
        if not is_number:
            rows.loc[rng.random(N) < 0.02, name] = 'it\'s "new"'
    return rows


def differs(found, wanted):
    """The share of other classes, or the largest difference."""
    if wanted.dtype.kind == "f":
        return float(np.abs(np.asarray(found, dtype=float) - wanted).max())
    return float(np.mean(np.asarray(found, dtype=object) != wanted.astype(object)))


def by_sql(query, rows):
    table = rows.assign(row_id=np.arange(N))
    lite = sqlite3.connect(":memory:")
    table.to_sql("rows", lite, index=False)
    duck = duckdb.connect()
    duck.register("rows", table)
    for database in (lite, duck):
        found = dict(database.execute(query).fetchall())
        yield [found[i] for i in range(N)]


def score(found, y):
    return r2_score(y, found) if y.dtype.kind == "f" else np.mean(found == y)


def check(model, rows):
    wanted = model.predict(rows)
    space = {}
    exec(to_python(model), space)
    plain = rows.astype(object).where(rows.notna(), None).to_dict("records")
    lite, duck = by_sql(to_sql(model, "rows", keys=["row_id"]), rows)
    return {
        "file": differs(from_json(to_json(model)).predict(rows), wanted),
        "SQLite": differs(lite, wanted),
        "DuckDB": differs(duck, wanted),
        "Python": differs([space["predict"](row) for row in plain], wanted),
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--tables", nargs="+", default=TABLES)
    for name in arguments.parse_args().tables:
        frame, y, classify = read(name)
        order = np.random.default_rng(0).permutation(len(y))[:TRAIN]
        rows = spoiled(frame)
        for model in models(classify=classify):
            model.fit(frame.iloc[order], y[order])
            print(name, type(model).__name__, check(model, rows), flush=True)
            if type(model).__name__.startswith("Spectral") and (not classify or len(model.classes_) == 2):
                card = to_scorecard(model, frame, y)
                full, kept = score(model.predict(frame), y), score(card.predict(frame), y)
                print(f"  scorecard: states {card.loss:+.4f} lost; {full:.4f} became {kept:.4f}", flush=True)


if __name__ == "__main__":
    main()
