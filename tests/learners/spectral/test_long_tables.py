"""Very many rows: sums over their codes are those over whole matrices, and the order of the rows is of no account."""

from dataclasses import replace

import numpy as np
import pytest
from encoded_blocks import InBlocks
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn import SpectralClassifier, SpectralRegressor
from paclearn.encoding import DistinctRows
from paclearn.encoding.domain import BinColumn, Domain, LevelColumn
from paclearn.encoding.encoded_rows import first_kinds
from paclearn.learners.footprints import FOOTPRINTS
from paclearn.learners.spectral import cell_terms, forward, ridge, spectral_base
from paclearn.learners.spectral.cell_scan import CellScan
from paclearn.learners.spectral.cell_terms import CellFunctions, CellTerms, cell_tables
from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.forward import Design
from paclearn.learners.spectral.long_problem import LongProblem
from paclearn.learners.spectral.losses import LogLoss, SquaredLoss
from paclearn.learners.spectral.phrases import Phrase, Vocabulary
from paclearn.learners.spectral.target_views import as_column
from paclearn.learners.spectral.term_matrix import TermMatrix
from paclearn.learners.spectral.term_scan import Scan, Standardised
from paclearn.learners.spectral.tuning import TUNING
from paclearn.models.terms import model_bits, signs_of

DOMAIN = Domain(
    (
        BinColumn("x", 0, True, tuple(float(t) for t in range(7))),
        LevelColumn("a", 1, False, tuple("pqrstu")),
        BinColumn("y", 2, False, tuple(float(t) for t in range(9))),
        LevelColumn("b", 3, True, tuple("klm")),
    )
)
BITS = model_bits(DOMAIN)


def codes_of(rng, n=300):
    return [rng.integers(0, column.n_codes, n).astype(np.uint8) for column in DOMAIN.columns]


def terms_of(rng, n_more=12):
    more = [tuple(sorted(rng.choice(len(BITS), size, replace=False).tolist())) for size in rng.integers(2, 4, n_more)]
    return tuple((i,) for i in range(len(BITS))) + tuple(dict.fromkeys(more))


def both(rng, roots=()):
    """The terms of rows by their cells, and as a whole matrix."""
    codes, terms = codes_of(rng), terms_of(rng)
    scale = rng.choice([0.25, 0.5, 1.0], len(terms)).astype(np.float32)
    whole = TermMatrix(signs_of(DOMAIN, BITS, codes), terms, scale, roots)
    return CellTerms(codes, cell_tables(DOMAIN.columns, BITS, terms), scale, roots), whole


def same(one, other):
    np.testing.assert_allclose(one, other, atol=2e-5 * max(1.0, np.abs(other).max()))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_sums_over_cells_are_those_of_the_matrix(seed):
    rng = np.random.default_rng(seed)
    root = np.tril(rng.normal(size=(7, 7))).astype(np.float32)
    cells, whole = both(rng, ((slice(0, 7), root),))
    weights, column = rng.normal(size=(cells.shape[1], 2)), rng.normal(size=(300, 2))
    mean, shares = rng.normal(size=cells.shape[1]), rng.random(300)
    same(cells.times(weights), whole.times(weights))
    same(cells.transposed_times(column), whole.transposed_times(column))
    same(cells.covariance(shares, mean), whole.covariance(shares, mean))
    same(cells.terms.to_terms(weights), whole.to_terms(weights))
    assert cells.shape == whole.shape


@pytest.mark.parametrize(("name", "most"), [("_ROWS_AT_ONCE", 64), ("_CELLS_KEPT", 0)])
def test_rows_may_be_looked_at_some_at_a_time(monkeypatch, name, most):
    rng = np.random.default_rng(0)
    cells, whole = both(rng)
    monkeypatch.setattr(cell_terms, "_CELLS_KEPT", 0)
    monkeypatch.setattr(cell_terms, name, most)
    weights, column = rng.normal(size=(cells.shape[1], 1)), rng.normal(size=(300, 1))
    same(cells.times(weights), whole.times(weights))
    same(cells.transposed_times(column), whole.transposed_times(column))
    same(cells.products(column[:, 0]), whole._block(slice(None)).T @ (whole._block(slice(None)) * column))


