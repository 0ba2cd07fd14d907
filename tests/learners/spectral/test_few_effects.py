"""Models of few effects: shapes, cuts, the fit, the search, and columns that effects must not go against."""

import pickle

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone

from paclearn import SpectralClassifier, SpectralRegressor
from paclearn.datasets import make_parity
from paclearn.exceptions import ColumnError, EmptyTableError, InputError
from paclearn.learners.spectral.effect_columns import EffectColumn
from paclearn.learners.spectral.effect_cuts import best_runs, grown_grids
from paclearn.learners.spectral.effect_fit import EffectRows, fit_pieces
from paclearn.learners.spectral.effect_shapes import curve, grid, line, monotone_grid, partition
from paclearn.learners.spectral.losses import LogLoss, SoftmaxLoss, SquaredLoss

seeds = st.integers(0, 10**6)


def table_of(n=600, seed=0):
    """A number with a straight line, one with a step, levels of which two act alike, a pair, noise, gaps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n).round(1),
            "dose": rng.uniform(0, 10, n).round(2),
            "town": rng.choice(["Bonn", "Ulm", "Kiel", "Jena"], n),
            "left": rng.choice(["yes", "no"], n),
            "right": rng.integers(0, 2, n),
            "noise": rng.normal(size=n),
            "same": "constant",
        }
    )
    score = 0.08 * (frame["age"] - 40) + 1.5 * (frame["dose"] > 6) + 1.2 * frame["town"].isin(["Bonn", "Ulm"])
    score = score + 1.5 * ((frame["left"] == "yes") ^ (frame["right"] == 1)) - 2
    frame.loc[rng.random(n) < 0.05, "age"] = np.nan
    frame.loc[rng.random(n) < 0.05, "town"] = None
    return frame, score.to_numpy()


def targets_of(score, kind, seed=1):
    rng = np.random.default_rng(seed)
    noisy = score + rng.logistic(0, 0.4, len(score))
    if kind == "number":
        return noisy
    return np.where(noisy > 0, "up", "down") if kind == "two" else np.digitize(noisy, [-1, 1.0]).astype(str)


def learner(kind, **settings):
    kind_of = SpectralRegressor if kind == "number" else SpectralClassifier
    return kind_of(degree=2, random_state=0, **settings)


def spoiled(frame, seed=3):
    """Levels never seen, and gaps where there were none."""
    frame, rng = frame.copy(), np.random.default_rng(seed)
    frame.loc[rng.random(len(frame)) < 0.1, "town"] = "Graz"
    frame.loc[rng.random(len(frame)) < 0.1, ["dose", "left"]] = None
    return frame


# ---- parts -----------------------------------------------------------------------------------------------------------


@given(seed=seeds, n=st.integers(2, 8), outputs=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_the_best_runs_are_the_best_of_all(seed, n, outputs):
    rng = np.random.default_rng(seed)
    G, H = rng.normal(size=(n, outputs)), rng.uniform(0, 2, (n, outputs))
    for k, group in best_runs(G, H, 4, 0.5).items():
        assert sorted(set(group.tolist())) == list(range(k))
        assert (np.diff(group) >= 0).all()
        assert naive.gain_of_groups(G, H, group, 0.5) == pytest.approx(naive.best_gain_of_runs(G, H, k, 0.5))


def test_a_grid_is_cut_where_the_table_is():
    codes = np.arange(6)
    pure = np.where((codes[:, None] > 3) ^ (codes > 1), 1.0, -1.0)[:, :, None]
    columns = EffectColumn(6, codes.astype(float)), EffectColumn(6)
    one, other = grown_grids(columns, pure, np.ones_like(pure), 3, 0.1)[0]
    assert one.tolist() == [0, 0, 0, 0, 1, 1]
    assert set(map(frozenset, (np.flatnonzero(other == g).tolist() for g in (0, 1)))) == {
        frozenset({0, 1}),
        frozenset({2, 3, 4, 5}),
    }


def pieces_of_rows(codes, counts, *, sign=0):
    """One of each shape, over three columns: a number of six bins with gaps, levels, and a pair of both."""
    number, levels = EffectColumn(7, np.array([0.0, 1, 2, 4, 8, 9]), sign), EffectColumn(3)
    mass = np.bincount(codes[0], counts, minlength=7)
    half, same = np.array([0, 0, 0, 1, 1, 1, 1]), np.arange(3)
    cells = np.bincount(half[codes[0]] * 3 + codes[1], counts, minlength=6)
    pair = (
        monotone_grid((0, 1), (half, same), (sign, 0), cells, "pair")
        if sign
        else grid((0, 1), (half, same), cells, "pair")
    )
    return [
        line(0, number, mass).centred(mass),
        curve(0, number, mass, 3).centred(mass),
        partition(0, number, np.array([0, 0, 1, 1, 1, 1, 2]), "2 steps"),
        partition(1, levels, same, "levels"),
        pair,
    ]


SIGNED = [(loss, sign) for loss in (SquaredLoss(), LogLoss()) for sign in (0, 1, -1)] + [(SoftmaxLoss(), 0)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("loss", "sign"), SIGNED)
def test_the_fit_is_the_minimum(seed, loss, sign):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, 7, 80), rng.integers(0, 3, 80)])
    counts = rng.uniform(0.5, 2, 80)
    targets = rng.normal(size=(80, 1)) if isinstance(loss, SquaredLoss) else rng.integers(0, 2, (80, 1)).astype(float)
    if isinstance(loss, SoftmaxLoss):
        targets = np.eye(3)[rng.integers(0, 3, 80)]
    pieces = pieces_of_rows(codes, counts, sign=sign)
    rows = EffectRows(codes, targets, counts, loss)
    fit = fit_pieces(rows, pieces, 2.0)
    dense = np.concatenate([piece.basis[piece.cells(codes)] for piece in pieces], axis=1)
    held_back = np.concatenate([piece.penalty for piece in pieces])
    outputs = targets.shape[1]

    def cost(point):
        point = point.reshape(-1, outputs)
        scores = dense @ point[1:] + point[0]
        return loss.mean(scores, targets, counts) + held_back @ (point[1:] ** 2).sum(axis=1)

    found = np.concatenate([fit.intercept[None], *fit.weights])
    sided = np.concatenate(
        [[False], *(np.zeros(p.n_weights, bool) if p.one_sided is None else p.one_sided for p in pieces)]
    )
    assert found[sided].min(initial=0.0) >= -1e-12
    bounds = [(0, None) if yes else (None, None) for yes in np.repeat(sided, outputs)]
    best = minimize(cost, found.ravel(), method="L-BFGS-B", bounds=bounds).fun
    assert cost(found.ravel()) <= best + 1e-2


def test_a_pure_grid_averages_to_nought_over_each_column():
    rng = np.random.default_rng(0)
    groups = (np.arange(3), np.arange(4), np.arange(2))
    mass = rng.integers(0, 4, 24).astype(float)
    piece = grid((0, 1, 2), groups, mass, "cells")
    table = (piece.basis * mass[:, None]).reshape(3, 4, 2, -1)
    for axis in range(3):
        np.testing.assert_allclose(table.sum(axis=axis), 0, atol=1e-12)
    assert grid((0, 1), (np.arange(2), np.arange(2)), np.array([1.0, 0, 0, 1]), "cells") is None


# ---- models ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["two", "three", "number"])
def fitted(request):
    frame, score = table_of()
    return learner(request.param, max_effects=8).fit(frame, targets_of(score, request.param)), frame


def test_effects_are_few_pure_and_add_up(fitted):
    model, frame = fitted
    assert 4 <= len(model.effects_) <= 8
    rows = spoiled(frame)
    effects = model.model_.effects()
    codes = model.model_.encode(model.model_.table(rows))
    total = effects.scores(codes)
    said = model.decision_function(rows) if hasattr(model, "decision_function") else model.model_.scores(codes)
    np.testing.assert_allclose(said.reshape(len(rows), -1), total, atol=1e-9)
    for effect in effects.effects:
        for axis in range(len(effect.columns)):
            means = (effect.cells * effect.masses[..., None]).sum(axis=axis) / effect.masses.sum()
            assert np.abs(means).max() < 1e-8
    for row, score in zip(model.explain(rows[:50], most=99), total[:50], strict=True):
        np.testing.assert_allclose(row.score, score, atol=1e-9)


def test_each_effect_has_the_shape_that_is_there(fitted):
    model, _ = fitted
    shapes = dict(zip([t.columns for t in model.model_.tables], model.model_.shapes, strict=True))
    shapes = {tuple(model.model_.columns[c].name for c in columns): shape for columns, shape in shapes.items()}
    bends = len(getattr(model, "classes_", ())) > 2  # the odds of the class in the middle rise and fall
    assert shapes["age",] == ("curve" if bends else "line")
    assert shapes["dose",] in {"2 steps", "3 steps"}  # where no cut is at the step itself, one is on either side
    assert ("left", "right") in shapes
    assert ("noise",) not in shapes or shapes["noise",] == "line"
    cells = model.effect("dose")["cell"].tolist()
    assert any(cell.startswith(("dose > 6", "dose > 5.9")) for cell in cells)


def test_levels_that_act_alike_are_merged(fitted):
    model, _ = fitted
    said = dict(zip(model.effect("town")["cell"], model.effect("town").iloc[:, 1], strict=True))
    assert any("Bonn, Ulm" in cell or "Jena, Kiel" in cell for cell in said)


def test_a_row_of_weight_three_is_three_rows_and_order_is_of_no_account():
    frame, score = table_of(90)  # so few that they are judged by five folds, not by fifteen
    frame, y = frame[["dose", "town", "left", "right"]], targets_of(score, "two")
    times = np.random.default_rng(0).integers(1, 4, len(y))
    mixed = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), times))
    one = learner("two", max_effects=3).fit(frame, y, sample_weight=times)
    other = learner("two", max_effects=3).fit(frame.iloc[mixed], y[mixed])
    np.testing.assert_array_equal(one.decision_function(frame), other.decision_function(frame))
    nought = np.append(times, np.zeros(50))
    more = learner("two", max_effects=3).fit(pd.concat([frame, frame[:50]]), np.append(y, y[:50][::-1]), nought)
    np.testing.assert_array_equal(one.decision_function(frame), more.decision_function(frame))


@pytest.mark.parametrize("k", [2, 3])
def test_a_parity_is_one_effect(k):
    data = make_parity(800, n_columns=8, k=k, noise=0.1, random_state=0)
    model = SpectralClassifier(max_effects=1, degree=k, random_state=0).fit(data.data, data.target)
    assert model.effects_["columns"].tolist() == [tuple(f"x{i}" for i in data.relevant)]
    assert model.score(data.data, data.target) > 0.85


def test_a_line_goes_on_between_and_beyond_what_was_seen():
    rng = np.random.default_rng(0)
    rooms = rng.choice([1, 2, 3, 5, 8], 400)
    model = SpectralRegressor(max_effects=1, random_state=0).fit(rooms[:, None], 3.0 * rooms + rng.normal(0, 0.1, 400))
    low, between, high = model.predict([[3], [4.2], [5]])
    assert low <= between <= high
    assert model.model_.shapes == ("line",)
    assert model.predict([[20]]) == model.predict([[8]])


def test_what_is_asked_for_is_kept_and_told(fitted):
    model, frame = fitted
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert len(pickle.dumps(model)) < 200_000  # no rows of the fit
    assert clone(model).max_effects == 8
    assert list(model.path_["family"]) == ["effects"] * len(model.path_)
    assert model.path_["loss"].iloc[-1] < model.path_["loss"].iloc[0]
    assert model.n_terms_ == len(model.terms_)
    assert f"age ({model.model_.shapes[list(model.effects_['columns']).index(('age',))]}" in model.to_text()
    assert "dose is missing" not in model.to_text()  # it never was, and adds nothing
    assert "(missing or never seen, where no line says so)" in model.to_text()
    model.plot_path()
    model.plot_terms()


def test_tables_with_little_in_them():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    gaps = pd.DataFrame(
        {"a": np.where(rng.random(40) < 0.5, np.nan, 1.0), "b": rng.normal(size=40), "all": [None] * 40}
    )
    model = SpectralClassifier(max_effects=3, random_state=0).fit(gaps, y)
    assert np.isfinite(model.predict_proba(gaps.assign(b=np.nan))).all()
    pure_noise = SpectralRegressor(max_effects=2, random_state=0).fit(rng.normal(size=(60, 3)), rng.normal(size=60))
    assert len(pure_noise.effects_) <= 2
    constant = SpectralRegressor(max_effects=2, random_state=0).fit(rng.normal(size=(20, 2)), np.ones(20))
    np.testing.assert_allclose(constant.predict(rng.normal(size=(5, 2))), 1)
    two = SpectralClassifier(max_effects=2, random_state=0).fit([[0.0], [1.0]], ["a", "b"])
    assert set(two.predict([[0.0], [1.0]])) <= {"a", "b"}
    with pytest.raises(EmptyTableError, match="no column varies"):
        SpectralClassifier(max_effects=2).fit(np.ones((4, 1)), [0, 1, 0, 1])


@pytest.mark.parametrize("most", [None, 3])
def test_names_that_look_like_several_columns_do_no_harm(most):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["x and y", "a × b"], (300, 3)), columns=["a and b", "a × b", "e in {f}"])
    frame["one level"], frame["> 5"] = "always", rng.normal(size=300).round(1)
    y = (frame["a and b"] == "x and y") ^ (frame["a × b"] == "a × b")
    model = SpectralClassifier(max_effects=most, random_state=0).fit(frame, y)
    assert ("a and b", "a × b") in model.effects_["columns"].tolist()
    pair = model.effect("a and b", "a × b")
    assert len(pair) >= 4
    rows = frame.assign(**{"a and b": "never seen", "> 5": np.nan})
    for met in (frame[:20], rows[:20]):
        total = [row.score for row in model.explain(met, most=99)]
        np.testing.assert_allclose(np.ravel(total), model.decision_function(met), atol=1e-9)
    with pytest.raises(ColumnError):
        model.effect("a and b and a × b")


def test_a_certificate_holds_on_rows_held_out():
    frame, score = table_of(2000)
    y = targets_of(score, "two")
    model = learner("two", max_effects=4, holdout=0.3).fit(frame, y)
    fresh, score = table_of(2000, seed=9)
    error = 1 - model.score(fresh, targets_of(score, "two", seed=8))
    assert all(error <= certificate.bound for certificate in model.certificates_)
    assert min(c.bound for c in model.certificates_) < 0.4


# ---- monotone --------------------------------------------------------------------------------------------------------


def raised(frame, name, rng):
    """The same rows, with larger numbers in one column."""
    return frame.assign(**{name: frame[name] + rng.exponential(frame[name].std(), len(frame))})


@pytest.mark.parametrize("kind", ["two", "number"])
def test_effects_never_go_against_their_sign(kind):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.uniform(-2, 2, (200, 4)), columns=["a", "b", "c", "d"]).round(1)
    frame["few"] = rng.integers(0, 4, 200)  # 300 rows are judged by fifteen folds, 200 by five
    a, b, c = (frame[n].to_numpy() for n in "abc")
    score = np.sin(3 * a) + 2 * (a > 0) * (b > 0) - c**2 + a * c + frame["few"] % 3
    signs = {"a": 1, "b": -1, "c": 1, "few": -1}
    y = targets_of(score.to_numpy(), kind)
    bound = [learner(kind, max_effects=most, monotone=signs).fit(frame, y) for most in (None, 8)]
    free = learner(kind, max_effects=8).fit(frame, y)
    broken = 0
    for name, sign in signs.items():
        for rows in (frame, frame.sample(frac=1.0, random_state=0).reset_index(drop=True).assign(d=np.nan)):
            more = raised(rows, name, rng)
            for model in (each.model_ for each in bound):
                low, high = (model.scores(model.encode(model.table(x))) for x in (rows, more))
                assert (sign * (high - low)).min() >= -1e-9
            broken += (sign * (free.predict(more) != free.predict(rows))).any()
    assert broken  # without signs the same table is not monotone


def test_pairs_keep_their_sign_as_well():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(-2, 2, (1500, 3)), columns=["a", "b", "c"])
    score = 3.0 * ((frame["a"] > 0) & (frame["b"] > 0)) + frame["c"]
    signs = {"a": 1, "b": 1}
    model = SpectralRegressor(monotone=signs, random_state=0).fit(frame, score + rng.normal(0, 0.3, len(frame)))
    assert ("a", "b") in model.effects_["columns"].tolist()
    for name in signs:
        assert (model.predict(raised(frame, name, rng)) - model.predict(frame)).min() >= -1e-9
    assert model.score(frame, score) > 0.95


def test_pairs_with_signs_are_pure_under_the_law_of_the_weighted_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (800, 2)), columns=["a", "b"])
    y = 3.0 * (frame["a"] & frame["b"]) + rng.normal(0, 0.3, len(frame))
    weights = np.where(frame["a"] > frame["b"], 5.0, 1.0)
    model = SpectralRegressor(monotone={"a": 1, "b": 1}, max_effects=3, random_state=0)
    model = model.fit(frame, y, sample_weight=weights).model_
    codes = model.encode(model.table(frame))
    pair = next(e for e in model.effects().effects if len(e.columns) == 2)
    added = pair.values(codes)[:, 0]
    assert np.ptp(added) > 0.5
    for name in frame:
        for value in (0, 1):
            rows = (frame[name] == value).to_numpy()
            assert abs(weights[rows] @ added[rows]) < 1e-6 * len(frame)


@pytest.mark.parametrize(
    ("signs", "error", "message"),
    [
        ({"ages": 1}, ColumnError, "monotone names 'ages', which is no column; did you mean 'age'?"),
        ({"town": 1}, ColumnError, "monotone names 'town', a column of categories, which have no order"),
        ({"age": 2}, InputError, r"monotone=\{'age': 2\} must be a dict of names of columns, each with \+1 or -1"),
        ({"age": True}, InputError, "must be a dict of names"),
        ({"age": 1.0}, InputError, "must be a dict of names"),
        (["age"], InputError, "must be a dict of names"),
    ],
)
def test_signs_that_make_no_sense_are_refused(signs, error, message):
    frame, score = table_of(60)
    with pytest.raises(error, match=message):
        SpectralRegressor(monotone=signs).fit(frame, score)


def test_questions_that_contradict_each_other_are_refused():
    frame, score = table_of(60)
    with pytest.raises(InputError, match="max_terms=3 and max_effects=2 ask for two kinds of models"):
        SpectralRegressor(max_terms=3, max_effects=2).fit(frame, score)
    with pytest.raises(InputError, match="max_effects=0 must be a whole number >= 1"):
        SpectralRegressor(max_effects=0).fit(frame, score)
    with pytest.raises(InputError, match="needs a number or two classes to rise or fall with a column; there are 3"):
        SpectralClassifier(monotone={"age": 1}).fit(frame, targets_of(score, "three"))
    with pytest.raises(InputError, match="loss='poisson' cannot be had with max_effects"):
        SpectralRegressor(max_effects=2, loss="poisson").fit(frame, score)


def test_triples_pay_for_all_the_bits_they_were_chosen_among():
    """All rows choose the bits of a triple, those left out, too: of columns that say nothing, none is taken."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(200, 6)), columns=list("abcdef"))
        y = X["a"] + rng.normal(size=200)
        model = SpectralRegressor(max_effects=6, degree=3, n_bins=8, random_state=0).fit(X, y)
        assert max(len(table.columns) for table in model.model_.tables) < 3


