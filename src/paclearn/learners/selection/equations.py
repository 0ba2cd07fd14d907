"""The equation that reproduces a redundant function from those that were kept, in names and in the user's own units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.selection.chance import log_choices
from paclearn.learners.selection.column_functions import standardise
from paclearn.learners.selection.orthogonal import Monomial, monomials, product

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.selection.chance import Chance
    from paclearn.learners.selection.column_functions import Functions

__all__ = ["Asked", "Equation", "Kept", "explain"]

_MOST_TERMS = 12
_SHOWN = 6
_EXACT = 1e-6
_MOST_IN_PRODUCTS = 640  # as many as are searched for pairs all together: of more, groups showed what is redundant


@dataclass(frozen=True)
class Equation:
    """A function as a polynomial of others.

    Attributes
    ----------
    name : str
        The function that is reproduced: a numeric column, or a level of another one (1 where it holds, else 0).
    intercept : float
        The constant.
    terms : tuple of (float, tuple of str)
        Factors and the functions whose product they multiply.
    residual : float
        Standard deviation of what is left, as a share of that of the function: 0 is exact, 1 is nothing.
    chance : float
        Bound on the probability that some column with such values, but independent of all others, is reproduced as
        well: by as many terms, out of all that were looked at.

    Parameters
    ----------
    name : str
        The function that is redundant.
    intercept : float
        What the sum starts from.
    terms : tuple
        Products of other functions and their factors.
    residual : float
        What is left unexplained, as a share of the standard deviation.
    chance : float
        How likely that is by chance, at most.
    """

    name: str
    intercept: float
    terms: tuple[tuple[float, tuple[str, ...]], ...]
    residual: float
    chance: float = 0.0

    def predict(self, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Evaluate the equation.

        Parameters
        ----------
        values : mapping of str to ndarray
            Values of the functions it uses, by name.

        Returns
        -------
        ndarray
            The reproduced function.
        """
        total = np.asarray(self.intercept, dtype=np.float64)
        for factor, names in self.terms:
            total = total + factor * np.prod([values[name] for name in names], axis=0)
        return total

    def __str__(self) -> str:
        parts = [_signed(factor, names) for factor, names in self.terms[:_SHOWN]]
        if self.intercept or not parts:
            parts.insert(0, ("-" if self.intercept < 0 else "+", f"{abs(self.intercept):.3g}"))
        text = " ".join(f"{sign} {part}" for sign, part in parts)
        text = text[2:] if text.startswith("+ ") else "-" + text[2:]
        more = len(self.terms) - _SHOWN
        return f"{self.name} = {text}" + (f" + {more} more terms" if more > 0 else "")


def _signed(factor: float, names: tuple[str, ...]) -> tuple[str, str]:
    shown = f"{abs(factor):.3g}"
    body = "*".join(f"[{n}]" if "=" in n or " " in n else n for n in names)
    return ("-" if factor < 0 else "+"), body if shown == "1" else f"{shown} {body}"


@dataclass(frozen=True, eq=False)
class Kept:
    """The functions to reproduce others from, by their numbers among all, standardised once for all equations."""

    functions: Functions
    numbers: NDArray[np.intp]

    @cached_property
    def z(self) -> NDArray[np.float64]:
        """Their values, rows x functions."""
        return standardise(self.functions.values[:, self.numbers])

    @cached_property
    def _every_pair(self) -> _Pairs:
        return _Pairs(np.arange(len(self.numbers)), self.z, _product_norms(self.z))

    def pairs(self, witnesses: NDArray[np.intp]) -> _Pairs:
        """The functions whose products of two are looked at: all, or of very many those that were witnesses.

        Parameters
        ----------
        witnesses : ndarray of int
            The functions that were seen to reproduce another one.
        """
        if len(self.numbers) <= _MOST_IN_PRODUCTS or not len(witnesses):
            return self._every_pair
        places = np.flatnonzero(np.isin(self.numbers, witnesses))
        return _Pairs(places, self.z[:, places], _product_norms(self.z[:, places]))


