"""A sum of terms is a sum of effects, exactly; every part of it stands where it belongs."""

from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import product_network
from naive import purified_by_sweeps
from scipy.linalg import qr

from paclearn import (
    DirectSpectrumClassifier,
    DirectSpectrumRegressor,
    HalfspaceClassifier,
    PolynomialL2Classifier,
    SpectralClassifier,
    SpectralRegressor,
)
from paclearn.encoding.domain import BinColumn, LevelColumn
from paclearn.exceptions import ColumnError, InputError
from paclearn.export import from_json, portable, to_json
from paclearn.models.cell_grids import CodeGroups, grids_of, masses_of
from paclearn.models.effects import Effect, Effects
from paclearn.models.purification import Purifier
from paclearn.models.term_tables import TermTables
from paclearn.spectra import Spectrum
from paclearn.views.effect_pictures import effect_facts
from paclearn.views.effect_pieces import pieces_of


def effect_of(columns, cells):
    """An effect whose groups are its codes, one output; the unseen code is of the last group."""
    cells = np.asarray(cells, dtype=float)[..., None]
    groups = tuple(np.append(np.arange(size), size - 1) for size in cells.shape[:-1])
    return Effect(tuple(columns), groups, cells)


def random_effects(rng, sizes, sets):
    found = [effect_of(columns, rng.normal(size=[sizes[c] for c in columns])) for columns in sets]
    return Effects(rng.normal(size=1), tuple(found))


def seen(cells):
    """Without the last code of a single column, which no row of a fit has."""
    return cells[:-1] if cells.ndim == 1 else cells


def under(raw, joint):
    """Purified under a law of all columns, given as an array."""
    grids = grids_of(raw.effects)
    return Purifier(grids, tuple(_marginal(joint, grid) for grid in grids)).purify(raw)


def _marginal(joint, grid):
    found = joint.sum(axis=tuple(c for c in range(joint.ndim) if c not in grid.columns))
    return np.append(found, 0.0) if found.ndim == 1 else found


def grid(sizes):
    return [np.array(axis) for axis in zip(*product(*map(range, sizes)), strict=True)]


def worst_mean(effects):
    """The largest mean of a table over one of its columns, whatever the others are."""
    worst = 0.0
    for effect in effects.effects:
        for axis in range(len(effect.columns)):
            margin = effect.masses.sum(axis=axis)[..., None]
            total = (effect.cells * effect.masses[..., None]).sum(axis=axis)
            worst = max(worst, np.abs(np.divide(total, margin, out=np.zeros_like(total), where=margin > 0)).max())
    return worst


LAWS = {
    "independent": lambda rng, sizes, n: [rng.integers(0, size, n) for size in sizes],
    "copies": lambda rng, sizes, n: [np.minimum(rng.integers(0, max(sizes), n), size - 1) for size in sizes],
    "nearly copies": lambda rng, sizes, n: _near_copies(rng, sizes, n, 0.002),
    "blocks": lambda rng, sizes, n: [_side(rng, size, np.arange(n) % 2) for size in sizes],
    "one row": lambda rng, sizes, n: [rng.integers(0, size, 1) for size in sizes],
    "few rows": lambda rng, sizes, n: [rng.integers(0, size, 4) for size in sizes],
}


def _near_copies(rng, sizes, n, rate):
    same = rng.integers(0, min(sizes), n)
    return [np.where(rng.random(n) < rate, rng.integers(0, size, n), same) for size in sizes]