def test_a_number_of_five_values_may_have_five_heights():
    X = np.tile(np.arange(5.0), 60)[:, None]
    y = np.array([0.0, 3.0, -1.0, 2.0, -4.0])[X[:, 0].astype(int)]
    assert SpectralRegressor(max_effects=1).fit(X, y).score(X, y) > 0.99


def test_a_pair_may_have_a_curve_for_each_level():
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randint(0, 24, 1200), rng.randint(0, 2, 1200)]).astype(float)
    wave = np.sin(2 * np.pi * X[:, 0] / 6)  # four waves: eight cuts are too few
    y = np.where(X[:, 1] > 0, wave, 0) + 0.1 * rng.randn(1200)
    model = SpectralRegressor(max_effects=3).fit(X, y)
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize(("n", "most"), [(4, 0), (9, 1), (15, 3)])
def test_few_rows_give_few_effects(n, most):
    """Rows left out of so few say little: of nine rows that mean nothing five or six effects were found."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = pd.DataFrame(rng.normal(size=(n, 8)), columns=list("abcdefgh")).round(1), rng.normal(size=n)
        of_numbers = SpectralRegressor(max_effects=12, random_state=0).fit(X, y)
        of_classes = SpectralClassifier(max_effects=12, random_state=0).fit(X, y > np.median(y))
        assert max(len(of_numbers.effects_), len(of_classes.effects_)) <= most
        assert np.isfinite(of_numbers.predict(X)).all()
        assert set(of_classes.predict(X)) <= {False, True}
