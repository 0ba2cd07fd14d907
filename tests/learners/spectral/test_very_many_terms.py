"""Terms that are made a few at a time, because all of them at once would be slower than making them anew."""

from itertools import combinations

import numpy as np
import pytest

from paclearn import SpectralClassifier
from paclearn.learners.spectral import term_matrix
from paclearn.learners.spectral.losses import SoftmaxLoss
from paclearn.learners.spectral.ridge import RidgeProblem
from paclearn.learners.spectral.stochastic import fit_by_steps
from paclearn.learners.spectral.term_matrix import TermMatrix
from paclearn.models import linear


def naive_columns(matrix):
    """Products of the members' columns times the scale, mixed by the roots, in double precision."""
    columns = np.column_stack([matrix.values[:, list(t)].astype(float).prod(axis=1) for t in matrix.terms])
    columns *= matrix.scale
    for places, root in matrix.roots:
        columns[:, places] = columns[:, places] @ root
    return columns


@pytest.fixture
def in_parts(monkeypatch):
    for name, most in (("_CELLS_KEPT", 0), ("_CELLS_OF_FEW", 2**7), ("_ROWS_IN_CACHE", 32)):
        monkeypatch.setattr(term_matrix, name, most)


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("kind", [np.int8, np.float32])
def test_a_matrix_in_parts_is_the_matrix(mixed, kind):
    rng = np.random.default_rng(0)
    values = rng.choice([-1, 1], (150, 9)).astype(kind) if kind is np.int8 else rng.normal(size=(150, 9)).astype(kind)
    terms = (*((i,) for i in range(1, 9)), *combinations(range(1, 9), 2), (1, 2, 3), (4, 6, 8))  # 0 is in none
    roots = ((slice(2, 6), np.tril(rng.normal(size=(4, 4))).astype(np.float32)),) if mixed else ()
    matrix = TermMatrix(values, terms, rng.choice([0.5, 1.0], len(terms)).astype(np.float32), roots)
    columns, weights, sums = naive_columns(matrix), rng.normal(size=(len(terms), 3)), rng.normal(size=(150, 2))
    some = rng.permutation(150)[:70]
    same = {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose(matrix.times(weights), columns @ weights, **same)
    np.testing.assert_allclose(matrix.times_of(some, weights), columns[some] @ weights, **same)
    np.testing.assert_allclose(matrix.transposed_times(sums), columns.T @ sums, **same)
    of_some = matrix.transposed_times_of(some, sums[some].astype(np.float32))
    np.testing.assert_allclose(of_some, columns[some].T @ sums[some], **same)
    assert sum(len(block) for _, block in matrix.blocks()) == 150
    np.testing.assert_allclose(np.concatenate([block for _, block in matrix.blocks()]), columns, **same)


@pytest.mark.parametrize("mixed", [False, True])
def test_steps_end_near_the_minimum(mixed):
    """Of many terms, each of which needs little weight: that is all that so many steps can give."""
    rng = np.random.default_rng(0)
    values = rng.choice([-1, 1], (1000, 30)).astype(np.int8)
    terms = (*((i,) for i in range(30)), *combinations(range(30), 2))
    roots = ((slice(0, 200), np.tril(rng.normal(size=(200, 200)) / 10).astype(np.float32)),) if mixed else ()
    matrix = TermMatrix(values, terms, np.full(len(terms), 0.5, dtype=np.float32), roots)
    sums = naive_columns(matrix) @ rng.normal(size=(len(terms), 3))
    rows = rng.uniform(0.5, 2, 1000)
    problem = RidgeProblem(matrix, np.eye(3)[sums.argmax(axis=1)], rows / rows.sum(), SoftmaxLoss())
    best, near, none = problem.solve(0.01), fit_by_steps(problem, 0.01, np.random.RandomState(0)), problem.constant()
    least, found, most = (problem.objective(fit, 0.01) for fit in (best, near, none))
    assert found < least + 0.1 * (most - least)


@pytest.mark.parametrize("levels", [2, 9])
def test_scores_by_products_are_those_by_tables(levels, monkeypatch):
    """Few terms that share a table are multiplied out, many looked up: the sums are the same."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, levels, (400, 20)).astype(str)
    kind = (X[:, 0] == X[:, 1]).astype(int) + (X[:, 2] == "1")
    model = SpectralClassifier(degree=2, n_terms=150, random_state=0).fit(X, kind).model_
    codes = [rng.integers(0, column.n_codes, 3000).astype(np.uint8) for column in model.columns]
    monkeypatch.setattr(linear, "_MANY_TERMS", 1)
    found = []
    for share, tables in ((0, True), (10**6, False)):
        monkeypatch.setattr(linear, "_SHARE_A_TABLE", share)
        vars(model).pop("_summed", None)
        assert (model._summed is not None) == tables
        found.append(model.scores(codes))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-12)
