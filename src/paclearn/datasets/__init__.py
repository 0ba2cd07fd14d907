"""Data with known answers, generated on the spot."""

from paclearn.datasets.additive import make_gam, make_orderly
from paclearn.datasets.boards import load_tic_tac_toe
from paclearn.datasets.customers import make_customers
from paclearn.datasets.halfspace_data import make_halfspace
from paclearn.datasets.many_levels import make_many_levels
from paclearn.datasets.prices import make_house_prices, make_store_sales
from paclearn.datasets.synthetic import make_bits, make_junta, make_nonlinear, make_parity, make_tribes
from paclearn.datasets.visits import make_visits

__all__ = [
    "load_tic_tac_toe",
    "make_bits",
    "make_customers",
    "make_gam",
    "make_halfspace",
    "make_house_prices",
    "make_junta",
    "make_many_levels",
    "make_nonlinear",
    "make_orderly",
    "make_parity",
    "make_store_sales",
    "make_tribes",
    "make_visits",
]
