"""The embedded datasets by name, as tables with names, for the command line and for examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paclearn._parameters import hint
from paclearn.datasets.boards import load_tic_tac_toe
from paclearn.datasets.customers import make_customers
from paclearn.datasets.synthetic import make_junta, make_parity, make_tribes
from paclearn.datasets.visits import make_visits
from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sklearn.utils import Bunch

__all__ = ["CATALOGUE", "Embedded", "columns_of"]


@dataclass(frozen=True)
class Embedded:
    """A dataset that is generated, not shipped."""

    name: str
    about: str
    target: str
    make: Callable[[int], Bunch]


CATALOGUE = {
    entry.name: entry
    for entry in (
        Embedded(
            "tic-tac-toe",
            "all 958 boards on which a game can end; has x won?",
            "x wins",
            lambda _seed: load_tic_tac_toe(),
        ),
        Embedded(
            "customers",
            "3000 customers with ids, dates, gaps and notes; have they left?",
            "churn",
            lambda seed: make_customers(random_state=seed),
        ),
        Embedded(
            "visits",
            "1600 visits of 200 patients, each alike from one visit to the next; was it a flare?",
            "flare",
            lambda seed: make_visits(random_state=seed),
        ),
        Embedded(
            "junta",
            "2000 rows of 20 bits; the label is a random function of 3 of them, 10 % flipped",
            "label",
            lambda seed: make_junta(2000, random_state=seed),
        ),
        Embedded(
            "parity",
            "1000 rows of 20 bits; the label is the parity of 3 of them, 10 % flipped",
            "label",
            lambda seed: make_parity(1000, random_state=seed),
        ),
        Embedded(
            "tribes",
            "2000 rows of 15 bits; the label is +1 where one of three tribes of 4 is unanimous",
            "label",
            lambda seed: make_tribes(2000, n_extra=3, random_state=seed),
        ),
        Embedded(
            "biased-parity",
            "2000 rows of 20 biased bits, each tied to its neighbour; parity of 3 of them, 10 % flipped",
            "label",
            lambda seed: make_parity(2000, bias=0.7, correlation=0.3, random_state=seed),
        ),
    )
}


def columns_of(name: str, seed: int = 0) -> dict[str, list[Any]]:
    """The columns of an embedded dataset, the target last."""
    if name not in CATALOGUE:
        raise InputError(f"there is no embedded dataset {name!r}{hint(name, CATALOGUE)}")
    entry = CATALOGUE[name]
    bunch = entry.make(seed)
    names = bunch.get("feature_names", [f"x{i}" for i in range(bunch.data.shape[1])])
    columns = {column: bunch.data[:, i].tolist() for i, column in enumerate(names)}
    return {**columns, entry.target: bunch.target.tolist()}