@dataclass(frozen=True, eq=False)
class _Pairs:
    places: NDArray[np.intp]
    z: NDArray[np.float64]
    norms: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Asked:
    """What to reproduce functions from, how well, and what would be chance."""

    kept: Kept
    threshold: float
    chance: Chance

    @property
    def goal(self) -> float:
        """A little further than the threshold: an exact equation should come out exact."""
        return self.threshold / 4

    def holds(self, equations: Sequence[Equation]) -> bool:
        """Whether a column's functions are all reproduced, and not all by chance."""
        good = max(e.residual for e in equations) <= self.threshold
        return good and self.chance.is_excluded(min(e.chance for e in equations))


def explain(asked: Asked, target: int, depth: int, witnesses: NDArray[np.intp]) -> Equation:
    """The shortest equation found: the best next product is taken until the residual is at most the goal.

    Where a dozen products do not get there, or might by chance, fewer are taken, or all products of the witnesses.

    Parameters
    ----------
    asked : Asked
        What to reproduce it from, and how well.
    target : int
        The function to reproduce.
    depth : int
        1 for sums, 2 or more for products of two as well.
    witnesses : ndarray of int
        The functions, among those kept, that were seen to reproduce it.

    Returns
    -------
    Equation
        The products, and what they leave; it may not hold.
    """
    short = _shortest(asked, target, depth, witnesses)
    if not len(witnesses) or (short.residual <= asked.goal and asked.holds([short])):
        return short
    every = [m for own, products in monomials(asked.kept.functions.owner[witnesses], depth) for m in (*own, *products)]
    if depth > 2 and asked.holds([one := _by_one_product(asked, target, witnesses, every)]):
        return one
    long = _in_user_units(asked, target, witnesses, every, 0.0)
    better = not asked.holds([short]) or long.residual < short.residual / 2
    return long if better and asked.holds([long]) else short


def _by_one_product(asked: Asked, target: int, witnesses: NDArray[np.intp], every: list[Monomial]) -> Equation:
    """The best of the witnesses' products, of more than two as well."""
    values = asked.kept.functions.values
    z, y = standardise(values[:, witnesses]), standardise(values[:, [target]])[:, 0]
    shared = np.abs([y @ standardise(product(z, m)[:, None])[:, 0] for m in every])
    return _in_user_units(asked, target, witnesses, [every[int(shared.argmax())]], float(np.log(len(every))))


def _shortest(asked: Asked, target: int, depth: int, witnesses: NDArray[np.intp]) -> Equation:
    """By the products that greed takes, or by the first of them where all might be chance."""
    kept = asked.kept
    pairs = kept.pairs(witnesses) if depth > 1 else None
    chosen = _greedily(asked, target, pairs)
    n_pairs = 0 if pairs is None else comb(len(pairs.places), 2)
    found = [_in_user_units(asked, target, kept.numbers, chosen, log_choices(len(kept.numbers) + n_pairs, len(chosen)))]
    while not asked.holds(found[-1:]) and found[-1].residual <= asked.threshold and len(chosen) > 1:
        chosen = chosen[:-1]
        looks = log_choices(len(kept.numbers) + n_pairs, len(chosen))
        found.append(_in_user_units(asked, target, kept.numbers, chosen, looks))
    return found[-1] if asked.holds(found[-1:]) else found[0]


def _greedily(asked: Asked, target: int, pairs: _Pairs | None) -> list[Monomial]:
    z = asked.kept.z
    y = standardise(asked.kept.functions.values[:, [target]])[:, 0]
    chosen: list[Monomial] = []
    residual = y
    while len(chosen) < min(_MOST_TERMS, len(y) - 1) and residual.std() > asked.goal:
        best = _best_product(z, residual, pairs, chosen)
        if best is None:
            break
        chosen.append(best)
        residual = _residual(y, np.column_stack([np.ones(len(y)), *(product(z, m) for m in chosen)]))
    return chosen