def _side(rng, size, side):
    """Cells that fall apart: low codes go with low ones, high ones with high ones."""
    n = len(side)
    return np.where(side == 1, rng.integers(size // 2, size, n), rng.integers(0, max(size // 2, 1), n))


SETS = {
    "pairs": ((2, 3, 4), [(0,), (0, 1), (1, 2), (0, 2), (2,)]),
    "a triple": ((3, 4, 2), [(0, 1, 2), (1, 2), (0,)]),
    "four together": ((2, 3, 2, 2), [(0, 1, 2, 3), (0, 3)]),
    "one level": ((1, 3), [(0, 1), (0,)]),
    "in any order": ((3, 2, 4), [(2, 0), (1, 0, 2)]),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("sets", SETS)
def test_the_sum_stays_and_all_means_are_nought(law, sets):
    rng = np.random.default_rng(0)
    sizes, columns = SETS[sets]
    raw = random_effects(rng, sizes, columns)
    codes = LAWS[law](rng, sizes, 500)
    pure = Purifier.of_rows(raw.effects, codes, None).purify(raw)
    everywhere = grid(sizes)
    np.testing.assert_allclose(pure.scores(everywhere), raw.scores(everywhere), atol=1e-9)
    assert worst_mean(pure) < 1e-8
    importances = [effect.importance for effect in pure.effects]
    assert importances == sorted(importances, reverse=True)


@pytest.mark.parametrize("law", ["independent", "nearly copies"])
def test_it_is_what_sweeps_over_means_end_with(law):
    rng = np.random.default_rng(1)
    sizes, columns = (3, 4, 2), [(0, 1), (1, 2), (0,)]
    raw = random_effects(rng, sizes, columns)
    codes = LAWS[law](rng, sizes, 20_000)
    pure = Purifier.of_rows(raw.effects, codes, None).purify(raw)
    tables = {effect.columns: effect.cells[..., 0] for effect in raw.effects}
    grids = grids_of(raw.effects)
    masses = {grid.columns: seen(m) for grid, m in zip(grids, masses_of(grids, codes, None), strict=True)}
    start, slow = purified_by_sweeps(tables, masses)
    assert pure.start[0] == pytest.approx(raw.start[0] + start, abs=1e-7)
    for columns, cells in slow.items():
        np.testing.assert_allclose(seen(pure.of(columns).cells[..., 0]), cells, atol=1e-7)


@pytest.mark.parametrize("law", LAWS)
def test_the_order_of_the_effects_is_of_no_account(law):
    rng = np.random.default_rng(2)
    sizes, columns = (3, 2, 4), [(0, 1), (1, 2), (0, 2), (0, 1, 2)]
    raw = random_effects(rng, sizes, columns)
    codes = LAWS[law](rng, sizes, 300)
    first = Purifier.of_rows(raw.effects, codes, None).purify(raw)
    for order in list(permutations(range(4)))[::5]:
        turned = Effects(raw.start, tuple(raw.effects[i] for i in order))
        again = Purifier.of_rows(turned.effects, codes, None).purify(turned)
        np.testing.assert_allclose(again.start, first.start, atol=1e-12)
        for effect in first.effects:
            np.testing.assert_allclose(again.of(effect.columns).cells, effect.cells, atol=1e-10)


def test_two_signs_that_depend_on_each_other():
    """For signs with P(x = y) = (1 + rho) / 2 and even margins, xy has no main effects, and mean rho."""
    rho = 0.4
    raw = Effects(np.zeros(1), (effect_of((0, 1), [[1, -1], [-1, 1]]),))
    masses = np.array([[1 + rho, 1 - rho], [1 - rho, 1 + rho]]) / 4
    pure = under(raw, masses)
    assert pure.start[0] == pytest.approx(rho)
    assert [effect.columns for effect in pure.effects] == [(0, 1)]
    np.testing.assert_allclose(pure.effects[0].cells[..., 0], [[1 - rho, -1 - rho], [-1 - rho, 1 - rho]], atol=1e-12)


def test_an_and_of_independent_bits():
    """For bits of means p and q: main effects q (a - p) and p (b - q), the pair (a - p)(b - q), mean pq."""
    p, q = 0.3, 0.8
    raw = Effects(np.zeros(1), (effect_of((0, 1), [[0, 0], [0, 1]]),))
    masses = np.outer([1 - p, p], [1 - q, q])
    pure = under(raw, masses)
    bit = np.array([0, 1])
    assert pure.start[0] == pytest.approx(p * q)
    np.testing.assert_allclose(seen(pure.of((0,)).cells[:, 0]), q * (bit - p), atol=1e-12)
    np.testing.assert_allclose(seen(pure.of((1,)).cells[:, 0]), p * (bit - q), atol=1e-12)
    np.testing.assert_allclose(pure.of((1, 0)).cells[..., 0], np.outer(bit - p, bit - q), atol=1e-12)


def orthonormal(law):
    """Functions of one column, the constant first, orthonormal under the law of its levels: columns of a matrix."""
    functions = np.vander(np.arange(len(law), dtype=float), increasing=True)
    q, r = qr(functions * np.sqrt(law)[:, None], mode="economic")
    return q * np.sign(np.diag(r)) / np.sqrt(law)[:, None]


@given(st.integers(0, 10_000), st.sampled_from([(2, 3, 4), (3, 3), (2, 2, 2, 2), (5, 2)]))
@settings(max_examples=25, deadline=None)
def test_on_independent_columns_it_is_the_orthonormal_spectrum_grouped_by_columns(seed, sizes):
    """Efron and Stein (1981): f_S is the part of the basis functions that are not constant in just the columns of S."""
    rng = np.random.default_rng(seed)
    laws = [rng.dirichlet(np.full(size, 5.0)) for size in sizes]
    raw = Effects(np.zeros(1), (effect_of(range(len(sizes)), rng.normal(size=sizes)),))
    pure = under(raw, _product(laws))
    values, bases = raw.effects[0].cells[..., 0], [orthonormal(law) for law in laws]
    spectrum = values * _product(laws)
    for axis, basis in enumerate(bases):
        spectrum = np.moveaxis(np.tensordot(basis.T, spectrum, axes=(1, axis)), 0, axis)
    for size in range(1, len(sizes) + 1):
        for columns in combinations(range(len(sizes)), size):
            part = spectrum[tuple(slice(1, None) if c in columns else 0 for c in range(len(sizes)))]
            for axis, c in enumerate(columns):
                part = np.moveaxis(np.tensordot(bases[c][:, 1:], part, axes=(1, axis)), 0, axis)
            np.testing.assert_allclose(seen(pure.of(columns).cells[..., 0]), part, atol=1e-10)
    # Parseval: importances add up in squares
    total = sum(effect.importance**2 for effect in pure.effects)
    mean = (values * _product(laws)).sum()
    assert total == pytest.approx(((values - mean) ** 2 * _product(laws)).sum())
    assert pure.start[0] == pytest.approx(mean)


def test_bits_under_a_product_measure_have_the_library_s_own_spectrum():
    rng = np.random.default_rng(3)
    up = rng.uniform(0.2, 0.8, 3)
    values = rng.normal(size=8)
    laws = [np.array([1 - p, p]) for p in up]
    raw = Effects(np.zeros(1), (effect_of((0, 1, 2), values.reshape(2, 2, 2)),))
    pure = under(raw, _product(laws))
    found = Spectrum.exact(lambda bits: values[((bits > 0) @ [4, 2, 1]).astype(int)], product_network(3, up))
    for effect in pure.effects:
        assert effect.importance == pytest.approx(abs(float(found[effect.columns])))
    assert pure.start[0] == pytest.approx(float(found[()]))


def _product(laws):
    total = np.array(1.0)
    for law in laws:
        total = np.multiply.outer(total, law)
    return total


def test_cells_without_rows_keep_what_the_terms_say_less_the_means_of_their_row_and_column():
    raw = Effects(np.zeros(1), (effect_of((0, 1), [[1.0, 2.0], [4.0, 8.0]]),))
    codes = [np.array([0, 0, 1]), np.array([0, 1, 0])]  # never 1 and 1
    pure = Purifier.of_rows(raw.effects, codes, None).purify(raw)
    pair = pure.of((0, 1))
    assert pair.masses[1, 1] == 0
    np.testing.assert_allclose(pair.cells[..., 0][pair.masses > 0], 0, atol=1e-12)
    assert pair.cells[1, 1, 0] == pytest.approx(8.0 - 2.0 - 4.0 + 1.0)


# ---- of fitted models ----


def people(n=1200, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "a and b": rng.choice(["x", "y", "z and w"], n),
            "sex": rng.choice(["f", "m"], n),
            "same": "always",
        }
    )
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    score = (frame["age"].fillna(30) > 45) * 2.0 + (frame["a and b"] == "x") * (frame["sex"] == "m") * 2.0 - 1.5
    return frame, (score + rng.logistic(size=n) > 0).map({True: "ill", False: "well"}).to_numpy()


def test_weights_are_rows():
    frame, y = people(200)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = SpectralClassifier(2, 6, n_bins=8, random_state=0).fit(frame, y, sample_weight=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    repeated = SpectralClassifier(2, 6, n_bins=8, random_state=0).fit(frame.iloc[rows], y[rows])
    one, other = weighted.model_.effects(), repeated.model_.effects()
    assert [effect.columns for effect in one.effects] == [effect.columns for effect in other.effects]
    for a, b in zip(one.effects, other.effects, strict=True):
        np.testing.assert_allclose(a.cells, b.cells, atol=1e-9)
        np.testing.assert_array_equal(a.masses, b.masses)
        np.testing.assert_allclose(a.errors, b.errors, rtol=1e-6)
        assert a.masses.sum() == weights.sum()


@pytest.mark.parametrize("weights", ["none", "whole", "fractions"])
def test_rows_of_many_pairs_of_bits_are_those_of_each(weights):
    """Counted by one product of matrices, where weights are whole numbers; row by row they are the same."""
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 3, 5000).astype(np.uint8) for _ in range(12)]
    counts = {"none": None, "whole": rng.integers(0, 4, 5000).astype(float), "fractions": rng.random(5000)}[weights]
    halves = [np.array([0, 1, 1, 0]), np.array([0, 0, 1, 1])]
    sets = [CodeGroups((i, j), (halves[0], halves[j % 2])) for i, j in combinations(range(12), 2)]
    grids = grids_of([*sets, CodeGroups((0, 1, 2), (halves[0],) * 3)])
    rows = np.ones(5000) if counts is None else counts
    for grid, found in zip(grids, masses_of(grids, codes, counts), strict=True):
        expected = np.zeros(grid.shape)
        np.add.at(expected, tuple(g[codes[c]] for c, g in zip(grid.columns, grid.groups, strict=True)), rows)
        np.testing.assert_allclose(found, expected, rtol=0 if weights != "fractions" else 1e-12)


def test_standard_errors_go_through_the_same_projection():
    """Weights drawn with their covariance, each purified anew: effects vary as their standard errors say."""
    rng = np.random.default_rng(4)
    frame, y = people(1001)
    fitted = SpectralClassifier(max_terms=6, degree=2, random_state=0).fit(frame, y).model_
    root = rng.normal(size=(len(fitted.terms),) * 2) / 3
    codes = fitted.encode(fitted.table(frame))
    model = fitted.fitted_to(codes, None, (root @ root.T)[None])
    draws = [
        replace(model, weights=fitted.weights + root @ rng.normal(size=fitted.weights.shape)).effects()
        for _ in range(200)
    ]
    for effect in model.effects().effects:
        found = np.std([draw.of(effect.columns).cells for draw in draws], axis=0)
        np.testing.assert_allclose(found, effect.errors, rtol=0.2, atol=1e-9)


def test_standard_errors_are_those_of_new_tables():
    """A column of its own levels: its effect varies from table to table about as much as one table says."""
    cells, errors = [], []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"x": rng.choice(["a", "b", "c"], 500), "z": rng.integers(0, 2, 500)})
        y = (rng.logistic(size=500) + (frame["x"] == "a") - 0.5 > 0).to_numpy()
        model = SpectralClassifier(degree=1, n_terms=0, random_state=0).fit(frame, y).model_
        effect = model.effects().of((0,))
        order = effect.groups[0][np.argsort(model.columns[0].levels)]
        cells.append(effect.cells[order, 0])
        errors.append(effect.errors[order, 0])
    ratio = np.std(cells, axis=0) / np.mean(errors, axis=0)
    assert (ratio > 0.6).all()
    assert (ratio < 1.6).all()