def test_counting_pairs_of_large_tables_takes_many_rows():
    columns = tuple(BinColumn(f"x{i}", i, False, tuple(float(t) for t in range(31))) for i in range(4))
    bits = model_bits(domain := Domain(columns))
    singles = tuple((i,) for i in range(len(bits)))
    pairs = tuple((31 * i + k, 31 * j + k) for i in range(4) for j in range(i) for k in range(31))
    for terms, few in ((singles, True), (singles + pairs, False)):
        tables, scale = cell_tables(domain.columns, bits, terms), np.ones(len(terms), dtype=np.float32)
        cheap = [CellTerms([np.zeros(n, dtype=np.uint8)] * 4, tables, scale).pairs_are_cheap for n in (3000, 300_000)]
        assert cheap == [few, True]


def test_tables_of_too_many_cells_are_taken_apart(monkeypatch):
    rng = np.random.default_rng(1)
    monkeypatch.setattr("paclearn.models.effects._MOST_CELLS", 12)
    cells, whole = both(rng)
    assert any(len(table.numbers) == 1 and len(table.columns) > 1 for table in cells.tables)
    weights = rng.normal(size=(cells.shape[1], 1))
    same(cells.times(weights), whole.times(weights))


def test_phrases_are_tables_too():
    rng = np.random.default_rng(2)
    codes, words = codes_of(rng), Vocabulary(DOMAIN, BITS)
    phrases = [Phrase(((0, (1, 2)), (1, (0,)))), Phrase(((1, (2, 3)),)), Phrase(((0, (4,)), (3, (1,))), "odd")]
    terms = tuple(map(words.term, phrases))
    bits, members, joins = words.spelled_out(terms)
    cells = CellTerms(codes, cell_tables(DOMAIN.columns, bits, members, joins), np.ones(3, dtype=np.float32))
    truth = words.truth(terms, words.codes(signs_of(DOMAIN, BITS, codes)))
    same(cells.times(np.eye(3)), truth)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_the_scan_of_cells_equals_the_scan_of_signs(seed):
    rng = np.random.default_rng(seed)
    codes = codes_of(rng)
    signs, counts = signs_of(DOMAIN, BITS, codes), rng.integers(1, 4, 300).astype(np.float32)
    standard = Standardised.under(signs, counts.astype(np.float64) / counts.sum())
    singles = cell_tables(DOMAIN.columns, BITS, tuple((i,) for i in range(len(BITS))))
    cells = CellTerms(codes, singles, np.ones(len(BITS), dtype=np.float32))
    known = np.array([bit.column for bit in BITS]), counts, 3.0, 1.0
    fast, slow = CellScan(signs, signs, *known, cells, standard), Scan(standard.of(signs), signs, *known)
    residual = rng.normal(size=(300, 2))
    np.testing.assert_allclose(fast.pairs(residual), slow.pairs(residual), rtol=1e-3, atol=1e-4)
    assert fast.n_pairs == slow.n_pairs
    for term in ((0, 9), (3, 20)):
        assert (fast.alike(term) == slow.alike(term)).mean() > 0.99  # but for ties


def test_designs_of_many_rows_look_at_codes(monkeypatch):
    rng = np.random.default_rng(3)
    codes = codes_of(rng, 2000)
    signs, targets = signs_of(DOMAIN, BITS, codes), (codes[0] > 3).astype(float)[:, None]
    counts = np.ones(2000)
    standard = Standardised.under(signs, counts / 2000)
    columns = np.array([bit.column for bit in BITS])
    design = Design(signs, standard, signs, columns, targets, counts, LogLoss(), vocabulary=Vocabulary(DOMAIN, BITS))
    slow = design.problem(terms_of(rng))
    monkeypatch.setattr(forward, "_MANY_SIGNS", 0)
    monkeypatch.setattr(forward, "_MANY_PAIRS", 0)
    monkeypatch.setattr(cell_terms, "_NS_A_CELL", 0.0)  # for whatever size it would pay
    fast = replace(design, shared={}).problem(slow.matrix.terms)
    assert slow.matrix.cells is None
    assert fast.matrix.cells is not None
    assert isinstance(replace(design, shared={}).scan, CellScan)
    for penalty in (1e-2, 1e-3):
        one, other = fast.solve(penalty), slow.solve(penalty)
        assert fast.objective(one, penalty) == pytest.approx(slow.objective(other, penalty), abs=1e-4)
    monkeypatch.setattr(ridge, "_FEW_WEIGHTS", 0)  # or Newton's method would do without
    singles = tuple((i,) for i in range(len(BITS)))
    first = forward.grown(replace(design, shared={}), singles, 1e-3, None)
    assert first.problem.second_derivatives.grams
    second = forward.grown(replace(design, shared={}), (*singles, (0, 9), (3, 20)), 1e-3, first)
    assert len(second.problem.second_derivatives.grams[0]) == len(singles) + 2  # what was known, extended
    fresh = replace(design, shared={}).problem(second.terms)
    lost = fresh.objective(fresh.solve(1e-3), 1e-3)
    assert second.problem.objective(second.fit, 1e-3) == pytest.approx(lost, abs=1e-4)


