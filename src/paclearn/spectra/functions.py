"""Boolean functions to look at: each maps rows of -1 and +1 to -1 and +1."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError
from paclearn.measures.network import as_states

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["address", "dictator", "dnf", "from_rows", "from_table", "majority", "parity", "threshold", "tribes"]


def _sign(values: NDArray[Any]) -> NDArray[np.int8]:
    return np.where(values > 0, 1, -1).astype(np.int8)


def majority(bits: NDArray[Any]) -> NDArray[np.int8]:
    """+1 where more bits are +1 than -1.

    Parameters
    ----------
    bits : array-like of shape (n_rows, n_bits)
        Rows of -1 and +1.
    """
    return _sign(np.asarray(bits).sum(axis=1))


def parity(members: Sequence[int]) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """The product of some bits.

    Parameters
    ----------
    members : sequence of int
        Their numbers.
    """
    return lambda bits: np.asarray(bits)[:, list(members)].prod(axis=1).astype(np.int8)


def dictator(i: int) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """One bit.

    Parameters
    ----------
    i : int
        Its number.
    """
    return lambda bits: np.asarray(bits)[:, i].astype(np.int8)


def tribes(size: int) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """+1 where all members of at least one tribe of neighbouring bits are +1.

    Parameters
    ----------
    size : int
        Of a tribe.
    """

    def function(bits: NDArray[Any]) -> NDArray[np.int8]:
        table = np.asarray(bits)
        if table.shape[1] % size:
            raise InputError(f"{table.shape[1]} bits do not make tribes of {size}")
        return _sign((table.reshape(len(table), -1, size).min(axis=2) > 0).any(axis=1).astype(int) - 0.5)

    return function


def threshold(weights: Sequence[float], bias: float = 0.0) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """The sign of a weighted sum.

    Parameters
    ----------
    weights, bias : sequence of float, float
        Of every bit, and what is added.
    """
    return lambda bits: _sign(np.asarray(bits) @ np.asarray(weights, dtype=float) + bias)


def address(n_address: int) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """The bit that the first few bits, read as a binary number, point to among the others.

    Parameters
    ----------
    n_address : int
        How many they are.
    """

    def function(bits: NDArray[Any]) -> NDArray[np.int8]:
        table = np.asarray(bits)
        if table.shape[1] != n_address + 2**n_address:
            raise InputError(
                f"{n_address} bits of address and {2**n_address} to point to are needed; found {table.shape[1]}"
            )
        place = (table[:, :n_address] > 0) @ (1 << np.arange(n_address)[::-1])
        return table[np.arange(len(table)), n_address + place].astype(np.int8)

    return function


def from_table(values: Sequence[float]) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Any function, by its values at all points.

    Parameters
    ----------
    values : sequence of float
        The first bit slowest, -1 before +1.
    """
    table = np.asarray(values)
    d = int(table.size).bit_length() - 1
    if table.ndim != 1 or table.size != 2**d:
        raise InputError(f"a truth table has 2, 4, 8, ... values in a row; found shape {table.shape}")

    def function(bits: NDArray[Any]) -> NDArray[Any]:
        rows = np.asarray(bits)
        if rows.shape[1] != d:
            raise InputError(f"a table of {table.size} values takes {d} bits; found {rows.shape[1]}")
        return table[(rows > 0) @ (1 << np.arange(d)[::-1])]

    return function


def from_rows(X: Any, y: Any) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    r"""What some rows say, and everywhere else the label that most of them have.

    It explains all of n rows, whatever their labels are, and its spectral norm under uniform bits is at most
    :math:`1 + \sqrt{2n}` (Zhang 2019, Proposition 19): a small norm that fits the rows proves no simple truth.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_bits)
        Rows of -1 and +1.
    y : array-like of shape (n_rows,)
        Their labels, -1 or +1; equal rows have equal ones.
    """
    rows, labels = as_states(X) > 0, np.asarray(y)
    if labels.shape != (len(rows),) or not np.isin(labels, (-1, 1)).all():
        raise InputError(f"{len(rows)} rows need a label of -1 or +1 each; found {labels.ravel()[:3].tolist()}, ...")
    usual = 1 if labels.sum() >= 0 else -1
    seen = {row.tobytes(): label for row, label in zip(rows, labels, strict=True)}
    if any(seen[row.tobytes()] != label for row, label in zip(rows, labels, strict=True)):
        raise InputError("equal rows have different labels, and no function gives both")

    def function(bits: NDArray[Any]) -> NDArray[np.int8]:
        asked = np.ascontiguousarray(np.asarray(bits) > 0)
        if asked.shape[1] != rows.shape[1]:
            raise InputError(f"the rows have {rows.shape[1]} bits; found {asked.shape[1]}")
        return np.array([seen.get(row.tobytes(), usual) for row in asked], dtype=np.int8)

    return function


def dnf(text: str, names: Sequence[str]) -> Callable[[NDArray[Any]], NDArray[np.int8]]:
    """+1 where at least one of some conjunctions holds, for example ``"smoker & !young | gene"``.

    Parameters
    ----------
    text : str
        Conjunctions, joined by ``|`` or ``or``, of literals, joined by ``&`` or ``and``; ``!``, ``~`` or ``not`` turns
        one round.
    names : sequence of str
        The bits in the order of the columns.
    """
    terms = [
        [_literal(part.strip(), list(names), text) for part in re.split(r"&|\band\b", term)]
        for term in re.split(r"\||\bor\b", text)
    ]

    def function(bits: NDArray[Any]) -> NDArray[np.int8]:
        rows = np.asarray(bits) > 0
        holds = [np.all([rows[:, i] == wanted for i, wanted in term], axis=0) for term in terms]
        return _sign(np.any(holds, axis=0).astype(int) - 0.5)

    return function


def _literal(part: str, names: list[str], text: str) -> tuple[int, bool]:
    """The number of a bit, and whether it must be +1."""
    found = re.fullmatch(r"(?P<negations>(?:(?:!|~|\bnot\b)\s*)*)(?P<name>.*)", part)
    name = found["name"].strip() if found else part
    if name not in names:
        raise InputError(f"{name!r} in {text!r} is no bit; the bits are {', '.join(names)}")
    return names.index(name), found is None or len(re.findall(r"!|~|not", found["negations"])) % 2 == 0