def spoiled(frame):
    """Other rows of the same columns: missing values, and levels that were never seen."""
    rng = np.random.default_rng(9)
    fresh = frame.copy()
    for name in ("a and b", "sex", "same"):
        fresh.loc[rng.random(len(fresh)) < 0.1, name] = "new"
    for name in fresh.columns:
        fresh.loc[rng.random(len(fresh)) < 0.1, name] = None
    return fresh


FEW = {"n_bins": 6, "random_state": 0}
LEARNERS = {
    "classes": (SpectralClassifier(2, 8, **FEW), "two"),
    "three classes": (SpectralClassifier(2, 8, **FEW), "three"),
    "triples": (SpectralClassifier(3, 8, **FEW), "two"),
    "few terms": (SpectralClassifier(max_terms=5, **FEW), "two"),
    "a number": (SpectralRegressor(2, 8, **FEW), "number"),
    "an orthonormal basis": (SpectralClassifier(2, 4, measure="tree", basis="orthonormal", **FEW), "two"),
    "a spectrum": (DirectSpectrumClassifier(n_bins=4, measure="chain"), "three"),
    "a spectrum of a number": (DirectSpectrumRegressor(n_bins=4), "number"),
    "polynomials": (PolynomialL2Classifier(n_bins=3), "two"),
}


