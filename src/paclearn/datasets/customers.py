"""Customers as a company has them: ids, dates, gaps, remarks, and a few reasons to leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from paclearn._compat import make_frame
from paclearn._parameters import Flag, check
from paclearn.datasets.requests import check_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["make_customers"]

_PLANS, _SHARES, _FEES = ("basic", "plus", "premium"), (0.5, 0.3, 0.2), (9.9, 19.9, 39.9)
_COUNTRIES = ("AT", "CH", "DE", "FR", "IT", "NL")
_ABOUT = ("the bill", "a slow line", "an upgrade", "the contract", "a new phone", "a move", "the app", "a refund")
_MOODS = ("was friendly", "was upset", "asked for a call back", "said thanks", "wants it in writing")
_FIRST = np.datetime64("2021-01-01")
_GAPS = {"monthly_fee": 0.06, "country": 0.03, "last_login": 0.05, "notes": 0.3}
_START, _CALLS_ON_BASIC, _GONE_SOON, _ABROAD = -2.4, 3.0, 2.4, 0.4  # log-odds
_MANY_CALLS, _SOON = 3, 90


def make_customers(n_rows: int = 3000, *, as_frame: bool = False, random_state: Any = None) -> Bunch:
    """A table of customers, and whether they left.

    Who calls three times or more leaves if the plan is basic, and only then (an interaction); who logged in last within
    90 days of signing up has left more often (two dates together). Ids and notes say nothing, and some cells are empty.

    Parameters
    ----------
    n_rows : int, default=3000
        Customers.
    as_frame : bool, default=False
        Whether ``data`` is a data frame and not an array of objects.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data``, ``target`` (``yes`` or ``no``), ``feature_names`` and ``probability``: the true one of leaving.
    """
    check_sizes(n_rows=n_rows)
    check("as_frame", as_frame, Flag())
    rng = check_random_state(random_state)
    columns = _columns(n_rows, rng)
    probability = 1 / (1 + np.exp(-_log_odds(columns)))
    target = np.where(rng.random_sample(n_rows) < probability, "yes", "no").astype(object)
    told: dict[str, Any] = {name: _with_gaps(values, _GAPS.get(name, 0.0), rng) for name, values in columns.items()}
    data = make_frame(told) if as_frame else _objects(told)
    return Bunch(data=data, target=target, feature_names=list(columns), probability=probability)


def _columns(n: int, rng: np.random.RandomState) -> dict[str, NDArray[Any]]:
    plan = rng.choice(len(_PLANS), n, p=_SHARES)
    signup = _FIRST + rng.randint(0, 1200, n).astype("timedelta64[D]")
    return {
        "customer_id": rng.permutation(np.arange(100_000, 100_000 + 7 * n, 7)),
        "signup_date": signup,
        "plan": np.array(_PLANS, dtype=object)[plan],
        "monthly_fee": np.round(np.array(_FEES)[plan] + rng.choice([0.0, 5.0, 10.0, 20.0], n), 2),
        "support_calls": rng.poisson(1.6, n),
        "country": np.array(_COUNTRIES, dtype=object)[rng.randint(len(_COUNTRIES), size=n)],
        "last_login": signup + np.minimum(rng.exponential(200, n), 900).astype("timedelta64[D]"),
        "notes": _notes(n, rng),
    }


def _notes(n: int, rng: np.random.RandomState) -> NDArray[Any]:
    said = [
        f"{_MOODS[rng.randint(len(_MOODS))]} about {_ABOUT[rng.randint(len(_ABOUT))]}, ticket {rng.randint(10**6)}"
        for _ in range(n)
    ]
    return np.array(said, dtype=object)


def _log_odds(columns: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    upset = (columns["support_calls"] >= _MANY_CALLS) & (columns["plan"] == "basic")
    soon = (columns["last_login"] - columns["signup_date"]).astype(np.int64) < _SOON
    return _START + _CALLS_ON_BASIC * upset + _GONE_SOON * soon + _ABROAD * (columns["country"] == "CH")


def _with_gaps(values: NDArray[Any], share: float, rng: np.random.RandomState) -> NDArray[Any]:
    if not share:
        return values
    gaps = rng.random_sample(len(values)) < share
    if values.dtype.kind == "f":
        return np.where(gaps, np.nan, values)
    nothing: Any = np.datetime64("NaT") if values.dtype.kind == "M" else None
    return np.where(gaps, nothing, values)


def _objects(columns: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Python's own objects, None where there is nothing."""
    table = np.empty((len(columns["plan"]), len(columns)), dtype=object)
    for place, values in enumerate(columns.values()):
        plain = values.tolist()
        table[:, place] = [None if v is None or v != v else v for v in plain]  # noqa: PLR0124 - NaN
    return table