# ---- some rows choose, all are fitted to ---------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_kinds_in_the_order_of_a_hash(seed):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 3, 40).astype(np.uint8), rng.integers(0, 400, 40).astype(np.uint16) % 2]
    targets, weights = rng.integers(0, 2, 40).astype(float), rng.integers(1, 4, 40).astype(float)
    found = DistinctRows.hashed(codes, targets, weights, None, 7)
    rows = np.column_stack([*codes, targets])
    assert np.array_equal(rows[found.first][found.kind], rows)
    assert len(found.first) == len(np.unique(rows, axis=0))
    order = rng.permutation(40)
    again = DistinctRows.hashed([c[order] for c in codes], targets[order], weights[order], None, 7)
    assert np.array_equal(rows[found.first], rows[order][again.first])
    assert np.array_equal(found.weights, again.weights)
    other = DistinctRows.hashed(codes, targets, weights, None, 8)
    assert len(found.first) < 4 or not np.array_equal(rows[found.first], rows[other.first])


@pytest.fixture
def few_rows_are_enough(monkeypatch):
    """To choose terms by, so that a small table is a long one."""
    small = replace(TUNING, enough_rows=1100, enough_for_few=400, few_rows=300)
    monkeypatch.setattr(spectral_base, "TUNING", small)


def long_table(n=2000, seed=0):
    import pandas as pd

    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n), "a": rng.choice(list("pqrs"), n)})
    score = frame["x"] * 1.5 + (frame["a"] == "q") * 2 + (frame["z"] > 0) * (frame["a"] == "r") * 2
    return frame, score.to_numpy(), rng


def noisy(score, rng):
    return score + rng.logistic(size=len(score))


TARGETS = {
    "two classes": (SpectralClassifier(n_terms=8, random_state=0), lambda s, rng: noisy(s, rng) > 0.5),
    "three": (SpectralClassifier(degree=1, random_state=0), lambda s, rng: np.digitize(noisy(s, rng), [0, 2])),
    "ordered": (
        SpectralClassifier(degree=1, random_state=0, ordered=[0, 1, 2]),
        lambda s, rng: np.digitize(noisy(s, rng), [0, 2]),
    ),
    "few terms": (SpectralClassifier(max_terms=4, random_state=0), lambda s, rng: noisy(s, rng) > 0.5),
    "numbers": (SpectralRegressor(degree=1, loss="squared", random_state=0), noisy),
    "counts": (SpectralRegressor(degree=1, loss="poisson", random_state=0), lambda s, rng: rng.poisson(np.exp(s / 2))),
    "few terms of numbers": (SpectralRegressor(max_terms=3, loss="squared", random_state=0), noisy),
}


@pytest.mark.parametrize("name", TARGETS)
def test_long_tables_in_any_order_and_copied(few_rows_are_enough, name):
    estimator, target = TARGETS[name]
    frame, score, rng = long_table()
    y = np.asarray(target(score, rng))
    model = estimator.fit(frame, y).model_.payload()
    order = rng.permutation(len(y))
    assert estimator.fit(frame.iloc[order], y[order]).model_.payload() == model


@pytest.mark.parametrize("name", TARGETS)
def test_weights_of_a_long_table_are_fitted_to_all_rows(few_rows_are_enough, name):
    """No penalised loss of the same terms is lower than that of the model, by more than the fit's tolerance."""
    estimator, target = TARGETS[name]
    frame, score, rng = long_table()
    solved = []
    make = spectral_base.long_problem

    def remembered(*arguments):
        solved.append(make(*arguments))
        return solved[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spectral_base, "long_problem", remembered)
        estimator.fit(frame, np.asarray(target(score, rng)))
    (problem,) = solved
    penalty = estimator._choice.best.penalty
    assert problem.n_rows == len(frame)
    assert problem.guide.matrix.shape[0] in {400, 1100}
    terms, (rows,) = problem.matrix, problem.rows.summed(lambda block: [block], list.__add__)
    cells = CellTerms(rows.codes, terms.tables, terms.scale, terms.roots)
    whole = np.hstack([cells.times(np.eye(terms.n_terms)), np.ones((rows.n, 1))])

    def slope(fit):
        scores = whole @ np.vstack([fit.weights, fit.intercept])
        gradient = whole.T @ problem.loss.residuals(scores, problem.view(rows.targets)) / rows.n
        gradient[:-1] -= penalty * fit.weights
        return np.abs(gradient).max()

    sample = problem.guide.solve(penalty)
    assert slope(problem.solve(penalty, sample)) < 1e-3
    assert slope(sample) > 5e-3  # of a fit to the sample alone


