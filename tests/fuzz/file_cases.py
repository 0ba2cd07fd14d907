"""Model files in which something was changed, the checksum too: refused in one line, or a model that makes sense."""

import copy
import json
from functools import lru_cache

import numpy as np
import pandas as pd

from fuzz.pool import DisagreementError
from paclearn import (
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    RegressionGraphClassifier,
    RegressionGraphEnsembleRegressor,
    RuleClassifier,
    SpectralClassifier,
)
from paclearn.exceptions import ModelFileError, PaclearnError
from paclearn.export import from_json, to_json, to_markdown, to_python, to_sql
from paclearn.views.model_file import _checksum

CHANGES_A_CASE = 20
VALUES = [
    None,
    True,
    -1,
    0,
    1,
    7,
    2**40,
    2**70,
    -1.5,
    0.5,
    1e308,
    5e-324,
    "",
    "x",
    "1e999",
    "nan",
    [],
    {},
    [[]],
    [0],
    {"a": 1},
]


def try_files(seed: int) -> int:
    """Some changes of one file."""
    rng = np.random.default_rng(seed)
    texts = _texts()
    for _ in range(CHANGES_A_CASE):
        _judge(_changed(texts[int(rng.integers(len(texts)))], rng))
    return CHANGES_A_CASE


@lru_cache
def _texts():
    rng = np.random.default_rng(0)
    rows = _rows().sample(60, replace=True, random_state=0)
    two = np.where((rows["c"] == "u") ^ (rows["n"] > 0), "yes", "no")
    three = np.where(rows["c"] == "w", "third", two)
    number = (rows["c"] == "u") * 2.0 + rng.normal(size=60)
    fits = [
        (JuntaClassifier(k=2), three),
        (JuntaRegressor(k=1), number),
        (RegressionGraphClassifier(max_splits=3), two),
        (RegressionGraphEnsembleRegressor(n_estimators=2, max_splits=2, random_state=0), number),
        (RuleClassifier(n_bins=3, random_state=0), two),
        (SpectralClassifier(degree=1, max_terms=3, n_bins=3, random_state=0), three),
        (HalfspaceClassifier(B=30, solver="online", n_passes=2, random_state=0), two),
    ]
    return [json.loads(to_json(learner.fit(rows, target))) for learner, target in fits]


def _rows():
    n = [-2.0, -1.0, 0.5, 1.0, 2.0, None, 3.5, 4.0]
    return pd.DataFrame({"c": ["u", "v", "w", None] * 2, "n": pd.Series(n, dtype=float), "f": [True, False] * 4})


def _changed(content, rng):
    """One to three places changed; one file of ten keeps its old checksum."""
    content = copy.deepcopy(content)
    checksum = content.pop("checksum")
    for _ in range(int(rng.integers(1, 4))):
        _change(content, rng)
    fits = rng.random() < 0.9
    return json.dumps({**content, "checksum": _checksum(content) if fits else checksum})


def _change(content, rng):
    """Down a random way, and there another value, one more, or none."""
    place = content
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = keys[int(rng.integers(len(keys)))]
        if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.15:
            break
        place = place[key]
    how = int(rng.integers(4))
    if how == 0:
        del place[key]
    elif how == 1 and isinstance(place, list):
        place.append(copy.deepcopy(place[key]))
    else:
        place[key] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])


def _judge(text):
    try:
        model = from_json(text)
    except ModelFileError as error:
        if "\n" in str(error) or not str(error):
            raise DisagreementError(f"not one line: {error}") from error
        return
    try:
        _makes_sense(model)
    except PaclearnError:
        return
    except ValueError as error:  # of scikit-learn: the file speaks of other columns
        if "feature names" not in str(error):
            raise


def _makes_sense(model):
    rows = _rows()
    said = model.predict(rows)
    if model.about.classes is not None:
        shares = model.predict_proba(rows)
        if not (np.allclose(shares.sum(axis=1), 1) and (shares >= -1e-9).all()):
            raise DisagreementError(f"probabilities that are none: {shares[0]}")
    elif not np.isfinite(np.asarray(said, dtype=float)).all():
        raise DisagreementError("a prediction that is not finite")
    again = from_json(to_json(model)).predict(rows)
    if np.asarray(again).tolist() != np.asarray(said).tolist():
        raise DisagreementError("saved again it says something else")
    for view in (to_markdown, to_python, to_sql):
        try:
            view(model)
        except PaclearnError:
            continue