@pytest.fixture(scope="module", params=LEARNERS)
def fitted(request):
    learner, target = LEARNERS[request.param]
    frame, y = people(200)  # judged by five folds, where more of them take fifteen
    targets = {
        "two": y,
        "three": np.where(frame["sex"] == "f", "f", y),
        "number": (y == "ill") + frame["age"].fillna(9),
    }
    return learner.fit(frame, targets[target]), frame


def test_start_and_effects_are_the_score_of_every_row(fitted):
    model, frame = fitted
    fresh = spoiled(frame)
    effects, codes = model.model_.effects(), model.model_.encode(model.model_.table(fresh))
    found = effects.scores(codes)
    np.testing.assert_allclose(found, model.model_.scores(codes), atol=1e-9)
    if hasattr(model, "decision_function"):
        said = model.decision_function(fresh)
        np.testing.assert_allclose(found[:, 0] if said.ndim == 1 else found, said, atol=1e-9)
    assert worst_mean(effects) < 1e-8
    np.testing.assert_allclose(model.effects_start_, effects.start)
    rows = np.mean(model.model_.scores(model.model_.encode(model.model_.table(frame))), axis=0)
    np.testing.assert_allclose(effects.start, rows, atol=1e-9)  # the mean over the rows of the fit


def test_effects_are_listed_and_each_can_be_asked_for(fitted):
    model, frame = fitted
    listed = model.effects_
    assert list(listed.columns) == ["columns", "importance", "cells"]
    assert listed["importance"].is_monotonic_decreasing
    for names, cells in zip(listed["columns"], listed["cells"], strict=True):
        effect = model.effect(*reversed(names))
        assert len(effect) == cells
        assert effect["rows"].sum() == len(frame)
        outputs = [name for name in effect.columns if name.startswith("contribution")]
        assert len(outputs) == model.model_.n_scores
        mean = (effect[outputs].to_numpy() * effect["rows"].to_numpy()[:, None]).sum(axis=0) / len(frame)
        np.testing.assert_allclose(mean, 0, atol=1e-8)
        assert all(any(name in cell for name in names) for cell in effect["cell"])


