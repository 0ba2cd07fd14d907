"""Rows of which few bits are true: the same sums, the same pairs and the same weights as with whole matrices."""

from dataclasses import replace

import numpy as np
import pytest

from paclearn import SpectralClassifier
from paclearn.datasets import make_many_levels
from paclearn.learners.spectral.forward import Design
from paclearn.learners.spectral.level_scales import with_level_scales
from paclearn.learners.spectral.losses import LogLoss, SoftmaxLoss, SquaredLoss
from paclearn.learners.spectral.ridge import RidgeProblem
from paclearn.learners.spectral.sparse_rows import SparseScan, frequent_levels, true_bits
from paclearn.learners.spectral.term_matrix import TermMatrix
from paclearn.learners.spectral.term_scan import Scan
from paclearn.models.terms import products_of

LEVELS = (300, 200, 150)
LOSSES = {"two classes": LogLoss(), "three": SoftmaxLoss(), "numbers": SquaredLoss()}


def design_of(loss, n=1500, seed=0):
    """One bit a level, of three columns with few rows a level."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([np.minimum(rng.geometric(8 / k, n), k) - 1 for k in LEVELS])
    starts = np.cumsum((0, *LEVELS[:-1]))
    signs = np.full((n, sum(LEVELS)), -1, dtype=np.int8)
    for start, column in zip(starts, codes.T, strict=True):
        signs[np.arange(n), start + column] = 1
    score = rng.normal(size=sum(LEVELS))[codes + starts].sum(axis=1) + 2 * (codes[:, 0] < 3) * (codes[:, 1] < 3)
    targets = {
        "two classes": (score > 0).astype(float)[:, None],
        "three": np.eye(3)[np.digitize(score, [-1, 1])],
        "numbers": score[:, None],
    }[loss]
    counts, share = rng.integers(1, 3, n).astype(float), 1 / n
    mean = share * signs.sum(axis=0)
    basis = ((signs - mean) / np.sqrt(np.maximum(1 - mean**2, 1e-12))).astype(np.float32)
    columns = np.repeat(np.arange(3), LEVELS)
    design = Design(signs, basis, signs.astype(np.float32), columns, targets, counts, LOSSES[loss])
    return replace(design, frequent=frequent_levels(design.true_bits, columns, counts))


def both_ways(design, terms):
    """The problem of some terms as it is, and with a whole matrix of what the terms are in it."""
    sparse = design.problem(terms)
    assert sparse.matrix.sparse is not None
    signs = design.signs.astype(np.float32)
    columns = [signs[:, t[0]] if len(t) == 1 else (2 * (signs[:, t] > 0).all(axis=1) - 0.5) for t in terms]
    columns = np.column_stack([signs @ design.frequent.toarray(), *columns]).astype(np.float32)
    scale = np.concatenate([np.full(design.frequent.shape[1], 0.5), sparse.matrix.scale]).astype(np.float32)
    matrix = TermMatrix(columns, tuple((i,) for i in range(columns.shape[1])), scale)
    return sparse, RidgeProblem(matrix, sparse.targets, sparse.row_weights, sparse.loss, sparse.n_rows)


def terms_of(design, n_pairs=40):
    singles = [(i,) for i in range(design.signs.shape[1])]
    residual = design.residual(np.zeros(design.targets.shape))
    return tuple(singles + [term for _, term in design.scan.best_pairs(residual, n_pairs)])


@pytest.mark.parametrize("loss", LOSSES)
def test_sums_and_weights_are_those_of_whole_matrices(loss):
    design = design_of(loss)
    terms = terms_of(design)
    sparse, whole = both_ways(design, terms)
    rng = np.random.default_rng(1)
    weights, columns = (rng.normal(size=(n, design.targets.shape[1])) for n in reversed(sparse.matrix.shape))
    np.testing.assert_allclose(sparse.matrix.times(weights), whole.matrix.times(weights), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(
        sparse.matrix.transposed_times(columns), whole.matrix.transposed_times(columns), rtol=1e-4, atol=1e-2
    )
    one, other = sparse.solve(1e-2), whole.solve(1e-2)
    least = whole.objective(other, 1e-2)
    assert abs(whole.objective(one, 1e-2) - least) < 1e-4 * abs(least)
    np.testing.assert_allclose(one.weights, other.weights, atol=0.03 * np.abs(other.weights).max())


def test_groups_and_pairs_of_levels_are_sums_of_products():
    design = design_of("two classes")
    terms = terms_of(design)
    matrix = design.problem(terms).matrix
    weights = np.random.default_rng(2).normal(size=(matrix.shape[1], 1))
    said = products_of(design.signs.astype(np.float32), terms) @ matrix.to_terms(weights)
    np.testing.assert_allclose(said, matrix.times(weights), rtol=1e-4, atol=1e-3)


def test_sums_of_squares_are_those_of_the_matrix():
    design = design_of("numbers")
    sparse, whole = both_ways(design, terms_of(design))
    columns = np.random.default_rng(3).random((len(design.signs), 2))
    squares = (whole.matrix.values * whole.matrix.scale).astype(float).T ** 2
    np.testing.assert_allclose(sparse.matrix.sparse.sums_of_squares(columns), squares @ columns, rtol=1e-5)


@pytest.mark.parametrize("loss", ["two classes", "three"])
def test_pairs_have_the_scores_that_whole_matrices_give(loss):
    design = design_of(loss)
    sparse = design.scan
    whole = Scan(*(getattr(sparse, name) for name in Scan.__dataclass_fields__))
    assert isinstance(sparse, SparseScan)
    residual = design.residual(np.zeros(design.targets.shape))
    assert sparse.n_pairs == whole.n_pairs > 20
    np.testing.assert_allclose(sparse.pairs(residual), whole.pairs(residual), rtol=2e-3, atol=1e-3)
    few, same = (sorted(scan.best_pairs(residual, 10), reverse=True) for scan in (sparse, whole))
    np.testing.assert_allclose([score for score, _ in few], [score for score, _ in same], rtol=2e-3)


def test_frequent_levels_of_columns_of_many():
    design = design_of("numbers")
    rows = design.counts @ (design.signs > 0)
    groups = design.frequent.toarray()
    for column in range(3):
        inside = groups[:, groups[design.columns == column].any(axis=0)]
        assert not inside[design.columns != column].any()
        here = design.columns == column
        np.testing.assert_array_equal(inside[here][:, 0], rows[here] > 1)
        assert (np.diff(inside[here], axis=1) <= 0).all()  # more rows, fewer levels
    assert frequent_levels(design.true_bits[:, :90], design.columns[:90], design.counts) is None


def test_bits_that_are_few_or_often_true_stay_in_whole_matrices():
    signs = np.full((50, 700), -1, dtype=np.int8)
    assert true_bits(signs, signs.astype(np.float32)) is not None
    assert true_bits(signs[:, :100], signs[:, :100].astype(np.float32)) is None
    assert true_bits(-signs, -signs.astype(np.float32)) is None
    assert true_bits(signs, 2 * signs.astype(np.float32)) is None


def test_a_table_of_many_levels_is_learned_as_before():
    """Levels decide, and what is learned of them holds for new rows."""
    data = make_many_levels(1500, random_state=0)
    known, new = slice(0, 1000), slice(1000, None)
    model = SpectralClassifier(degree=1, random_state=0).fit(data.data[known], data.target[known])
    shares = np.unique(data.target[new], return_counts=True)[1] / 500
    assert (model.predict(data.data[new]) == data.target[new]).mean() > shares.max() - 0.02
    assert len(model.model_.effects().effects) > 0


def test_columns_whose_levels_differ_more_are_held_back_less():
    """Of three columns one decides nothing, one a little and one much: scales say so, and levels of few rows shrink."""
    design = design_of("numbers", n=3000)
    rng = np.random.default_rng(3)
    strength = np.repeat([0.0, 0.3, 2.0], LEVELS)
    weights = rng.normal(size=sum(LEVELS)) * strength
    score = (design.signs > 0) @ weights + rng.normal(size=3000)
    believed = with_level_scales(replace(design, targets=score[:, None]))
    scales = [float(believed.bit_scales[1][np.cumsum((0, *LEVELS))[c]]) for c in range(3)]
    assert scales[0] < scales[1] < scales[2]
    assert len(believed.roots) == 2
    assert with_level_scales(
        replace(design, signs=design.signs[:, :50], values=design.values[:, :50], shared={})
    ).roots == ((),)