def test_errors_of_a_long_table_are_those_of_all_its_rows(few_rows_are_enough):
    """Second derivatives of some rows stand for those of all: errors are nearly those of the whole."""
    frame, score, rng = long_table(3000)
    y = score + rng.logistic(size=len(score)) > 0.5
    model = SpectralClassifier(degree=1, random_state=0).fit(frame, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spectral_base, "TUNING", TUNING)
        whole = SpectralClassifier(degree=1, random_state=0).fit(frame, y)
    assert model.n_terms_ == whole.n_terms_
    ratio = model.model_.errors / whole.model_.errors
    assert 0.7 < np.median(ratio) < 1.4


@given(seed=st.integers(0, 2**32 - 1), n_blocks=st.integers(1, 9), few=st.booleans())
@settings(max_examples=20, deadline=None)
def test_first_kinds_are_those_of_all_rows(seed, n_blocks, few):
    """However rows are cut into blocks, of which some are empty; and the weights of equal rows are added up."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 3, 60).astype(np.uint8), rng.integers(0, 5, 60).astype(np.uint8)]
    targets, weights = rng.integers(0, 2, 60), rng.integers(1, 4, 60).astype(float)
    edges = [0, *sorted(rng.integers(0, 61, n_blocks - 1).tolist()), 60]
    found = first_kinds(InBlocks(codes, targets, weights, edges), 7 if few else 99, 3)
    whole = DistinctRows.hashed(codes, targets.astype(float), weights, None, 3)
    n = min(len(whole.first), 7 if few else 99)
    assert found.n == n
    for column, wanted in zip([*found.codes, found.targets], [*codes, targets], strict=True):
        np.testing.assert_array_equal(column, wanted[whole.first[:n]])
    np.testing.assert_array_equal(found.weights, whole.weights[:n])
    np.testing.assert_array_equal(found.n_rows, whole.counts[:n])


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_sums_of_long_tables_are_exact_and_right(seed):
    """Of any order and blocks the same bytes, and those of the matrix up to rounding; of sizes never guessed, too."""
    rng = np.random.default_rng(seed)
    codes, terms = codes_of(rng), terms_of(rng)
    functions = CellFunctions(cell_tables(DOMAIN.columns, BITS, terms), np.ones(len(terms), dtype=np.float32))
    targets, weights = rng.normal(size=300) * 10.0 ** rng.integers(-3, 4), rng.random(300)
    fits = [LinearFit(10.0**k * rng.normal(size=(len(terms), 1)), rng.normal(size=1)) for k in (0, -6, 2)]
    found = []
    for _ in range(2):
        order, edges = rng.permutation(300), [0, *sorted(rng.integers(0, 301, 3).tolist()), 300]
        rows = InBlocks([c[order] for c in codes], targets[order], weights[order], edges)
        problem = LongProblem(rows, functions, as_column, SquaredLoss(), None)
        found.append([problem.mean, *(part for fit in fits for part in problem.at(fit))])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    whole = TermMatrix(signs_of(DOMAIN, BITS, codes), terms, functions.scale)
    shares = weights / weights.sum()
    for fit, lost, slopes in zip(fits, found[0][1::3], found[0][2::3], strict=True):
        scores = whole.times(fit.weights) + fit.intercept
        right, by_score = SquaredLoss().descent(scores, targets[:, None], shares)
        assert lost == pytest.approx(right, rel=1e-4)
        same(slopes, whole.transposed_times(by_score))


def test_a_long_table_takes_the_room_of_its_codes():
    known = FOOTPRINTS["SpectralClassifier"]
    assert known.rows == TUNING.enough_rows
    assert known.bytes_for(10**6, 20) < 5e8
    assert known.bytes_for(50_000, 20) == pytest.approx(300e6 + 50_000 * (20 * 100 + 60))
