"""Numbers that grow by percents: prices of houses, and what stores sell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from paclearn._compat import make_frame
from paclearn._parameters import Between, check
from paclearn.datasets.requests import check_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["make_house_prices", "make_store_sales"]

_QUARTERS, _STORES = 40, 60
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_OF_DAYS = np.array([0.0, 0.0, 0.05, 0.1, 0.3, 0.5, -0.4])
_LAWS = 7  # levels of quarters and stores are the same in every draw, so that new rows are of the same law


def make_house_prices(n_rows: int = 2000, *, noise: float = 0.165, random_state: Any = None) -> Bunch:
    """Prices of houses: forty quarters, the area, the year, and a lift that matters the more the higher one lives.

    All of it multiplies; so does the noise, whose mean is one. As it comes, the expected prices explain 88 % of the
    variance, gradient boosting of 2000 rows 85 %, and ridge regression 81 %.

    Parameters
    ----------
    n_rows : int, default=2000
        Rows.
    noise : float, default=0.165
        Standard deviation of the logarithm of the noise.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (a data frame), ``target``, and ``mean``, the expected price of every row.
    """
    check_sizes(n_rows=n_rows)
    check("noise", noise, Between(0, 10, closed=True))
    rng = check_random_state(random_state)
    quarter, area = rng.randint(_QUARTERS, size=n_rows), np.round(rng.gamma(8, 10, n_rows)) + 15
    year, floor, lift = rng.randint(1900, 2024, n_rows), rng.randint(0, 8, n_rows), rng.randint(2, size=n_rows)
    log = 8 + _levels(_QUARTERS, 0.35)[quarter] + 0.9 * np.log(area) + 0.002 * (year - 1960)
    mean = np.exp(log + 0.03 * floor * np.where(lift == 1, 1.0, -1.0))
    columns = {
        "quarter": [f"quarter {i}" for i in quarter],
        "area": area.tolist(),
        "year": year.tolist(),
        "lift": np.where(lift == 1, "yes", "no").tolist(),
        "floor": floor.tolist(),
    }
    target = mean * np.exp(rng.normal(-(noise**2) / 2, noise, n_rows))
    return Bunch(data=make_frame(columns), target=target, mean=mean)


def make_store_sales(n_rows: int = 2000, *, random_state: Any = None) -> Bunch:
    """What stores sell in a day: sixty stores, the weekday, a promotion and the price, all of which multiply; counts.

    The expected counts explain 84 % of the variance, gradient boosting of 2000 rows 79 %, and ridge regression 70 %.

    Parameters
    ----------
    n_rows : int, default=2000
        Rows.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (a data frame), ``target`` (counts, some of them nought), and ``mean``, the expected count of every
        row.
    """
    check_sizes(n_rows=n_rows)
    rng = check_random_state(random_state)
    store, day, promotion = rng.randint(_STORES, size=n_rows), rng.randint(7, size=n_rows), rng.randint(2, size=n_rows)
    price = np.round(rng.uniform(1, 5, n_rows), 2)
    mean = np.exp(2.2 + _levels(_STORES, 0.6)[store] + _OF_DAYS[day] + 0.4 * promotion - 0.3 * price)
    columns = {
        "store": [f"store {i}" for i in store],
        "weekday": [_DAYS[i] for i in day],
        "promotion": np.where(promotion == 1, "yes", "no").tolist(),
        "price": price.tolist(),
    }
    return Bunch(data=make_frame(columns), target=rng.poisson(mean).astype(np.float64), mean=mean)


def _levels(n: int, deviation: float) -> NDArray[np.float64]:
    return np.random.RandomState(_LAWS).normal(0, deviation, n)