def _product_norms(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard deviations of all products of two."""
    mean = z.T @ z / len(z)
    squares = z * z
    return np.sqrt(np.maximum(squares.T @ squares / len(z) - mean**2, 1e-12))


def _best_product(
    z: NDArray[np.float64], residual: NDArray[np.float64], pairs: _Pairs | None, chosen: list[Monomial]
) -> Monomial | None:
    """The function, or product of two, that has most in common with the residual; a single one wins a tie."""
    single = np.abs(z.T @ residual) / len(z)
    single[[m[0] for m in chosen if len(m) == 1]] = 0
    best: tuple[float, Monomial] = (float(single.max(initial=0)), (int(single.argmax()),) if len(single) else ())
    if pairs is not None and len(pairs.places) > 1:
        found = _best_pair(pairs, residual, chosen)
        best = found if found[0] > best[0] + 1e-9 else best
    return best[1] if best[0] > 1e-6 else None


def _best_pair(pairs: _Pairs, residual: NDArray[np.float64], chosen: list[Monomial]) -> tuple[float, Monomial]:
    shared = np.triu(np.abs(pairs.z.T @ (pairs.z * residual[:, None])) / len(residual) / pairs.norms, 1)
    for m in chosen:
        if len(m) == 2:
            shared[tuple(np.searchsorted(pairs.places, m))] = 0
    i, j = np.unravel_index(int(shared.argmax()), shared.shape)
    return float(shared[i, j]), (int(pairs.places[i]), int(pairs.places[j]))


def _residual(y: NDArray[np.float64], basis: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0])


def _in_user_units(
    asked: Asked, target: int, kept: NDArray[np.intp], chosen: list[Monomial], log_looks: float
) -> Equation:
    """Fitted to standardised functions, where numbers are harmless, and written out in the functions themselves."""
    functions = asked.kept.functions
    raw, y = functions.values[:, kept], functions.values[:, target]
    mean, deviation = raw.mean(axis=0), raw.std(axis=0)
    z = (raw - mean) / deviation
    parts = sorted(
        {s for m in chosen for size in range(1, len(m) + 1) for s in combinations(m, size)}, key=_short_first
    )
    basis = np.column_stack([np.ones(len(y)), *(product(z, m) for m in parts)])
    centred = y - y.mean()
    weights, _, rank, _ = np.linalg.lstsq(basis, centred, rcond=None)
    written = _expand(dict(zip([(), *parts], weights.tolist(), strict=True)), mean, deviation)
    sizes = {m: abs(w) * product(raw, m).std() for m, w in written.items() if m}
    strong = sorted((m for m in sizes if sizes[m] >= 1e-6 * y.std()), key=lambda m: -sizes[m])
    names = [functions.names[f] for f in kept]
    terms = tuple((written[m], tuple(names[f] for f in m)) for m in strong)
    intercept = written[()] + float(y.mean())
    if abs(intercept) <= 1e-9 * max(float(y.std()), float(np.abs(y).max()), 1e-300):
        intercept = 0.0
    residual = float((centred - basis @ weights).std() / y.std())
    copy = residual <= _EXACT and len(parts) == 1  # the same in all rows, be it by chance
    chance = 0.0 if copy else asked.chance.of(target, residual**2, int(rank), log_looks)
    return Equation(functions.names[target], intercept, terms, residual, chance)


def _expand(
    weights: dict[Monomial, float], mean: NDArray[np.float64], deviation: NDArray[np.float64]
) -> dict[Monomial, float]:
    """Products of (x - mean) / deviation, multiplied out."""
    written: dict[Monomial, float] = {(): 0.0}
    for monomial, weight in weights.items():
        scaled = weight / float(np.prod(deviation[list(monomial)]))
        for size in range(len(monomial) + 1):
            for part in combinations(monomial, size):
                rest = [f for f in monomial if f not in part]
                written[part] = written.get(part, 0.0) + scaled * float(np.prod(-mean[rest]))
    return written


def _short_first(monomial: Monomial) -> tuple[int, Monomial]:
    return len(monomial), monomial