def test_a_file_keeps_the_effects(fitted):
    model, _ = fitted
    again = from_json(to_json(model))
    assert again.effects_.equals(model.effects_)
    for names in model.effects_["columns"][:3]:
        pd.testing.assert_frame_equal(again.effect(*names), model.effect(*names))


def test_effects_are_drawn(fitted):
    pytest.importorskip("matplotlib.pyplot").switch_backend("Agg")
    model, _ = fitted
    shown = model.plot_effects(most=3, output=model.model_.n_scores - 1)
    assert len(shown.axes_) == min(3, len(model.effects_))
    shown.figure_.canvas.draw()
    kinds = {column.name: type(column) for column in model.model_.columns}
    of_each_kind = {tuple(kinds[name] for name in names): names for names in model.effects_["columns"]}
    for names in of_each_kind.values():
        display = model.plot_effect(*names)
        display.figure_.canvas.draw()
        pytest.importorskip("matplotlib.pyplot").close(display.figure_)


def test_what_is_not_there_is_refused(fitted):
    model, _ = fitted
    with pytest.raises(ColumnError, match="does not use a column 'shoe size'; the columns that it uses are "):
        model.effect("shoe size")
    with pytest.raises(ColumnError, match="has no effect of no columns"):
        model.effect()
    with pytest.raises(InputError, match="output=7 must be a whole number"):
        model.plot_effects(output=7)
    with pytest.raises(InputError, match="most=0 must be"):
        model.plot_effects(most=0)


def test_a_model_that_is_no_sum_has_no_effects():
    frame, y = people(200)
    with pytest.raises(InputError, match="no sum of effects"):
        portable(HalfspaceClassifier(B=5, n_landmarks=5, solver="features").fit(frame, y)).effects_  # noqa: B018


