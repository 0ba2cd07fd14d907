"""Patients who come again and again: what one visit tells of the next one holds for the same patient, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from paclearn._compat import make_frame
from paclearn._parameters import Flag, check
from paclearn.datasets.requests import check_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["make_visits"]

_PRONE = {"yes": 0.75, "no": 0.25}  # chance of a patient to be prone to flares, by whether they smoke
_ALWAYS, _PULSE = 4.2, 1.2  # log-odds: of those who are prone, and of a pulse one standard deviation higher


def make_visits(n_patients: int = 200, n_visits: int = 8, *, as_frame: bool = False, random_state: Any = None) -> Bunch:
    """Visits of patients, and whether each was for a flare.

    Some patients are prone to flares and others are not, which no column says; smokers more often are. Birth year,
    height and blood type stay the same from visit to visit, so that a model can learn patients by heart: shuffled rows
    say that it is right on some 95 % of them, and on visits of new patients it is right on some 70 %.

    Parameters
    ----------
    n_patients : int, default=200
        Patients, the groups.
    n_visits : int, default=8
        Visits of a patient on average; half as many at the least.
    as_frame, random_state : as of `make_customers`
        Whether ``data`` is a data frame, and the seed.

    Returns
    -------
    Bunch
        ``data``, ``target`` (``yes`` or ``no``), ``feature_names``, ``groups``: the patient of every visit, which is
        the first column too; and ``probability``: the true one, for who knows the patient.
    """
    check_sizes(2, n_patients=n_patients)
    check_sizes(n_visits=n_visits)
    check("as_frame", as_frame, Flag())
    rng = check_random_state(random_state)
    half = (n_visits + 1) // 2
    often = half + rng.multinomial(n_patients * (n_visits - half), np.full(n_patients, 1 / n_patients))
    patient = rng.permutation(np.repeat(np.arange(n_patients), often))
    known, prone = _patients(n_patients, rng)
    pulse = rng.normal(size=len(patient))
    columns: dict[str, Any] = {
        **{name: values[patient] for name, values in known.items()},
        "pulse": np.round(72 + 9 * pulse).astype(int),
        "temperature": np.round(36.7 + 0.3 * rng.normal(size=len(patient)), 1),
        "weekday": rng.choice(np.array(["Mon", "Tue", "Wed", "Thu", "Fri"], dtype=object), len(patient)),
    }
    probability = 1 / (1 + np.exp(-(np.where(prone, _ALWAYS, -_ALWAYS)[patient] + _PULSE * pulse)))
    target = np.where(rng.random_sample(len(patient)) < probability, "yes", "no").astype(object)
    data = make_frame(columns) if as_frame else np.column_stack([c.astype(object) for c in columns.values()])
    names = list(columns)
    return Bunch(data=data, target=target, feature_names=names, groups=columns["patient"], probability=probability)


def _patients(n: int, rng: np.random.RandomState) -> tuple[dict[str, NDArray[Any]], NDArray[np.bool_]]:
    smoker = rng.choice(np.array(["yes", "no"], dtype=object), n)
    columns = {
        "patient": np.array([f"p{i:04d}" for i in rng.permutation(np.arange(100, 100 + 7 * n, 7))], dtype=object),
        "birth_year": rng.randint(1935, 2000, n),
        "height": np.round(rng.normal(172, 9, n)).astype(int),
        "blood": rng.choice(np.array(["0", "A", "AB", "B"], dtype=object), n, p=[0.41, 0.43, 0.05, 0.11]),
        "smoker": smoker,
    }
    return columns, rng.random_sample(n) < np.vectorize(_PRONE.__getitem__)(smoker)
