"""Losses and their slopes from the same exponentials, and the solver that goes down them."""

import numpy as np
import pytest
from scipy.optimize import minimize

from paclearn.learners.spectral import ridge
from paclearn.learners.spectral.curvature import SecondDerivatives
from paclearn.learners.spectral.losses import GammaLoss, LogLoss, PoissonLoss, SoftmaxLoss, SquaredLoss
from paclearn.learners.spectral.newton import FewTerms
from paclearn.learners.spectral.quasi_newton import _Memory, minimum
from paclearn.learners.spectral.ridge import RidgeProblem
from paclearn.learners.spectral.term_matrix import TermMatrix

ROWS, TERMS, CLASSES = 60, 4, 5


@pytest.mark.parametrize("loss", [SquaredLoss(), LogLoss(), SoftmaxLoss(), PoissonLoss(), GammaLoss()], ids=type)
def test_a_descent_is_the_mean_loss_and_its_slopes(loss):
    rng = np.random.RandomState(0)
    outputs = CLASSES if isinstance(loss, SoftmaxLoss) else 1
    scores = rng.randn(ROWS, outputs) * 3
    scores[0] = 40.0 * np.arange(outputs) - 40.0  # as good as certain
    targets = np.eye(CLASSES)[rng.randint(CLASSES, size=ROWS)] if outputs > 1 else rng.randint(2, size=(ROWS, 1)) * 1.0
    weights = rng.dirichlet(np.ones(ROWS))
    lost, slopes = loss.descent(scores, targets, weights)
    assert lost == pytest.approx(loss.mean(scores, targets, weights), rel=1e-6)
    np.testing.assert_allclose(slopes, -loss.residuals(scores, targets) * weights[:, None], rtol=1e-4, atol=1e-7)


def test_second_derivatives_of_several_scores_are_those_of_the_slopes():
    rng = np.random.RandomState(0)
    matrix = np.column_stack([rng.choice([-1, 1], size=(ROWS, TERMS - 1)), np.ones(ROWS)]).astype(np.float32)
    targets, shares = np.eye(CLASSES)[rng.randint(CLASSES, size=ROWS)], np.full(ROWS, 1 / ROWS)
    weights, loss, step = rng.randn(TERMS, CLASSES), SoftmaxLoss(), 1e-5

    def slopes(point):
        predicted = loss.predictions(matrix @ point.reshape(CLASSES, TERMS).T)
        return (matrix.T @ ((predicted - targets) * shares[:, None])).T.ravel()

    found = FewTerms(matrix, targets, shares, loss, 0.0)._hessian(matrix @ weights, loss.predictions(matrix @ weights))
    point = weights.T.ravel()
    expected = [(slopes(point + step * e) - slopes(point - step * e)) / (2 * step) for e in np.eye(len(point))]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_second_derivatives_extended_by_new_terms_are_those_of_all_terms():
    rng = np.random.RandomState(0)
    matrix = rng.randn(ROWS, TERMS + 3).astype(np.float32)
    curvatures = rng.dirichlet(np.ones(ROWS), size=2).T
    whole = [(matrix * curvature[:, None]).T @ matrix for curvature in curvatures.T]
    before = SecondDerivatives([gram[:TERMS, :TERMS] for gram in whole], curvatures)
    after = SecondDerivatives()
    after.extend(before, ((slice(a, a + 7), matrix[a : a + 7]) for a in range(0, ROWS, 7)), TERMS + 3)
    np.testing.assert_allclose(after.grams, whole, atol=1e-6)
    after.forget()
    assert not after.grams
    assert before.grams


def two_loops(pairs, slope):
    """Nocedal's (1980) recursion: minus the inverse of the second derivatives, as far as the last steps tell."""
    found, along = -slope, []
    for step, turn in reversed(pairs):
        along.append(step @ found / (step @ turn))
        found = found - along[-1] * turn
    found = found * (pairs[-1][0] @ pairs[-1][1]) / (pairs[-1][1] @ pairs[-1][1])
    for (step, turn), size in zip(pairs, reversed(along), strict=True):
        found = found + (size - turn @ found / (step @ turn)) * step
    return found


@pytest.mark.parametrize("n_steps", [1, 3, 10, 14])
def test_the_compact_direction_is_that_of_the_two_loops(n_steps):
    rng = np.random.RandomState(n_steps)
    root = rng.randn(20, 20)
    hessian, memory, pairs = root @ root.T + np.eye(20), _Memory.of(20), []
    slope = rng.randn(20)
    np.testing.assert_array_equal(memory.direction(slope), -slope)
    for _ in range(n_steps):
        step = rng.randn(20)
        pairs.append((step, hessian @ step))
        memory.add(*pairs[-1])
    np.testing.assert_allclose(memory.direction(slope), two_loops(pairs[-10:], slope), rtol=1e-6, atol=1e-9)


def test_rows_along_axes_lead_to_the_same_minimum(monkeypatch):
    rng = np.random.RandomState(0)
    signs = rng.choice([-1.0, 1.0], size=(ROWS, TERMS * 8)).astype(np.float32)
    targets = np.eye(CLASSES)[rng.randint(CLASSES, size=ROWS)]
    matrix = TermMatrix(signs, tuple((i,) for i in range(signs.shape[1])), np.ones(signs.shape[1], dtype=np.float32))
    problem = RidgeProblem(matrix, targets, np.full(ROWS, 1 / ROWS), SoftmaxLoss())
    fast = problem.solve(0.01)
    monkeypatch.setattr(ridge, "_SMALL", 0)
    slow = problem.solve(0.01)
    assert problem.objective(fast, 0.01) == pytest.approx(problem.objective(slow, 0.01), rel=1e-4)
    np.testing.assert_allclose(fast.weights, slow.weights, atol=0.02 * np.abs(slow.weights).max())


def test_the_minimum_is_that_of_a_general_solver():
    rng = np.random.RandomState(0)
    matrix, up = rng.randn(ROWS, TERMS), rng.randint(2, size=ROWS)

    def value(point):
        lost, slopes = LogLoss().descent((matrix @ point)[:, None], up[:, None], np.full(ROWS, 1 / ROWS))
        return lost + 0.01 * point @ point, matrix.T @ slopes[:, 0] + 0.02 * point

    found, taken = minimum(value, np.full(TERMS, 3.0), 100, 1e-7, 1e-12)
    expected = minimize(value, np.full(TERMS, 3.0), jac=True, method="BFGS", options={"gtol": 1e-8}).x
    assert taken < 30
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_step_that_is_too_long_is_shortened():
    found, _ = minimum(lambda x: (float((100 * x**2).sum()), 200 * x), np.array([3.0, -5.0]), 50, 1e-8, 0.0)
    np.testing.assert_allclose(found, 0, atol=1e-6)