def test_a_constant_has_no_effects_and_adds_up():
    model = SpectralClassifier(random_state=0).fit(pd.DataFrame({"x": ["a"] * 30 + ["b"] * 30}), [0, 1] * 30)
    assert len(model.effects_) <= 1
    for row, score in zip(model.explain(pd.DataFrame({"x": ["a", "c", None]})), [0, 0, 0], strict=True):
        assert row.score[0] == pytest.approx(score, abs=0.2)


def test_numbers_are_read_in_order_and_levels_that_act_alike_together():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 2000), "town": rng.choice(["Bonn", "Ulm", "Oslo", "Rome"], 2000)})
    y = (frame["age"] > 40) * 2.0 + frame["town"].isin(["Oslo"]) * 3.0
    model = SpectralRegressor(max_terms=2, degree=1, random_state=0).fit(frame, y)
    age, town = model.effect("age"), model.effect("town")
    assert age["cell"].tolist()[0].startswith("age <= 4")
    assert age["cell"].tolist()[1].startswith("age > 4")
    assert age["cell"].tolist()[2:] == ["age is missing"]
    assert town["cell"].tolist() == ["town = Oslo", "town != Oslo", "town is missing or was never seen"]
    assert town["contribution"][0] - town["contribution"][1] == pytest.approx(3, abs=0.05)
    assert age["rows"].tolist()[:2] == [(frame["age"] <= 40).sum(), (frame["age"] > 40).sum()]
    never = pd.DataFrame({"age": [3, 17, 85, 120], "town": "Bonn"})  # what is said of 40 holds of them, too
    np.testing.assert_allclose(model.predict(never), [0, 0, 2, 2], atol=0.05)


def test_explanations_name_the_cell_of_the_row():
    frame, y = people(1001)
    model = SpectralClassifier(max_terms=6, degree=2, terms="xor", random_state=0).fit(frame, y)
    for row, why in zip(frame.head(30).itertuples(index=False), model.explain(frame.head(30), most=99), strict=True):
        told = [part.text for part in why.parts]
        assert any(f"a and b = {row[1]}" in text for text in told)
        assert all("XOR" not in text for text in told)
        assert len(told) == len(model.effects_)


def test_an_effect_over_groups_reads_like_one_over_codes():
    """Models that keep groups of levels, or steps, are read and drawn as those that keep codes."""
    frame, y = people(1001)
    model = SpectralClassifier(max_terms=4, degree=1, random_state=0).fit(frame, y).model_
    by_code = next(effect for effect in model.effects().effects if model.columns[effect.columns[0]].name == "age")
    values, group = np.unique(by_code.cells[:, 0], return_inverse=True)
    masses = np.bincount(group, by_code.masses)
    grouped = Effect(by_code.columns, (group,), values[:, None], masses)
    one, other = pieces_of(model, grouped), pieces_of(model, by_code)
    assert [piece.name for piece in one] == [piece.name for piece in other]
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a.values, b.values, atol=1e-12)
    assert sum(piece.rows for piece in one) == pytest.approx(1001)
    assert effect_facts(model, grouped)["values"] == [[value] for value in by_code.cells[:, 0]]


@pytest.mark.parametrize("joins", [(), ("and", "odd", "odd", "and", "odd")])
def test_tables_of_terms_are_their_terms(joins):
    """Products of signs; or ANDs, and odd numbers of bits, some of the same column."""
    columns = (LevelColumn("a", 0, False, ("u", "v", "w")), BinColumn("n", 1, True, (1.0, 2.0, 3.0)))
    bits = tuple(bit for i, column in enumerate(columns) for bit in column.bits(i))
    terms = ((0,), (0, 4), (3, 4, 6), (2, 3, 5), (1, 3))
    tables = TermTables(columns, bits, terms, joins)
    codes = grid([column.n_codes + 1 for column in columns])
    answers = np.stack([bit.answers(columns[bit.column].n_codes)[codes[bit.column]] for bit in bits])
    signs = np.where(answers, 1, -1)
    for names, numbers in tables.by_columns.items():
        found = tables.effect(names, np.eye(len(numbers))).values(codes)
        for place, i in enumerate(numbers):
            wanted = signs[list(terms[i])].prod(axis=0)
            if joins:
                some = answers[list(terms[i])]
                wanted = some.all(axis=0) if joins[i] == "and" else some.sum(axis=0) % 2
            np.testing.assert_array_equal(found[:, place], wanted)
