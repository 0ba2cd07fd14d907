"""Numbers that grow by percents: how much of them is explained, and whether predictions are means.

Draws of `make_house_prices` and `make_store_sales`; every model learns from 2000 rows and is judged on 20 000 others.
`SpectralRegressor` is not told which loss to take. Beside it stand squared error, gradient boosting with the loss of
the table (gamma, Poisson), ridge regression, and the expected numbers themselves, which nothing can beat. The last
three columns are about means, in percent: of predictions over targets on the rows learned from, of predictions over
expected numbers on the new rows, and of targets over expected numbers on the rows learned from. The last is chance:
what the rows are off by, a model that is right about them is off by as well.

usage: python -m benchmarks.prices [--draws 10]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from paclearn import SpectralRegressor
from paclearn.datasets import make_house_prices, make_store_sales

TABLES = {"house prices": (make_house_prices, "gamma"), "store sales": (make_store_sales, "poisson")}
N_ROWS, N_NEW = 2000, 20_000


def rivals(words, loss):
    """Boosting that is told which columns are levels, and least squares of all levels."""
    codes = make_column_transformer(
        (OrdinalEncoder(), words), remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    levels = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), words), remainder="passthrough")
    return {
        "boosting": make_pipeline(codes, HistGradientBoostingRegressor(loss=loss, categorical_features=words)),
        "ridge": make_pipeline(levels, RidgeCV(np.logspace(-3, 3, 13))),
    }


def of_draw(name, seed):
    """The figures of one draw, by name."""
    make, loss = TABLES[name]
    known, new = make(N_ROWS, random_state=seed), make(N_NEW, random_state=1000 + seed)
    X, asked = pd.DataFrame(known.data), pd.DataFrame(new.data)
    words = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    ours = {"ours": SpectralRegressor(random_state=0), "squared": SpectralRegressor(loss="squared", random_state=0)}
    found = {"loss": None, "truth": r2_score(new.target, new.mean)}
    for label, model in (ours | rivals(words, loss)).items():
        found[label] = r2_score(new.target, model.fit(X, known.target).predict(asked))
    model = ours["ours"]
    said = {"rows": model.predict(X).sum() / known.target.sum(), "new": model.predict(asked).sum() / new.mean.sum()}
    said["chance"] = known.target.sum() / known.mean.sum()
    return found | {"loss": model.loss_} | {label: 100 * (ratio - 1) for label, ratio in said.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=10)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in TABLES:
        draws = pd.DataFrame([of_draw(name, seed) for seed in range(given.draws)])
        numbers = draws.drop(columns="loss")
        print(f"{name}: losses taken {draws['loss'].value_counts().to_dict()}; ahead of boosting in ", end="")
        print(f"{int((draws['ours'] > draws['boosting']).sum())} of {len(draws)} draws")
        print(pd.DataFrame({"mean": numbers.mean(), "deviation": numbers.std()}).T.round(4).to_string(), flush=True)


if __name__ == "__main__":
    main()
