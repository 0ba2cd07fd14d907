"""Generators with known answers: bits of a known distribution, labels by a known function of a few of them."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from paclearn._parameters import Between, Whole, check, check_choice
from paclearn.datasets.requests import check_chances, check_sizes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["make_bits", "make_junta", "make_nonlinear", "make_parity", "make_tribes"]

_MOST_FACTORS = 20  # of a label with a weight for every subset of them


def make_bits(
    n_rows: int, n_columns: int, *, bias: float = 0.5, correlation: float = 0.0, random_state: Any = None
) -> NDArray[np.int8]:
    """Bits -1 and +1: biased, and each tied to the one before it.

    Parameters
    ----------
    n_rows, n_columns : int
        Shape.
    bias : float, default=0.5
        Probability of +1.
    correlation : float, default=0.0
        Probability with which a bit copies its neighbour to the left instead of being drawn afresh, which is then the
        correlation of neighbours; the bias is kept.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    ndarray of int8, shape (n_rows, n_columns)
        The bits.
    """
    check_sizes(n_rows=n_rows, n_columns=n_columns)
    check_chances(bias=bias, correlation=correlation)
    rng = check_random_state(random_state)
    bits = np.where(rng.random_sample((n_rows, n_columns)) < bias, 1, -1).astype(np.int8)
    copies = rng.random_sample((n_rows, n_columns)) < correlation
    for j in range(1, n_columns):
        bits[:, j] = np.where(copies[:, j], bits[:, j - 1], bits[:, j])
    return bits


def make_junta(
    n_rows: int = 1000, n_columns: int = 20, k: int = 3, *, noise: float = 0.1, random_state: Any = None, **law: float
) -> Bunch:
    """A random function of k of the columns, with noise.

    Parameters
    ----------
    n_rows, n_columns, k : int
        Shape, and how many columns the label depends on.
    noise : float, default=0.1
        Probability with which a label is flipped.
    random_state : int, RandomState instance or None, default=None
        Seed.
    **law : float
        ``bias`` and ``correlation`` of the bits, see `make_bits`.

    Returns
    -------
    Bunch
        ``data`` (-1/+1), ``target`` (-1/+1), ``clean`` (the target before noise), ``relevant`` (the columns),
        ``truth_table`` (labels of the cells, first column slowest, -1 before +1), ``best_error`` (the noise rate).
    """
    rng = check_random_state(random_state)
    relevant = _draw_columns(rng, n_columns, k)
    truth_table = np.where(rng.random_sample(2**k) < 0.5, 1, -1)

    def function(bits: NDArray[np.int8]) -> NDArray[np.int64]:
        return truth_table[(bits > 0) @ (1 << np.arange(k)[::-1])]

    data = _labelled(rng, function, n_rows, n_columns, relevant, noise, law)
    return Bunch(**data, truth_table=truth_table)


def make_parity(
    n_rows: int = 1000, n_columns: int = 20, k: int = 3, *, noise: float = 0.1, random_state: Any = None, **law: float
) -> Bunch:
    """The product of k of the columns, with noise: no smaller set of unbiased columns says anything.

    Parameters
    ----------
    n_rows, n_columns, k, noise, random_state, **law : int or float
        See `make_junta`, also for what is returned (without ``truth_table``).
    """
    rng = check_random_state(random_state)
    relevant = _draw_columns(rng, n_columns, k)
    product: Callable[[NDArray[np.int8]], NDArray[Any]] = lambda bits: bits.prod(axis=1)  # noqa: E731
    return Bunch(**_labelled(rng, product, n_rows, n_columns, relevant, noise, law))


def make_tribes(
    n_rows: int = 1000,
    n_tribes: int = 3,
    tribe_size: int = 4,
    *,
    n_extra: int = 0,
    noise: float = 0.0,
    random_state: Any = None,
    **law: float,
) -> Bunch:
    """+1 where all members of at least one tribe of columns are +1.

    Parameters
    ----------
    n_rows, n_tribes, tribe_size : int
        Rows, tribes and columns in each of them.
    n_extra : int, default=0
        Columns behind the tribes that the label does not depend on.
    noise : float, default=0.0
        Probability with which a label is flipped.
    random_state, **law : int or float
        See `make_junta`, also for what is returned (without ``truth_table``).
    """
    check_sizes(n_tribes=n_tribes, tribe_size=tribe_size)
    check_sizes(0, n_extra=n_extra)
    rng = check_random_state(random_state)
    n_relevant = n_tribes * tribe_size

    def unanimous(bits: NDArray[np.int8]) -> NDArray[Any]:
        tribes = bits.reshape(len(bits), n_tribes, tribe_size)
        return np.where((tribes.min(axis=2) > 0).any(axis=1), 1, -1)

    relevant = tuple(range(n_relevant))
    return Bunch(**_labelled(rng, unanimous, n_rows, n_relevant + n_extra, relevant, noise, law))


def _draw_columns(rng: np.random.RandomState, n_columns: int, k: int) -> tuple[int, ...]:
    check_sizes(n_columns=n_columns)
    check("k", k, Whole(1, n_columns))
    return tuple(sorted(int(j) for j in rng.permutation(n_columns)[:k]))


def _labelled(
    rng: np.random.RandomState,
    function: Callable[[NDArray[np.int8]], NDArray[Any]],
    n_rows: int,
    n_columns: int,
    relevant: tuple[int, ...],
    noise: float,
    law: dict[str, float],
) -> dict[str, Any]:
    check_chances(0.5, noise=noise)
    bits = make_bits(n_rows, n_columns, random_state=rng, **law)
    clean = function(bits[:, list(relevant)]).astype(np.int64)
    target = np.where(rng.random_sample(n_rows) < noise, -clean, clean)
    return {"data": bits, "target": target, "clean": clean, "relevant": relevant, "best_error": noise}


def make_nonlinear(
    n_rows: int = 1000,
    n_columns: int = 20,
    k: int = 6,
    *,
    inputs: str = "bits",
    shape: int = 8,
    rate: float = 4.0,
    random_state: Any = None,
) -> Bunch:
    r"""Labels by a random function of the first k columns whose spectrum has an Erlang law over the degrees.

    The label is the sign of :math:`\sum_S c_S \prod_{j \in S} x_j` over the non-empty subsets of the k columns. The
    coefficients are normal, and those of degree s have together the variance :math:`s^{a-1} e^{-\lambda s}`, the
    density of an Erlang law of shape a and rate :math:`\lambda`: with shape 8 and rate 4 most of the weight is on
    products of two and three columns, so single columns say little.

    Parameters
    ----------
    n_rows, n_columns, k : int
        Shape, and how many columns the label depends on.
    inputs : {"bits", "normal"}, default="bits"
        Uniform bits -1 and +1, or standard normal numbers.
    shape : int, default=8
        Shape of the Erlang law.
    rate : float, default=4.0
        Its rate.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data``, ``target`` (-1/+1), ``relevant`` (the first k columns) and ``influence``: for each of them the
        probability that the label changes when the column is drawn afresh, estimated on the rows.
    """
    check_sizes(n_rows=n_rows, n_columns=n_columns)
    check("k", k, Whole(1, min(n_columns, _MOST_FACTORS)))
    check("shape", shape, Between(0, 100))
    check("rate", rate, Between(-100, 100))
    check_choice("inputs", inputs, ("bits", "normal"))
    rng = check_random_state(random_state)

    def draw(*size: int) -> NDArray[np.float64]:
        return rng.choice([-1.0, 1.0], size) if inputs == "bits" else rng.normal(size=size)

    subsets = [s for degree in range(1, k + 1) for s in combinations(range(k), degree)]
    variance = [len(s) ** (shape - 1) * np.exp(-rate * len(s)) / comb(k, len(s)) for s in subsets]
    weights = rng.normal(size=len(subsets)) * np.sqrt(variance)

    def label(x: NDArray[np.float64]) -> NDArray[np.int8]:
        total = sum(w * x[:, list(s)].prod(axis=1) for w, s in zip(weights, subsets, strict=True))
        return np.where(np.asarray(total) > 0, 1, -1).astype(np.int8)

    data = draw(n_rows, n_columns)
    target = label(data[:, :k])
    influence = np.empty(k)
    for j in range(k):
        changed = data[:, :k].copy()
        changed[:, j] = draw(n_rows)
        influence[j] = (label(changed) != target).mean()
    data = data.astype(np.int8) if inputs == "bits" else data
    return Bunch(data=data, target=target, relevant=np.arange(k), influence=influence)
