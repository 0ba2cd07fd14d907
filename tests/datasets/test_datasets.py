"""Generated data have the answers they claim."""

import numpy as np
import pytest

from paclearn.datasets import (
    load_tic_tac_toe,
    make_bits,
    make_gam,
    make_halfspace,
    make_house_prices,
    make_junta,
    make_many_levels,
    make_nonlinear,
    make_orderly,
    make_parity,
    make_store_sales,
    make_tribes,
    make_visits,
)
from paclearn.datasets.catalogue import CATALOGUE, columns_of
from paclearn.exceptions import InputError


def test_tic_tac_toe_is_the_whole_game():
    boards = load_tic_tac_toe()
    assert boards.data.shape == (958, 9)
    assert (boards.target == "yes").sum() == 626
    assert len({tuple(board) for board in boards.data}) == 958
    crosses, noughts = (boards.data == "x").sum(axis=1), (boards.data == "o").sum(axis=1)
    assert set(crosses - noughts) <= {0, 1}
    assert load_tic_tac_toe(as_frame=True).data.shape == (958, 9)


def test_bits_have_the_bias_and_correlation_asked_for():
    bits = make_bits(200_000, 4, bias=0.7, correlation=0.4, random_state=0)
    np.testing.assert_allclose((bits > 0).mean(axis=0), 0.7, atol=0.005)
    np.testing.assert_allclose(np.corrcoef(bits.T)[0, 1], 0.4, atol=0.01)
    np.testing.assert_allclose(np.corrcoef(bits.T)[0, 2], 0.16, atol=0.01)


def test_junta_labels_follow_the_truth_table():
    data = make_junta(5000, 10, 3, noise=0.1, random_state=1)
    bits = (data.data[:, list(data.relevant)] > 0) @ np.array([4, 2, 1])
    np.testing.assert_array_equal(data.clean, data.truth_table[bits])
    assert (data.clean != data.target).mean() == pytest.approx(0.1, abs=0.015)


def test_parity_and_tribes():
    parity = make_parity(500, 8, 3, noise=0, random_state=2)
    np.testing.assert_array_equal(parity.target, parity.data[:, list(parity.relevant)].prod(axis=1))
    tribes = make_tribes(500, 2, 3, n_extra=2, random_state=3)
    first, second = tribes.data[:, :3].min(axis=1) > 0, tribes.data[:, 3:6].min(axis=1) > 0
    np.testing.assert_array_equal(tribes.target > 0, first | second)
    assert tribes.data.shape == (500, 8)


def test_the_same_seed_gives_the_same_data():
    a, b = (make_junta(random_state=4) for _ in range(2))
    np.testing.assert_array_equal(a.data, b.data)
    np.testing.assert_array_equal(a.target, b.target)


@pytest.mark.parametrize("name", CATALOGUE)
def test_catalogue(name):
    columns = columns_of(name)
    assert list(columns)[-1] == CATALOGUE[name].target
    n_rows = {len(values) for values in columns.values()}
    assert len(n_rows) == 1
    assert str(n_rows.pop()) in CATALOGUE[name].about


def test_bad_arguments():
    with pytest.raises(InputError, match="there is no embedded dataset 'tic-tac-to'; did you mean 'tic-tac-toe'"):
        columns_of("tic-tac-to")
    with pytest.raises(InputError, match="k=30 must be a whole number from 1 to 20"):
        make_parity(k=30)
    with pytest.raises(InputError, match="noise=0.7"):
        make_parity(noise=0.7)
    with pytest.raises(InputError, match="bias=2"):
        make_bits(2, 2, bias=2)


def test_visits_of_a_patient_are_alike():
    visits = make_visits(50, 8, as_frame=True, random_state=0)
    frame = visits.data.assign(flare=visits.target == "yes", known=visits.probability > 0.5)
    assert len(frame) == 400
    assert (frame.groupby("patient")[["birth_year", "height", "blood", "smoker"]].nunique() == 1).all(axis=None)
    assert (frame.flare == frame.known).mean() > 0.9  # for who knows the patient
    assert 0.55 < (frame.flare == (frame.smoker == "yes")).mean() < 0.9
    assert (visits.groups == frame.patient).all()
    again = make_visits(50, 8, random_state=0)
    assert again.data.shape == (400, 8)


@pytest.mark.parametrize(
    ("maker", "given", "said"),
    [
        (make_bits, {"n_rows": -1, "n_columns": 3}, "n_rows=-1 must be a whole number from 1 to 2147483647"),
        (make_bits, {"n_rows": 3, "n_columns": 2.5}, "n_columns=2.5 must be a whole number"),
        (make_bits, {"n_rows": 3, "n_columns": 2, "bias": None}, "bias=None must lie between 0 and 1"),
        (make_junta, {"n_rows": 0.5}, "n_rows=0.5 must be a whole number"),
        (make_parity, {"k": None}, "k=None must be a whole number from 1 to 20"),
        (make_tribes, {"n_extra": -1}, "n_extra=-1 must be a whole number from 0"),
        (make_tribes, {"tribe_size": "x"}, "tribe_size='x' must be a whole number"),
        (make_nonlinear, {"n_columns": 1}, "k=6 must be a whole number from 1 to 1"),
        (make_nonlinear, {"shape": 1e308}, "shape=1e.308 must be a number between 0 and 100"),
        (make_gam, {"n_columns": 0}, "n_columns=0 must be a whole number"),
        (make_orderly, {"depth": float("nan")}, "depth=nan must be a whole number from 2"),
        (make_orderly, {"noise": 0.5}, "noise=0.5 must be a number from 0 to below 0.5"),
        (make_halfspace, {"n_columns": 0}, "n_columns=0 must be a whole number"),
        (make_many_levels, {"n_classes": 1}, "n_classes=1 must be a whole number from 2"),
        (make_many_levels, {"n_levels": 0}, "n_levels=0 must be a whole number from 1"),
        (make_house_prices, {"noise": -1}, "noise=-1 must be a number from 0 to below 10"),
        (make_store_sales, {"n_rows": 2**70}, "must be a whole number from 1 to 2147483647"),
        (make_visits, {"n_patients": 1}, "n_patients=1 must be a whole number from 2"),
    ],
)
def test_tables_that_cannot_be_drawn(maker, given, said):
    with pytest.raises(InputError, match=said):
        maker(**given)
