"""Model files in which something was changed, the checksum too: refused in one line, or a model that makes sense."""

import contextlib
import copy
import json
from functools import lru_cache

import numpy as np

from fuzz.frames import frames_of
from fuzz.pool import DisagreementError
from fuzz.table_cases import Case
from fuzz.table_laws import views_agree, warnings_are_errors
from paclearn import (
    DirectSpectrumClassifier,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
    RuleClassifier,
    SpectralClassifier,
    SpectralRegressor,
)
from paclearn.exceptions import ModelFileError, PaclearnError
from paclearn.export import from_json, to_json, to_markdown
from paclearn.views.model_file import _checksum

KINDS = {"c": "words", "n": "floats", "f": "flags"}
ROWS = {
    "c": ["u", "v", "w", None] * 2,
    "n": [-2.0, -1.0, 0.5, 1.0, 2.0, None, 3.5, 4.0],
    "f": [True, False] * 4,
}
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
    1e150,
    -1e199,
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


VIEWS = (to_markdown, repr, lambda m: m.to_text(), lambda m: m._repr_html_(), lambda m: m.explain(_rows()))


def try_files(seed: int) -> int:
    """Some changes of one file."""
    rng = np.random.default_rng(seed)
    texts = _texts()
    for turn in range(CHANGES_A_CASE):
        _judge(_changed(texts[int(rng.integers(len(texts)))], rng), turn)
    return CHANGES_A_CASE


@lru_cache
def _texts():
    """A file of every kind of model, and of every link between its scores and what it says."""
    rng = np.random.default_rng(0)
    rows = _rows().sample(60, replace=True, random_state=0)
    two = np.where((rows["c"] == "u") ^ (rows["n"] > 0), "yes", "no")
    three = np.where(rows["c"] == "w", "third", two)
    number = (rows["c"] == "u") * 2.0 + rng.normal(size=60)
    counts = rng.poisson(1 + 2.0 * (rows["c"] == "u"))
    few = {"degree": 1, "n_bins": 3, "random_state": 0}
    some = {"n_estimators": 2, "max_splits": 2, "random_state": 0}
    kernels = {"B": 30, "solver": "online", "n_passes": 2, "random_state": 0}
    fits = [
        (JuntaClassifier(k=2), three),
        (JuntaClassifier(k=2, unit="bit", n_bins=3), two),
        (JuntaRegressor(k=1), number),
        (RegressionGraphClassifier(max_splits=3), two),
        (RegressionGraphClassifier(max_splits=3), three),
        (RegressionGraphRegressor(max_splits=3), number),
        (RegressionGraphEnsembleRegressor(**some), number),
        (RegressionGraphEnsembleClassifier(method="boosting", **some), three),
        (RuleClassifier(n_bins=3, random_state=0), two),
        (SpectralClassifier(max_terms=3, **few), three),
        (SpectralClassifier(n_terms=3, **few), two),
        (SpectralClassifier(n_terms=3, ordered=["no", "yes", "third"], **few), three),
        (SpectralClassifier(max_effects=2, **few), three),
        (SpectralRegressor(max_terms=2, loss="squared", **few), number),
        (SpectralRegressor(loss="poisson", **few), counts),
        (SpectralRegressor(max_effects=2, loss="squared", **few), number),
        (DirectSpectrumClassifier(degree=2, n_bins=3), three),
        (HalfspaceClassifier(**kernels), two),
        (HalfspaceClassifier(kernel="rbf", **kernels), three),
        (HalfspaceClassifier(kernel="poly", degree=2, **kernels), two),
    ]
    return [json.loads(to_json(learner.fit(rows, target))) for learner, target in fits]


@lru_cache
def _rows():
    return frames_of(KINDS, ROWS)["pandas"]


def _changed(content, rng):
    """One to three places changed; one file of ten keeps its old checksum."""
    content = copy.deepcopy(content)
    checksum = content.pop("checksum")
    for _ in range(int(rng.integers(1, 4))):
        _change(content, rng)
    fits = rng.random() < 0.9
    return json.dumps({**content, "checksum": _checksum(content) if fits else checksum})


def _change(content, rng):
    """Down a random way, half of them within the model, and there another value, one near it, one more, or none."""
    inside = rng.random() < 0.5 and isinstance(content.get("model"), dict)
    place = content["model"] if inside else content
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = keys[int(rng.integers(len(keys)))]
        if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.15:
            break
        place = place[key]
    how = int(rng.integers(5))
    if how == 0:
        del place[key]
    elif how == 1 and isinstance(place, list):
        place.append(copy.deepcopy(place[key]))
    elif how == 2 and isinstance(place[key], int | float):
        place[key] = type(place[key])(place[key] * 1.5 + 1 - int(rng.integers(3)))
    elif how == 3 and isinstance(place, list):
        place[key] = copy.deepcopy(place[int(rng.integers(len(place)))])
    else:
        place[key] = copy.deepcopy(VALUES[int(rng.integers(len(VALUES)))])


def _judge(text, turn):
    try:
        model = from_json(text)
    except ModelFileError as error:
        if "\n" in str(error) or not str(error):
            raise DisagreementError(f"not one line: {error}") from error
        return
    with warnings_are_errors():
        try:
            _makes_sense(model, turn)
        except PaclearnError:
            return
        except ValueError as error:  # of scikit-learn: the file speaks of other columns
            if not any(words in str(error) for words in ("feature names", "features, but")):
                raise


def _makes_sense(model, turn):
    """It says the same in every view, and saved again; what no view has words for is refused by it."""
    rows = frames_of(KINDS, ROWS)
    words = [w for c in model.columns if c.name == "f" for w in getattr(c, "levels", ()) if w not in {"True", "False"}]
    asked = Case(KINDS, {**ROWS, "f": [True, *words]}, [], None, ROWS, model, turn)  # what each column may hold
    said = model.predict(rows["pandas"])
    if model.about.classes is None and not np.isfinite(np.asarray(said, dtype=float)).all():
        raise DisagreementError("a prediction that is not finite")
    views_agree(model, asked, rows, said)
    for view in VIEWS:
        with contextlib.suppress(PaclearnError):
            view(model)
